package recordings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// String shows roles in a line: the layout, the columns that are not values, and the series with their columns.
func (r roles) String() string {
	text := r.layout
	for i, column := range []int{r.sample, r.time, r.sensor, r.label, r.group} {
		if column >= 0 {
			text += fmt.Sprintf(" %s=%s", []string{"sample", "time", "sensor", "label", "group"}[i], r.headings[column])
		}
	}
	for i, name := range r.values.names {
		text += fmt.Sprint(" ", name, r.at[i])
	}
	return text
}

// columnsOf is a line of headings between bars, and what its columns are, or the beginning of the error.
type columnsOf struct {
	headings string
	q        hints
	want     string
}

// The questions of tables that most of the tests ask.
var inFolder, ofKnown, withLabels = hints{folder: true}, hints{known: true}, hints{given: map[string]string{}}

// with is a hints with options of the table.
func with(q hints, o Table) hints { q.Table = o; return q }

// rolesAre checks that what the columns of tables are follows from their headings and the options alone: all layouts,
// and the headings of times, indices, classes and groups that people write.
func rolesAre(t *testing.T, tables []columnsOf) {
	t.Helper()
	for _, c := range tables {
		j := &job{}
		r, err := rolesOf(strings.Split(c.headings, "|"), c.q, j.note)
		if err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), c.want) && c.want != "", "%s\n%v", c.headings, err)
			continue
		}
		assert.Equal(t, c.want, strings.Join(append([]string{r.String()}, j.noteTexts()...), "; "), c.headings)
	}
}

// Of headings that differ in case only, a name means the one that is written as it is, or else the first.
func TestNamesMeanTheHeadingWrittenLikeThem(t *testing.T) {
	for _, c := range []struct {
		headings []string
		want     int
	}{
		{[]string{"x", "Time", "time"}, 2},
		{[]string{"x", "time", "Time"}, 1},
		{[]string{"x", "TIME", "Time"}, 1},
		{[]string{"x", "times"}, -1},
	} {
		assert.Equal(t, c.want, column(c.headings, "time"), c.headings)
	}
	rolesAre(t, []columnsOf{{"Class|class|x", hints{labelName: "class"}, "samples label=class Class[0] x[2]"}})
}

// A file is a recording, with a line for each time point.
func TestRolesOfRecordings(t *testing.T) {
	rolesAre(t, []columnsOf{
		{"x|y", inFolder, "recording x[0] y[1]"},
		{"x|y||", inFolder, "recording x[0] y[1]"},
		{"hip.x|head.x|hip.y|head.y", inFolder, "recording hip.x[0] head.x[1] hip.y[2] head.y[3]"},
		{"f0|f1|f2", inFolder, "recording f0[0] f1[1] f2[2]"},
		{"x|label", inFolder, "recording x[0]; column label is left out: the folder is the class"},
		{"x|label", with(inFolder, Table{Take: []string{"x", "label"}}), "recording x[0] label[1]"},
		{"x|y", withLabels, "recording x[0] y[1]"},
		{"x|y|label", withLabels, "recording x[0] y[1]; column label is left out: --labels names the class"},
		{"x|y", ofKnown, "recording x[0] y[1]"},
		{"1|2", inFolder, `the heading of column 1 is "1"; the first line names the columns`},
		{"x|y|x", inFolder, `columns 1 and 3 are both headed "x"; name them apart`},
		{"x|y|x", with(inFolder, Table{Leave: []string{"x"}}), "recording y[1]"},
		{"", inFolder, "recording; column 1 only numbers the lines; left out"},
	})
}

// Columns that number the lines are left out.
func TestRolesOfNumberedLines(t *testing.T) {
	rolesAre(t, []columnsOf{
		{"|x|y", inFolder, "recording x[1] y[2]; column 1 only numbers the lines; left out"},
		{"Unnamed: 0|x", inFolder, "recording x[1]; Unnamed: 0 only numbers the lines; left out"},
		{"x|__index_level_0__", inFolder, "recording x[0]; __index_level_0__ only numbers the lines; left out"},
		{"x||y", inFolder, "recording x[0] y[2]"},
	})
}

