package recordings

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// part is a stretch of so many lines with a state; "" for none.
type part struct {
	state string
	lines int
}

// streamOf returns the lines of a table with a time every 0.1 s and, if asked for, the state of each line.
func streamOf(states bool, parts ...part) string {
	var b strings.Builder
	b.WriteString("time,ax")
	if states {
		b.WriteString(",state")
	}
	b.WriteString("\n")
	at := 0
	for _, p := range parts {
		for range p.lines {
			fmt.Fprintf(&b, "%.1f,%d", float64(at)/10, at*at%97)
			if states {
				b.WriteString("," + p.state)
			}
			b.WriteString("\n")
			at++
		}
	}
	return b.String()
}

// threeSeconds cuts windows of 3 s.
var threeSeconds = recording.Cut{Window: recording.Span{Length: 3}}

// Where the class changes within a recording, windows are cut of the stretches of one class, from the first time point
// of each: floor((n - width) / step) + 1 of n. Without windows the error says so.
func TestWindowsOfStretchesOfOneClass(t *testing.T) {
	cut := Options{Label: "state", Cut: threeSeconds}
	cut.Cut.Step = recording.Span{Length: 1}
	parts := []part{{"stand", 100}, {"walk", 95}, {"", 31}, {"stand", 100}, {"walk", 40}, {"stand", 29}}
	path := put(t, t.TempDir(), "states.csv", streamOf(true, parts...))
	result, d := imported(t, cut, path)
	assert.Equal(t, []Class{{"stand", 8 + 8}, {"walk", 7 + 2}}, result.Classes)
	assert.Len(t, result.Groups, 4)
	messagetest.OneNames(t, result.Notes, "31 … 395 time points … no class … 1 stretch … --rest")
	messagetest.OneNames(t, result.Notes, "1 of 5 … left out … 2.9s … window of 3s")
	messagetest.OneNames(t, d.Warnings, "1 of 1 recordings … trained on, too … another day")
	for i, series := range d.Series {
		assert.Len(t, series, 30, "%d", i)
	}
	assert.Equal(t, []datasets.Stretch{{Start: 0, End: 10}, {Start: 10, End: 19.5, Class: 1}, {Start: 22.6, End: 32.6},
		{Start: 32.6, End: 36.6, Class: 1}}, rounded(d.Stretches))
	assert.Equal(t, datasets.Window{Stretch: 1, Start: 10, End: 13}, d.Windows[8])
	assert.Equal(t, "3s", d.Form.Cut.Window.String())
	messagetest.Names(t, refused(t, Options{Label: "state"}, path), "--window … stretches of one class")

	// What has no class is one of its own, or is an error to name where there is nothing.
	cut.Rest = "other"
	result, _ = imported(t, cut, path)
	assert.Equal(t, []Class{{"other", 1}, {"stand", 16}, {"walk", 9}}, result.Classes)
	all := put(t, t.TempDir(), "all.csv", streamOf(true, parts[0], parts[1]))
	messagetest.Names(t, refused(t, cut, all), "--rest other")
}

// rounded returns stretches without the rounding of sums.
func rounded(all []datasets.Stretch) (same []datasets.Stretch) {
	for _, s := range all {
		s.Start, s.End = float64(int(s.Start*1000+0.5))/1000, float64(int(s.End*1000+0.5))/1000
		same = append(same, s)
	}
	return same
}

// Recordings of several people in one table are cut each by itself, also if their lines alternate and there are no
// times.
func TestStretchesOfSeveralRecordings(t *testing.T) {
	var b strings.Builder
	b.WriteString("sample,ax,state\n")
	for at := range 200 {
		for person := range 2 {
			state := "stand"
			if (at/50+person)%2 > 0 {
				state = "walk"
			}
			fmt.Fprintf(&b, "p%d,%d,%s\n", person, at*at%97, state)
		}
	}
	path := put(t, t.TempDir(), "people.csv", b.String())
	points := func(n float64) recording.Span { return recording.Span{Length: n, Timepoints: true} }
	_, d := imported(t, Options{Label: "state", Cut: recording.Cut{Window: points(20)}}, path)
	var spans [][4]int
	for _, s := range d.Stretches {
		spans = append(spans, [4]int{s.Recording, int(s.Start), int(s.End), s.Class})
	}
	assert.ElementsMatch(t, [][4]int{{0, 0, 50, 0}, {0, 50, 100, 1}, {0, 100, 150, 0}, {0, 150, 200, 1},
		{1, 0, 50, 1}, {1, 50, 100, 0}, {1, 100, 150, 1}, {1, 150, 200, 0}}, spans)
}

