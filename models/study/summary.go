package study

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/stat"
)

// Line holds the results of a row: means over the runs that have ended. Accuracies are fractions, in percent only in
// the tables.
type Line struct {
	Name      string  `json:"name"`
	Paper     float64 `json:"paper,omitempty"` // in percent, as printed there
	Runs      int     `json:"runs"`
	Accuracy  float64 `json:"accuracy"`
	Deviation float64 `json:"deviation"` // standard deviation over at least two runs
	Loss      float64 `json:"loss"`      // the log-loss of the test samples, in nats
	// Rank is the rank of the accuracy among the rows of a counted set. 1 is the best, and ties share their mean.
	Rank        float64 `json:"rank,omitempty"`
	Won         int     `json:"won,omitempty"`        // counted sets on which no row is more accurate
	Validation  float64 `json:"validation,omitempty"` // 0: no samples were held out
	Parameters  int     `json:"parameters"`
	Epochs      int     `json:"epochs"`             // 0: fitted at once, as ridge classifiers are
	Seconds     float64 `json:"seconds"`            // of training
	PerSecond   float64 `json:"signals_per_second"` // of inference, in batches of 64
	PredictedBy string  `json:"predicted_by"`       // see models.Classifier.PredictedBy
	Ensemble    bool    `json:"ensemble,omitempty"` // several members predict
	Pooled      *Pooled `json:"pooled,omitempty"`   // of folds
	Note        string  `json:"note,omitempty"`
	Error       string  `json:"error,omitempty"` // why there is no run
	Each        []Ended `json:"each,omitempty"`
}

// Ended is a run that has ended.
type Ended struct {
	Seed       int64         `json:"seed"`
	Fold       datasets.Fold `json:"fold,omitzero"`
	Accuracy   float64       `json:"accuracy"`
	Loss       float64       `json:"loss"`
	Validation float64       `json:"validation,omitempty"` // 0: no samples were held out
	Seconds    float64       `json:"seconds"`
	Folder     string        `json:"folder"`
}

// Summary is a table with its results. If the table has sets, Lines are the rows over them: Runs are those on all sets,
// accuracies, ranks and parameters are means over the counted sets, and Seconds is their sum.
type Summary struct {
	Name    string    `json:"name"`
	Title   string    `json:"title"`
	Seeds   int       `json:"seeds"`
	Folds   string    `json:"folds,omitempty"`   // such as "5 folds"
	Reduced string    `json:"reduced,omitempty"` // in what way this is less than the whole
	Origin  Origin    `json:"origin,omitzero"`   // zero in a set, whose whole has it
	Lines   []Line    `json:"lines"`
	Sets    []Summary `json:"sets,omitempty"`
	// Counted are the titles of the sets on which all rows have as many runs. Rows without any run do not matter.
	Counted []string `json:"counted,omitempty"`
	Figures []Figure `json:"figures,omitempty"` // were drawn from the table's runs
}

// Figure is a picture that was drawn from a table's runs, with the numbers that it shows.
type Figure struct {
	Name  string   `json:"name"`
	About string   `json:"about"`
	Files []string `json:"files"`           // .png, .svg, .csv; none if it could not be drawn
	Notes []string `json:"notes,omitempty"` // in what it is less than it should be
}

// Origin says where numbers come from.
type Origin struct {
	Command  string            `json:"command"`
	Machine  string            `json:"machine"`
	Backend  string            `json:"backend"`
	Versions map[string]string `json:"versions"`
}

// Summarize reads the results of a table's runs in folder. errs says why a run failed, by directory; it may be nil.
func Summarize(folder string, t Table, seeds int, origin Origin, errs map[string]error) Summary {
	s := Summary{Name: t.Name, Title: t.Title, Seeds: seeds, Reduced: t.Reduced, Origin: origin}
	rows, all := rowsOf(t), 0
	switch folds := rows[0].Folds; {
	case folds == nil:
	case folds[0].Of == 0:
		s.Folds = "a fold for each group"
	default:
		s.Folds = fmt.Sprintf("%d folds", folds[0].Of)
	}
	for _, row := range rows {
		cells := Cells(folder, []Table{{Rows: []Row{row}}}, seeds)
		all += len(cells)
		if t.Sets == nil {
			s.Lines = append(s.Lines, summarizeRow(row, cells, errs))
		}
	}
	for _, set := range t.Sets {
		s.Reduced = cmp.Or(set.Reduced, s.Reduced)
		s.Sets = append(s.Sets, Summarize(folder, set, seeds, Origin{}, errs))
	}
	if s.Sets != nil {
		s.overSets()
	}
	if ended := s.Runs(); ended < all {
		s.Reduced = strings.TrimPrefix(fmt.Sprintf("%s, %d of %d runs", s.Reduced, ended, all), ", ")
	}
	return s
}

