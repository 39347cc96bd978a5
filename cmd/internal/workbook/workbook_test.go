package workbook

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// What a spreadsheet program takes for a date or a time. The codes are those that Excel, LibreOffice and libraries
// write.
func TestParseFormat(t *testing.T) {
	for format, codes := range map[Format][]string{
		Number: {"General", "general", "0", "0.00", "#,##0", "#,##0.00_);[Red](#,##0.00)", "0%", "0.00E+00", "# ?/?",
			"@", "", ";;;",
			`"day "0`, `0" s"`, `0.0\ \m`, `#,##0\ "min"`, `[$€-407]\ #,##0.00`, `0000\-00\-00`, `General" h"`, "[Red]0.0", "0_d", "0*d",
			`_-* #,##0.00\ [$USD]_-`, "Standard", `[>=1000]0,"k";0`, "[DBNum1]0", `0.00" ms"`, "0.00 mm"},
		Date: {"m/d/yy", "yyyy-mm-dd", "dd.mm.yyyy", "d-mmm", "mmm-yy", "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy",
			"d. mmm yyyy",
			`yyyy"年"m"月"d"日"`, "yyyy", "d", "yyyy-mm-dd hh:mm:ss.000", "[$-409]m/d/yy h:mm AM/PM;@", `dd\.mm\.yyyy\ hh:mm:ss`, "mm", "mmmm",
			"d hh:mm:ss", `[$-407]d/\ mmmm\ yyyy;@`, "YYYY-MM-DD", "m/d", `[<1]h:mm;yyyy`, "[Blue]dd/mm/yyyy", `[$-411]ge\.m\.d;@`},
		Clock: {"h:mm", "hh:mm:ss", "mm:ss.0", "mmss.0", "[h]:mm:ss", "[hh]:mm", "[mm]:ss.00", "[mm]", "[m]", "[s].000",
			"[ss]", "ss", "s.00",
			`"t="hh:mm:ss`, "h:mm AM/PM", "h AM/PM", "h:mm:ss;@", `[$-F400]h:mm:ss\ AM/PM`, "HH:MM:SS", "[H]:MM:SS", `h"h "mm"min"`, "hh:mm:ss,000"},
	} {
		for _, code := range codes {
			assert.Equal(t, format, ParseFormat(code), "%q", code)
		}
	}
}

// Formats that a workbook need not declare, as ECMA-376 numbers them: 14 to 22, 27 to 36, 45 to 47, 50 to 58.
func TestBuiltInFormats(t *testing.T) {
	var dates, clocks []int
	for id := range 71 {
		switch builtIn(id) {
		case Date:
			dates = append(dates, id)
		case Clock:
			clocks = append(clocks, id)
		}
	}
	assert.Equal(t, []int{14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58}, dates)
	assert.Equal(t, []int{18, 19, 20, 21, 32, 33, 34, 35, 45, 46, 47, 55, 56}, clocks)
}

// Numbers of days, as Excel counts them: it has a 29th of February 1900, so that the days before it are counted from
// another day.
func TestDates(t *testing.T) {
	for _, c := range []struct {
		days   string
		format Format
		of1904 bool
		want   string
	}{
		{"1", Date, false, "1900-01-01 00:00:00"},
		{"31", Date, false, "1900-01-31 00:00:00"},
		{"59.25", Date, false, "1900-02-28 06:00:00"},
		{"60", Date, false, "60 is the 29th of February 1900"},
		{"61", Date, false, "1900-03-01 00:00:00"},
		{"45443.5", Date, false, "2024-05-31 12:00:00"},
		{"45443.500001446757", Date, false, "2024-05-31 12:00:00.125"},
		{"45443.50000144676", Date, false, "2024-05-31 12:00:00.125"}, // fifteen digits, as R's openxlsx writes them
		{"45443.5000014468", Date, false, "2024-05-31 12:00:00.125"},
		{"45443.50000145", Date, false, "2024-05-31 12:00:00.125"},        // eight decimals, as excel4node writes them
		{"45443.500000011303", Date, false, "2024-05-31 12:00:00.000976"}, // 1,024 a second
		{"43981.5", Date, true, "2024-05-31 12:00:00"},
		{"0", Date, true, "1904-01-01 00:00:00"},
		{"2958465.5", Date, false, "9999-12-31 12:00:00"},
		{"2958466", Date, false, "no date … 1900"},
		{"-1", Date, false, "no date … 1900"},
		{"1e300", Clock, false, "no date … 1900"},
		{"0.5", Clock, false, "1899-12-30 12:00:00"},
		{"0.99999", Clock, false, "1899-12-30 23:59:59.136"},
		{"2.5", Clock, false, "1900-01-01 12:00:00"}, // two and a half days after 1899-12-30
		{"2.5", Clock, true, "1904-01-03 12:00:00"},
		{"2.6244862937e-10", Clock, false, "1899-12-30 00:00:00.000022676"}, // 44,100 a second
		{"1.1547739692E-8", Clock, false, "1899-12-30 00:00:00.000997725"},
		{"-0.25", Clock, false, "1899-12-29 18:00:00"},
		{"70000", Date, false, "2091-08-25 00:00:00"},
		{"200000.75", Date, false, "2447-07-30 18:00:00"},
	} {
		b := &Book{of1904: c.of1904, formats: []Format{c.format}}
		text, _, err := b.number(c.days, 0)
		if err != nil {
			text = err.Error()
		}
		messagetest.Names(t, text, c.want, c.days)
	}
}

