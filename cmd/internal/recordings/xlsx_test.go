package recordings

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

// workbook is a workbook with a first sheet of notes, an empty sheet, and one of 20 samples with three time points each. Times are
// dates of Excel, an eighth of a second apart.
func workbook(t testing.TB) []byte {
	t.Helper()
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetName("Sheet1", "notes"))
	for _, name := range []string{"none", "measured"} {
		_, err := f.NewSheet(name)
		require.NoError(t, err)
	}
	require.NoError(t, f.SetSheetRow("notes", "A1", &[]any{"who", "when"}))
	rows := [][]any{{"# of the first day"}, {}, {"sample", "time", "x", "y", "label"}}
	began := time.Date(2024, 5, 31, 12, 0, 0, 0, time.UTC)
	for i := range 60 {
		rows = append(rows, []any{strconv.Itoa(i / 3), began.Add(time.Duration(i) * 125 * time.Millisecond),
			1.23456789012345 + float64(i%3), -i, []string{"a", "b"}[i/3%2]})
	}
	rows[4][2], rows[5][2] = "#DIV/0!", nil
	for i, row := range rows {
		require.NoError(t, f.SetSheetRow("measured", "A"+strconv.Itoa(i+1), &row))
	}
	for column, format := range map[string]excelize.Style{"B": {NumFmt: 22}, "C": {NumFmt: 2}} { // m/d/yy h:mm; 0.00
		style, err := f.NewStyle(&format)
		require.NoError(t, err)
		require.NoError(t, f.SetCellStyle("measured", column+"4", column+"63", style))
	}
	b, err := f.WriteToBuffer()
	require.NoError(t, err)
	return b.Bytes()
}

func TestWorkbook(t *testing.T) {
	raw := workbook(t)
	path := put(t, t.TempDir(), "r.xlsx", string(raw))
	measured := Options{Table: Table{Sheet: "measured"}}
	result, d := imported(t, measured, path)
	assert.Equal(t, "one line a time point; Excel; column time as time in seconds", result.ReadAs)
	assert.Equal(t, []string{"x", "y"}, result.Sensors)
	assert.Equal(t, []string{"taken for missing values: #DIV/0! (1)"}, result.Notes)
	assert.Len(t, d.Labels, 20)
	s, err := read(t, []string{path}, measured)
	require.NoError(t, err)
	assert.Equal(t, []float64{1.23456789012345, -3, 2.23456789012345, -4, 3.23456789012345, -5}, s.samples[1].Values, "all digits")
	assert.InDeltaSlice(t, []float64{1717156800.375, 1717156800.5, 1717156800.625}, s.samples[1].Times, 1e-6)
	assert.Equal(t, "measured", s.alike().Sheet, "new recordings are read alike")
	assert.Equal(t, "r.npz", Name([]string{path}))

	assert.Contains(t, refused(t, Options{}, path), `r.xlsx, sheet notes, row 1: no column is headed "label"; there are who, when: `)
	assert.Contains(t, refused(t, Options{Table: Table{Sheet: "mine"}}, path),
		"r.xlsx: sheet mine does not exist; it has notes, none, measured")
	assert.Contains(t, refused(t, Options{Table: Table{Sheet: "none"}}, path),
		"r.xlsx: sheet none is empty; choose another with --sheet: notes, none, measured")
	assert.Contains(t, refused(t, measured, put(t, t.TempDir(), "r.xlsx", string(raw[:100]))),
		"the file is damaged, has a password, or is no .xlsx workbook")
	assert.Contains(t, refused(t, measured, put(t, t.TempDir(), "r.csv", plain)),
		"--sheet measured is for .xlsx workbooks, of which there is none")

	// Without --sheet it is the first, and a note names the others.
	f, err := excelize.OpenReader(bytes.NewReader(raw))
	require.NoError(t, err)
	require.NoError(t, f.MoveSheet("measured", "notes"))
	require.NoError(t, f.SetCellValue("measured", "C10", "twelve"))
	b, err := f.WriteToBuffer()
	require.NoError(t, err)
	other := put(t, t.TempDir(), "r.xlsx", b.String())
	assert.Contains(t, refused(t, Options{}, other), `r.xlsx, sheet measured, row 10: column x: "twelve" is not a number`)
	require.NoError(t, f.SetCellValue("measured", "C10", 12))
	b, err = f.WriteToBuffer()
	require.NoError(t, err)
	result, _ = imported(t, Options{}, put(t, t.TempDir(), "r.xlsx", b.String()))
	assert.Contains(t, result.Notes, "sheet measured is read, of measured, notes, none (--sheet names another)")

	// Damage is refused, or does not matter; it neither stops the program nor keeps it busy.
	damaged := filepath.Join(t.TempDir(), "r.xlsx")
	for at := 0; at < len(raw); at += 37 {
		wrong := slices.Clone(raw)
		wrong[at] ^= 0xff
		require.NoError(t, os.WriteFile(damaged, wrong, 0o600))
		_, _ = read(t, []string{damaged}, measured)
	}
}

// A workbook's times of day are dates of its first day, and go on after midnight as those of a text do.
func TestMidnightOfWorkbook(t *testing.T) {
	for _, of1904 := range []bool{false, true} {
		f := excelize.NewFile()
		require.NoError(t, f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &of1904}))
		require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"sample", "time", "x", "label"}))
		for i := range 32 {
			seconds := (24*60*60 - 3 + i%8) % (24 * 60 * 60)
			require.NoError(t, f.SetSheetRow("Sheet1", "A"+strconv.Itoa(i+2),
				&[]any{i / 8, float64(seconds) / (24 * 60 * 60), (i % 8) * (i % 8) % 5, []string{"a", "b"}[i/8%2]}))
		}
		style, err := f.NewStyle(&excelize.Style{NumFmt: 21}) // h:mm:ss
		require.NoError(t, err)
		require.NoError(t, f.SetCellStyle("Sheet1", "B2", "B33", style))
		b, err := f.WriteToBuffer()
		require.NoError(t, err)
		result, d := imported(t, Options{}, put(t, t.TempDir(), "r.xlsx", b.String()))
		require.Contains(t, strings.Join(result.Notes, "\n"), "times of day go on after midnight")
		for _, x := range d.Series {
			assert.Equal(t, []float32{0, 1, 4, 4, 1, 0, 1, 4}, x)
		}
	}
}
