package study

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/stat"
)

// Line is what came of a row: means over the runs that have ended. Accuracies are in percent.
type Line struct {
	Name       string  `json:"name"`
	Paper      float64 `json:"paper,omitempty"`
	Runs       int     `json:"runs"`
	Accuracy   float64 `json:"accuracy"`
	Deviation  float64 `json:"deviation"`            // standard deviation over the runs, of at least two
	Rank       float64 `json:"rank,omitempty"`       // of the accuracy among the lines, 1 is the best; ties share their mean. In a suite only
	Validation float64 `json:"validation,omitempty"` // 0: no samples were held out
	Parameters int     `json:"parameters"`
	Epochs     int     `json:"epochs"`
	Seconds    float64 `json:"seconds"`            // of training
	PerSecond  float64 `json:"signals_per_second"` // of inference, in batches of 64
	Note       string  `json:"note,omitempty"`
	Error      string  `json:"error,omitempty"` // why there is no run
	Each       []Ended `json:"each,omitempty"`
}

// Ended is a run that has ended. Accuracies are in percent.
type Ended struct {
	Seed       int64         `json:"seed"`
	Fold       datasets.Fold `json:"fold,omitzero"`
	Accuracy   float64       `json:"accuracy"`
	Validation float64       `json:"validation,omitempty"` // 0: no samples were held out
	Seconds    float64       `json:"seconds"`
	Folder     string        `json:"folder"`
}

// Summary is a table with its results.
type Summary struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Seeds   int    `json:"seeds"`
	Folds   string `json:"folds,omitempty"`   // such as "5 folds"
	Reduced string `json:"reduced,omitempty"` // in what way this is less than the whole
	Origin  Origin `json:"origin,omitzero"`   // zero in a suite, which has it
	Lines   []Line `json:"lines"`
	// Figures were drawn from the table's runs.
	Figures []Figure `json:"figures,omitempty"`
}

// Figure is a picture that was drawn from a table's runs, with the numbers behind it.
type Figure struct {
	Name  string   `json:"name"`
	About string   `json:"about"`
	Files []string `json:"files"`           // .png, .svg, .csv; none where it could not be drawn
	Notes []string `json:"notes,omitempty"` // in what it is less than it should be
}

// Origin says where numbers come from.
type Origin struct {
	Command  string            `json:"command"`
	Machine  string            `json:"machine"`
	Backend  string            `json:"backend"`
	Versions map[string]string `json:"versions"`
}

// Summarize reads what the runs of a table in folder have come to. errs, which may be nil, says why a run failed, by directory.
func Summarize(folder string, t Table, seeds int, origin Origin, errs map[string]error) Summary {
	s := Summary{Name: t.Name, Title: t.Title, Seeds: seeds, Folds: t.folds(), Origin: origin}
	ended, all := 0, 0
	for _, row := range t.Rows {
		cells := Cells(folder, []Table{{Rows: []Row{row}}}, seeds)
		line := summarizeRow(row, cells, errs)
		s.Lines = append(s.Lines, line)
		ended, all = ended+line.Runs, all+len(cells)
	}
	s.Reduced = reduced(t.Reduced, ended, all)
	return s
}

// folds says over which folds the table's runs are.
func (t Table) folds() string {
	switch folds := t.Rows[0].Folds; {
	case folds == nil:
		return ""
	case folds[0].Of == 0:
		return "a fold for each group"
	default:
		return fmt.Sprintf("%d folds", folds[0].Of)
	}
}

// reduced adds to what is said of a table how many of its runs have ended, if not all.
func reduced(said string, ended, all int) string {
	if ended < all {
		said = strings.TrimPrefix(fmt.Sprintf("%s, %d of %d runs", said, ended, all), ", ")
	}
	return said
}

