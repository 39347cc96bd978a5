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

	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/text"
)

// templateFiles show results as Markdown and on a terminal. A template has the name of its file.
//
//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"base": filepath.Base,
	"fold": text.Fold,
	"join": strings.Join,
}).ParseFS(templateFiles, "templates/*"))

// accuracy formats the line's accuracy, "" without runs.
func (l Line) accuracy() string {
	switch l.Runs {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%.1f", 100*l.Accuracy)
	}
	if l.Pooled != nil && l.Pooled.OneClass > 0 { // no fold has an accuracy over classes to deviate from
		return fmt.Sprintf("%.1f", 100*l.Pooled.Accuracy)
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
			row("mean log-loss", func(m int) string { return fmt.Sprintf("%.3f", s.Lines[m].Loss) })
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

// Ensembles says which rows are predicted by several members, by which, and on which sets; of more than three
// ensembles, how many.
func (s Summary) Ensembles() (lines []string) {
	for row, line := range s.Lines {
		var members []string
		on := map[string][]string{}
		for _, set := range s.tables() {
			by := set.Lines[row].PredictedBy
			if !set.Lines[row].Ensemble {
				continue
			}
			if on[by] == nil {
				members = append(members, by)
			}
			on[by] = append(on[by], set.Title)
		}
		if len(members) > 3 {
			lines = append(lines, fmt.Sprintf("%s is predicted by %d ensembles; %s.json has those of each set as predicted_by",
				line.Name, len(members), s.Name))
			continue
		}
		for _, by := range members {
			lines = append(lines, line.Name+" is predicted by "+by+s.on(on[by]))
		}
	}
	return lines
}

// OnlyPooled reports that all rows have pooled accuracies, since each has folds of one class.
func (s Summary) OnlyPooled() bool {
	for _, set := range s.tables() {
		for _, line := range set.Lines {
			if line.Runs > 0 && (line.Pooled == nil || line.Pooled.OneClass == 0) {
				return false
			}
		}
	}
	return true
}

// Pooled says what rows have of the held-out samples of all folds together, and which folds have one class.
func (s Summary) Pooled() (lines []string) {
	for _, set := range s.tables() {
		for _, line := range set.Lines {
			p := line.Pooled
			if p == nil || s.Sets != nil && p.OneClass == 0 {
				continue
			}
			text := fmt.Sprintf("%s%s: of all %d held-out samples together %.1f%% right, the mean over classes %.1f%%",
				line.Name, s.on([]string{set.Title}), p.Samples, 100*p.Accuracy, 100*p.Balanced)
			if p.OneClass > 0 {
				text += fmt.Sprintf("; %d of %d folds have one class, and then differ by their class, so that no deviation is "+
					"given", p.OneClass, p.Folds)
			}
			lines = append(lines, text)
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
	err = errors.Join(err, files.WriteJSON(path+".json", s))
	if err != nil {
		return err
	}
	heading := "table,row,paper,runs,accuracy,deviation,loss,validation,parameters,epochs,seconds,signals_per_second," +
		"reduced,machine,backend,note"
	if s.Sets != nil {
		heading = "set,model,runs,accuracy,deviation,loss,rank,validation,parameters,epochs,seconds,signals_per_second," +
			"folds,reduced,machine,backend,error"
	}
	err = text.WriteCSV(path+".csv", strings.Split(heading, ","), func(row func(cells ...any)) error {
		for _, t := range s.tables() {
			for _, l := range t.Lines {
				if s.Sets == nil {
					row(s.Name, l.Name, l.Paper, l.Runs, 100*l.Accuracy, 100*l.Deviation, l.Loss, 100*l.Validation,
						l.Parameters, l.Epochs,
						l.Seconds, l.PerSecond, s.Reduced, s.Origin.Machine, s.Origin.Backend, l.Note)
				} else {
					row(t.Title, l.Name, l.Runs, 100*l.Accuracy, 100*l.Deviation, l.Loss, l.Rank, 100*l.Validation,
						l.Parameters, l.Epochs,
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
		if _, missing := os.Stat(path + ending); missing == nil &&
			(err != nil || kept.Name != name || kept.Origin.Command == "") {
			return params.Sentencef("folder", "%s is there, and is no table of ccp; choose another %v, or move it away",
				path+ending, params.Named("folder"))
		}
	}
	return nil
}
