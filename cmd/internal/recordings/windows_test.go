package recordings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// long12 writes six recordings a class, of 12 time points at 4 a second. The values count the time points.
func long12(t *testing.T) (folder string) {
	folder = t.TempDir()
	for i := range 12 {
		text := "time,a\n"
		for timepoint := range 12 {
			text += fmt.Sprintf("%g,%d\n", float64(timepoint)/4, timepoint%11)
		}
		put(t, folder, fmt.Sprintf("%s/r%d.csv", []string{"fall", "wave"}[i%2], i), text)
	}
	return folder
}

// cutting is an option for windows.
func cutting(t *testing.T, window, step string) (o Options) {
	var err error
	o.Cut.Window, err = recording.ParseSpan(window)
	require.NoError(t, err)
	if step != "" {
		o.Cut.Step, err = recording.ParseSpan(step)
		require.NoError(t, err)
	}
	return o
}

// The windows of a recording are samples of one group, which no drawn split parts.
func TestImportCutsWindows(t *testing.T) {
	folder := long12(t)
	result, d := imported(t, cutting(t, "1s", "0.5s"), folder)
	assert.Equal(t, []int{60, 4, 4}, []int{result.Samples, result.Timepoints.Shortest, result.Timepoints.Longest})
	assert.Len(t, result.Groups, 12)
	messagetest.Names(t, result.ReadAs, "12 recordings … windows of 1s … 0.5s")
	assert.Equal(t, []string{"r0.csv from 0", "r0.csv from 0.5"}, d.SampleNames[:2])
	assert.Equal(t, [][]float32{{0, 1, 2, 3}, {2, 3, 4, 5}}, d.Series[:2])
	trained := map[string]bool{}
	for _, i := range d.Train {
		trained[d.Group(i)] = true
	}
	for _, i := range d.Test {
		assert.False(t, trained[d.Group(i)])
	}
	assert.NotEmpty(t, d.Test)

	o := cutting(t, "4", "")
	o.Group = `r(\d)`
	o.Test = "r1*"
	result, _ = imported(t, o, folder)
	assert.Equal(t, []int{36, 9}, []int{result.Samples, result.Test})
	assert.Len(t, result.Groups, 10, "r1, r10 and r11 are one")
}

// What fills no window is left out with a note.
func TestImportLeavesOutWhatFillsNoWindow(t *testing.T) {
	folder := long12(t)
	put(t, folder, "wave/short.csv", "time,a\n0,1\n0.25,2\n0.5,3\n")
	put(t, folder, "fall/gap.csv",
		"time,a\n0,1\n0.25,2\n0.5,2\n0.75,2\n1,\n1.25,\n1.5,\n1.75,\n2,1\n2.25,2\n2.5,3\n2.75,0\n")
	result, _ := imported(t, cutting(t, "1.25s", ""), folder)
	assert.Equal(t, 26, result.Samples)
	notes := strings.Join(result.Notes, "\n")
	messagetest.Names(t, notes, "1 of 14 … left out … "+folder+"/wave/short.csv … 0.75s")
	messagetest.Names(t, notes, "gap.csv … last 2 of its 12 … window … 13 of 14 recordings")
	messagetest.Names(t, notes, "29 of 159 time points … 14 recordings … no window")

	result, _ = imported(t, cutting(t, "1s", ""), folder)
	messagetest.OneNames(t, result.Notes, "1 of 39 windows … left out … "+folder+"/fall/gap.csv … from 1 to 2")
}

func TestImportRefusesWindows(t *testing.T) {
	folder := long12(t)
	messagetest.Names(t, refused(t, cutting(t, "4s", ""), folder), "r0.csv … length is 3s … 4s … shorter")
	messagetest.Names(t, refused(t, cutting(t, "1s", "2"), folder), "window is 1s … step 2 … durations")
	messagetest.Names(t, refused(t, cutting(t, "0.1s", ""), folder), "0.25 of time apart … 0.1s")
	o := cutting(t, "1s", "")
	o.Leave = []string{"time"}
	messagetest.Names(t, refused(t, o, folder), "no times … 1s … number of time points")
}

// Windows of times since 1970 have names of their own, though they begin in the same second.
func TestNamesOfWindows(t *testing.T) {
	table := "sample,time,x,label\n"
	for i := range 10 * 40 {
		table += fmt.Sprintf("%c,%.1f,%d,%c\n", 'a'+i/40, 1.7e9+float64(i%40)/10, i%7, 'u'+i/40%2)
	}
	_, d := imported(t, cutting(t, "2s", "0.5s"), put(t, t.TempDir(), "r.csv", table))
	assert.Equal(t, []string{"a from 1700000000", "a from 1700000000.5", "a from 1700000001"}, d.SampleNames[:3])
}