// summarizeRow reads what a row's runs have come to.
func summarizeRow(row Row, cells []Cell, errs map[string]error) Line {
	line := Line{Name: row.Name, Paper: row.Paper, Note: row.Note}
	var accuracies, validations, times, rates []float64
	for _, cell := range cells {
		result, err := training.ReadResult(cell.Dir)
		var rate Rate
		if err == nil {
			err = files.ReadJSON(filepath.Join(cell.Dir, rateFile), &rate)
		}
		if err != nil {
			if errs[cell.Dir] != nil {
				line.Error = errs[cell.Dir].Error()
			}
			continue
		}
		validation := 0.0
		if result.Validation != nil {
			validation = 100 * result.Validation.Accuracy
			validations = append(validations, validation)
		}
		accuracies = append(accuracies, 100*result.Test.Accuracy)
		times, rates = append(times, result.Seconds), append(rates, rate.PerSecond)
		line.Parameters, line.Epochs = result.Parameters, result.Epochs
		line.Each = append(line.Each, Ended{cell.Config.Seed, cell.Config.Fold, 100 * result.Test.Accuracy, validation,
			result.Seconds, filepath.Base(cell.Dir)})
	}
	if line.Runs = len(accuracies); line.Runs > 0 {
		line.Accuracy, line.Seconds, line.PerSecond = stat.Mean(accuracies, nil), stat.Mean(times, nil), stat.Mean(rates, nil)
		if len(validations) > 0 {
			line.Validation = stat.Mean(validations, nil)
		}
	}
	if line.Runs > 1 {
		line.Deviation = stat.StdDev(accuracies, nil)
	}
	return line
}

// accuracy is the line's for people, "" without runs.
func (l Line) accuracy() string {
	switch l.Runs {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%.1f", l.Accuracy)
	}
	return fmt.Sprintf("%.1f ± %.1f", l.Accuracy, l.Deviation)
}

// rows are the table's for people, the heading first. The paper's column is there only where there is a number in it.
func (s Summary) rows() [][]string {
	columns := 7
	if slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Paper > 0 }) {
		columns++
	}
	heading := []string{"", "accuracy %", "runs", "parameters", "epochs", "training s", "signals/s", "paper %"}
	rows := [][]string{heading[:columns]}
	for _, l := range s.Lines {
		row := []string{l.Name, "", "", "", "", "", "", ""}
		if l.Runs > 0 {
			row = []string{l.Name, l.accuracy(), strconv.Itoa(l.Runs), text.Thousands(l.Parameters), strconv.Itoa(l.Epochs), number(l.Seconds), number(l.PerSecond), ""}
		}
		if l.Paper > 0 {
			row[7] = strconv.FormatFloat(l.Paper, 'f', -1, 64)
		}
		rows = append(rows, row[:columns])
	}
	return rows
}

// number keeps three digits.
func number(v float64) string {
	if v >= 1000 {
		scale := math.Pow(10, math.Floor(math.Log10(v))-2)
		return text.Thousands(int(math.Round(v/scale) * scale))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// failures say why lines have no runs, each reason once.
func (s Summary) failures() (lines []string) {
	var failed []named[string]
	for _, l := range s.Lines {
		if l.Error != "" {
			failed = append(failed, named[string]{l.Error, l.Name})
		}
	}
	for _, f := range group(failed, "; ") {
		lines = append(lines, "not run: "+f.name+": "+f.key)
	}
	return lines
}

// named is a name under a key.
type named[K comparable] struct {
	key  K
	name string
}

// group joins the names of each key, in the order in which keys first come.
func group[K comparable](all []named[K], separator string) (groups []named[K]) {
	for _, one := range all {
		i := slices.IndexFunc(groups, func(g named[K]) bool { return g.key == one.key })
		if i < 0 {
			groups = append(groups, one)
		} else {
			groups[i].name += separator + one.name
		}
	}
	return groups
}

// Text is the table for a terminal.
func (s Summary) Text() string { return text.Align(s.show("terminal")) }

// Write keeps the table in folder as NAME.md, NAME.csv and NAME.json, each written all or nothing. The CSV file has all digits.
func (s Summary) Write(folder string) error {
	path := filepath.Join(folder, s.Name)
	heading := []string{"table", "row", "paper", "runs", "accuracy", "deviation", "validation", "parameters", "epochs", "seconds", "signals_per_second", "reduced", "machine", "backend", "note"}
	err := text.WriteCSV(path+".csv", heading, func(row func(cells ...any)) error {
		for _, l := range s.Lines {
			row(s.Name, l.Name, l.Paper, l.Runs, l.Accuracy, l.Deviation, l.Validation, l.Parameters, l.Epochs, l.Seconds, l.PerSecond, s.Reduced, s.Origin.Machine, s.Origin.Backend, l.Note)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := files.WriteJSON(path+".json", s); err != nil {
		return err
	}
	return files.WriteBytes(path+".md", []byte(s.show("summary")))
}
