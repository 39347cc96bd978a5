package recordings

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// longCSV is a table of 20 samples, sick or well, of five patients: a pulse each second and, at other times, a
// temperature.
func longCSV() string {
	text := "sample,time,sensor,value,label,patient\n"
	for i := range 20 {
		state := []string{"well", "sick"}[i%2]
		for second := range 3 {
			text += fmt.Sprintf("s%d,%d,pulse,%d,%s,p%d\n", i, second, 60+10*second+i, state, i/4)
		}
		text += fmt.Sprintf("s%d,0.5,heat,36,%s,p%d\ns%d,1.5,heat,38,%s,p%d\n", i, state, i/4, i, state, i/4)
	}
	return text
}

func TestLong(t *testing.T) {
	path := put(t, t.TempDir(), "ward.csv", longCSV())
	result, d := imported(t, Options{Group: "patient"}, path)
	assert.Equal(t, []string{"pulse", "heat"}, result.Sensors)
	assert.Equal(t, Timepoints{5, 5, 5, 2}, result.Timepoints)
	assert.Equal(t, Filled{Changes: recording.Changes{Interpolated: 20 * 5}, Samples: 20, Of: 200}, result.Filled,
		"each is read when the other is not")
	assert.Equal(t, []string{"p0", "p1", "p2", "p3", "p4"}, result.Groups)
	assert.Equal(t, "", result.SplitBy)
	assert.Equal(t, []string{"sick", "well"}, d.ClassNames)
	assert.Equal(t, []float32{60, 36, 65, 36, 70, 37, 75, 38, 80, 38}, signal(d, 0))
	assert.Equal(t, "p4", d.Groups[19])
	assert.Equal(t, 4, len(d.Test), "a patient")

	// The time points of a signal are evenly spaced in time, also where the readings are not.
	uneven := "sample,time,sensor,value,label\n"
	for i := range 20 {
		uneven += fmt.Sprintf("%d,0,a,0,x%d\n%d,1,a,10,x%d\n%d,4,a,40,x%d\n", i, i%2, i, i%2, i, i%2)
	}
	_, d = importedAt(t, 5, Options{}, put(t, t.TempDir(), "uneven.csv", uneven))
	assert.Equal(t, []float32{0, 10, 20, 30, 40}, signal(d, 0))
}

// Columns of other names, several values, classes in a second file, groups and tests by the samples' names.
func TestLongColumns(t *testing.T) {
	folder := t.TempDir()
	text, labels := "who,When,part,x,y,other\n", "Label,sample\n"
	for i := range 20 {
		text += fmt.Sprintf("anna %d,2024-05-31T12:00:00Z,hip,1,2,\nanna %d,2024-05-31T12:00:00Z,head,1,,\nanna "+
			"%d,2024-05-31T12:00:02Z,hip,3,4,\nanna %d,2024-05-31T12:00:02Z,head,5,6,\n", i, i, i, i)
		labels += fmt.Sprintf("%d,anna %d\n", i%2, i)
	}
	path := put(t, folder, "moves.csv", text)
	result, d := importedAt(t, 3, Options{Table: Table{Columns: []string{"who", "when", "part", "x", "y"}},
		Labels: put(t, folder, "labels.csv", labels), Test: "anna 1*", Group: `([0-9]+)$`}, path)
	assert.Equal(t, []int{2, 3, 11}, []int{d.Channels, d.Grid[0], result.Test})
	assert.Equal(t, []float32{1, 2, 1, 6, 2, 3, 3, 6, 3, 4, 5, 6}, signal(d, 0))
	assert.Equal(t, []string{"0", "1"}, d.ClassNames)
	assert.Equal(t, "17", d.Groups[17])
}