// A class of which no window is left is an error that names it.
func TestClassesAreNotLost(t *testing.T) {
	path := put(t, t.TempDir(), "states.csv", streamOf(true, part{"stand", 100}, part{"fall", 20}, part{"walk", 100},
		part{"fall", 25}, part{"stand", 100}))
	messagetest.Names(t, refused(t, Options{Label: "state", Cut: threeSeconds}, path),
		`class "fall" … longest … 2 stretches … 2.5s … window of 3s`)
	folder := t.TempDir()
	for i, class := range []string{"long", "short", "long"} {
		lines := headed([]int{90, 20, 90}[i], func(at int) string { return fmt.Sprintf("%.1f,%d", float64(at)/10, at*at%97) })
		put(t, folder, fmt.Sprintf("%s/%d.csv", class, i), "time,ax\n"+many(1, lines...))
	}
	messagetest.Names(t, refused(t, Options{Cut: threeSeconds}, folder), `class "short" … 2s … 3s`)
}

// Stretches are named by the line in which they begin, and errors say their classes and times.
func TestStretchesAreNamed(t *testing.T) {
	path := put(t, t.TempDir(), "a.csv", streamOf(true, part{"stand", 100}, part{"walk", 120}, part{"stand", 95}))
	result, _ := imported(t, Options{Label: "state", Cut: threeSeconds}, path)
	assert.Equal(t, []string{"a.csv:2", "a.csv:102", "a.csv:222"}, result.Groups)
	messagetest.OneNames(t, result.Notes, `a.csv:2 … "stand" … from 0 to 10`)
	o := Options{Label: "state", Cut: recording.Cut{Window: recording.Span{Length: 60}}}
	messagetest.Names(t, refused(t, o, path), `class "walk" … 1 stretch … a.csv:102 … from 10 to 22 … 12s … 60s`)
	path = put(t, t.TempDir(), "empty.csv", streamOf(true, part{"", 100}))
	messagetest.Names(t, refused(t, Options{Label: "state", Cut: threeSeconds}, path), "empty.csv … column state")
}

// Windows in a gap of the times are told of, also where the first stretch only has time points left at its end.
func TestWindowsInGaps(t *testing.T) {
	lines := strings.SplitAfter(streamOf(true, part{"stand", 100}, part{"walk", 200}), "\n")
	lines = append(lines[:140], lines[240:]...)
	result, _ := imported(t, Options{Label: "state", Cut: threeSeconds},
		put(t, t.TempDir(), "a.csv", strings.Join(lines, "")))
	messagetest.OneNames(t, result.Notes, "a.csv:2 … 10 … 100 time points … left out … 2 of 2 stretches")
	messagetest.OneNames(t, result.Notes, `a.csv:102 … "walk" … windows … gaps of its times`)
}

// Names are in the order of the numbers in them, wherever these are.
func TestNumbersInNames(t *testing.T) {
	want := []string{"a", "a stretch 2", "a stretch 10", "p2.csv stretch 1", "p2.csv stretch 03", "p10.csv stretch 2", "x"}
	got := slices.Sorted(slices.Values(want))
	slices.SortStableFunc(got, compareNumbered)
	assert.Equal(t, want, got)
	assert.Zero(t, compareNumbered("A01", "a1"))
}

// A column of classes beside a table of intervals is no column of values: the error says what to do with it.
func TestColumnOfClassesBesideIntervals(t *testing.T) {
	path := put(t, t.TempDir(), "states.csv", streamOf(true, part{"stand", 100}, part{"walk", 100}))
	o := Options{Labels: put(t, t.TempDir(), "labels.csv", "start,end,label\n0,10,a\n10,20,b\n"), Cut: threeSeconds}
	messagetest.Names(t, refused(t, o, path), `line 2 … state … "stand" … --labels … --leave "state" … --label "state"`)
	o.Leave = []string{"state"}
	result, _ := imported(t, o, path)
	assert.Equal(t, []Class{{"a", 3}, {"b", 3}}, result.Classes)
}