// Runs returns the number of runs that have ended.
func (s Summary) Runs() (n int) {
	for _, line := range s.Lines {
		n += line.Runs
	}
	return n
}

// tables are the sets, or the table itself without any.
func (s Summary) tables() []Summary {
	if s.Sets == nil {
		return []Summary{s}
	}
	return s.Sets
}

// overSets fills the lines of a table that has sets. A set counts if all rows that have any run have as many runs on
// it.
func (s *Summary) overSets() {
	var ran []int // rows that have any run
	for row, line := range s.Sets[0].Lines {
		over := Line{Name: line.Name}
		for _, set := range s.Sets {
			over.Runs += set.Lines[row].Runs
		}
		s.Lines = append(s.Lines, over)
		if over.Runs > 0 {
			ran = append(ran, row)
		}
	}
	for _, set := range s.Sets {
		var runs []int
		var accuracies []float64
		for _, row := range ran {
			runs, accuracies = append(runs, set.Lines[row].Runs), append(accuracies, set.Lines[row].Accuracy)
		}
		runs = slices.Compact(runs)
		if len(runs) != 1 || runs[0] == 0 {
			continue
		}
		s.Counted = append(s.Counted, set.Title)
		for i, rank := range ranks(accuracies) {
			over, line := &s.Lines[ran[i]], &set.Lines[ran[i]]
			line.Rank = rank
			over.Accuracy += line.Accuracy
			over.Loss += line.Loss
			over.Rank += rank
			over.Seconds += line.Seconds
			over.Parameters += line.Parameters
			if equal(line.Accuracy, slices.Max(accuracies)) {
				over.Won++
			}
		}
	}
	for row := range s.Lines {
		if n := float64(len(s.Counted)); n > 0 {
			s.Lines[row].Accuracy /= n
			s.Lines[row].Loss /= n
			s.Lines[row].Rank /= n
			s.Lines[row].Parameters = int(math.Round(float64(s.Lines[row].Parameters) / n))
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

// summarizeRow reads the results of a row's runs.
func summarizeRow(row Row, cells []Cell, errs map[string]error) Line {
	line := Line{Name: row.Name, Paper: row.Paper, Note: row.Note}
	var pooled Pooled
	known := row.Folds != nil
	var accuracies, losses, validations, times, rates []float64
	for _, cell := range cells {
		var rate Rate
		result, unread := training.ReadResult(cell.Dir)
		if err := checkpoint.ReadJSON(cell.Dir, rateFile, &rate); err != nil || unread != nil {
			if errs[cell.Dir] != nil {
				line.Error = errs[cell.Dir].Error()
			}
			continue
		}
		ended := Ended{Seed: cell.Config.Seed, Fold: cell.Config.Fold, Accuracy: result.Test.Accuracy,
			Loss: result.Test.Loss, Seconds: result.Seconds, Folder: filepath.Base(cell.Dir)}
		if result.Validation != nil {
			ended.Validation = result.Validation.Accuracy
			validations = append(validations, ended.Validation)
		}
		accuracies, losses, times = append(accuracies, ended.Accuracy), append(losses, ended.Loss),
			append(times, result.Seconds)
		rates = append(rates, rate.PerSecond)
		line.Parameters, line.PredictedBy = result.Parameters, result.PredictedBy
		line.Ensemble = len(result.Predicting()) > 1
		if result.Steps > 0 {
			line.Epochs = result.Epochs
		}
		line.Each = append(line.Each, ended)
		known = known && pooled.add(result)
	}
	if known && pooled.Folds > 0 {
		pooled.settle()
		line.Pooled = &pooled
	}
	line.Runs = len(accuracies)
	if line.Runs > 0 {
		line.Accuracy, line.Loss = stat.Mean(accuracies, nil), stat.Mean(losses, nil)
		line.Seconds, line.PerSecond = stat.Mean(times, nil), stat.Mean(rates, nil)
	}
	if len(validations) > 0 {
		line.Validation = stat.Mean(validations, nil)
	}
	if line.Runs > 1 {
		line.Deviation = stat.StdDev(accuracies, nil)
	}
	return line
}