func TestLongErrors(t *testing.T) {
	head := "sample,time,sensor,value,label,group\n"
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"", Options{}, "r.csv … empty … hip.x,hip.y,head.x,head.y … sample,time,sensor,value,label"},
		{head, Options{}, "r.csv … no line … values"},
		{"sample;time;sensor;value\n", Options{}, `r.csv, line 1 … no column … "label" … sample, time, sensor, value`},
		{"id,time,sensor,value,label\n", Options{},
			`r.csv, line 1 … no column … "sample" … id, time, sensor … value, label … --columns a,b,c,d`},
		{"sample,time,sensor,value\n", Options{},
			`no column … "label" … sample, time, sensor, value … --label`},
		{head, Options{Label: "class"}, `no column … "class"`},
		{head, Options{Group: "subject"}, `no column … "subject" … sample, time, sensor, value … label, group … --group`},
		{head, Options{Table: Table{Columns: []string{"sample", "time", "value"}}},
			"--columns … 3 columns … sample,time,value"},
		{head, Options{Label: "label", Labels: "l.csv"},
			"--label label … --labels l.csv … one"},
		{head + "a,0,p,1,x\n", Options{},
			"r.csv, line 2 … 5 cells … 6 columns"},
		{head + "a,0,,1,x,g\n", Options{}, "r.csv, line 2 … column sensor … empty"},
		{head + "a,0,p,1,x,g\na,1,p,high,x,g\n", Options{}, `r.csv, line 3 … column value … "high" … number`},
		{head + "a,noon,p,1,x,g\n", Options{}, `r.csv, line 2 … column time … "noon" … not a time`},
		{head + "a,0,p,1,x,g\na,1,p,1,y,g\n", Options{},
			`r.csv, line 3 … column label … "y" … sample "a" … "x" … line 2`},
		{head + "a,0,p,1,x,g\na,1,p,1,x,h\n", Options{Group: "group"}, `r.csv, line 3 … column group … "h" … sample "a" … "g" … line 2`},
		{head + "a,0,p,1,x,g\na,1,p,2,x,g\na,0,p,3,x,g\n",
			Options{}, `r.csv, line 4 … sensor "p" … this time … sample "a" … line 2`},
		{head + "a,0,p,1,x,g\na,0,q,1,x,g\nb,0,p,1,y,g\n", Options{}, `r.csv, sample "b" … sensor "q" … no value`},
	} {
		messagetest.Names(t, refused(t, c.o, put(t, t.TempDir(), "r.csv", c.text)), c.want)
	}
	for _, c := range []struct{ text, want string }{
		{"id,class\n", "l.csv, line 1 … id, class … sample … label"},
		{"sample,label\n", "l.csv … no label … sample"},
		{"sample,label\na,\n", `l.csv, line 2 … no label … "a"`},
		{"sample,label\na,x\na,y\n", `l.csv, line 3 … "a" … "y" … "x" … line 2`},
		{"sample,label\nb,x\n", `l.csv … no label … "a" … line 2`},
	} {
		folder := t.TempDir()
		o := Options{Labels: put(t, folder, "l.csv", c.text)}
		messagetest.Names(t, refused(t, o, put(t, folder, "r.csv", head+"a,0,p,1,x,g\n")), c.want)
	}
}

// What makes a table something else than its writer thinks: a number of each sample, values in the first line.
func TestTablesMisread(t *testing.T) {
	var numbered, plain strings.Builder
	for i := range 20 {
		label := []string{"up", "down"}[i%2]
		fmt.Fprintf(&numbered, "%d,%d,%s\n", 7+i, i%3, label)
		fmt.Fprintf(&plain, "%d.5,%d,%s\n", i%7, i%3, label)
	}
	folder := t.TempDir()
	counts := put(t, folder, "counts.csv", "id,x,label\n"+numbered.String())
	messagetest.Names(t, refused(t, Options{}, counts), `column id … 7 to 26 … --leave "id" … --take id,x`)
	for _, o := range []Table{{Leave: []string{"id"}}, {Take: []string{"id", "x"}}} {
		_, err := read(t, []string{counts}, Options{Table: o})
		assert.NoError(t, err)
	}
	messagetest.Names(t, refused(t, Options{}, put(t, folder, "plain.csv", plain.String())), `no column … "label"`)
	messagetest.Names(t, refused(t, Options{}, put(t, folder, "plain.csv", plain.String())), "0.5 … line of headings")
	_, err := read(t, []string{put(t, folder, "headed.csv", "x,y,label\n"+plain.String())}, Options{})
	assert.NoError(t, err)
}

