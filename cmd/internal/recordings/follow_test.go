package recordings

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// formOf imports a stream of two sensors, and returns its form.
func formOf(t *testing.T, table string) *recording.Form {
	t.Helper()
	_, d := imported(t, Options{Label: "state", Cut: threeSeconds}, put(t, t.TempDir(), "stream.csv", table))
	return d.Form
}

// stateOfTwo is a table of two sensors with a state.
func stateOfTwo() string {
	var b strings.Builder
	b.WriteString("time,hip,arm,state\n")
	for at := range 200 {
		fmt.Fprintf(&b, "%.1f,%d,%.2f,%s\n", float64(at)/10, at*at%97, float64(at%13)/4, []string{"a", "b"}[at/50%2])
	}
	return b.String()
}

// followedRows follows a stream, and returns the rows, and what is wrong with lines.
func followedRows(t *testing.T, form *recording.Form, text string) (rows []Row, bad []string) {
	t.Helper()
	err := Follow(t.Context(), strings.NewReader(text), form, func(r Row) error {
		r.Values = append([]float64{}, r.Values...)
		rows = append(rows, r)
		return nil
	}, func(b *BadLine) { bad = append(bad, b.Error()) }, func(string) {})
	require.NoError(t, err)
	return rows, bad
}

// A stream's rows are the time points that predict reads of the same table, whatever it is written like.
func TestFollowReadsAsPredict(t *testing.T) {
	form := formOf(t, stateOfTwo())
	plain := "time,arm,hip\n0.0,1.5,4\n0.1,,5\n0.2,-2e-1,6\n"
	path := put(t, t.TempDir(), "new.csv", plain)
	all, _, err := ReadUnlabelled(t.Context(), []string{path}, form)
	require.NoError(t, err)
	for name, text := range map[string]string{
		"the same":       plain,
		"semicolons":     strings.ReplaceAll(plain, ",", ";"),
		"line ends":      strings.ReplaceAll(plain, "\n", "\r\n"),
		"remarks":        "# of a logger\n" + strings.ReplaceAll(plain, "\n", "\n\n"),
		"with its state": "time,hip,arm,state\n0.0,4,1.5,a\n0.1,5,,a\n0.2,6,-2e-1,b\n",
		"JSON": `{"time":0.0,"arm":1.5,"hip":4}` + "\n" + `{"hip":5,"arm":null,"time":0.1}` + "\n" +
			`{"arm":-2e-1,"hip":6,"time":0.2}` + "\n",
	} {
		rows, bad := followedRows(t, form, text)
		require.Len(t, rows, 3, name)
		assert.Empty(t, bad, name)
		for i, row := range rows {
			assert.InDelta(t, all[0].Times[i], row.Time, 1e-12, name)
			for k, v := range row.Values {
				want := all[0].Values[2*i+k]
				assert.True(t, v == want || v != v && want != want, "%s: row %d has %v", name, i, row.Values)
			}
		}
	}
	rows, _ := followedRows(t, form, "hip,arm\n1,2\n3,4\n")
	assert.True(t, math.IsNaN(rows[1].Time))
	rows, _ = followedRows(t, form, "sample,hip,arm\nx,1,2\nx,3,4\ny,5,6\n")
	assert.Equal(t, []bool{false, false, true}, []bool{rows[0].Begins, rows[1].Begins, rows[2].Begins})
	assert.Equal(t, []float64{5, 6}, rows[2].Values)
}

// Dates are seconds, and times of day go on after midnight.
func TestFollowTimes(t *testing.T) {
	table := strings.Builder{}
	table.WriteString("time,hip,arm,state\n")
	begin := time.Date(2024, 5, 31, 12, 0, 0, 0, time.UTC)
	for at := range 200 {
		fmt.Fprintf(&table, "%s,%d,%d,%s\n", begin.Add(time.Duration(at)*time.Second).Format("2006-01-02 15:04:05"),
			at*at%97, at%13, []string{"a", "b"}[at/50%2])
	}
	form := formOf(t, table.String())
	rows, _ := followedRows(t, form, "time,hip,arm\n2024-06-01 00:00:01,1,2\n2024-06-01 00:00:02.5,3,4\n")
	assert.InDelta(t, 1.5, rows[1].Time-rows[0].Time, 1e-6)
	rows, _ = followedRows(t, form, "time,hip,arm\n23:59:59,1,2\n00:00:01,3,4\n00:00:02,3,4\n")
	assert.Equal(t, []float64{2, 3}, []float64{rows[1].Time - rows[0].Time, rows[2].Time - rows[0].Time})
	assert.Equal(t, "00:00:01", rows[1].Written.Text(rows[1].Time))
}

