package recordings

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/cmd/internal/workbook"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
)

// readWorkbook reads every row of a sheet of an Excel workbook: the sheet of the job, or the first that is shown.
func readWorkbook(j *job, path string, each eachLine) (err error) {
	file, err := workbook.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = file.Close() }()
	sheet, err := j.sheetOf(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	in := &input{path: path, encoding: "Excel", markers: j.markers, formulas: map[int]*formulas{},
		doubtful: file.Uncalculated}
	var cells []string
	var hidden []int
	columns, line := 0, 0
	for row, err := range file.Rows(sheet) {
		if err != nil {
			return fmt.Errorf("%s, sheet %s, %w", path, sheet.Name, err)
		}
		line++
		if line%100 == 0 {
			err = j.report("reading "+filepath.Base(path), float64(row.Number)/(1<<20)) // of the most rows of a sheet
			if err != nil {
				return err
			}
		}
		cells = in.cellsOf(row, cells[:0], columns)
		if strings.Join(cells, "") == "" || cells[0] != "" && cells[0][0] == '#' && !isMissing(cells[0]) {
			continue // as in a CSV
		}
		switch {
		case columns == 0:
			columns = len(cells)
			err = j.checkHeadings(in, file, sheet, row.Number, cells)
			if err != nil {
				return fmt.Errorf("%s%w", path, err)
			}
		case row.Hidden:
			hidden = append(hidden, row.Number)
		}
		err = each(in, row.Number, cells)
		if err != nil {
			return fmt.Errorf("%s, sheet %s, row %d: %w", path, sheet.Name, row.Number, err)
		}
	}
	if columns == 0 {
		return fmt.Errorf("%s: sheet %s is empty; choose another with --sheet: %s", path, sheet.Name, sheets(file))
	}
	if hidden != nil {
		j.noteOf("hidden rows", fmt.Sprintf("sheet %s of %s hides %s, by a filter or by hand, such as row %d: hidden rows "+
			"are read as the others; delete them if they are not to be",
			sheet.Name, path, text.Count(len(hidden), "row"), hidden[0]))
	}
	return nil
}

// checkHeadings refuses headings that are formulas without a value, and tells of hidden columns. The error follows the
// path of the file.
func (j *job) checkHeadings(in *input, file *workbook.Book, sheet workbook.Sheet, row int, cells []string) error {
	if len(in.unresolved) > 0 {
		column := in.unresolved[0]
		return fmt.Errorf(", sheet %s, row %d: the heading of column %s is a formula that nobody has calculated, %s: %s",
			sheet.Name, row, workbook.Letters(column), cells[column], uncalculated)
	}
	clear(in.formulas) // headings are no values
	err := j.hiddenColumns(file, sheet, cells)
	if err != nil {
		return fmt.Errorf(": %w", err)
	}
	return nil
}

// sheets returns the names of the sheets of a workbook.
func sheets(file *workbook.Book) string {
	return strings.Join(xslices.Map(file.Sheets, func(s workbook.Sheet) string { return s.Name }), ", ")
}

// sheetOf returns the sheet to read.
func (j *job) sheetOf(file *workbook.Book) (workbook.Sheet, error) {
	if len(file.Sheets) == 0 {
		return workbook.Sheet{}, fmt.Errorf("the workbook has no sheet of cells; save it again in a spreadsheet program")
	}
	if j.sheet != "" {
		at := slices.IndexFunc(file.Sheets, func(s workbook.Sheet) bool { return s.Name == j.sheet })
		if at < 0 { // spreadsheet programs do not tell capitals from small letters here
			at = slices.IndexFunc(file.Sheets, func(s workbook.Sheet) bool { return strings.EqualFold(s.Name, j.sheet) })
		}
		if at < 0 {
			return workbook.Sheet{}, fmt.Errorf("sheet %s does not exist; it has %s", j.sheet, sheets(file))
		}
		return file.Sheets[at], nil
	}
	shown := max(0, slices.IndexFunc(file.Sheets, func(s workbook.Sheet) bool { return !s.Hidden }))
	if len(file.Sheets) > 1 {
		var hidden []string
		for _, sheet := range file.Sheets {
			if sheet.Hidden {
				hidden = append(hidden, sheet.Name)
			}
		}
		about := ""
		if hidden != nil {
			about = ", of which the workbook hides " + few(hidden)
		}
		j.note("sheet %s is read, of %s%s (--sheet names another)", file.Sheets[shown].Name, sheets(file), about)
	}
	return file.Sheets[shown], nil
}

