package study

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/text"
)

// Suite puts tables with the same rows, the models, side by side: one table for each data set.
type Suite struct {
	Head
	Models []Standing `json:"models"`
	Sets   []Summary  `json:"sets"`
	// Counted are the titles of the sets on which all models have as many runs. Models without any run do not matter.
	Counted []string `json:"counted"`
}

// Standing holds the results of a model over the counted sets.
type Standing struct {
	Name       string  `json:"name"`
	Runs       int     `json:"runs"`       // on all sets
	Accuracy   float64 `json:"accuracy"`   // mean over sets
	Rank       float64 `json:"rank"`       // mean over sets of the rank of the accuracy
	Won        int     `json:"won"`        // sets on which no model is more accurate
	Seconds    float64 `json:"seconds"`    // of training: the sum of the sets' means
	Parameters float64 `json:"parameters"` // mean over sets
}

// SummarizeSuite reads the results of the tables' runs in folder. errs says why a run failed, by directory; it may be
// nil.
func SummarizeSuite(folder, name, title string, tables []Table, seeds int, origin Origin, errs map[string]error) Suite {
	s := Suite{Head: Head{Name: name, Title: title, Seeds: seeds, Origin: origin}, Counted: []string{}}
	for _, row := range tables[0].Rows {
		s.Models = append(s.Models, Standing{Name: row.Name})
	}
	ended, how := 0, ""
	for _, t := range tables {
		summary := Summarize(folder, t, seeds, Origin{}, errs)
		for m, line := range summary.Lines {
			s.Models[m].Runs += line.Runs
			ended += line.Runs
		}
		if t.Reduced != "" {
			how = t.Reduced
		}
		s.Folds = summary.Folds
		s.Sets = append(s.Sets, summary)
	}
	s.Reduced = reduced(how, ended, len(Cells(folder, tables, seeds)))
	for i := range s.Sets {
		s.count(&s.Sets[i])
	}
	for m := range s.Models {
		if n := float64(len(s.Counted)); n > 0 {
			s.Models[m].Accuracy /= n
			s.Models[m].Rank /= n
			s.Models[m].Parameters /= n
		}
	}
	return s
}

// count adds a set to the standings, if all models that have any run have as many runs on it.
func (s *Suite) count(set *Summary) {
	runs, accuracies := 0, []float64(nil)
	for m, line := range set.Lines {
		if s.Models[m].Runs == 0 {
			continue
		}
		if line.Runs == 0 || runs > 0 && line.Runs != runs {
			return
		}
		runs = line.Runs
		accuracies = append(accuracies, line.Accuracy)
	}
	if accuracies == nil {
		return
	}
	s.Counted = append(s.Counted, set.Title)
	ranked, best := ranks(accuracies), slices.Max(accuracies)
	for m := range set.Lines {
		model, line := &s.Models[m], &set.Lines[m]
		if model.Runs == 0 {
			continue
		}
		line.Rank, ranked = ranked[0], ranked[1:]
		model.Accuracy += line.Accuracy
		model.Rank += line.Rank
		model.Seconds += line.Seconds
		model.Parameters += float64(line.Parameters)
		if equal(line.Accuracy, best) {
			model.Won++
		}
	}
}

// equal reports whether two means of the same accuracies, summed in different orders, are equal.
func equal(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// ranks numbers values from the largest, 1, on. Equal values share the mean of their numbers.
func ranks(values []float64) (numbers []float64) {
	for _, v := range values {
		larger, ties := 0, 0
		for _, w := range values {
			if equal(v, w) {
				ties++
			} else if w > v {
				larger++
			}
		}
		numbers = append(numbers, float64(larger)+float64(ties+1)/2)
	}
	return numbers
}

// rows formats the table, with a column for each model that has any run. The heading and a row for each set are sets.
// The rows below are standings, if any set counts. Names have at most `longest` characters.
func (s Suite) rows(longest int) (sets, standings [][]string) {
	sets = [][]string{{"accuracy %"}}
	for _, set := range s.Sets {
		sets = append(sets, []string{text.Shorten(set.Title, longest)})
	}
	if len(s.Counted) > 0 {
		standings = [][]string{{"mean accuracy"}, {"mean rank"}, {"sets won"}, {"training s"}, {"parameters"}}
	}
	add := func(rows [][]string, cells ...string) {
		for i := range rows {
			rows[i] = append(rows[i], cells[i])
		}
	}
	for m, model := range s.Models {
		if model.Runs == 0 {
			continue
		}
		column := []string{text.Shorten(model.Name, longest)}
		for _, set := range s.Sets {
			column = append(column, set.Lines[m].accuracy())
		}
		add(sets, column...)
		add(standings, fmt.Sprintf("%.1f", 100*model.Accuracy), fmt.Sprintf("%.2f", model.Rank), strconv.Itoa(model.Won),
			number(model.Seconds), text.Thousands(int(math.Round(model.Parameters))))
	}
	return sets, standings
}

// What fits into the columns of a terminal: the accuracies of seven models, beside a name of 16 characters.
const (
	modelsAcross = 7
	longestSet   = 16
)

// Text formats the table for a terminal, in several parts if there are many models.
func (s Suite) Text() string {
	sets, standings := s.rows(longestSet)
	rows := append(sets, make([]string, len(sets[0]))) // a blank line
	rows = append(rows, standings...)
	var parts [][][]string
	for from := 1; from < len(sets[0]); from += modelsAcross {
		var part [][]string
		for _, row := range rows {
			part = append(part, append(row[:1:1], row[from:min(from+modelsAcross, len(row))]...))
		}
		parts = append(parts, part)
	}
	return strings.TrimRight(text.Align(s.show("suite-terminal", parts)), "\n") + "\n"
}

// show formats the suite with a template. parts are its rows, in one table or several.
func (s Suite) show(name string, parts [][][]string) string {
	return execute(name, struct {
		Suite
		Parts     [][][]string
		Ensembles []string
		Failures  []string
	}{s, parts, ensembles(s.Sets), failures(s.Sets)})
}

// Write keeps the suite in folder as NAME.md, NAME.csv and NAME.json. The CSV file has a row for each set and model,
// with all digits.
func (s Suite) Write(folder string) error {
	const heading = "set,model,runs,accuracy,deviation,rank,validation,parameters,epochs,seconds,signals_per_second," +
		"folds,reduced,machine,backend,error"
	sets, standings := s.rows(math.MaxInt)
	markdown := s.show("suite", [][][]string{append(sets, standings...)})
	return write(filepath.Join(folder, s.Name), s, markdown, heading, func(row func(cells ...any)) {
		for _, set := range s.Sets {
			for _, l := range set.Lines {
				row(set.Title, l.Name, l.Runs, 100*l.Accuracy, 100*l.Deviation, l.Rank, 100*l.Validation, l.Parameters, l.Epochs,
					l.Seconds, l.PerSecond, s.Folds, set.Reduced, s.Origin.Machine, s.Origin.Backend, l.Error)
			}
		}
	})
}
