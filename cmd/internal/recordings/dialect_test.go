package recordings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// importedNumbers are files of an import whose numbers may be read in two ways.
type importedNumbers struct {
	name    string
	files   []string // a name and its text each, below folders of classes
	decimal string   // --decimal
	want    string   // the values of all samples
	says    string   // in the notes, or in what the files were read as
	quiet   bool     // there is no note
	refused []string // what the error says
}

var writtenNumbers = []importedNumbers{
	{name: "one decimal comma tells of the files beside it",
		files: []string{"a/1.csv", "x;y\n1.234,5;2\n", "b/2.csv", "x;y\n1.003;7\n"}, want: "[1234.5 2] [1003 7]", quiet: true,
		says: "semicolons, decimal commas … thousands by points"},
	{name: "also of those before it",
		files: []string{"a/1.csv", "x;y\n1.003;7\n", "b/2.csv", "x;y\n1.234,5;2\n"}, want: "[1003 7] [1234.5 2]",
		quiet: true},
	{name: "a decimal point tells of the files beside it",
		files: []string{"a/1.tsv", "x\ty\n\"1,003\"\t7\n", "b/2.tsv", "x\ty\n1,234.5\t2\n"}, want: "[1003 7] [1234.5 2]",
		quiet: true,
		says:  "tabs, thousands by commas"},
	{name: "a decimal comma without thousands", files: []string{"a/1.csv", "x;y\n1,5;2\n", "b/2.csv", "x;y\n1.003;7\n"},
		want: "[1.5 2] [1003 7]", says: "1.003, in line 2 of "},
	{name: "a decimal point without thousands", files: []string{"a/1.csv", "x;y\n1.5;2\n", "b/2.csv", "x;y\n1,003;7\n"},
		want: "[1.5 2] [1003 7]", says: "1,003, in line 2 of "},
	{name: "thousands of three digits twice",
		files: []string{"a/1.csv", "x;y\n1.234.567;2\n", "b/2.csv", "x;y\n1.003;7\n"},
		want:  "[1.234567e+06 2] [1003 7]", quiet: true},
	{name: "a decimal point far down", files: []string{"a/1.csv", "x;y\n" + many(4000, "1.003;7") + "0.5;2\n", "b/1.csv",
		"x;y\n1.003;7\n"},
		want: "", quiet: true},
	{name: "whole numbers alone", files: []string{"a/1.csv", "x;y\n10;2\n", "b/2.csv", "x;y\n3;7\n"}, want: "[10 2] [3 7]",
		quiet: true},
	{name: "three decimals in all, between commas",
		files: []string{"a/1.csv", "x,y\n1.003,2.125\n", "b/2.csv", "x,y\n3.500,7.250\n"},
		want:  "[1.003 2.125] [3.5 7.25]", quiet: true},
	{name: "three decimals in all, between semicolons",
		files: []string{"a/1.csv", "x;y\n1.003;2.125\n", "b/2.csv", "x;y\n3.500;7.250\n"},
		want:  "[1.003 2.125] [3.5 7.25]", says: "numbers such as 1.003 … line 2"},
	{name: "three decimals in all, between tabs",
		files: []string{"a/1.tsv", "x\ty\n1.003\t2.125\n", "b/2.tsv", "x\ty\n3.500\t7.250\n"},
		want:  "[1.003 2.125] [3.5 7.25]", says: "say --decimal comma"},
	{name: "three decimals after commas, between semicolons",
		files: []string{"a/1.csv", "x;y\n1,003;2,125\n", "b/2.csv", "x;y\n3,500;7,250\n"},
		want:  "[1.003 2.125] [3.5 7.25]", says: "say --decimal point"},
	{name: "marks in quotation marks between tabs, as Excel writes them in English",
		files:   []string{"a/1.tsv", "x\ty\n\"1,921\"\t2\n", "b/2.tsv", "x\ty\n\"2,500\"\t7\n"},
		refused: []string{"1,921, in line 2 of ", "1.tsv", "--decimal comma", "--decimal point"}},
	{name: "the same, settled", files: []string{"a/1.tsv", "x\ty\n\"1,921\"\t2\n", "b/2.tsv", "x\ty\n\"2,500\"\t7\n"},
		decimal: "point",
		want:    "[1921 2] [2500 7]", quiet: true},
	{name: "the same between commas", files: []string{"a/1.csv", "x,y\n\"1,921\",2\n", "b/2.csv", "x,y\n\"2,500\",7\n"},
		refused: []string{"1,921, in line 2 of ", "1.csv", "--decimal comma", "--decimal point"}},
	{name: "the same between commas, settled",
		files: []string{"a/1.csv", "x,y\n\"1,921\",2\n", "b/2.csv", "x,y\n\"2,500\",7\n"}, decimal: "comma",
		want: "[1.921 2] [2.5 7]", quiet: true},
	{name: "the same between commas, beside a decimal point",
		files: []string{"a/1.csv", "x,y\n\"1,921\",2\n", "b/2.csv", "x,y\n\"2,500\",7.5\n"},
		want:  "[1921 2] [2500 7.5]", says: "1,921, in line 2 of "},
	{name: "a lone column of whole numbers, one beyond a thousand",
		files: []string{"a/1.csv", "x\n377\n-396\n1.921\n315\n", "b/2.csv", "x\n3\n1\n4\n1\n"},
		refused: []string{"column x: 1.921, in line 4 of ", "1921", "377 in line 2 of ", "--decimal comma",
			"--decimal point"}},
	{name: "the same, settled as thousands", files: []string{"a/1.csv", "x\n377\n-396\n1.921\n315\n", "b/2.csv",
		"x\n3\n1\n4\n1\n"}, decimal: "comma",
		want: "[377 -396 1921 315] [3 1 4 1]", quiet: true},
	{name: "the same, settled as decimals", files: []string{"a/1.csv", "x\n377\n-396\n1.921\n315\n", "b/2.csv",
		"x\n3\n1\n4\n1\n"}, decimal: "point",
		want: "[377 -396 1.921 315] [3 1 4 1]", quiet: true},
	{name: "whole numbers of which one file has one beyond a thousand, between commas",
		files:   []string{"a/1.csv", "x,y\n377,1\n-396,2\n", "b/2.csv", "x,y\n1.921,3\n"},
		refused: []string{"column x: 1.921, in line 2 of ", "377 in line 2 of "}},
	{name: "whole numbers beyond a thousand without a mark",
		files: []string{"a/1.csv", "x,y\n1200,1\n-396,2\n", "b/2.csv", "x,y\n1.921,3\n"},
		want:  "[1200 1 -396 2] [1.921 3]", quiet: true},
	{name: "a decimal comma and a decimal point in two files",
		files:   []string{"a/1.csv", "x;y\n1,5;2\n", "b/2.csv", "x;y\n3;4\n2.25;7\n"},
		refused: []string{"2.csv, line 3: column x: ", `"2.25" … decimal point … 1,5 … line 2`, "1.csv a decimal comma"}},
	{name: "thousands by points and by commas in two files",
		files:   []string{"a/1.csv", "x;y\n1.234.567;2\n", "b/2.csv", "x;y\n1,234,567;7\n"},
		refused: []string{"2.csv, line 2: column x: ", "1.234.567 in line 2 of ", "1.csv"}},
	{name: "numbers that are either, with both marks",
		files:   []string{"a/1.csv", "x;y\n1,250;2\n", "b/2.csv", "x;y\n1.250;7\n"},
		refused: []string{"1.250, in line 2 of ", "1,250, in line 2 of ", "--decimal comma", "--decimal point"}},
	{name: "the same, settled by a person", files: []string{"a/1.csv", "x;y\n1,250;2\n", "b/2.csv", "x;y\n1.250;7\n"},
		decimal: "comma",
		want:    "[1.25 2] [1250 7]", quiet: true},
	{name: "commas between cells where other files have decimal commas",
		files:   []string{"a/1.csv", "x;y\n1.234,5;2\n", "b/2.csv", "x,y\n1.003,7\n"},
		refused: []string{"1.003, in line 2 of ", "2.csv", "1.234,5 in line 2 of ", "--decimal comma"}},
	{name: "the same, settled by a person as well",
		files:   []string{"a/1.csv", "x;y\n1.234,5;2\n", "b/2.csv", "x,y\n1.003,7\n"},
		decimal: "comma", want: "[1234.5 2] [1003 7]", quiet: true},
	{name: "thousands by points between commas, in any order",
		files: []string{"a/1.csv", "x,y\n\"3,5\",2.003\n\"1.014,12\",3\n", "b/2.csv", "x,y\n1.003,7\n"},
		want:  "[3.5 2003 1014.12 3] [1003 7]", quiet: true},
	{name: "what a person says is not so", files: []string{"a/1.csv", "x;y\n1,5;2\n", "b/2.csv", "x;y\n1.003;7\n"},
		decimal: "point",
		refused: []string{`1.csv, line 2 … column x … "1,5" … decimal comma … --decimal point`}},
	{name: "times are numbers, too", files: []string{"a/1.csv", "time;x\n1.000;2,5\n2.000;1\n3.000;4\n", "b/2.csv",
		"time;x\n1.000;2\n2.000;3\n3.000;1\n"},
		refused: []string{"column time … 1.000 … line 2", "may be 1000 … 2,5 … line 2", "--decimal"}},
	{name: "times are numbers, too, settled", files: []string{"a/1.csv", "time;x\n1.000;2,5\n2.000;1\n3.000;4\n",
		"b/2.csv", "time;x\n1.000;2\n2.000;3\n3.000;1\n"},
		decimal: "comma", want: "[2.5 1 4]@[1000 2000 3000] [2 3 1]@[1000 2000 3000]", quiet: true},
	{name: "times in thousands", files: []string{"a/1.csv", "time;x\n998;2,5\n999;2,5\n1.000;1\n1.001;4\n", "b/2.csv",
		"time;x\n1.000;2\n2.000;3\n3.000;1\n"},
		want: "[2.5 2.5 1 4]@[998 999 1000 1001] [2 3 1]@[1000 2000 3000]", says: "1.000, in line 4 of "},
	{name: "a column that is written otherwise, perhaps",
		files:   []string{"a/1.csv", "x;y\n1,5;2.125\n", "b/2.csv", "x;y\n2;7.250\n"},
		refused: []string{"column y: 2.125, in line 2 of ", "may be 2125 … 1,5 … line 2"}},
	{name: "times of files that tell by themselves", files: []string{"a/1.csv", "time;x\n1.000;2\n2.000;3\n3.000;1\n",
		"b/2.csv", "time;x\n0.500;2.5\n1.500;1\n2.5;4\n"},
		want: "[2 3 1]@[1 2 3] [2.5 1 4]@[0.5 1.5 2.5]", quiet: true},
	{name: "numbers with exponents are no thousands", files: []string{"a/1.csv", "x;y\n1.234e3;2\n", "b/2.csv",
		"x;y\n1.003;7\n"}, want: "[1234 2] [1.003 7]", quiet: true},
	{name: "a lone number with an exponent", files: []string{"a/1.csv", "x;y\n1,5e3;2\n", "b/2.csv", "x;y\n1E+03;7\n"},
		want: "[1500 2] [1000 7]", quiet: true},
	{name: "other marks between thousands", files: []string{"a/1.csv", "x;y\n1 234,5;1\u202f003\n", "b/2.csv",
		"x;y\n1\u2009003;1'003\n"},
		want: "[1234.5 1003] [1003 1003]", quiet: true},
}