// Times have many headings, and one column.
func TestRolesOfTimes(t *testing.T) {
	rolesAre(t, []columnsOf{
		{"time|x", inFolder, "recording time=time x[1]"},
		{"x|T [ms]", inFolder, "recording time=T [ms] x[0]"},
		{"T|p", inFolder, "recording time=T p[1]"},
		{"T|time [s]|p", inFolder, "recording time=time [s] T[0] p[2]"},
		{"p|T (degC)", inFolder, "recording p[0] T (degC)[1]"},
		{"Zeit|x", inFolder, "recording time=Zeit x[1]"},
		{"Datum/Uhrzeit|x", inFolder, "recording time=Datum/Uhrzeit x[1]"},
		{"horodatage|x", inFolder, "recording time=horodatage x[1]"},
		{"fecha|x", inFolder, "recording time=fecha x[1]"},
		{"Elapsed Time [ms]|x", inFolder, "recording time=Elapsed Time [ms] x[1]"},
		{"time_ms|x", inFolder, "recording time=time_ms x[1]"},
		{"Timestamp|x", inFolder, "recording time=Timestamp x[1]"},
		{"When|x", inFolder, "recording When[0] x[1]"},
		{"When|x", with(inFolder, Table{Time: "when"}), "recording time=When x[1]"},
		{"time|Time|x", with(inFolder, Table{Time: "Time"}), "recording time=Time time[0] x[2]"},
		{"Time|time|x", with(inFolder, Table{Time: "Time"}), "recording time=Time time[1] x[2]"},
		{"TIME|Time|x", with(inFolder, Table{Time: "time"}), "recording time=TIME Time[1] x[2]"},
		{"x|y", with(inFolder, Table{Time: "when"}), `no column is headed "when"; there are x, y: name that of the times with --time COLUMN`},
		{"x|y", with(ofKnown, Table{Time: "when"}), "recording x[0] y[1]"},
		{"time|timestamp|x", inFolder, "recording time=time x[2]; column timestamp looks like times, too; " +
			"left out (--time time takes it for a sensor)"},
		{"time|t|x", with(inFolder, Table{Time: "time"}), "recording time=time t[1] x[2]"},
		{"time|x", with(inFolder, Table{Leave: []string{"time"}}), "recording x[1]"},
	})
}

// R's data.frame makes dots of blanks and brackets: Time (s) becomes Time..s.
func TestRolesOfTimesInR(t *testing.T) {
	var tables []columnsOf
	for _, heading := range []string{"Time..s.", "Time.s.", "Time...s", "time.s", "time.ms", "time..ms.", "Time..µs.",
		"time.", "t.ms", "T..s.",
		"t.s.", "t..min.", "timestamp.ms", "Time.Stamp", "Time Stamp", "date.time", "Date.Time..UTC.",
		"Elapsed.Time..minutes.", "Uhrzeit..hh.mm."} {
		tables = append(tables, columnsOf{heading + "|x", inFolder, "recording time=" + heading + " x[1]"})
	}
	for _, heading := range []string{"time.x", "T.min", "T.s", "time.min", "time.max", "T..degC.", "times.s", "acc.t",
		"hip.time"} {
		tables = append(tables, columnsOf{heading + "|x.y", inFolder, "recording " + heading + "[0] x.y[1]"})
	}
	rolesAre(t, tables)
}

// A column names the sample, with a line for each time point.
func TestRolesOfTimePoints(t *testing.T) {
	rolesAre(t, []columnsOf{
		{"sample|time|x|y|label", hints{}, "timepoints sample=sample time=time label=label x[2] y[3]"},
		{"label;sample;x", hints{}, `no column is headed "label"; there are label;sample;x: ` +
			`name the column of the classes with --label COLUMN`},
		{"label|sample|x", hints{}, "timepoints sample=sample label=label x[2]"},
		{"Sample|x|Label", hints{}, "timepoints sample=Sample label=Label x[1]"},
		{"id|When|x|kind", hints{Table: Table{Columns: []string{"id", "When"}}, labelName: "kind"},
			"timepoints sample=id time=When label=kind x[2]"},
		{"id|x|label", hints{Table: Table{Columns: []string{"who"}}},
			`no column is headed "who"; there are id, x, label: name that of the samples with --columns COLUMN`},
		{"id|x", with(ofKnown, Table{Columns: []string{"who"}}), "recording id[0] x[1]"},
		{"sample|h.x|h.y|who|label", hints{groupBy: "who"}, "timepoints sample=sample label=label group=who h.x[1] h.y[2]"},
		{"sample|x|label", hints{groupBy: "who"},
			`no column is headed "who"; there are sample, x, label: --group takes a column, or a regular expression with brackets`},
		{"sample|x|label", hints{groupBy: "^(.)"}, "timepoints sample=sample label=label x[1]"},
		{"sample|x|y", ofKnown, "timepoints sample=sample x[1] y[2]"},
		{"sample|x1|x2|label", with(hints{}, Table{Layout: timepointsLayout}),
			"timepoints sample=sample label=label x1[1] x2[2]"},
		{"time|id|x|label", hints{},
			"no layout fits the table: timepoints (one line a time point) needs a column headed sample"},
	})
}