// Windows are named as the file writes its times, and errors and notes of them, too; how far time points are apart is
// in seconds where times are dates.
func TestNamesOfWindowsAsWritten(t *testing.T) {
	begin := time.Date(2024, 5, 31, 23, 59, 58, 0, time.UTC)
	for _, c := range []struct{ heading, layout, first, second, last, apart string }{
		{"time", "2006-01-02 15:04:05.0", "2024-05-31 23:59:58.0", "2024-05-31 23:59:58.5", "2024-06-01 00:00:00.0", "0.1 s"},
		{"time", "15:04:05.0", "23:59:58.0", "23:59:58.5", "00:00:00.0", "0.1 s"},
		{"time", "02.01.2006 15:04:05,0", "31.05.2024 23:59:58,0", "31.05.2024 23:59:58,5", "01.06.2024 00:00:00,0", "0.1 s"},
		{"time (s)", "", "0", "0.5", "2", "0.1 s"},
		{"time (ms)", "", "0", "500", "2000", "0.1 s"},
		{"time", "", "0", "0.5", "2", "0.1 of time"},
	} {
		table := "sample;" + c.heading + ";x;label\n"
		for i := range 10 * 40 {
			at := begin.Add(time.Duration(i%40) * 100 * time.Millisecond).Format(c.layout)
			switch {
			case c.heading == "time (ms)":
				at = fmt.Sprint(i % 40 * 100)
			case c.layout == "":
				at = fmt.Sprintf("%.1f", float64(i%40)/10)
			}
			table += fmt.Sprintf("%c;%s;%d;%c\n", 'a'+i/40, at, i%7, 'u'+i/40%2)
		}
		result, d := imported(t, cutting(t, "2s", "0.5s"), put(t, t.TempDir(), "r.csv", table))
		assert.Equal(t, []string{"a from " + c.first, "a from " + c.second, "a from " + c.last},
			[]string{d.SampleNames[0], d.SampleNames[1], d.SampleNames[4]})
		messagetest.Names(t, result.Lengths, "20 time points … "+c.apart+" apart")
	}

	days := "time,x,state\n" // two days, a line in ten minutes
	for i := range 2 * 144 {
		days += fmt.Sprintf("%s,%d,%c\n", begin.Add(time.Duration(i)*10*time.Minute).Format("15:04:05"), i%7, 'a'+i/200)
	}
	o := cutting(t, "1h", "")
	o.Label = "state"
	_, d := imported(t, o, put(t, t.TempDir(), "days.csv", days))
	assert.Equal(t, []string{"days.csv:2 from 23:59:58", "days.csv:2 from 00:59:58"}, d.SampleNames[:2])
	assert.Equal(t, "days.csv:2 from 23:59:58 on day 2", d.SampleNames[24])
}

// Notes on stretches have times as the file writes them, and durations without the noise of sums.
func TestNotesHaveTimesAsWritten(t *testing.T) {
	begin := time.Date(2024, 5, 31, 9, 30, 0, 0, time.FixedZone("", 2*60*60))
	milliseconds := func(when time.Time) string { return fmt.Sprint(when.UnixMilli()) }
	for _, c := range []struct {
		text        func(when time.Time) string
		late, ended string
	}{
		{func(when time.Time) string { return when.Format("2006-01-02T15:04:05.00-07:00") },
			"2024-05-31T09:30:06.16+02:00", "2024-05-31T09:30:06.20+02:00"},
		{func(when time.Time) string { return when.Format("01/02/2006 03:04:05.00 PM") },
			"05/31/2024 09:30:06.16 AM", "05/31/2024 09:30:06.20 AM"},
		{milliseconds, "1717140606160", "1717140606200"},
	} {
		var b strings.Builder
		b.WriteString("time,x,state\n")
		for i := range 300 {
			state := "a"
			switch {
			case i == 154:
				state = "c"
			case i > 115:
				state = "b"
			}
			fmt.Fprintf(&b, "%s,%d,%s\n", c.text(begin.Add(time.Duration(40*i)*time.Millisecond)), i%7, state)
		}
		o := cutting(t, "1s", "")
		o.Label = "state"
		path := put(t, t.TempDir(), "s.csv", b.String())
		messagetest.Names(t, refused(t, o, path), fmt.Sprintf(`"c" … from %s to %s … is 0.04s, less`, c.late, c.ended))
	}
}
