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

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

// measuredWorkbook is a workbook with a first sheet of notes, an empty sheet, and one of 20 samples with three time
// points each. Times are dates of Excel, an eighth of a second apart.
func measuredWorkbook(t testing.TB) []byte {
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
	raw := measuredWorkbook(t)
	path := put(t, t.TempDir(), "r.xlsx", string(raw))
	measured := Options{Table: Table{Sheet: "measured"}}
	result, d := imported(t, measured, path)
	messagetest.Names(t, result.ReadAs, "line a time point … Excel … column time … seconds")
	assert.Equal(t, []string{"x", "y"}, result.Sensors)
	messagetest.EachNames(t, result.Notes, "missing values … #DIV/0! (1)")
	assert.Len(t, d.Labels, 20)
	s, err := read(t, []string{path}, measured)
	require.NoError(t, err)
	assert.Equal(t, []float64{1.23456789012345, -3, 2.23456789012345, -4, 3.23456789012345, -5}, s.samples[1].Values,
		"all digits")
	assert.InDeltaSlice(t, []float64{1717156800.375, 1717156800.5, 1717156800.625}, s.samples[1].Times, 1e-6)
	assert.Equal(t, "measured", s.settingsForAlike().Sheet, "new recordings are read alike")
	assert.Equal(t, "r.npz", Name([]string{path}))

	messagetest.Names(t, refused(t, Options{}, path), `r.xlsx, sheet notes, row 1 … no column … "label" … who, when`)
	messagetest.Names(t, refused(t, Options{Table: Table{Sheet: "mine"}}, path),
		"r.xlsx … sheet mine … not exist … notes, none, measured")
	messagetest.Names(t, refused(t, Options{Table: Table{Sheet: "none"}}, path),
		"r.xlsx … sheet none … empty … --sheet … notes, none, measured")
	messagetest.Names(t, refused(t, measured, put(t, t.TempDir(), "r.xlsx", string(raw[:100]))),
		"damaged … password … no .xlsx")
	messagetest.Names(t, refused(t, measured, put(t, t.TempDir(), "r.csv", plain)), "--sheet measured … .xlsx … none")

	// Without --sheet it is the first, and a note names the others.
	f, err := excelize.OpenReader(bytes.NewReader(raw))
	require.NoError(t, err)
	require.NoError(t, f.MoveSheet("measured", "notes"))
	require.NoError(t, f.SetCellValue("measured", "C10", "twelve"))
	b, err := f.WriteToBuffer()
	require.NoError(t, err)
	other := put(t, t.TempDir(), "r.xlsx", b.String())
	messagetest.Names(t, refused(t, Options{}, other), `r.xlsx, sheet measured, row 10 … column x … "twelve" … number`)
	require.NoError(t, f.SetCellValue("measured", "C10", 12))
	b, err = f.WriteToBuffer()
	require.NoError(t, err)
	result, _ = imported(t, Options{}, put(t, t.TempDir(), "r.xlsx", b.String()))
	messagetest.OneNames(t, result.Notes, "sheet measured … measured, notes, none … --sheet")

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
		messagetest.Names(t, strings.Join(result.Notes, "\n"), "times of day … after midnight")
		for _, x := range d.Series {
			assert.Equal(t, []float32{0, 1, 4, 4, 1, 0, 1, 4}, x)
		}
	}
}

// sheet writes a workbook of rows, in which each column has a number format, "" for none. It changes the file before it
// is written.
func sheet(t *testing.T, name string, formats []string, rows [][]any, change func(f *excelize.File)) string {
	t.Helper()
	f := excelize.NewFile()
	for i, row := range rows {
		for column, value := range row {
			place, err := excelize.CoordinatesToCellName(column+1, i+1)
			require.NoError(t, err)
			if text, ok := value.(string); ok && strings.HasPrefix(text, "=") {
				require.NoError(t, f.SetCellFormula("Sheet1", place, text[1:]))
			} else {
				require.NoError(t, f.SetCellValue("Sheet1", place, value))
			}
		}
	}
	for column, format := range formats {
		if format != "" {
			style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
			require.NoError(t, err)
			letter, err := excelize.ColumnNumberToName(column + 1)
			require.NoError(t, err)
			require.NoError(t, f.SetCellStyle("Sheet1", letter+"2", letter+strconv.Itoa(len(rows)), style))
		}
	}
	if change != nil {
		change(f)
	}
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, f.SaveAs(path))
	return path
}