func (w importedNumbers) put(t *testing.T) (folder string, paths []string) {
	t.Helper()
	folder = t.TempDir()
	for i := 0; i < len(w.files); i += 2 {
		paths = append(paths, put(t, folder, w.files[i], w.files[i+1]))
	}
	return folder, paths
}

// The numbers of all files of an import are written in one way, which all of them tell together. predict, which has
// what they told, reads each of them alike, alone.
func TestNumbersOfAllFilesAreWrittenInOneWay(t *testing.T) {
	for _, w := range writtenNumbers {
		t.Run(w.name, func(t *testing.T) {
			o := Options{Table: Table{Decimal: w.decimal}}
			folder, paths := w.put(t)
			if w.refused != nil {
				text := refused(t, o, folder)
				for _, part := range w.refused {
					messagetest.Names(t, text, part)
				}
				return
			}
			s, err := read(t, []string{folder}, o)
			require.NoError(t, err)
			var got []string
			for _, x := range s.samples {
				one := fmt.Sprint(x.Values)
				if x.Times != nil {
					one += fmt.Sprint("@", x.Times)
				}
				got = append(got, one)
			}
			if w.want != "" {
				assert.Equal(t, w.want, strings.Join(got, " "))
			}
			notes := slices.DeleteFunc(s.noteTexts(), func(note string) bool {
				return strings.Contains(note, "one value in each")
			})
			if w.says != "" {
				messagetest.Names(t, s.readAs()+"\n"+strings.Join(notes, "\n"), w.says)
			}
			if w.quiet {
				assert.Empty(t, notes)
			}
			for i, path := range paths {
				again, err := readKnown(t, []string{path}, s.settingsForAlike(), s.chosen.sensors, 1)
				require.NoError(t, err, path)
				require.Len(t, again.samples, 1)
				assert.Equal(t, s.samples[i].Values, again.samples[0].Values, "predict reads %s alone", filepath.Base(path))
				assert.Equal(t, s.samples[i].Times, again.samples[0].Times)
			}
		})
	}
}

