package recordings

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// readWorkbook reads every row of a sheet of an Excel workbook: the sheet of the job, or the first.
func readWorkbook(j *job, path string, each eachLine) (err error) {
	in, sheet, line, columns := &input{path: path, encoding: "Excel", markers: j.markers}, j.sheet, 0, 0
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("%s: %v; the file is damaged", path, wrong)
		}
	}()
	file, err := excelize.OpenFile(path, excelize.Options{ShortDatePattern: "yyyy-mm-dd"})
	if err != nil {
		return fmt.Errorf("%s: %w; the file is damaged, has a password, or is no .xlsx workbook", path, err)
	}
	defer func() { _ = file.Close() }()
	sheets := strings.Join(file.GetSheetList(), ", ")
	if sheet == "" {
		if sheet = file.GetSheetName(0); file.SheetCount > 1 {
			j.note("sheet %s is read, of %s (--sheet names another)", sheet, sheets)
		}
	}
	shown, err := file.Rows(sheet)
	if err != nil {
		return fmt.Errorf("%s: %w; it has %s", path, err, sheets)
	}
	defer func() { _ = shown.Close() }()
	raw, err := file.Rows(sheet)
	if err != nil {
		return err
	}
	defer func() { _ = raw.Close() }()
	days := map[int]bool{} // the columns whose numbers are shown as dates, by their first number
	for shown.Next() && raw.Next() {
		if line++; line%100 == 0 {
			if err := j.tell("reading "+filepath.Base(path), float64(line)/(1<<20)); err != nil { // of the most rows of a sheet
				return err
			}
		}
		texts, err := shown.Columns()
		if err != nil {
			return fmt.Errorf("%s, sheet %s, row %d: %w; the file is damaged", path, sheet, line, err)
		}
		cells, _ := raw.Columns(excelize.Options{RawCellValue: true}) // all digits; dates are days
		for i, cell := range cells {
			number, err := strconv.ParseFloat(cell, 64)
			if _, known := days[i]; err == nil && !known && i < len(texts) { // a format may show nothing
				scratch := newDays("day")
				_, kind, _ := scratch.parse(texts[i], line)
				days[i] = kind != numbers
			}
			if cells[i] = strings.TrimSpace(cell); err == nil && days[i] {
				cells[i] = date(file, number).Format("2006-01-02 15:04:05.000")
			}
		}
		if strings.Join(cells, "") == "" || cells[0] != "" && cells[0][0] == '#' && !isMissing(cells[0]) {
			continue // as in a CSV
		}
		if columns = cmp.Or(columns, len(cells)); len(cells) < columns {
			cells = append(cells, slices.Repeat([]string{""}, columns-len(cells))...)
		}
		if err := each(in, line, cells); err != nil {
			return fmt.Errorf("%s, sheet %s, row %d: %w", path, sheet, line, err)
		}
	}
	if columns == 0 {
		return fmt.Errorf("%s: sheet %s is empty; choose another with --sheet: %s", path, sheet, sheets)
	}
	return shown.Error()
}

// The two first days that a workbook can have. A time of day without a date is stored as one of that day.
var (
	epoch1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	epoch1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// date returns the time of a number of days in a workbook, to a millisecond.
func date(file *excelize.File, days float64) time.Time {
	epoch := epoch1900
	if p, err := file.GetWorkbookProps(); err == nil && p.Date1904 != nil && *p.Date1904 {
		epoch = epoch1904
	}
	return epoch.Add(time.Duration(math.Round(days*86_400_000)) * time.Millisecond)
}
