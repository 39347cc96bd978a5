package study

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/text"
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
	Deviation  float64 `json:"deviation"`            // standard deviation over the seeds, of at least two
	Validation float64 `json:"validation,omitempty"` // 0: no samples were held out
	Parameters int     `json:"parameters"`
	Epochs     int     `json:"epochs"`
	Seconds    float64 `json:"seconds"`            // of training
	PerSecond  float64 `json:"signals_per_second"` // of inference, in batches of 64
	Note       string  `json:"note,omitempty"`
	Error      string  `json:"error,omitempty"` // why there is no run
}

// Summary is a table with its results.
type Summary struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Seeds   int    `json:"seeds"`
	Reduced string `json:"reduced,omitempty"` // in what way this is less than the whole
	Origin  Origin `json:"origin"`
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
	s := Summary{Name: t.Name, Title: t.Title, Seeds: seeds, Reduced: t.Reduced, Origin: origin}
	missing, all := 0, 0
	for _, row := range t.Rows {
		line := Line{Name: row.Name, Paper: row.Paper, Note: row.Note}
		var accuracies, validations, times, rates []float64
		for _, dir := range row.Dirs(folder, seeds) {
			all++
			result, err := training.ReadResult(dir)
			var rate Rate
			if err == nil {
				err = files.ReadJSON(filepath.Join(dir, rateFile), &rate)
			}
			if err != nil {
				missing++
				if errs[dir] != nil {
					line.Error = errs[dir].Error()
				}
				continue
			}
			accuracies = append(accuracies, 100*result.Test.Accuracy)
			if result.Validation != nil {
				validations = append(validations, 100*result.Validation.Accuracy)
			}
			times, rates = append(times, result.Seconds), append(rates, rate.PerSecond)
			line.Parameters, line.Epochs = result.Parameters, result.Epochs
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
		s.Lines = append(s.Lines, line)
	}
	if missing > 0 {
		s.Reduced = strings.TrimPrefix(fmt.Sprintf("%s, %d of %d runs", s.Reduced, all-missing, all), ", ")
	}
	return s
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
			accuracy := fmt.Sprintf("%.1f", l.Accuracy)
			if l.Runs > 1 {
				accuracy += fmt.Sprintf(" ± %.1f", l.Deviation)
			}
			row = []string{l.Name, accuracy, strconv.Itoa(l.Runs), text.Thousands(l.Parameters), strconv.Itoa(l.Epochs), number(l.Seconds), number(l.PerSecond), ""}
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
	var reasons []string
	names := map[string][]string{}
	for _, l := range s.Lines {
		if l.Error != "" && names[l.Error] == nil {
			reasons = append(reasons, l.Error)
		}
		names[l.Error] = append(names[l.Error], l.Name)
	}
	for _, reason := range reasons {
		lines = append(lines, "not run: "+strings.Join(names[reason], "; ")+": "+reason)
	}
	return lines
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