// hiddenColumns notes headings in columns that the sheet does not show.
func (j *job) hiddenColumns(file *workbook.Book, sheet workbook.Sheet, headings []string) error {
	hidden, err := file.HiddenColumns(sheet)
	var names []string
	for _, column := range hidden {
		if column < len(headings) && headings[column] != "" {
			names = append(names, headings[column])
		}
	}
	if names != nil {
		j.note("column %s is hidden in the workbook and read as the others; --leave leaves it out", few(names))
	}
	return err
}

// formulas counts the formulas of a column, and those of them whose stored result is 0 or an empty text: libraries that
// do not calculate store these. row is the first such.
type formulas struct{ all, zero, blank, row int }

// cellsOf returns the texts of a row's cells, without the blanks around them, in as many columns as there are at least.
// It counts formulas whose results may be their writer's.
func (in *input) cellsOf(row *workbook.Row, cells []string, columns int) []string {
	in.unresolved, in.exact = in.unresolved[:0], in.exact[:0]
	for column, cell := range row.Cells {
		cells = append(cells, strings.TrimSpace(cell.Text))
		in.exact = append(in.exact, cell.Number)
		if cell.Empty {
			in.unresolved = append(in.unresolved, column)
		}
		if !cell.Formula {
			continue
		}
		count := in.formulas[column]
		if count == nil {
			count = &formulas{}
			in.formulas[column] = count
		}
		count.all++
		switch {
		case cell.Zero:
			count.zero++
		case cell.Blank:
			count.blank++
		}
		if count.row == 0 && (cell.Zero || cell.Blank) {
			count.row = row.Number
		}
	}
	return append(cells, slices.Repeat([]string{""}, max(0, columns-len(cells)))...)
}

// uncalculated is the way out where nobody has calculated a formula. LibreOffice keeps what other programs have stored.
const uncalculated = "open the workbook in a spreadsheet program and save it, which calculates it (in LibreOffice " +
	"press Ctrl+Shift+F9 first)"

// checkFormulas returns an error if a cell in a column that is used holds a formula without a result. A workbook that
// no spreadsheet program has calculated has such cells.
func (t *table) checkFormulas(cells []string) error {
	for _, column := range t.in.unresolved {
		if column < len(t.headings) && t.takes(column) {
			return fmt.Errorf("column %s holds a formula that nobody has calculated, %.30s: %s; or leave it out with --leave %q",
				t.headings[column], cells[column], uncalculated, t.headings[column])
		}
	}
	return nil
}

// calculated looks at the formulas of the columns that are used. Libraries store the result 0 or an empty text for each
// until a spreadsheet program has calculated it. So it is an error if all formulas of a column have no result, or have
// such results in a workbook that nobody may have calculated. Zeros are noted where other formulas have results in such
// a workbook, and where all are 0 or empty in one that a program has saved: it may have kept what a library stored.
func (t *table) calculated() error {
	for column, heading := range t.headings {
		count := t.in.formulas[column]
		if count == nil || count.zero+count.blank == 0 || !t.takes(column) {
			continue
		}
		allLeft := count.zero+count.blank == count.all
		where := fmt.Sprintf("%s: column %s holds %d formulas, and the result of", t.from.path, heading, count.all)
		switch {
		case allLeft && (t.in.doubtful || count.blank == count.all && !t.known):
			return fmt.Errorf("%s each is 0 or empty, as libraries write it that do not calculate: %s; or leave it out "+
				"with --leave %q", where, uncalculated, heading)
		case count.zero > 0 && (allLeft || t.in.doubtful):
			t.job.noteOf("formulas of "+heading, fmt.Sprintf("%s %d of them is 0, such as in row %d: if nobody has "+
				"calculated these, %s", where, count.zero, count.row, uncalculated))
		}
	}
	return nil
}

// unformatted notes times of a workbook that are as many days as dates of our time, but have no format of a date.
func (t *table) unformatted() {
	if t.in.encoding != "Excel" || t.time < 0 || t.kind != numbers || len(t.samples) == 0 {
		return
	}
	times := t.samples[len(t.samples)-1].rows.times
	at := times[0]
	if at > 20_000 && at < 80_000 && at != math.Trunc(at) { // of the years 1954 to 2119, with a time of day
		t.job.noteOf("unformatted", fmt.Sprintf("%s: column %s holds numbers such as %g without a date's format: if they "+
			"are days, as a spreadsheet counts them, give the column such a format", t.from.path, t.headings[t.time], at))
	}
}

// takes reports that a column is taken, as values or for what it says of the samples.
func (t *table) takes(column int) bool {
	u := t.roles.uses
	return slices.Contains(t.valueColumns, column) || slices.Contains([]int{u.sample, u.time, u.sensor, u.label, u.group,
		u.date}, column)
}