// Positions are read as their own numbers tell, or else as those of the recordings do. Degrees have no thousands.
func TestNumbersOfPositions(t *testing.T) {
	german, english, either := "a;b;label\n1.234,5;2;u\n3;4;v\n", "a,b,label\n1.5,2,u\n3,4,v\n",
		"a;b;label\n1;2;u\n3;4;v\n"
	for name, c := range map[string]struct {
		table, positions, decimal string
		want                      []float64
		refused                   string
	}{
		"of their own": {table: german, positions: "a,0.5,1.5\nb,2,3\n",
			want: []float64{0.5, 1.5, 2, 3}},
		"of the recordings": {table: german, positions: "a;1.003;2\nb;2;3\n",
			want: []float64{1003, 2, 2, 3}},
		"of the recordings, a point": {table: english, positions: "a\t\"1,003\"\t2\nb\t2\t3\n",
			want: []float64{1003, 2, 2, 3}},
		"of none": {table: either, positions: "a,1.003,2.125\nb,2.500,3.250\n",
			want: []float64{1.003, 2.125, 2.5, 3.25}},
		"a lone one beyond a thousand": {table: either, positions: "a;1.921;2\nb;315;3\n",
			refused: "column 2: 1.921, in line 1 of "},
		"settled": {table: either, positions: "a;1.921;2\nb;315;3\n", decimal: "comma",
			want: []float64{1921, 2, 315, 3}},
		"commas between cells": {table: german, positions: "a,1.003,2\nb,2,3\n",
			refused: "1.003, in line 1 of "},
		"a decimal comma in quotation marks": {table: german, positions: "a,\"1,5\",2\nb,2,3\n",
			want: []float64{1.5, 2, 2, 3}},
		"the same, alone": {table: either, positions: "a,\"1,5\",2\nb,2,3\n", refused: `line 1 … "1,5" … decimal comma … commas separate`},
		"two ways":        {table: either, positions: "a;1,5;2\nb;2.5;3\n", refused: `line 2 … "2.5" … decimal point … line 1 … decimal comma`},
		"degrees": {table: german, positions: "name;lat;lon\na;51.500;7\nb;52;7.250\n",
			want: []float64{51.5, 7, 52, 7.25}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			table, positions := put(t, folder, "r.csv", c.table), put(t, folder, "places.csv", c.positions)
			m, err := gather(t.Context(), []string{table}, Options{Positions: positions, Table: Table{Decimal: c.decimal}})
			if c.refused != "" {
				messagetest.Names(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, slices.Concat(m.places.of["a"], m.places.of["b"]))
		})
	}
}