// A line for each reading of a sensor.
func TestRolesOfReadings(t *testing.T) {
	rolesAre(t, []columnsOf{
		{"sample|time|sensor|value|label", hints{}, "readings sample=sample time=time sensor=sensor label=label value[3]"},
		{"sample|time|label|sensor|value|unit|status|note", hints{},
			"readings sample=sample time=time sensor=sensor label=label value[4]; " +
				"column status, note is no value of a table with a line for each reading; left out (--columns names those of " +
				"sample, time, sensor and values)"},
		{"sample|time|label|sensor|value|status", with(hints{}, Table{Leave: []string{"status"}}),
			"readings sample=sample time=time sensor=sensor label=label value[4]"},
		{"sample|time|sensor|value|status", ofKnown, "readings sample=sample time=time sensor=sensor value[3]"},
		{"time|sensor|value", inFolder, "readings time=time sensor=sensor value[2]"},
		{"time|sensor", inFolder, "recording time=time sensor[1]"},
		{"sample|time|sensor|value", ofKnown, "readings sample=sample time=time sensor=sensor value[3]"},
		{"who|When|part|x|y", hints{Table: Table{Columns: []string{"who", "when", "part", "x", "y"}},
			given: withLabels.given}, "readings sample=who time=When sensor=part x[3] y[4]"},
		{"id|time|sensor|value|label", hints{},
			`no column is headed "sample"; there are id, time, sensor, value, label: name those of sample, time, ` +
				`sensor and value with --columns a,b,c,d`},
		{"sample|time|value|label", with(hints{}, Table{Columns: []string{"sample", "time", "value"}}),
			"--columns names 3 columns (sample,time,value); want those of the sample, the time, the sensor and one or " +
				"more values"},
	})
}

// A line for each sample.
func TestRolesOfSamples(t *testing.T) {
	places := &positionsOf{path: "p.csv", of: map[string][]float64{"s1": {0, 1}, "s2": {1, 1}}}
	rolesAre(t, []columnsOf{
		{"width|height|label", hints{}, "samples label=label width[0] height[1]"},
		{"f0|f1|f2|label", hints{}, "samples label=label f[0 1 2]"},
		{"f1|f2|f3|label", hints{}, "samples label=label f[0 1 2]"},
		{"0|1|2|label", hints{}, "samples label=label value[0 1 2]"},
		{"h.x@0|h.y@0|h.x@1|h.y@1|label", hints{}, "samples label=label h.x[0 2] h.y[1 3]"},
		{"h@0|h@1|k@0|label", hints{}, "column k@0: each sensor needs a column for each time point from 0: hip.x@0"},
		{"h@0|h@1|age|label", hints{}, "column age: each sensor needs a column for each time point from 0: hip.x@0"},
		{"f2|f1|f0|label", hints{}, "samples label=label f[2 1 0]"},
		{"t0|t1|t10|t11|t2|t3|t4|t5|t6|t7|t8|t9|label", hints{}, "samples label=label t[0 1 4 5 6 7 8 9 10 11 2 3]"},
		{"t0|t1|t2|t3|t4|t6|t7|t8|t9|t10|label", hints{},
			"columns t0 to t10 look like the time points of t, but there is none of number 5: add that column"},
		{"t0|t1|t2|t4|label", hints{}, "samples label=label t0[0] t1[1] t2[2] t4[3]"},
		{"sample|f0|f1|label", hints{}, "samples sample=sample label=label f[1 2]"},
		{"y@0|y@1|x@0|x@1", ofKnown, "samples y[0 1] x[2 3]"},
		{"f0|f1", with(ofKnown, Table{Layout: samplesLayout, Take: []string{"f"}}), "samples f[0 1]"},
		{"f0|f1", with(ofKnown, Table{Layout: recordingLayout, Take: []string{"f0", "f1"}}), "recording f0[0] f1[1]"},
		{"s1|s2|gauge|label", hints{places: places},
			"samples label=label s1[0] s2[1]; p.csv names no position of column gauge; left out"},
		{"time_0|time_1|label", hints{}, "samples label=label time[0 1]"},
		{"time@0|time@1|hip@0|hip@1|label", hints{}, `columns time@0 to time@1 hold times, which a table with a line for each sample ` +
			`has no place for: write a line for each time point, with columns sample and time, or leave them out with --leave "time"`},
		{"hip_0|hip_1|time.ms_0|time.ms_1|label", hints{}, `columns time.ms_0 to time.ms_1 hold times`},
		{"sample|label|time.0|time.1|hip.0|hip.1", hints{}, `columns time.0 to time.1 hold times`},
		{"time_0|time_1|hip_0|hip_1|label", with(hints{}, Table{Leave: []string{"time"}}),
			"samples label=label time[0 1] hip[2 3]"},
		{"time_0|time_1|hip_0|hip_1|label", with(hints{}, Table{Take: []string{"hip"}}),
			"samples label=label time[0 1] hip[2 3]"},
		{"time_0|time_1|hip_0|hip_1", ofKnown, "samples time[0 1] hip[2 3]"},
		{"0.5|0|up", hints{}, `no column is headed "label"; there are 0.5, 0, up: name the column of the classes ` +
			`with --label COLUMN, or give a second file with --labels FILE, or put each recording into a folder of ` +
			`its class; if the line holds values, such as 0.5, write a line of headings above it`},
	})
}

