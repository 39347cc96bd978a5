package study

import (
	"cmp"
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
	// Rank is the rank of the accuracy among the rows of a counted set. 1 is the best, and ties share their mean.
	Rank        float64 `json:"rank,omitempty"`
	Won         int     `json:"won,omitempty"`        // counted sets on which no row is more accurate
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
	s.overSets()
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

// overSets fills the lines of a table that has sets.
func (s *Summary) overSets() {
	for i, set := range s.Sets {
		for m, line := range set.Lines {
			if i == 0 {
				s.Lines = append(s.Lines, Line{Name: line.Name})
			}
			s.Lines[m].Runs += line.Runs
		}
	}
	for i := range s.Sets {
		s.count(&s.Sets[i])
	}
	for m := range s.Lines {
		if n := float64(len(s.Counted)); n > 0 {
			s.Lines[m].Accuracy /= n
			s.Lines[m].Rank /= n
			s.Lines[m].Parameters = int(math.Round(float64(s.Lines[m].Parameters) / n))
		}
	}
}

// count adds a set to the lines, if all rows that have any run have as many runs on it.
func (s *Summary) count(set *Summary) {
	runs, accuracies := 0, []float64(nil)
	for m, line := range set.Lines {
		if s.Lines[m].Runs == 0 {
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
		model, line := &s.Lines[m], &set.Lines[m]
		if model.Runs == 0 {
			continue
		}
		line.Rank, ranked = ranked[0], ranked[1:]
		model.Accuracy += line.Accuracy
		model.Rank += line.Rank
		model.Seconds += line.Seconds
		model.Parameters += line.Parameters
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

// summarizeRow reads the results of a row's runs.
func summarizeRow(row Row, cells []Cell, errs map[string]error) Line {
	line := Line{Name: row.Name, Paper: row.Paper, Note: row.Note}
	var accuracies, validations, times, rates []float64
	for _, cell := range cells {
		var rate Rate
		result, unread := training.ReadResult(cell.Dir)
		if err := files.ReadJSON(filepath.Join(cell.Dir, rateFile), &rate); err != nil || unread != nil {
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

// rows formats a table without sets, the heading first. It has the paper's column only if there is a number in it.
func (s Summary) rows() [][]string {
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

// sideBySide formats a table that has sets, with a column for each of its rows that has any run. See show.
func (s Summary) sideBySide(longest, across int) (parts [][][]string) {
	var ran []int
	for m, model := range s.Lines {
		if model.Runs > 0 {
			ran = append(ran, m)
		}
	}
	for columns := range slices.Chunk(ran, across) {
		var part [][]string
		row := func(name string, cell func(m int) string) {
			cells := []string{name}
			for _, m := range columns {
				cells = append(cells, cell(m))
			}
			part = append(part, cells)
		}
		row("accuracy %", func(m int) string { return text.Shorten(s.Lines[m].Name, longest) })
		for _, set := range s.Sets {
			row(text.Shorten(set.Title, longest), func(m int) string { return set.Lines[m].accuracy() })
		}
		row("", func(int) string { return "" }) // a blank line
		if len(s.Counted) > 0 {
			row("mean accuracy", func(m int) string { return fmt.Sprintf("%.1f", 100*s.Lines[m].Accuracy) })
			row("mean rank", func(m int) string { return fmt.Sprintf("%.2f", s.Lines[m].Rank) })
			row("sets won", func(m int) string { return strconv.Itoa(s.Lines[m].Won) })
			row("training s", func(m int) string { return number(s.Lines[m].Seconds) })
			row("parameters", func(m int) string { return text.Thousands(s.Lines[m].Parameters) })
		}
		parts = append(parts, part)
	}
	return parts
}

// number formats a value with three digits.
func number(v float64) string {
	if v >= 1000 {
		scale := math.Pow(10, math.Floor(math.Log10(v))-2)
		return text.Thousands(int(math.Round(v/scale) * scale))
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// on says on which sets something is so, by their titles; a table without sets has nothing to say.
func (s Summary) on(titles []string) string {
	if s.Sets == nil {
		return ""
	}
	return " on " + strings.Join(titles, ", ")
}

// Ensembles says which rows are predicted by several members, by which, and on which sets.
func (s Summary) Ensembles() (lines []string) {
	for row, line := range s.Lines {
		by, on := "", []string(nil)
		for _, set := range s.tables() {
			if members := set.Lines[row].PredictedBy; strings.Contains(members, " and ") {
				by, on = members, append(on, set.Title)
			}
		}
		if by != "" {
			lines = append(lines, line.Name+" is predicted by "+by+s.on(on))
		}
	}
	return lines
}

var digits = regexp.MustCompile(`[-+]?\d[\d.e+-]*`)

// Failures says which rows have not run on which sets, each reason once. Reasons that differ only in numbers and in the
// set's title are one reason, which has the words for the first set.
func (s Summary) Failures() (lines []string) {
	var kinds []string
	reason, where := map[string]string{}, map[string][]string{} // by kind
	for row, line := range s.Lines {
		titles := map[string][]string{} // by kind
		for _, set := range s.tables() {
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
			where[kind] = append(where[kind], line.Name+s.on(on))
		}
	}
	for _, kind := range kinds {
		lines = append(lines, "not run: "+strings.Join(where[kind], "; ")+": "+reason[kind])
	}
	return lines
}

// Text formats the table for a terminal, in several parts if there are sets and many rows.
func (s Summary) Text() string {
	// A terminal has columns for the accuracies of seven models, beside a name of 16 characters.
	return strings.TrimRight(text.Align(s.show("terminal", 16, 7)), "\n") + "\n"
}

// show formats the table with a template. If there are sets, names have at most `longest` characters, and a part of the
// table has at most `across` columns of results.
func (s Summary) show(name string, longest, across int) string {
	parts := [][][]string{s.rows()}
	if s.Sets != nil {
		parts = s.sideBySide(longest, across)
	}
	var b strings.Builder
	err := templates.ExecuteTemplate(&b, name, struct {
		Summary
		Parts [][][]string
	}{s, parts})
	if err != nil {
		panic(err) // the templates are part of the program
	}
	return b.String()
}

// Write keeps the table in folder as NAME.json, by which Free knows its own, NAME.csv and NAME.md, each whole or not at
// all. The CSV file has all digits, and a row for each row of the table, on each set if there are sets.
func (s Summary) Write(folder string) error {
	path := filepath.Join(folder, s.Name)
	err := os.MkdirAll(folder, 0o777)
	if err = errors.Join(err, files.WriteJSON(path+".json", s)); err != nil {
		return err
	}
	heading := "table,row,paper,runs,accuracy,deviation,validation,parameters,epochs,seconds,signals_per_second," +
		"reduced,machine,backend,note"
	if s.Sets != nil {
		heading = "set,model,runs,accuracy,deviation,rank,validation,parameters,epochs,seconds,signals_per_second," +
			"folds,reduced,machine,backend,error"
	}
	err = text.WriteCSV(path+".csv", strings.Split(heading, ","), func(row func(cells ...any)) error {
		for _, t := range s.tables() {
			for _, l := range t.Lines {
				if s.Sets == nil {
					row(s.Name, l.Name, l.Paper, l.Runs, 100*l.Accuracy, 100*l.Deviation, 100*l.Validation, l.Parameters, l.Epochs,
						l.Seconds, l.PerSecond, s.Reduced, s.Origin.Machine, s.Origin.Backend, l.Note)
				} else {
					row(t.Title, l.Name, l.Runs, 100*l.Accuracy, 100*l.Deviation, l.Rank, 100*l.Validation, l.Parameters, l.Epochs,
						l.Seconds, l.PerSecond, s.Folds, t.Reduced, s.Origin.Machine, s.Origin.Backend, l.Error)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return files.WriteBytes(path+".md", []byte(s.show("markdown", math.MaxInt, math.MaxInt)))
}

// Free returns an error if Write of a table with this name would replace a file in folder that Write did not write.
func Free(folder, name string) error {
	path := filepath.Join(folder, name)
	var kept Summary
	err := files.ReadJSON(path+".json", &kept)
	for _, ending := range []string{".json", ".csv", ".md"} {
		if _, missing := os.Stat(path + ending); missing == nil && (err != nil || kept.Name != name || kept.Origin.Command == "") {
			return fmt.Errorf("%s is there, and is no table of ccp; choose another folder, or move it away", path+ending)
		}
	}
	return nil
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