// Recordings of one class each have one stretch.
func TestRecordingsAreStretches(t *testing.T) {
	folder := t.TempDir()
	for i := range 4 {
		lines := headed(90, func(at int) string { return fmt.Sprintf("%.1f,%d", float64(at)/10, at*at%97) })
		put(t, folder, fmt.Sprintf("%s/%d.csv", []string{"stand", "walk"}[i%2], i), "time,ax\n"+many(1, lines...))
	}
	result, d := imported(t, Options{Cut: threeSeconds}, folder)
	assert.Equal(t, []Class{{"stand", 6}, {"walk", 6}}, result.Classes)
	assert.NotContains(t, strings.Join(result.Notes, "\n"), "stretches")
	assert.Len(t, d.Stretches, 4)
	assert.Equal(t, 3, d.Stretches[3].Recording)
}

// A table of intervals gives the same windows as a column of classes, as people and programs write it.
func TestIntervals(t *testing.T) {
	parts := []part{{"stand", 100}, {"walk", 95}, {"", 31}, {"stand", 100}}
	labelled := put(t, t.TempDir(), "labelled.csv", streamOf(true, parts...))
	_, want := imported(t, Options{Label: "state", Cut: threeSeconds}, labelled)
	folder := t.TempDir()
	path := put(t, folder, "plain.csv", streamOf(false, parts...))
	elan := "tier\tann\t00:00:00.000\t0.0\t00:00:10.000\t10.0\t00:00:10.000\t10.0\tstand\n" +
		"tier\tann\t00:00:10.000\t10.0\t00:00:19.500\t19.5\t00:00:09.500\t9.5\twalk\n" +
		"tier\tann\t00:00:22.600\t22.6\t00:00:32.600\t32.6\t00:00:10.000\t10.0\tstand\n"
	for name, text := range map[string]string{
		"a heading":  "start,end,label\n0,10,stand\n10,19.5,walk\n22.6,32.6,stand\n",
		"a duration": "onset,duration,description\n0,10,stand\n10,9.5,walk\n22.6,10,stand\n",
		"a label track": "0.000000\t10.000000\tstand\n\\\t100.0\t200.0\n10.000000\t19.500000\twalk\n" +
			"22.600000\t32.600000\tstand\n",
		"ELAN without headings": elan,
		"decimal commas":        "start;end;label\n0,000;10,0;stand\n10,0;19,500;walk\n22,600;32,6;stand\n",
		"commas in a track":     "0,000\t10,000\tstand\n10,000\t19,500\twalk\n22,600\t32,600\tstand\n",
		"ELAN with headings": "Begin Time - ss.msec\tEnd Time - ss.msec\tDuration - ss.msec\tactivity of ben\n" +
			"0.0\t10.0\t10.0\tstand\n10.0\t19.5\t9.5\twalk\n22.6\t32.6\t10.0\tstand\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, d := imported(t, Options{Labels: put(t, folder, "labels.txt", text), Cut: threeSeconds}, path)
			assert.Equal(t, want.Labels, d.Labels)
			assert.Equal(t, want.Series, d.Series)
			assert.Equal(t, rounded(want.Stretches), rounded(d.Stretches))
		})
	}
	for text, words := range map[string]string{
		"start,end,label\n0,10,stand\n8,12,walk\n":      `line 3 … "walk" … 8 … "stand" … line 2`,
		"start,end,label\n10,5,stand\n":                 `"stand" ends … 5 … 10`,
		"start,end,label\n1000,1010,a\n1010,1020,b\n":   "0 to 32.5 … 1000 to 1020",
		"start,end,label,sample\n0,10,a,x\n10,20,b,x\n": `no recording "x"`,
		"start,end,label\n0,10,\n":                      "no class",
		"start,end,label\n0,ten,stand\n10,19.5,walk\n":  "ten",
		"a,b\n1,2\n": "a, b … sample and label … start, end and label",
	} {
		messagetest.Names(t, refused(t, Options{Labels: put(t, folder, "labels.csv", text), Cut: threeSeconds}, path), words)
	}
	messagetest.Names(t, refused(t, Options{Labels: put(t, folder, "labels.csv", "start,end,label\n0,10,a\n10,20,b\n")},
		path), "--window")
}