// Times are told by their number format, whatever text it makes: they are in seconds, and windows are cut by seconds.
func TestTimesOfWorkbookByNumberFormat(t *testing.T) {
	const day = 24 * 60 * 60
	for format, first := range map[string]float64{"mm:ss.0": 0, "[h]:mm:ss": 30. / 24, "d-mmm": 45443, "mmm-yy": 45443,
		"[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy": 45443, "d. mmm yyyy": 45443, `yyyy"年"m"月"d"日"`: 45443, "yyyy": 45443, "d": 45443,
		"[mm]:ss.00": 2. / 24, "[s].000": 0, `"t="hh:mm:ss`: 0.25, "yyyy-mm-dd hh:mm:ss.000": 200_000} {
		rows := [][]any{{"sample", "time", "x", "label"}}
		for i := range 80 {
			rows = append(rows, []any{i / 20, first + float64(i%20)*0.125/day, i * i % 7, []string{"a", "b"}[i/20%2]})
		}
		path := sheet(t, "a.xlsx", []string{"", format}, rows, nil)
		result, err := Import(t.Context(), []string{path}, filepath.Join(t.TempDir(), "a.npz"), Options{})
		require.NoError(t, err, format)
		messagetest.Names(t, result.ReadAs, "line a time point … Excel … column time … seconds", format)
		messagetest.Names(t, result.Lengths, "20 time points … 0.125", format)
		window, err := recording.ParseSpan("0.5s")
		require.NoError(t, err)
		result, err = Import(t.Context(), []string{path}, filepath.Join(t.TempDir(), "b.npz"),
			Options{Cut: recording.Cut{Window: window}})
		require.NoError(t, err, format)
		assert.Equal(t, 4, result.Timepoints.Longest, format)
	}
	path := sheet(t, "a.xlsx", []string{"", `0000\-00\-00`, "0.00"}, [][]any{{"label", "day", "x"}, {"a", 20240531, 1.25}, {"b", 20240601, 2}}, nil)
	s, err := read(t, []string{path}, Options{Table: Table{Layout: samplesLayout}})
	require.NoError(t, err)
	assert.Equal(t, []float64{20240531, 1.25}, s.samples[0].Values, "a number that looks like a date is a number")
}

// Some libraries write dates without a date's format: they are numbers, and a note says what they may be.
func TestDatesOfWorkbookWithoutFormat(t *testing.T) {
	rows := [][]any{{"time", "x"}, {45443.5, 1}, {45443.50000144676, 2}, {45443.50000289352, 1.5}}
	folder := t.TempDir()
	for i := range 8 {
		class := filepath.Join(folder, []string{"a", "b"}[i%2])
		require.NoError(t, os.MkdirAll(class, 0o755))
		require.NoError(t, os.Rename(sheet(t, "r.xlsx", nil, rows, nil), filepath.Join(class, strconv.Itoa(i)+".xlsx")))
	}
	result, _ := imported(t, Options{}, folder)
	messagetest.Names(t, strings.Join(result.Notes, "\n"), "column time … 45443.5 … without a date's format")
}

// Recordings of one experiment lie in a sheet each, whose times go on beyond a day: the first at midnight, another two
// days later.
func TestElapsedTimesOfWorkbooksBeyondADay(t *testing.T) {
	folder := t.TempDir()
	for i, hours := range []float64{0, 5, 12, 23, 25, 30, 48, 50} {
		rows := [][]any{{"time", "x"}}
		for k := range 20 {
			rows = append(rows, []any{hours/24 + float64(k)/(24*60*60), (k * (k + i)) % 5})
		}
		from := sheet(t, "r.xlsx", []string{"[h]:mm:ss"}, rows, nil)
		to := filepath.Join(folder, []string{"stand", "sit"}[i%2], strconv.Itoa(i)+".xlsx")
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.Rename(from, to))
	}
	result, _ := imported(t, Options{}, folder)
	messagetest.Names(t, result.ReadAs, "one file … line a time point … Excel … column time … seconds")
	messagetest.Names(t, result.Lengths, "20 time points … 1 s apart")
}

