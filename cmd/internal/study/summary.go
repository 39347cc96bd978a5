package study

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	Deviation  float64 `json:"deviation"` // standard deviation over the seeds, of at least two
	Validation float64 `json:"validation"`
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
		for seed := 1; row.Config != nil && seed <= seeds; seed++ {
			all++
			dir := newCell(folder, row, seed).Dir
			result, err := training.ReadResult(dir)
			rate, ok := readRate(dir)
			if err != nil || !ok {
				missing++
				if errs[dir] != nil {
					line.Error = errs[dir].Error()
				}
				continue
			}
			accuracies, validations = append(accuracies, 100*result.Test.Accuracy), append(validations, 100*result.Validation.Accuracy)
			times, rates = append(times, result.Seconds), append(rates, rate.PerSecond)
			line.Parameters, line.Epochs = result.Parameters, result.Epochs
		}
		if line.Runs = len(accuracies); line.Runs > 0 {
			line.Accuracy, line.Validation, line.Seconds, line.PerSecond = stat.Mean(accuracies, nil), stat.Mean(validations, nil), stat.Mean(times, nil), stat.Mean(rates, nil)
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

// columns are the table's for people; the papers' column only where there is a number in it.
func (s Summary) columns() (header []string, rows [][]string) {
	paper := false
	for _, l := range s.Lines {
		paper = paper || l.Paper > 0
	}
	header = []string{"", "accuracy %", "runs", "parameters", "epochs", "training s", "signals/s"}
	if paper {
		header = append(header, "paper %")
	}
	for _, l := range s.Lines {
		row := []string{l.Name, "", "", "", "", "", ""}
		if l.Runs > 0 {
			row = []string{l.Name, Accuracy(l), strconv.Itoa(l.Runs), Thousands(l.Parameters), strconv.Itoa(l.Epochs), number(l.Seconds), number(l.PerSecond)}
		}
		if paper {
			cell := ""
			if l.Paper > 0 {
				cell = strconv.FormatFloat(l.Paper, 'f', -1, 64)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return header, rows
}

// Accuracy is a line's, such as "98.2 ± 0.4".
func Accuracy(l Line) string {
	switch l.Runs {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%.1f", l.Accuracy)
	}
	return fmt.Sprintf("%.1f ± %.1f", l.Accuracy, l.Deviation)
}

// number keeps three digits.
func number(v float64) string {
	if v >= 1000 {
		scale := math.Pow(10, math.Floor(math.Log10(v))-2)
		return Thousands(int(math.Round(v/scale) * scale))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Thousands writes a whole number with a comma between thousands.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

type failure struct {
	text  string
	names []string
}

// errors are why lines have no runs, each reason once.
func (s Summary) errors() (failures []failure) {
	for _, l := range s.Lines {
		if l.Error == "" {
			continue
		}
		at := slices.IndexFunc(failures, func(f failure) bool { return f.text == l.Error })
		if at < 0 {
			at, failures = len(failures), append(failures, failure{text: l.Error})
		}
		failures[at].names = append(failures[at].names, l.Name)
	}
	return failures
}

// Markdown is the table with its title, notes and origin.
func (s Summary) Markdown() string {
	var b strings.Builder
	header, rows := s.columns()
	title := s.Title
	if s.Reduced != "" {
		title += " (reduced: " + s.Reduced + ")"
	}
	fmt.Fprintf(&b, "## %s\n\n| %s |\n|%s\n", title, strings.Join(header, " | "), strings.Repeat("---|", len(header)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	b.WriteString("\n")
	for _, l := range s.Lines {
		if l.Note != "" {
			fmt.Fprintf(&b, "- %s: %s\n", l.Name, l.Note)
		}
	}
	for _, e := range s.errors() {
		fmt.Fprintf(&b, "- not run: %s: %s\n", strings.Join(e.names, "; "), e.text)
	}
	for _, f := range s.Figures {
		if len(f.Files) > 0 {
			fmt.Fprintf(&b, "\n![%s](%s)\n", f.About, filepath.Base(f.Files[0]))
		}
		for _, note := range f.Notes {
			fmt.Fprintf(&b, "\n%s: %s\n", f.Name, note)
		}
	}
	fmt.Fprintf(&b, "\nTest accuracy, mean ± standard deviation over seeds 1 to %d. %s, %s. `%s`\n", s.Seeds, s.Origin.Machine, s.Origin.Backend, s.Origin.Command)
	return b.String()
}

// Text is the table for a terminal.
func (s Summary) Text() string {
	header, rows := s.columns()
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	b.WriteString(s.Title)
	if s.Reduced != "" {
		b.WriteString(" (reduced: " + s.Reduced + ")")
	}
	b.WriteString("\n")
	for _, row := range append([][]string{header}, rows...) {
		var text strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			if i == 0 {
				text.WriteString(cell + pad)
			} else {
				text.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	for _, e := range s.errors() {
		fmt.Fprintf(&b, "not run: %s: %s\n", strings.Join(e.names, "; "), e.text)
	}
	return b.String()
}

// CSV has a line for each row, with all digits.
func (s Summary) CSV() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"table", "row", "paper", "runs", "accuracy", "deviation", "validation", "parameters", "epochs", "seconds", "signals_per_second", "reduced", "machine", "backend", "note"}}
	digits := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, l := range s.Lines {
		rows = append(rows, []string{s.Name, l.Name, digits(l.Paper), strconv.Itoa(l.Runs), digits(l.Accuracy), digits(l.Deviation), digits(l.Validation),
			strconv.Itoa(l.Parameters), strconv.Itoa(l.Epochs), digits(l.Seconds), digits(l.PerSecond), s.Reduced, s.Origin.Machine, s.Origin.Backend, l.Note})
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Write keeps the table in folder as NAME.md, NAME.csv and NAME.json, each written all or nothing.
func (s Summary) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	table, err := s.CSV()
	if err != nil {
		return err
	}
	document, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	for suffix, content := range map[string][]byte{".md": []byte(s.Markdown()), ".csv": table, ".json": append(document, '\n')} {
		if err := files.WriteBytes(filepath.Join(folder, s.Name+suffix), content); err != nil {
			return err
		}
	}
	return nil
}