// Intervals have the clock of their recording: times of day as digits or with colons, whatever the recording has, and
// past midnight. An import tells how it has read digits.
func TestIntervalsByTheClock(t *testing.T) {
	const step = 10 * time.Second
	layouts := map[string]string{"digits": "150405", "colons": "15:04:05", "digits of minutes": "1504",
		"full": "20060102150405"}
	for _, begin := range []string{"2024-05-01 09:20:00", "2024-05-01 23:50:00"} {
		text := func(layout string, after int) string {
			when, err := time.Parse("2006-01-02 15:04:05", begin)
			require.NoError(t, err)
			return when.Add(time.Duration(after) * step).Format(layouts[layout])
		}
		for _, ways := range [][2]string{{"digits", "digits"}, {"colons", "digits"}, {"digits", "colons"},
			{"colons", "colons"}, {"colons", "digits of minutes"}, {"digits", "digits of minutes"}, {"full", "full"}} {
			t.Run(begin[11:]+" "+ways[0]+" and "+ways[1], func(t *testing.T) {
				lines, table := "time,ax\n", "start,end,label\n"
				for at := range 180 {
					lines += fmt.Sprintf("%s,%d\n", text(ways[0], at), at*at%97)
				}
				for at := 0; at < 180; at += 30 {
					table += fmt.Sprintf("%s,%s,%c\n", text(ways[1], at), text(ways[1], at+30), 'a'+at/30%2)
				}
				folder := t.TempDir()
				options := Options{Labels: put(t, folder, "labels.csv", table),
					Cut: recording.Cut{Window: recording.Span{Length: 60}}}
				result, d := imported(t, options, put(t, folder, "stream.csv", lines))
				assert.Equal(t, []Class{{"a", 15}, {"b", 15}}, result.Classes)
				first := d.Stretches[0].Start
				for i, s := range d.Stretches {
					assert.InDelta(t, 300*float64(i), s.Start-first, 1e-6)
				}
				form := map[string]string{"digits": "HHMMSS", "digits of minutes": "HHMM"}[ways[1]]
				if form != "" {
					messagetest.Names(t, strings.Join(result.Notes, "\n"), "labels.csv … times of day, "+form)
				}
			})
		}
	}
	path := put(t, t.TempDir(), "stream.csv", "time,ax\n"+strings.Join(at("2024-05-01 09:20:00", time.Minute, 90,
		func(when time.Time) string { return when.Format("15:04:05") + ",1" }), "\n"))
	for table, words := range map[string]string{
		"start,end,label\n0930,0925,a\n":                      "labels.csv, line 2 … 0925, before it begins at 0930",
		"start,end,label\n09:30:00,09:25:00,a\n":              "labels.csv, line 2 … 09:25:00, before it begins at 09:30:00",
		"start,end,label\n0930,0940,a\n0935,0950,b\n":         `line 3: "b" begins at 0935, before "a" … 0940`,
		"start,end,label\n193000,194000,a\n195000,201000,b\n": "09:20:00 to 10:49:00",
		"onset,duration,description\n0930,-5,a\n0940,5,a\n":   "line 2",
	} {
		said := refused(t, Options{Labels: put(t, t.TempDir(), "labels.csv", table), Cut: threeSeconds}, path)
		messagetest.Names(t, said, words)
	}
}

// Programs that show a recording count seconds from its begin, also if its own times are milliseconds since 1970.
func TestIntervalsFromTheBegin(t *testing.T) {
	var b strings.Builder
	b.WriteString("time,ax\n")
	for at := range 300 {
		fmt.Fprintf(&b, "%d,%d\n", 1_700_000_000_000+at*100, at*at%97)
	}
	folder := t.TempDir()
	path := put(t, folder, "epoch.csv", b.String())
	result, d := imported(t, Options{Cut: threeSeconds,
		Labels: put(t, folder, "labels.txt", "0.0\t10.0\ta\n10.0\t20.0\tb\n20.0\t30.0\ta\n")}, path)
	assert.Equal(t, []Class{{"a", 6}, {"b", 3}}, result.Classes)
	messagetest.OneNames(t, result.Notes, "labels.txt … since the begin")
	assert.Len(t, d.Stretches, 3)
}