// Formulas of libraries have no result until a spreadsheet program has calculated them, or 0 for one.
func TestFormulasThatNobodyHasCalculated(t *testing.T) {
	head := []any{"label", "x", "double"}
	none := [][]any{head, {"a", 1, "=B2*2"}, {"b", 2, "=B3*2"}, {"a", 3, 6}, {"b", 4, 8}}
	opens := func(f *excelize.File) {
		asks := true
		require.NoError(t, f.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: &asks}))
	}
	path := sheet(t, "f.xlsx", nil, none, nil)
	messagetest.Names(t, refused(t, Options{}, path),
		`sheet Sheet1, row 2 … column double … calculated … =B2*2 … --leave "double"`)
	result, _ := imported(t, Options{Table: Table{Leave: []string{"double"}}}, path)
	assert.Equal(t, []string{"x"}, result.Sensors)
	messagetest.Names(t, refused(t, Options{}, sheet(t, "f.xlsx", nil, [][]any{{"label", "x"}, {`="a"`, 1}, {"b", 2}}, nil)),
		"column label … calculated")
	messagetest.Names(t, refused(t, Options{}, sheet(t, "f.xlsx", nil, [][]any{{"label", `="x"`}, {"a", 1}, {"b", 2}}, nil)),
		`column B … calculated … ="x"`)

	stored := func(values ...any) [][]any {
		rows := [][]any{head}
		for i, v := range values {
			rows = append(rows, []any{[]string{"a", "b"}[i%2], i + 1, v})
		}
		return rows
	}
	results := func(f *excelize.File) { // excelize keeps the result that a formula's cell had
		for row := 2; row <= 5; row++ {
			require.NoError(t, f.SetCellFormula("Sheet1", "C"+strconv.Itoa(row), "B1*2"))
		}
	}
	zeros := sheet(t, "f.xlsx", nil, stored(0, 0, 0, 0), func(f *excelize.File) { results(f); opens(f) })
	messagetest.Names(t, refused(t, Options{}, zeros), "f.xlsx … column double … 4 formulas … 0 or empty")
	result, _ = imported(t, Options{Table: Table{Leave: []string{"double"}}}, zeros)
	assert.Empty(t, result.Notes)
	// as LibreOffice saves it, which does not calculate
	kept := sheet(t, "f.xlsx", nil, stored(0, 0, 0, 0), func(f *excelize.File) {
		results(f)
		asks, id := false, uint(1)
		require.NoError(t, f.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: &asks, CalcID: &id}))
	})
	result, _ = imported(t, Options{}, kept)
	messagetest.Names(t, strings.Join(result.Notes, "\n"), "4 of them … row 2 … calculated")
	some := sheet(t, "f.xlsx", nil, stored(2, 0, 0, 8), func(f *excelize.File) { results(f); opens(f) })
	result, _ = imported(t, Options{}, some)
	messagetest.Names(t, strings.Join(result.Notes, "\n"), "f.xlsx … column double … 4 formulas … 2 of them … row 3")
	result, d := imported(t, Options{},
		sheet(t, "f.xlsx", nil, stored(2, 4, 6, 8), func(f *excelize.File) { results(f); opens(f) }))
	assert.Empty(t, result.Notes, "results are there")
	assert.Equal(t, []float32{1, 2}, d.Series[0])
}

// The first sheet that a spreadsheet program shows is read; hidden rows and columns are read and told of.
func TestHiddenPartsOfAWorkbook(t *testing.T) {
	rows := [][]any{{"label", "x", "y"}, {"a", 1, 2}, {"b", 3, 4}, {"a", 5, 6}, {"b", 7, 8}}
	path := sheet(t, "h.xlsx", nil, rows, func(f *excelize.File) {
		require.NoError(t, f.SetSheetName("Sheet1", "new"))
		_, err := f.NewSheet("old")
		require.NoError(t, err)
		require.NoError(t, f.SetSheetRow("old", "A1", &[]any{"label", "z"}))
		require.NoError(t, f.SetSheetRow("old", "A2", &[]any{"a", 9}))
		require.NoError(t, f.MoveSheet("old", "new"))
		require.NoError(t, f.SetSheetVisible("old", false, true))
		require.NoError(t, f.SetRowVisible("new", 3, false))
		require.NoError(t, f.SetRowVisible("new", 5, false))
		require.NoError(t, f.SetColVisible("new", "C", false))
	})
	result, d := imported(t, Options{}, path)
	assert.Equal(t, []string{"x", "y"}, result.Sensors)
	assert.Len(t, d.Series, 4)
	notes := strings.Join(result.Notes, "\n")
	messagetest.Names(t, notes, "sheet new … old, new … old … --sheet")
	messagetest.Names(t, notes, "sheet new … "+path+" … 2 rows … row 3")
	messagetest.Names(t, notes, "column y … hidden … --leave")
	s, err := read(t, []string{path}, Options{Table: Table{Sheet: "OLD"}})
	require.NoError(t, err)
	assert.Equal(t, []float64{9}, s.samples[0].Values)
}

// A truth value is 1 or 0 as a sensor, and true or false as a class, in each kind of file.
func TestTruthValuesByOneRule(t *testing.T) {
	s, err := read(t, []string{sheet(t, "b.xlsx", nil, [][]any{{"label", "x", "y"}, {true, true, 1.5}, {false, false, 2}},
		nil)}, Options{})
	require.NoError(t, err)
	text, err := read(t, []string{put(t, t.TempDir(), "b.csv", "label,x,y\ntrue,True,1.5\nfalse,FALSE,2\n")}, Options{})
	require.NoError(t, err)
	for _, all := range [][]*sample{s.samples, text.samples} {
		assert.Equal(t, []float64{1, 1.5}, all[0].Values)
		assert.Equal(t, []float64{0, 2}, all[1].Values)
		assert.Equal(t, []string{"true", "false"}, []string{all[0].label, all[1].label})
	}
}

// A class that is a number is one class, however its writer writes numbers: Excel writes 1, POI 1.0.
func TestNumbersAsClassesOfWorkbooks(t *testing.T) {
	path := sheet(t, "b.xlsx", nil, [][]any{{"label", "x"}, {1, 1.5}, {1.0, 2}, {2.5, 3}}, nil)
	s, err := read(t, []string{path}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"1", "1", "2.5"}, []string{s.samples[0].label, s.samples[1].label, s.samples[2].label})
}