// Times are written as the stream has them, also such as it does not have.
func TestTimesAsWritten(t *testing.T) {
	for cell, half := range map[string]string{ // a time, and one that is half a second later
		"2024-05-31 12:00:00":        "2024-05-31 12:00:00.5",
		"2024-05-31T12:00:00.250Z":   "2024-05-31T12:00:00.750Z",
		"2024-05-31T12:00:00+02:00":  "2024-05-31T12:00:00.5+02:00",
		"2024-05-31 23:30:00 CET":    "2024-05-31 23:30:00.5 CET",
		"31.05.2024 12:00":           "31.05.2024 12:00:00.5",
		"1.5.2024 9:30:00":           "1.5.2024 09:30:00.5",
		"05/31/2024 01:00:00 PM":     "05/31/2024 01:00:00.5 PM",
		"31/05/2024 12:00:00":        "31/05/2024 12:00:00.5",
		"2024-05-31":                 "2024-05-31 00:00:00.5",
		"20240531T120000":            "20240531T120000.5",
		"31 May 2024 12:00:00,125":   "31 May 2024 12:00:00,625",
		"12:00":                      "12:00:00.5",
		"23:59:59.9":                 "00:00:00.4",
		"9:15:00":                    "09:15:00.5",
		"2024-05-31 12:00:00.000001": "2024-05-31 12:00:00.500001",
		"1 days 02:00:00":            "93600.5",
	} {
		d := byFlag("")
		at, kind, err := d.parse(cell, 1)
		require.NoError(t, err, cell)
		if kind == slashed && d.first() == "month" {
			at += d.toMonthFirst(at)
		}
		form := d.formOfTime(cell, at)
		assert.Equal(t, half, form.Text(at+0.5), cell)
	}
	for want, at := range map[string]float64{"1700000000.25": 1700000000.25, "1717236400123": 1717236400123.0002,
		"1717236400123456800": 1717236400123456768, "0.3": 0.1 + 0.2, "-0.5": -0.5} {
		assert.Equal(t, want, recording.TimeForm{}.Text(at))
	}
}

// What a person should know of the columns is told with the first row, and once.
func TestFollowNotesAtOnce(t *testing.T) {
	rows, told := 0, []int{}
	err := Follow(t.Context(), strings.NewReader("time,hip,arm,leg\n0,1,2,3\n0.1,1,2,3\n0.2,1,2,3\n"),
		formOf(t, stateOfTwo()), func(Row) error { rows++; return nil }, nil, func(note string) {
			messagetest.Names(t, note, "leg")
			told = append(told, rows)
		})
	require.NoError(t, err)
	assert.Equal(t, []int{1}, told)
}

// A number whose mark is taken for one between thousands, as the training's numbers have decimal points, is told once.
func TestFollowDoubtsNumbers(t *testing.T) {
	var told []string
	form := formOf(t, stateOfTwo())
	err := Follow(t.Context(), strings.NewReader("time;hip;arm\n0;2,636;1\n1;2,637;1\n"), form,
		func(Row) error { return nil }, nil, func(note string) { told = append(told, note) })
	require.NoError(t, err)
	require.Len(t, told, 1)
	messagetest.Names(t, told[0], "2,636 … line 2 … between thousands … 2636 … training's … 2.636")
}