// checkTimesOfDayBeside fails unless intervals that are times of day, beside a recording whose times are none, are an
// error that has them as they are written, also where they go on after midnight.
func checkTimesOfDayBeside(t *testing.T, epoch string) {
	t.Helper()
	folder := t.TempDir()
	dates := put(t, folder, "dates.csv", "time,ax\n"+strings.Join(at("2024-05-31 09:30:00", time.Second, 60,
		func(when time.Time) string { return when.Format("2006-01-02 15:04:05") + ",1" }), "\n"))
	numbers := put(t, folder, "numbers.csv", streamOf(false, part{"", 300}))
	for _, path := range []string{epoch, dates, numbers} {
		for lines, spans := range map[string]string{
			"09:30:00,09:30:10,a\n09:31:30,09:31:45,b\n": "09:30:00 to 09:31:45",
			"23:59:00,23:59:30,a\n23:59:50,00:00:20,b\n": "23:59:00 to 00:00:20",
		} {
			said := refused(t, Options{Cut: threeSeconds, Labels: put(t, folder, "labels.csv", "start,end,label\n"+lines)}, path)
			messagetest.Names(t, said, spans+" … times of day … clock … begin of the recording")
			assert.NotContains(t, said, "correct the line")
		}
	}
}

// Intervals of another time zone are an error that says how far off they are, in dates; those that reach far beyond the
// recording are noted.
func TestIntervalsOffTheRecording(t *testing.T) {
	var b strings.Builder
	b.WriteString("time,ax\n")
	for at := range 300 {
		fmt.Fprintf(&b, "%d.%d,%d\n", 1_709_625_600+at/10, at%10, at*at%97)
	}
	folder := t.TempDir()
	path := put(t, folder, "epoch.csv", b.String())
	for lines, spans := range map[string]string{
		"1709629200,1709629210,a\n1709629210,1709629220,b\n": "1709629200 to 1709629220",
		"2024-03-05 09:00:00,2024-03-05 09:00:10,a\n2024-03-05 09:00:10,2024-03-05 09:00:20,b\n": "2024-03-05 09:00:00 to " +
			"2024-03-05 09:00:20",
	} {
		said := refused(t, Options{Cut: threeSeconds, Labels: put(t, folder, "labels.csv", "start,end,label\n"+lines)}, path)
		messagetest.Names(t, said, "1709625600 … "+spans+" … 1h0m0s later … 2024-03-05 08:00:00 in UTC … zone")
		assert.NotContains(t, said, "unit")
	}
	result, _ := imported(t, Options{Cut: threeSeconds,
		Labels: put(t, folder, "labels.csv", "start,end,label\n0,10,a\n10,20,b\n20,60,a\n")}, path)
	messagetest.OneNames(t, result.Notes, "line 4 of … labels.csv … 1709625620 … 1709625660 … recording … 1709625629.9")

	checkTimesOfDayBeside(t, path)
}

// What loggers write for a missing value is a class of machines; the usual words and signs for none are not.
func TestClassesOfMachines(t *testing.T) {
	parts := []part{{"running", 60}, {"fault", 60}, {"-", 20}, {"offline", 60}, {"NA", 20}, {"running", 60}, {"?", 5},
		{"failed", 40}, {"#N/A", 5}}
	path := put(t, t.TempDir(), "machine.csv", streamOf(true, parts...))
	result, _ := imported(t, Options{Label: "state", Cut: threeSeconds}, path)
	assert.Equal(t, []Class{{"failed", 1}, {"fault", 2}, {"offline", 2}, {"running", 4}}, result.Classes)
	messagetest.OneNames(t, result.Notes, "50 of 330 time points … no class")
	messagetest.Names(t, refused(t, Options{Label: "state", Cut: threeSeconds}, put(t, t.TempDir(), "case.csv",
		streamOf(true, part{"walk", 60}, part{"Walk", 10}, part{"sit", 60}))), `"Walk" … "Walk" and "walk" differ in case`)
}