// What rises in every recording may be the time under another name, or R's number of the line, also if a dot is in its
// name or each line is a sample.
func TestRisingColumns(t *testing.T) {
	var long, wide strings.Builder
	for sample := range 8 {
		for at := range 4 {
			fmt.Fprintf(&long, "s%d,%c,%d,%d\n", sample, 'a'+sample%2, 1+4*sample+at, at*at%3)
		}
		fmt.Fprintf(&wide, "%c,%d,%d,%d,1,2,1\n", 'a'+sample%2, 10*sample, 10*sample+1, 10*sample+3)
	}
	for heading, text := range map[string]string{"sample,label,X.1,x": long.String(),
		"label,X.1@0,X.1@1,X.1@2,x@0,x@1,x@2": wide.String()} {
		path := put(t, t.TempDir(), "r.csv", heading+"\n"+text)
		message := refused(t, Options{}, path)
		messagetest.Names(t, message, "column X.1 … rises")
		messagetest.Names(t, message, `--leave "X.1" … --take X.1,x`)
		assert.Equal(t, strings.HasPrefix(heading, "sample"), strings.Contains(message, `--time "X.1"`))
		result, _ := imported(t, Options{Table: Table{Leave: []string{"X.1"}}}, path)
		assert.Equal(t, []string{"x"}, result.Sensors)
	}
}

// New recordings have the units of the training.
func TestUnitsOfReadings(t *testing.T) {
	text := "sample,time,sensor,value,unit,label\n"
	for i := range 4 {
		text += fmt.Sprintf("s%d,0,p,%d,V,%c\ns%d,1,p,2,V,%[3]c\n", i, i, 'a'+i%2, i)
	}
	_, d := imported(t, Options{}, put(t, t.TempDir(), "r.csv", text))
	path := put(t, t.TempDir(), "new.csv", "sample,time,sensor,value,unit\nn,0,p,1000,mV\nn,1,p,2000,mV\n")
	_, _, err := ReadUnlabelled(t.Context(), []string{path}, d.Form)
	messagetest.Names(t, err, `new.csv, line 2 … column unit … "p" … mV … V`)
}

// A column that says who was recorded is no sensor: it has one value in each recording, but not in all.
func TestColumnsOfWhole(t *testing.T) {
	var long strings.Builder
	folder := t.TempDir()
	for sample := range 8 {
		text := ""
		for at := range 4 {
			text += fmt.Sprintf("%d,%d,7\n", at*at%3+sample, 3+sample/2)
		}
		for line := range strings.Lines(text) {
			fmt.Fprintf(&long, "s%d,%c,%s", sample, 'a'+sample%2, line)
		}
		put(t, folder, fmt.Sprintf("set/%c/%d.csv", 'a'+sample%2, sample), "x,who,room\n"+text)
	}
	table := put(t, folder, "r.csv", "sample,label,x,who,room\n"+long.String())
	for input, where := range map[string]string{table: table + `, sample "s0"`, folder + "/set": folder + "/set/a/0.csv"} {
		result, _ := imported(t, Options{}, input)
		messagetest.EachNames(t, result.Notes, `column who … one value … 3 in `+where+` … --group "who" … --leave "who"`)
		assert.Len(t, result.Sensors, 3)
		for _, o := range []Options{{Group: "who"}, {Table: Table{Leave: []string{"who"}}},
			{Table: Table{Take: result.Sensors}}} {
			result, _ = imported(t, o, input)
			assert.Empty(t, result.Notes)
		}
	}
}

// Dates as spreadsheets and loggers of several countries write them.
func TestDates(t *testing.T) {
	noon := float64(time.Date(2024, 3, 28, 12, 0, 0, 0, time.UTC).Unix())
	for text, want := range map[string]float64{
		"2024-03-28 12:00": noon, "2024-03-28T12:00:00.25Z": noon + 0.25, "2024-03-28": noon - 12*3600,
		"2024-03-28T14:00:00+02:00": noon,
		"2024-03-28 12:00:00 UTC":   noon, "2024-03-28 14:00:00+0200": noon, "2024/03/28 12:00:01": noon + 1,
		"28.03.2024 12:00:31,500": noon + 31.5, "28.3.24 12:00": noon, "28.03.2024, 12:00": noon,
		"28/03/2024 12:00:00.125": noon + 0.125,
		"03/28/2024 12:00":        noon, "3/28/2024 12:00:05 PM": noon + 5, "3/28/24 12:00": noon, "28-03-2024 12:00": noon,
		"28 Mar 2024 12:00": noon, "28-Mar-2024 12:00:00": noon, "Mar 28, 2024 12:00 PM": noon,
		"12:00:01,5": 12*3600 + 1.5, "07:58": 7*3600 + 58*60,
	} {
		days := byFlag("")
		got, kind, err := days.parse(text, 1)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
		assert.NotEqual(t, numbers, kind, text)
	}
	for _, text := range []string{"", "inf", "nan", "noon", "31.2.2024", "28/28/2024", "2024"} {
		days := byFlag("")
		_, kind, err := days.parse(text, 1)
		assert.Error(t, err, text)
		assert.Equal(t, numbers, kind)
	}
}