// Lines that hold no row are left out and told; a stream whose first ones are wrong is an error.
func TestFollowBadLines(t *testing.T) {
	form := formOf(t, stateOfTwo())
	rows, bad := followedRows(t, form, "time,hip,arm\n0,1,2\n0.1,x,2\n0.2,1\n0.3,\"1,2\n0.4,5,6\n")
	assert.Len(t, rows, 2)
	require.Len(t, bad, 3)
	messagetest.Names(t, bad[0], "line 3 … hip … x")
	messagetest.Names(t, bad[1], "line 4 … 2 cells")
	assert.Equal(t, []float64{5, 6}, rows[1].Values)
	_, bad = followedRows(t, form, `{"time":0,"arm":1.5,"hip":4}`+"\n{\n"+`{"time":1,"arm":1.5,"hip":4,"leg":5}`+"\n")
	messagetest.Names(t, bad[0], "line 2 … JSON")
	messagetest.Names(t, bad[1], `line 3 … "leg" … arm, hip, time`)
	for text, words := range map[string]string{
		"":                                      "no row",
		"time,hip\n0,1\n":                       "arm",
		"time,hip,arm\n0,one,2\n":               "line 2 … hip … one",
		"sample,time,sensor,value\na,0,hip,1\n": "line 1 … readings",
		`{"time":`:                              "line 1 … JSON",
	} {
		err := Follow(t.Context(), strings.NewReader(text), form, func(Row) error { return nil }, nil, func(string) {})
		messagetest.Names(t, err, words)
	}
	err := Follow(t.Context(), strings.NewReader("hip,arm\n1,2\n"), form,
		func(Row) error { return io.ErrShortWrite }, nil, nil)
	require.ErrorIs(t, err, io.ErrShortWrite)
	err = Follow(t.Context(), strings.NewReader(""), nil, nil, nil, nil)
	require.ErrorIs(t, err, recording.ErrNoForm)
}

// A row is told as soon as its line has come, although no other line follows.
func TestFollowAtOnce(t *testing.T) {
	form := formOf(t, stateOfTwo())
	in, out := io.Pipe()
	rows := make(chan Row)
	done := make(chan error)
	go func() {
		err := Follow(t.Context(), in, form, func(r Row) error { rows <- r; return nil }, nil, func(string) {})
		done <- err
	}()
	_, err := io.WriteString(out, "time,hip,arm\n")
	require.NoError(t, err)
	for at := range 3 {
		_, err := fmt.Fprintf(out, "%d,1,2\n", at)
		require.NoError(t, err)
		assert.Equal(t, float64(at), (<-rows).Time)
	}
	require.NoError(t, out.Close())
	require.NoError(t, <-done)
}

// A recording whose first line holds no row begins with the next one, and names of such lines are not kept.
func TestFollowBeginsAfterABadLine(t *testing.T) {
	rows, bad := followedRows(t, formOf(t, stateOfTwo()), "sample,hip,arm\nx,1,2\ny,b,4\ny,5,6\nx,7,8\nz,b,9\nx,7,8\n")
	require.Len(t, rows, 4)
	assert.Len(t, bad, 2)
	for i, begins := range []bool{false, true, true, false} {
		assert.Equal(t, begins, rows[i].Begins, "row %d", i)
	}
}

// What was read when the reading failed is no row: it may be half a line.
func TestFollowLeavesOutHalfALine(t *testing.T) {
	broken := errors.New("broken off")
	for _, last := range []string{"3,4", "3,4\n"} {
		for name, from := range map[string]io.Reader{
			"the error after": io.MultiReader(strings.NewReader("hip,arm\n1,2\n"+last), iotest.ErrReader(broken)),
			"byte by byte": iotest.OneByteReader(io.MultiReader(strings.NewReader("hip,arm\n1,2\n"+last),
				iotest.ErrReader(broken))),
		} {
			rows := 0
			err := Follow(t.Context(), from, formOf(t, stateOfTwo()), func(Row) error {
				rows++
				return nil
			}, func(b *BadLine) { t.Error(b) }, func(string) {})
			require.ErrorIs(t, err, broken, name)
			assert.Equal(t, 1+strings.Count(last, "\n"), rows, name)
		}
	}
	err := Follow(t.Context(), strings.NewReader("{}\n"), formOf(t, stateOfTwo()), nil, nil, nil)
	messagetest.Names(t, err, "line 1 … no member")
}

