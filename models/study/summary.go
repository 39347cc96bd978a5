package study

import (
	"embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models/training"
	"gonum.org/v1/gonum/stat"
)

// Line holds the results of a row: means over the runs that have ended. Accuracies are fractions, in percent only in the tables.
type Line struct {
	Name      string  `json:"name"`
	Paper     float64 `json:"paper,omitempty"` // in percent, as printed there
	Runs      int     `json:"runs"`
	Accuracy  float64 `json:"accuracy"`
	Deviation float64 `json:"deviation"` // standard deviation over at least two runs
	// Rank is the rank of the accuracy in a suite. 1 is the best, and ties share their mean.
	Rank        float64 `json:"rank,omitempty"`
	Validation  float64 `json:"validation,omitempty"` // 0: no samples were held out
	Parameters  int     `json:"parameters"`
	Epochs      int     `json:"epochs"`             // 0: fitted at once, as ridge classifiers are
	Seconds     float64 `json:"seconds"`            // of training
	PerSecond   float64 `json:"signals_per_second"` // of inference, in batches of 64
	PredictedBy string  `json:"predicted_by"`       // see models.Classifier.PredictedBy
	Note        string  `json:"note,omitempty"`
	Error       string  `json:"error,omitempty"` // why there is no run
	Each        []Ended `json:"each,omitempty"`
}

// Ended is a run that has ended.
type Ended struct {
	Seed       int64         `json:"seed"`
	Fold       datasets.Fold `json:"fold,omitzero"`
	Accuracy   float64       `json:"accuracy"`
	Validation float64       `json:"validation,omitempty"` // 0: no samples were held out
	Seconds    float64       `json:"seconds"`
	Folder     string        `json:"folder"`
}

// Head is what summaries and suites say of themselves.
type Head struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Seeds   int    `json:"seeds"`
	Folds   string `json:"folds,omitempty"`   // such as "5 folds"
	Reduced string `json:"reduced,omitempty"` // in what way this is less than the whole
	Origin  Origin `json:"origin,omitzero"`   // zero in a table of a suite, which has its own
}

// Summary is a table with its results.
type Summary struct {
	Head
	Lines   []Line   `json:"lines"`
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
	s := Summary{Head: Head{Name: t.Name, Title: t.Title, Seeds: seeds, Origin: origin}}
	switch folds := t.Rows[0].Folds; {
	case folds == nil:
	case folds[0].Of == 0:
		s.Folds = "a fold for each group"
	default:
		s.Folds = fmt.Sprintf("%d folds", folds[0].Of)
	}
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

// reduced adds to a note about a table how many of its runs have ended, if not all have.
func reduced(how string, ended, all int) string {
	if ended < all {
		how = strings.TrimPrefix(fmt.Sprintf("%s, %d of %d runs", how, ended, all), ", ")
	}
	return how
}

// summarizeRow reads the results of a row's runs.
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
		ended := Ended{Seed: cell.Config.Seed, Fold: cell.Config.Fold, Accuracy: result.Test.Accuracy,
			Seconds: result.Seconds, Folder: filepath.Base(cell.Dir)}
		if result.Validation != nil {
			ended.Validation = result.Validation.Accuracy
			validations = append(validations, ended.Validation)
		}
		accuracies, times = append(accuracies, ended.Accuracy), append(times, result.Seconds)
		rates = append(rates, rate.PerSecond)
		if line.Parameters, line.PredictedBy = result.Parameters, result.PredictedBy; result.Steps > 0 {
			line.Epochs = result.Epochs
		}
		line.Each = append(line.Each, ended)
	}
	if line.Runs = len(accuracies); line.Runs > 0 {
		line.Accuracy, line.Seconds = stat.Mean(accuracies, nil), stat.Mean(times, nil)
		line.PerSecond = stat.Mean(rates, nil)
	}
	if len(validations) > 0 {
		line.Validation = stat.Mean(validations, nil)
	}
	if line.Runs > 1 {
		line.Deviation = stat.StdDev(accuracies, nil)
	}
	return line
}

// accuracy formats the line's accuracy, "" without runs.
func (l Line) accuracy() string {
	switch l.Runs {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%.1f", 100*l.Accuracy)
	}
	return fmt.Sprintf("%.1f ± %.1f", 100*l.Accuracy, 100*l.Deviation)
}

// Rows formats the table, the heading first. It has the paper's column only if there is a number in it.
func (s Summary) Rows() [][]string {
	rows := [][]string{{"", "accuracy %", "runs", "parameters", "epochs", "training s", "signals/s", "paper %"}}
	for _, l := range s.Lines {
		row := []string{l.Name, "", "", "", "", "", "", ""}
		if l.Runs > 0 {
			row = []string{l.Name, l.accuracy(), strconv.Itoa(l.Runs), text.Thousands(l.Parameters),
				strings.TrimPrefix(strconv.Itoa(l.Epochs), "0"), number(l.Seconds), number(l.PerSecond), ""}
		}
		if l.Paper > 0 {
			row[7] = strconv.FormatFloat(l.Paper, 'f', -1, 64)
		}
		rows = append(rows, row)
	}
	if !slices.ContainsFunc(s.Lines, func(l Line) bool { return l.Paper > 0 }) {
		for i := range rows {
			rows[i] = rows[i][:7]
		}
	}
	return rows
}