// Stretches are timed by the clock of their recording: times of day go on after midnight also where one begins, and
// times that float64 does not hold are counted from the begin of the recording.
func TestStretchesOfOneClock(t *testing.T) {
	parts := []part{{"", 300}, {"stop", 20}, {"", 300}, {"stop", 20}, {"", 300}}
	plain := streamOf(true, parts...)
	timed := func(write func(at int) string) string {
		lines := strings.Split(strings.TrimSpace(plain), "\n")
		for i := range lines[1:] {
			_, rest, _ := strings.Cut(lines[i+1], ",")
			lines[i+1] = write(i) + "," + rest
		}
		return strings.Join(lines, "\n") + "\n"
	}
	clock := timed(func(at int) string {
		tenths := (10*86_400 - 310 + at) % (10 * 86_400) // midnight comes in the first stop
		return fmt.Sprintf("%02d:%02d:%02d.%d", tenths/36_000, tenths/600%60, tenths/10%60, tenths%10)
	})
	fine := timed(func(at int) string { return fmt.Sprint(1_717_150_000_123_456_789 + 100_000*at) })
	o := Options{Label: "state", Cut: threeSeconds, Ahead: recording.Span{Length: 5}, After: recording.Span{Length: 1}}
	want, of := imported(t, o, put(t, t.TempDir(), "plain.csv", plain))
	result, d := imported(t, o, put(t, t.TempDir(), "clock.csv", clock))
	assert.Equal(t, want.Classes, result.Classes)
	all, _, err := ReadAnnotated(t.Context(), []string{put(t, t.TempDir(), "clock.csv", clock)}, asStates(d.Form),
		Annotation{Label: "state"})
	require.NoError(t, err)
	assert.InDelta(t, 93.9, all[0].Times[939]-all[0].Times[0], 1e-6)
	o.Cut.Window, o.Ahead = recording.Span{Length: 0.003}, recording.Span{Length: 0.005}
	o.After = recording.Span{Length: 0.001}
	_, d = imported(t, o, put(t, t.TempDir(), "fine.csv", fine))
	require.Equal(t, len(of.Labels), len(d.Labels))
	all, _, err = ReadAnnotated(t.Context(), []string{put(t, t.TempDir(), "fine.csv", fine)}, asStates(d.Form),
		Annotation{Label: "state"})
	require.NoError(t, err)
	assert.InDelta(t, 939*100_000, all[0].Times[939]-all[0].Times[0], 1)
}

// asStates is a form whose classes are not events.
func asStates(form *recording.Form) *recording.Form {
	states := *form
	states.Ahead = recording.Span{}
	return &states
}

// A stream whose class is known is read whole, with the training's sensors and the parts of each class.
func TestReadAnnotated(t *testing.T) {
	parts := []part{{"stand", 100}, {"", 30}, {"walk", 95}, {"", 5}}
	path := put(t, t.TempDir(), "states.csv", streamOf(true, parts...))
	_, d := imported(t, Options{Label: "state", Cut: threeSeconds}, path)
	all, _, err := ReadAnnotated(t.Context(), []string{path}, d.Form, Annotation{Label: "state"})
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Len(t, all[0].Values, 230)
	assert.Equal(t, []Marking{{0, 100, "stand"}, {130, 225, "walk"}}, all[0].Parts)
	all, _, err = ReadAnnotated(t.Context(), []string{path}, d.Form, Annotation{Label: "state", Rest: "other"})
	require.NoError(t, err)
	assert.Equal(t, []Marking{{0, 100, "stand"}, {100, 130, "other"}, {130, 225, "walk"}, {225, 230, "other"}},
		all[0].Parts)
	again := strings.Split(streamOf(true, parts...), "\n")
	again = slices.Insert(again, 50, again[50]) // a line that was sent again
	twice := put(t, t.TempDir(), "twice.csv", strings.Join(again, "\n"))
	all, notes, err := ReadAnnotated(t.Context(), []string{twice}, d.Form, Annotation{Label: "state"})
	require.NoError(t, err)
	assert.Len(t, all[0].Values, 230)
	assert.Equal(t, []Marking{{0, 100, "stand"}, {130, 225, "walk"}}, all[0].Parts)
	messagetest.Names(t, errors.New(strings.Join(notes, "\n")), "1 line … another one … line 52")
	var more strings.Builder // with a column that the training did not have
	for i, line := range strings.Split(strings.TrimSpace(streamOf(true, parts...)), "\n") {
		column := "1"
		if i == 0 {
			column = "gyro"
		}
		fmt.Fprintf(&more, "%s,%s\n", line, column)
	}
	_, notes, err = ReadAnnotated(t.Context(), []string{put(t, t.TempDir(), "more.csv", more.String())}, d.Form,
		Annotation{Label: "state"})
	require.NoError(t, err)
	messagetest.Names(t, errors.New(strings.Join(notes, "\n")), "gyro … not in the training … left out")
	plain := put(t, t.TempDir(), "plain.csv", streamOf(false, parts...))
	labels := put(t, t.TempDir(), "labels.csv", "start,end,label\n0,10,stand\n13,22.5,walk\n")
	all, _, err = ReadAnnotated(t.Context(), []string{plain}, d.Form, Annotation{Labels: labels})
	require.NoError(t, err)
	assert.Equal(t, []Marking{{0, 100, "stand"}, {130, 225, "walk"}}, all[0].Parts)
}