// A stream is read in the encodings of files, row by row as it comes, too.
func TestFollowEncodings(t *testing.T) {
	form := formOf(t, strings.ReplaceAll(stateOfTwo(), "hip", "hüfte"))
	text := "time,hüfte,arm\n0,1,2\n0.1,3,4\n"
	want, _ := followedRows(t, form, text)
	require.Len(t, want, 2)
	for name, encoding := range map[string]encoding.Encoding{
		"UTF-16":                unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
		"UTF-16 without a mark": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		"UTF-32":                utf32.UTF32(utf32.BigEndian, utf32.UseBOM),
		"Windows-1252":          charmap.Windows1252,
	} {
		encoded, err := encoding.NewEncoder().String(text)
		require.NoError(t, err)
		rows, bad := followedRows(t, form, encoded)
		assert.Empty(t, bad, name)
		assert.Equal(t, want, rows, name)
		if _, wide := wideOf([]byte(encoded)); wide == nil || strings.HasSuffix(name, "mark") {
			continue // whose first bytes alone do not tell
		}
		ended := 0
		err = Follow(t.Context(), iotest.OneByteReader(io.MultiReader(strings.NewReader(encoded),
			iotest.ErrReader(io.ErrUnexpectedEOF))), form, func(Row) error { ended++; return nil }, nil, func(string) {})
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, 2, ended, name)
	}
}

// A stream whose lines have lost their ends, as curl -d leaves them out, is told to be one.
func TestFollowJoinedLines(t *testing.T) {
	form := formOf(t, stateOfTwo())
	for _, text := range []string{stateOfTwo(), strings.Repeat(`{"time":0,"arm":1.5,"hip":4}`+"\n", 20)} {
		err := Follow(t.Context(), strings.NewReader(strings.ReplaceAll(text, "\n", "")), form,
			func(Row) error { return nil }, nil, func(string) {})
		messagetest.Names(t, err, "single line … curl -d … --data-binary")
	}
	for _, text := range []string{"time,hip,arm", `{"time":`, "time,leg,arm,foot", "time,hip,arm," + strings.Repeat(",", 100) + "\n"} {
		err := Follow(t.Context(), strings.NewReader(text), form, func(Row) error { return nil }, nil, func(string) {})
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "curl")
	}
}

// A file in place of lines, such as that of a recorder, is no stream, whatever its first line looks like.
func TestFollowTakesNoFiles(t *testing.T) {
	for name, text := range map[string]string{
		"an .npz": "PK\x03\x04\x2d\x00\x00\x00\x08,series.npy\n1,2\n",
		"an .edf": "0       X X X X   Startdate,01-JAN-2020\x14\x14\x00\x00\n\x02\x00",
	} {
		err := Follow(t.Context(), strings.NewReader(text), formOf(t, stateOfTwo()), nil, nil, nil)
		messagetest.Names(t, err, "CSV … JSON … ccp predict --window")
		assert.NotContains(t, err.Error(), "PK", name)
	}
}

// FuzzFollow reads streams of any bytes, which end with an error or rows of as many values as the training has.
func FuzzFollow(f *testing.F) {
	f.Add("time,hip,arm\n0,1,2\n")
	f.Add(`{"time":0,"arm":1.5,"hip":4}`)
	form := &recording.Form{Sensors: []string{"hip", "arm"}, Channels: 1, Rate: 10}
	f.Fuzz(func(t *testing.T, text string) {
		_ = Follow(t.Context(), strings.NewReader(text), form, func(r Row) error {
			assert.Len(t, r.Values, 2)
			return nil
		}, func(*BadLine) {}, func(string) {})
	})
}

// FuzzIntervals reads tables of intervals of any bytes.
func FuzzIntervals(f *testing.F) {
	f.Add("start,end,label\n0,10,stand\n")
	f.Add("0.0\t10.0\ta\n")
	f.Fuzz(func(t *testing.T, text string) {
		j := &job{ctx: t.Context(), markers: map[string]int{}, dialect: newDialect("", false)}
		_, intervals, err := j.readLabels(put(t, t.TempDir(), "labels.csv", text), "")
		for _, v := range intervals {
			assert.True(t, err != nil || v.start-v.end == v.start-v.end) // finite
		}
	})
}