// Where no layout fits, the refusal names those that lack one thing only, and what that is.
func TestRefusalSaysWhatEachLayoutLacks(t *testing.T) {
	const others = `timepoints (one line a time point) needs a column headed sample: name the column of the samples ` +
		`with --columns COLUMN; recording (one file a recording, one line a time point) needs a folder named after the ` +
		`class for each file, in place of column label, or --window if the class changes within a file: windows are then ` +
		`cut of the stretches of one class; samples (one line a sample) has no place for the times of column ` +
		`time: leave it out with --leave "time"`
	rolesAre(t, []columnsOf{
		{"time|id|x|label", hints{}, "no layout fits the table: " + others},
		{"time|id|value|label", hints{}, "no layout fits the table: readings (one line a reading) needs a column headed " +
			"sensor: name those of sample, time, sensor and value with --columns a,b,c,d; " + others},
		// each way out is one
		{"time|id|x|label", hints{Table: Table{Columns: []string{"id"}}}, "timepoints sample=id time=time label=label x[2]"},
		{"time|id|x|label", hints{folder: true},
			"recording time=time id[1] x[2]; column label is left out: the folder is the class"},
		{"time|id|x|label", hints{Table: Table{Leave: []string{"time"}}}, "samples label=label id[1] x[2]"},
		{"time|id|value|label", hints{Table: Table{Columns: []string{"id", "time", "id", "value"}}},
			"readings sample=id time=time sensor=id label=label value[2]"},
	})
}

// Each layout says all that it lacks of a table that has another one.
func TestLayoutsLackWhatOthersHave(t *testing.T) {
	for _, c := range []struct {
		headings string
		h        hints
		fits     string // the first layout that lacks nothing
		lacks    map[string][]string
	}{
		{"sample|time|sensor|value|label", hints{}, readingsLayout, nil},
		{"sample|x|label", hints{}, timepointsLayout, map[string][]string{
			readingsLayout:  {"column headed sensor", "column headed value"},
			recordingLayout: {"column sample, which names samples", "in place of column label"}}},
		{"time|sensor", hints{folder: true}, recordingLayout,
			map[string][]string{readingsLayout: {"column headed value"}, timepointsLayout: {"column headed sample"},
				samplesLayout: {"times of column time"}}},
		{"sample|f0|f1|label", hints{}, samplesLayout, map[string][]string{
			timepointsLayout: {"headings that number time points"},
			recordingLayout:  {"which names samples", "in place of column label", "headings that number time points"}}},
	} {
		fits := ""
		for _, l := range tableLayouts {
			f := &finder{hints: c.h, note: silent}
			f.roles = roles{headings: strings.Split(c.headings, "|"), uses: uses{-1, -1, -1, -1, -1, -1, -1}}
			require.NoError(t, f.find())
			lacks := l.lacks(f)
			if fits == "" && len(lacks) == 0 {
				fits = l.name
			}
			want, known := c.lacks[l.name]
			if !known {
				continue
			}
			require.Len(t, lacks, len(want), "%s: %s", c.headings, l.name)
			for i := range want {
				assert.Contains(t, lacks[i], want[i], "%s: %s", c.headings, l.name)
			}
		}
		assert.Equal(t, c.fits, fits, c.headings)
	}
}

// Times under a heading that nobody knows are told of where --take leaves them out without naming them.
func TestTimesThatAreNotTaken(t *testing.T) {
	folder := t.TempDir()
	for i := range 8 {
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), "created_at,id,field1,field2\n2024-05-31 23:59:58 UTC,1,2,3\n"+
			"2024-05-31 23:59:59 UTC,2,4,1\n2024-06-01 00:00:00 UTC,3,1,1\n")
	}
	take := []string{"field1", "field2"}
	result, d := imported(t, Options{Table: Table{Take: take}}, folder)
	messagetest.Names(t, strings.Join(result.Notes, "\n"), `column created_at … 2024-05-31 23:59:58 UTC … not taken … --time "created_at"`)
	assert.Zero(t, d.Form.Rate)
	for _, table := range []Table{{Take: take, Time: "created_at"}, {Take: take, Leave: []string{"created_at"}}} {
		result, _ := imported(t, Options{Table: table}, folder)
		assert.Empty(t, result.Notes)
	}
	_, notes, err := ReadUnlabelled(t.Context(), []string{folder}, d.Form)
	require.NoError(t, err)
	assert.NotContains(t, strings.Join(notes, "\n"), "created_at", "the import has told")
}