// What is to be tested is read as what is to be classified: numbers as they are written, and advice of flags that only
// an import has says so.
func TestReadAnnotatedAsPredictReads(t *testing.T) {
	parts := []part{{"stand", 100}, {"walk", 100}}
	text := strings.Replace(streamOf(true, parts...), "97", "96.5", 1) // a decimal point
	_, d := imported(t, Options{Label: "state", Cut: threeSeconds}, put(t, t.TempDir(), "states.csv", text))
	annotated := func(text string, a Annotation) (all []Annotated, err error) {
		all, _, err = ReadAnnotated(t.Context(), []string{put(t, t.TempDir(), "new.csv", text)}, d.Form, a)
		return all, err
	}
	commas := strings.ReplaceAll(strings.ReplaceAll(text, ",", ";"), ".", ",")
	all, err := annotated(commas, Annotation{Label: "state"})
	require.NoError(t, err)
	assert.InDelta(t, 0.1, all[0].Times[1], 1e-9)

	dated := strings.Replace(datedStream(time.Date(2024, 2, 2, 23, 59, 0, 0, time.UTC), dayFirst), "hip", "ax", 1)
	_, err = annotated(dated, Annotation{Label: "state"})
	messagetest.Names(t, err, "03/02/2024 … no date tells … 2024-05-31 … ccp data import --dates")
	assert.NotContains(t, err.Error(), "say --dates")
	intervals := put(t, t.TempDir(), "labels.csv", "start,end,label\n03/02/2024 12:00,03/02/2024 13:00,walk\n")
	_, err = annotated(streamOf(false, parts...), Annotation{Labels: intervals})
	messagetest.Names(t, err, "line 2 … 03/02/2024 … no date tells … ccp data import --dates")
	intervals = put(t, t.TempDir(), "labels.csv", "start,end,label\n2024-02-03 12:00,2024-02-03 13:00,walk\n")
	_, err = annotated(streamOf(false, parts...), Annotation{Labels: intervals})
	messagetest.Names(t, err, "0 to 19.9 … 2024-02-03 12:00 to 2024-02-03 13:00")
	_, err = annotated("time,ax,state\n0,1,walk\n0.1,x,walk\n", Annotation{Label: "state"})
	messagetest.Names(t, err, "line 3 … ax … --leave … ccp data import")
}

// A class that comes again in a recording of a table of several is a stretch, and no part of another file.
func TestStretchesOfRecordingsInOneTable(t *testing.T) {
	table := "sample," + strings.Split(streamOf(true), "\n")[0] + "\n"
	for _, name := range []string{"anna", "ben"} {
		lines := strings.Split(strings.TrimSpace(streamOf(true, part{"a", 40}, part{"b", 40}, part{"a", 40})), "\n")[1:]
		for _, line := range lines {
			table += name + "," + line + "\n"
		}
	}
	result, _ := imported(t, Options{Label: "state", Cut: threeSeconds}, put(t, t.TempDir(), "one.csv", table))
	assert.Equal(t, 6, result.Samples)
	assert.NotContains(t, strings.Join(result.Notes, "\n"), "counts as two")
}

// Whose flags are advised is told once, and not of flags that a command has itself.
func TestElsewhere(t *testing.T) {
	assert.NoError(t, Elsewhere(nil))
	for _, c := range []struct{ message, want string }{
		{"odd", "odd"},
		{"leave it out with --leave \"a\"", "--leave … is … ccp data import"},
		{"say --leave, (--take) or --leave", "--leave … --take … are … ccp data import"},
		{"say --rest NAME", "--rest NAME"},
	} {
		err := Elsewhere(errors.New(c.message), "--rest")
		messagetest.Names(t, err, c.want)
		assert.Equal(t, err.Error(), Elsewhere(err, "--rest").Error())
	}
	assert.Equal(t, "say --rest NAME", Elsewhere(errors.New("say --rest NAME"), "--rest").Error())
}