// A recording by the clock alone goes on after midnight: in order, the newest first, or a line a reading.
func TestMidnight(t *testing.T) {
	clock := func(at int) string { return time.Date(2024, 1, 1, 23, 59, 57+at, 0, time.UTC).Format(time.TimeOnly) }
	tables := map[string]func(b *strings.Builder, sample, at int){
		"sample,time,x,label": func(b *strings.Builder, sample, at int) {
			fmt.Fprintf(b, "%d,%s,%d,%c\n", sample, clock(at), at*at%5, 'a'+sample%2)
		},
		"sample,time,x,y,label": func(b *strings.Builder, sample, at int) {
			fmt.Fprintf(b, "%d,%s,%d,1,%c\n", sample, clock(7-at), (7-at)*(7-at)%5, 'a'+sample%2)
		},
		"sample,time,sensor,value,label": func(b *strings.Builder, sample, at int) {
			fmt.Fprintf(b, "%d,%s,x,%d,%c\n%[1]d,%[2]s,y,1,%[4]c\n", sample, clock(at), at*at%5, 'a'+sample%2)
		},
	}
	for heading, line := range tables {
		b := new(strings.Builder)
		b.WriteString(heading + "\n")
		for sample := range 4 {
			for at := range 8 {
				line(b, sample, at)
			}
		}
		result, d := imported(t, Options{Table: Table{Take: strings.Split("x,y", ",")[:1]}},
			put(t, t.TempDir(), "r.csv", b.String()))
		require.Len(t, d.Series, 4, heading)
		messagetest.Names(t, strings.Join(result.Notes, "\n"), "times of day … after midnight", heading)
		for _, x := range d.Series {
			assert.Equal(t, []float32{0, 1, 4, 4, 1, 0, 1, 4}, x, heading)
		}
	}
}

// 00:01 may be a minute or a second, which nothing tells where a recording begins at 00:00.
func TestMinutesThatMayBeSeconds(t *testing.T) {
	for layout, asks := range map[string]bool{"15:04": true, "3:04": false, "15:04:00": false, "04:05": true,
		"0:04:05": false, "04:05.0": false} {
		step := time.Minute
		if strings.Contains(layout, "05") {
			step = time.Second
		}
		begin := "2024-05-01 00:00:00"
		if layout == "3:04" {
			begin = "2024-05-01 08:00:00"
		}
		times := at(begin, step, 70, func(at time.Time) string { return at.Format(layout) })
		result, _ := imported(t, Options{}, stamped(t, "time", times))
		if asks {
			messagetest.OneNames(t, result.Notes, "00:01 … hours and minutes … from 00:00", layout)
		} else {
			assert.NotContains(t, strings.Join(result.Notes, "\n"), "hours and minutes", layout)
		}
	}
}

// Headings such as elapsed_ms say the unit, so that windows of seconds have their length.
func TestUnitsBehindElapsed(t *testing.T) {
	for heading, each := range map[string]float64{"elapsed_ms": 1e3, "Elapsed ms": 1e3, "elapsed_seconds": 1,
		"elapsed.millis": 1e3, "ms": 1e3,
		"seconds_elapsed": 1, "micros": 1e6, "microseconds": 1e6, "nanos": 1e9, "time (msec)": 1e3, "Time [μs]": 1e6,
		"time (usec)": 1e6, "time (days)": 1. / 86400, "Time (hrs)": 1. / 3600} {
		var times []string
		for at := range 40 {
			times = append(times, fmt.Sprintf("%g", 0.02*each*float64(at)))
		}
		s, err := read(t, []string{stamped(t, heading, times)}, Options{})
		require.NoError(t, err)
		assert.InEpsilon(t, each, s.chosen.second, 1e-9, heading)
		assert.Empty(t, s.noteTexts(), heading)
	}
}