// number formats a value with three digits.
func number(v float64) string {
	if v >= 1000 {
		scale := math.Pow(10, math.Floor(math.Log10(v))-2)
		return text.Thousands(int(math.Round(v/scale) * scale))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Failures says why lines have no runs.
func (s Summary) Failures() []string { return failures([]Summary{s}) }

// Ensembles says which lines are predicted by several members, and by which.
func (s Summary) Ensembles() []string { return ensembles([]Summary{s}) }

// ensembles says which rows are predicted by several members, by which, and on which sets.
func ensembles(sets []Summary) (lines []string) {
	for row, line := range sets[0].Lines {
		by, on := "", []string(nil)
		for _, set := range sets {
			if members := set.Lines[row].PredictedBy; strings.Contains(members, " and ") {
				by, on = members, append(on, set.Title)
			}
		}
		if by != "" {
			where := ""
			if len(sets) > 1 {
				where = " on " + strings.Join(on, ", ")
			}
			lines = append(lines, fmt.Sprintf("%s is predicted by %s%s", line.Name, by, where))
		}
	}
	return lines
}

var digits = regexp.MustCompile(`[-+]?\d[\d.e+-]*`)

// failures says which rows have not run on which sets, each reason once. Reasons that differ only in numbers and in the
// set's title are one reason, which has the words for the first set.
func failures(sets []Summary) (lines []string) {
	var kinds []string
	reason, where := map[string]string{}, map[string][]string{} // by kind
	for row, line := range sets[0].Lines {
		titles := map[string][]string{} // by kind
		for _, set := range sets {
			failed := set.Lines[row].Error
			if failed == "" {
				continue
			}
			title := regexp.MustCompile(`\b` + regexp.QuoteMeta(set.Title) + `\b`)
			kind := digits.ReplaceAllString(title.ReplaceAllString(failed, ""), "")
			if reason[kind] == "" {
				reason[kind], kinds = failed, append(kinds, kind)
			}
			titles[kind] = append(titles[kind], set.Title)
		}
		for kind, on := range titles {
			place := line.Name
			if len(sets) > 1 {
				place += " on " + strings.Join(on, ", ")
			}
			where[kind] = append(where[kind], place)
		}
	}
	for _, kind := range kinds {
		lines = append(lines, "not run: "+strings.Join(where[kind], "; ")+": "+reason[kind])
	}
	return lines
}

// Text formats the table for a terminal.
func (s Summary) Text() string { return text.Align(execute("terminal", s)) }

// Write keeps the table in folder as NAME.md, NAME.csv and NAME.json. The CSV file has all digits.
func (s Summary) Write(folder string) error {
	const heading = "table,row,paper,runs,accuracy,deviation,validation,parameters,epochs,seconds,signals_per_second," +
		"reduced,machine,backend,note"
	return write(filepath.Join(folder, s.Name), s, execute("summary", s), heading, func(row func(cells ...any)) {
		for _, l := range s.Lines {
			row(s.Name, l.Name, l.Paper, l.Runs, 100*l.Accuracy, 100*l.Deviation, 100*l.Validation, l.Parameters, l.Epochs,
				l.Seconds, l.PerSecond, s.Reduced, s.Origin.Machine, s.Origin.Backend, l.Note)
		}
	})
}

// Free returns an error if Write of a table or suite with one of these names would replace a file in folder that Write
// did not write.
func Free(folder string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(folder, name)
		var kept Head
		err := files.ReadJSON(path+".json", &kept)
		for _, ending := range []string{".json", ".csv", ".md"} {
			if _, missing := os.Stat(path + ending); missing == nil && (err != nil || kept.Name != name || kept.Origin.Command == "") {
				return fmt.Errorf("%s is there, and is no table of ccp; choose another folder, or move it away", path+ending)
			}
		}
	}
	return nil
}

// write writes results to path.json, by which Free knows its own, path.csv and path.md, each whole or not at all.
func write(path string, results any, markdown, heading string, fill func(row func(cells ...any))) error {
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err = errors.Join(err, files.WriteJSON(path+".json", results)); err != nil {
		return err
	}
	err = text.WriteCSV(path+".csv", strings.Split(heading, ","),
		func(row func(cells ...any)) error { fill(row); return nil })
	if err != nil {
		return err
	}
	return files.WriteBytes(path+".md", []byte(markdown))
}

// templateFiles show results as Markdown and on a terminal. A template has the name of its file.
//
//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"base": filepath.Base,
	"fold": text.Fold,
	"join": strings.Join,
}).ParseFS(templateFiles, "templates/*"))

func execute(name string, data any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the templates are part of the program
	}
	return b.String()
}