// predict reads numbers that tell how they are written as they are, and others as the training's. A checkpoint of
// 0.1.0, whose settings do not have that, has each file for itself.
func TestNumbersOfNewRecordings(t *testing.T) {
	for name, c := range map[string]struct {
		table   Table
		file    string
		more    string // a second file
		want    string
		says    string
		refused string
	}{
		"as the training's, commas": {table: Table{Decimal: "comma"}, file: "x;y\n1.003;2\n", want: "[1003 2]",
			says: "point of 1.003 … line 2"},
		"as the training's, commas, and the way out": {table: Table{Decimal: "comma"}, file: "x;y\n1.003;2\n",
			want: "[1003 2]", says: "is 1003 … training's … decimal comma … 1,003"},
		"three digits after a comma, by semicolons": {table: Table{Decimal: "point"}, file: "x;y\n2,862;1,003\n",
			want: "[2862 1003]", says: "thousands … is 2862 … training's … decimal point … 2.862"},
		"as the training's, points": {table: Table{Decimal: "point"}, file: "x;y\n1.003;2\n", want: "[1.003 2]"},
		"as they are": {table: Table{Decimal: "point"}, file: "x;y\n1,5;2\n", want: "[1.5 2]",
			says: "training's … decimal point"},
		"as one of them": {table: Table{Decimal: "point"}, file: "x;y\n1.003;2\n", more: "x;y\n1.234,5;2\n",
			want: "[1003 2] [1234.5 2]"},
		"none of the training's": {table: Table{Decimal: "none"}, file: "x;y\n1.003;2.500\n", want: "[1.003 2.5]",
			says: "points … between thousands"},
		"thousands, perhaps": {table: Table{Decimal: "none"}, file: "x;y\n1.003;2\n17;2\n",
			refused: "column x: 1.003, in line 2 of "},
		"in two ways": {table: Table{Decimal: "none"}, file: "x;y\n1,5;2\n", more: "x;y\n2.5;2\n",
			refused: "decimal point … 1,5 … line 2"},
		"in two ways, by 0.1.0": {file: "x;y\n1,5;2\n", more: "x;y\n2.5;2\n", want: "[1.5 2] [2.5 2]"},
		"each file for itself, by 0.1.0": {file: "x;y\n1.003;2\n17;2\n", more: "x;y\n1.234,5;2\n",
			want: "[1.003 2 17 2] [1234.5 2]"},
		"three digits after a comma there": {file: "x;y\n1,003;2\n", want: "[1.003 2]"},
	} {
		t.Run(name, func(t *testing.T) {
			paths := []string{put(t, t.TempDir(), "1.csv", c.file)}
			if c.more != "" {
				paths = append(paths, put(t, t.TempDir(), "2.csv", c.more))
			}
			c.table.Layout = recordingLayout
			s, err := readKnown(t, paths, c.table, []string{"x", "y"}, 1)
			if c.refused != "" {
				messagetest.Names(t, err, c.refused)
				assert.NotContains(t, err.Error(), "--decimal", "predict has no such option")
				return
			}
			require.NoError(t, err)
			var got []string
			for _, x := range s.samples {
				got = append(got, fmt.Sprint(x.Values))
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
			notes := strings.Join(s.noteTexts(), "\n")
			if c.says != "" {
				messagetest.Names(t, notes, c.says)
			}
			assert.NotContains(t, notes, "--decimal", "predict has no such option")
		})
	}
}

// Whatever people write in the cell of a number is read rightly, or refused with the line and the text. The cell is
// the first of its column, where a line of units may be, or the second.
func TestCellsOfNumbers(t *testing.T) {
	for _, c := range []struct {
		cell string
		want float64 // 0 where it is refused
	}{
		{"1234.5", 1234.5}, {"+1.5", 1.5}, {"-0.25", -0.25}, {".5", 0.5}, {"5.", 5}, {"1e3", 1000}, {"1E+03", 1000},
		{"1e03", 1000}, {"1.5e-1", 0.15},
		{"1,5e3", 1500}, {"-1,5E+3", -1500}, {"1 234,5", 1234.5}, {"1\u00a0234,5", 1234.5}, {"1\u202f234,5", 1234.5},
		{"1\u2009234.5", 1234.5},
		{"1\u2007234", 1234}, {"1'234.5", 1234.5}, {"1’234’567", 1234567}, {"-1 234", -1234}, {"\u22121 234,5", -1234.5},
		{"1e\u22123", 0.001},
		{"1,234,567.25", 1234567.25}, {"-1.234.567,25", -1234567.25}, {"1,234,567", 1234567}, {"1.5D+02", 150},
		{"12-", 0}, {"(12)", 0}, {"(1,234.50)", 0}, {"5%", 0}, {"5 %", 0}, {"5‰", 0}, {"€5", 0}, {"5 €", 0}, {"$1,234.50", 0},
		{"5,00 EUR", 0}, {"CHF 5", 0}, {"3 kg", 0},
		{"3kg", 0}, {"1,23,456.7", 0}, {"1.234.56", 0}, {"1,5,2", 0}, {"1.5.2", 0}, {"12 34", 0}, {"1 2345", 0}, {"0x1F", 0},
		{"1_000", 0}, {"١٢", 0}, {"１２", 0},
		{"²", 0}, {"½", 0}, {"1/2", 0}, {"–5", 0}, {"‐5", 0}, {"- 5", 0}, {"~5", 0}, {"<5", 0}, {">5", 0}, {"≈5", 0},
		{"5±1", 0}, {"5*", 0}, {"'5", 0}, {"1e5e5", 0},
		{"1.5-105", 0}, {"1:5", 0}, {"1k", 0}, {"5e", 0}, {"1e400", 0}, {"infinity", 0}, {"=5", 0}, {"5;", 0},
	} {
		for _, line := range []int{2, 3} {
			cells := []string{"7", "7"}
			cells[line-2] = c.cell
			text := "x\ty\n\"" + cells[0] + "\"\t1\n\"" + cells[1] + "\"\t2\n"
			if c.want == 0 && line == 2 { // all values of the line, as units are
				text = "x\ty\n\"" + c.cell + "\"\t\"" + c.cell + "\"\n7\t1\n"
			}
			path := put(t, t.TempDir(), "1.tsv", text)
			s, err := readKnown(t, []string{path}, Table{Layout: recordingLayout, Decimal: noDecimal}, []string{"x", "y"}, 1)
			if c.want == 0 {
				messagetest.Names(t, err, fmt.Sprintf("1.tsv, line %d … column x … %q … number", line, c.cell), c.cell)
				continue
			}
			require.NoError(t, err, c.cell)
			assert.Equal(t, c.want, s.samples[0].Values[2*(line-2)], c.cell)
		}
	}
}

// A number of Parquet or of a cell of a workbook is what it is, also where the texts beside it have decimal commas.
func TestNumbersOfProgramsBesideTextsOfPeople(t *testing.T) {
	folder := t.TempDir()
	type row struct {
		X     string  `parquet:"x"`
		Y     float64 `parquet:"y"`
		Label string  `parquet:"label"`
	}
	rows := []row{{"1.234,5", 1.003, "u"}, {"1.003", 2.5, "v"}}
	require.NoError(t, parquet.WriteFile(filepath.Join(folder, "r.parquet"), rows))
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"x", "y", "label"}))
	for i, r := range rows {
		require.NoError(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &[]any{r.X, r.Y, r.Label}))
	}
	require.NoError(t, f.SaveAs(filepath.Join(folder, "r.xlsx")))
	for _, name := range []string{"r.parquet", "r.xlsx"} {
		s, err := read(t, []string{filepath.Join(folder, name)}, Options{})
		require.NoError(t, err, name)
		assert.Equal(t, "[1234.5 1.003] [1003 2.5]", fmt.Sprint(s.samples[0].Values, " ", s.samples[1].Values), name)
		assert.Equal(t, decimalComma, s.settingsForAlike().Decimal)
	}
}