// A column named date beside the times is told of where it holds none.
func TestDatesThatAreNone(t *testing.T) {
	var pairs, dates []string
	for at := range 12 {
		pairs = append(pairs, fmt.Sprintf("%d,%d.25", at, at*at%7))
		dates = append(dates, fmt.Sprintf("%d,2024-05-31", at))
	}
	folder := stamped(t, "time,date", pairs)
	const note = "column date … column time … left out … --take"
	result, _ := imported(t, Options{}, folder)
	messagetest.Names(t, strings.Join(result.Notes, "\n"), note)
	result, _ = imported(t, Options{Table: Table{Take: []string{"date", "a"}}}, folder)
	assert.NotContains(t, strings.Join(result.Notes, "\n"), note)
	assert.Equal(t, []string{"date", "a"}, result.Sensors)
	result, _ = imported(t, Options{}, stamped(t, "time,date", dates))
	assert.NotContains(t, strings.Join(result.Notes, "\n"), note)
}

// Where the readings of one sensor come after those of another, the clock goes back between them, and no day has
// passed.
func TestMidnightSensorBySensor(t *testing.T) {
	for name, c := range map[string]struct {
		step   time.Duration
		begin  int // the hour
		n      int
		layout string
		late   int // time points that the second sensor lacks
	}{
		"a whole day from noon":       {time.Hour, 12, 24, "15:04", 0},
		"a whole day":                 {time.Hour, 0, 24, "15:04", 0},
		"two days":                    {time.Hour, 12, 48, "15:04:05", 0},
		"digits":                      {30 * time.Minute, 12, 48, "1504", 0},
		"more than a day":             {time.Hour, 12, 30, "15:04", 0},
		"a night":                     {time.Hour, 22, 8, "3:04 PM", 0},
		"a sensor that begins later":  {time.Hour, 22, 8, "15:04", 4},
		"the same in digits":          {time.Hour, 22, 12, "1504", 4},
		"a short one and two sensors": {time.Minute, 23, 62, "15:04", 1},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("sample,time,sensor,value,label\n")
			begin := time.Date(2024, 5, 1, c.begin, 0, 0, 0, time.UTC)
			for sample := range 4 {
				for k, sensor := range []string{"x", "y"} {
					for at := k * c.late; at < c.n; at++ {
						clock := begin.Add(time.Duration(at) * c.step).Format(c.layout)
						fmt.Fprintf(&b, "%d,%s,%s,%d,%c\n", sample, clock, sensor, (at+sample)*at%11+k, 'a'+sample%2)
					}
				}
			}
			s, err := read(t, []string{put(t, t.TempDir(), "r.csv", b.String())}, Options{})
			require.NoError(t, err)
			for sample, x := range s.samples {
				require.Len(t, x.Times, c.n)
				for at := range c.n {
					require.InDelta(t, c.step.Seconds()*float64(at), x.Times[at]-x.Times[0], 1e-6)
					require.EqualValues(t, (at+sample)*at%11, x.Values[2*at])
					if at >= c.late {
						require.EqualValues(t, (at+sample)*at%11+1, x.Values[2*at+1])
					}
				}
			}
		})
	}
}

// Training and test recordings of one name are two recordings, also for groups of windows.
func TestNamesOfTrainingAndTest(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "har")
	for _, part := range []string{"train", "test"} {
		for i, class := range []string{"run", "walk"} {
			var b strings.Builder
			b.WriteString("time,x\n")
			for at := range 20 {
				fmt.Fprintf(&b, "%d,%d\n", at, i+at*at%7)
			}
			put(t, folder, part+"/"+class+"/1.csv", b.String())
			put(t, folder, part+"/"+class+"/2.csv", b.String())
		}
	}
	_, d := imported(t, Options{}, folder)
	assert.Contains(t, d.SampleNames, "train/run/1.csv")
	assert.Contains(t, d.SampleNames, "test/run/1.csv")
}