// made writes a workbook of these parts, and opens it.
func made(t *testing.T, parts map[string]string) (*Book, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.xlsx")
	file, err := os.Create(path)
	require.NoError(t, err)
	w := zip.NewWriter(file)
	for name, text := range parts {
		part, err := w.Create(name)
		require.NoError(t, err)
		_, err = part.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
	b, err := Open(path)
	if err == nil {
		t.Cleanup(func() { _ = b.Close() })
	}
	return b, err
}

// parts are those of a workbook with one sheet of these rows.
func parts(rows string) map[string]string {
	const kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	return map[string]string{
		"_rels/.rels": `<Relationships><Relationship Id="r1" Type="` + kind + `officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
		`xl\_rels\workbook.xml.rels`: `<Relationships><Relationship Id="r1" Type="` + kind + `worksheet" Target="worksheets/Sheet1.xml"/>` +
			`<Relationship Id="r2" Type="` + kind + `sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="` + kind +
			`styles" Target="styles.xml"/><Relationship Id="r4" Type="` + kind + `chartsheet" Target="chart.xml"/></Relationships>`,
		"xl/workbook.xml": `<x:workbook xmlns:x="m" xmlns:r="r"><x:sheets><x:sheet name="plot" r:id="r4"/><x:sheet name="a" r:id="r1"/></x:sheets>` +
			`<x:calcPr calcId="1"/></x:workbook>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="mm:ss.0"/></numFmts><cellXfs><xf numFmtId="0"/>` +
			`<xf numFmtId="164"/><xf numFmtId="22"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml": `<sst><si><t>walk</t></si><si><r><t>up</t></r><r><t xml:space="preserve"> &amp; down</t></r>` +
			`<rPh sb="0" eb="1"><t>hint</t></rPh></si><si><t>a_x0041_b_x_</t></si></sst>`,
		"xl/worksheets/sheet1.xml": `<?xml version="1.0"?><worksheet><cols><col min="2" max="3" hidden="1"/></cols><sheetData>` + rows +
			`</sheetData><pageSetup r="1"/></worksheet>`,
	}
}

// texts returns the texts of all rows, with their numbers.
func texts(b *Book) (all []string, err error) {
	for row, err := range b.Rows(b.Sheets[0]) {
		if err != nil {
			return all, err
		}
		line := fmt.Sprint(row.Number)
		for _, cell := range row.Cells {
			line += "|" + cell.Text
			if cell.Formula {
				line += fmt.Sprintf("(formula %v %v)", cell.Empty, cell.Zero)
			}
		}
		all = append(all, line)
	}
	return all, nil
}

func TestCells(t *testing.T) {
	b, err := made(t, parts(`<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row>`+
		`<row r="4" hidden="1"><c r="B4"><v>1.0</v></c><c r="D4" t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#DIV/0!</v></c></row>`+
		`<row><c s="1"><v>1.5E-3</v></c><c s="2"><v>45443.25</v></c><c t="d"><v>2024-05-31T12:00:00Z</v></c><c s="1"/></row>`+
		`<row><c t="inlineStr"><is><t>in </t><t>line</t></is></c><c t="str"><f>A1</f><v>sit</v></c><c><f>A1+1</f></c>`+
		`<c><f>B1</f><v></v></c><c t="str"><f>C1</f><v></v></c><c t="str"><f>C2</f></c><c><f>D1</f><v>0.0</v></c><c><f t="shared" si="0"/><v>2</v></c></row>`+
		`<row r="9"/><row><c r="A10"><v>0.30000000000000004</v></c><c><v>123456789012345678</v></c><c><v>1E21</v></c></row>`))
	require.NoError(t, err)
	require.Equal(t, []Sheet{{"a", false, "/xl/worksheets/Sheet1.xml"}}, b.Sheets, "a sheet that is a chart has no cells")
	all, err := texts(b)
	require.NoError(t, err)
	assert.Equal(t, []string{"1|walk|up & down|aAb_x_", "4||1||true|false|#DIV/0!",
		"5|1899-12-30 00:02:09.6|2024-05-31 06:00:00|2024-05-31T12:00:00Z",
		"6|in line|sit(formula false false)|=A1+1(formula true false)|=B1(formula true false)|(formula false " +
			"false)|=C2(formula true false)|0(formula false true)|" +
			"2(formula false false)", "9", "10|0.30000000000000004|123456789012345678|1E21"}, all)
	hidden, err := b.HiddenColumns(b.Sheets[0])
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2}, hidden)
	assert.False(t, b.Uncalculated)
	assert.Equal(t, []string{"A", "Z", "AA", "XFD"},
		[]string{Letters(0), Letters(25), Letters(26), Letters(mostColumns - 1)})
}

// A workbook in which nobody says that its formulas were calculated, whose days count from 1904, and with hidden
// sheets.
func TestBook(t *testing.T) {
	all := parts("")
	all["xl/workbook.xml"] = `<workbook xmlns:r="r"><workbookPr date1904="true"/><sheets><sheet name="old" state="veryHidden" r:id="r1"/>` +
		`<sheet name="new" r:id="r1"/></sheets><calcPr fullCalcOnLoad="1"/></workbook>`
	b, err := made(t, all)
	require.NoError(t, err)
	assert.True(t, b.Uncalculated)
	assert.True(t, b.of1904)
	assert.Equal(t, []bool{true, false}, []bool{b.Sheets[0].Hidden, b.Sheets[1].Hidden})
	all["xl/workbook.xml"] = strings.Replace(all["xl/workbook.xml"], `<calcPr fullCalcOnLoad="1"/>`, "", 1)
	b, err = made(t, all)
	require.NoError(t, err)
	assert.True(t, b.Uncalculated)
}

// A sheet that ends between two of its rows would lose the rest without a word. A sheet of no rows is none of these.
func TestSheetsThatEndBetweenTwoRowsAreCutOff(t *testing.T) {
	const sheet = "xl/worksheets/sheet1.xml"
	for ending, cut := range map[string]bool{"": true, "<sheetData>": true, `<sheetData><row><c><v>1</v></c></row>`: true,
		"<sheetData/>": false, "<sheetData/></worksheet>": false, "<sheetData></sheetData>": false, "</worksheet>": false,
		"</x:worksheet>": false} {
		all := parts("")
		begin, _, _ := strings.Cut(all[sheet], "<sheetData>")
		all[sheet] = begin + ending
		b, err := made(t, all)
		require.NoError(t, err)
		rows, err := texts(b)
		if cut {
			messagetest.Names(t, err, "damaged or cut off", ending)
		} else {
			assert.NoError(t, err, ending)
			assert.Empty(t, rows, ending)
		}
	}
}

func TestDamagedWorkbooks(t *testing.T) {
	for rows, want := range map[string]string{
		`<row r="x"/>`:                             `row … "x"`,
		`<row r="5"/><row r="4"/>`:                 `row … "4"`,
		`<row r="1048577"/>`:                       `row … "1048577"`,
		`<row><c r="XFE1"><v>1</v></c></row>`:      `place "XFE1"`,
		`<row><c r="1"><v>1</v></c></row>`:         `place "1"`,
		`<row><c t="s"><v>3</v></c></row>`:         `row 1 … column A … no shared text … "3"`,
		`<row><c s="q"><v>3</v></c></row>`:         `style "q"`,
		`<row><c r="B1"><v>1</v></c><c r="A1"/>`:   `place "A1"`,
		`<row><c s="2"><v>-1</v></c></row>`:        "column A … -1 … date",
		`<row><c s="2"><v>4e9</v></c></row>`:       "column A … 4e+09 … date",
		`<row><c s="2"><v>60.5</v></c></row>`:      `the 29th of February 1900`,
		`<row><c><v>1</v></c></row><row><c`:        "damaged or cut off",
		`<row><c s="9999"><v>1</v></c></row><row>`: "damaged or cut off",
	} {
		all := parts(rows)
		if strings.HasSuffix(want, "cut off") {
			all["xl/worksheets/sheet1.xml"], _, _ = strings.Cut(all["xl/worksheets/sheet1.xml"], "</sheetData>")
		}
		b, err := made(t, all)
		require.NoError(t, err)
		_, err = texts(b)
		messagetest.Names(t, err, want, rows)
	}
	for part, want := range map[string]string{"xl/workbook.xml": "lacks its part", "_rels/.rels": "",
		"xl/styles.xml": ""} {
		all := parts(`<row><c><v>1</v></c></row>`)
		delete(all, part)
		_, err := made(t, all)
		if want == "" {
			assert.NoError(t, err, part)
		} else {
			messagetest.Names(t, err, want, part)
		}
	}
	all := parts("")
	all["xl/styles.xml"] = "<styleSheet><numFmts>"
	_, err := made(t, all)
	messagetest.Names(t, err, "damaged … /xl/styles.xml")
	all["_rels/.rels"] = strings.Replace(all["_rels/.rels"], "workbook.xml", "workbook.bin", 1)
	_, err = made(t, all)
	messagetest.Names(t, err, "binary workbook … .xlsx")
	path := filepath.Join(t.TempDir(), "a.xlsx")
	require.NoError(t, os.WriteFile(path, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), 0o600))
	_, err = Open(path)
	messagetest.Names(t, err, "password … .xls")
}
