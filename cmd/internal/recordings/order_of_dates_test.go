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

// datedStream is a table of two sensors with a state, a line a second, whose times are written in a layout.
func datedStream(begin time.Time, layout string) string {
	var b strings.Builder
	b.WriteString("time,hip,arm,state\n")
	for at := range 200 {
		when := begin.Add(time.Duration(at) * time.Second).Format(layout)
		fmt.Fprintf(&b, "%s,%d,%d,%s\n", when, at*at%97, at%13, []string{"a", "b"}[at/50%2])
	}
	return b.String()
}

const dayFirst, monthBefore = "02/01/2006 15:04:05", "01/02/2006 15:04:05"

var (
	fifth     = time.Date(2024, 1, 5, 12, 0, 0, 0, time.UTC)
	fifteenth = time.Date(2024, 1, 15, 12, 0, 0, 0, time.UTC)
)

// notesOf are the notes of an import of a stream.
func notesOf(t *testing.T, table string) string {
	t.Helper()
	s, _ := imported(t, Options{Label: "state", Cut: threeSeconds}, put(t, t.TempDir(), "stream.csv", table))
	return strings.Join(s.Notes, "\n")
}

// An import says how dates were read that may be either: by which date, or that it makes no difference.
func TestOrderOfDatesIsTold(t *testing.T) {
	over := time.Date(2024, 1, 12, 23, 59, 0, 0, time.UTC) // to the 13th
	messagetest.Names(t, notesOf(t, datedStream(over, dayFirst)), "12/01/2024 … day first … 13/01/2024")
	messagetest.Names(t, notesOf(t, datedStream(over, monthBefore)), "01/12/2024 … month first … 01/13/2024")
	messagetest.Names(t, notesOf(t, datedStream(fifth, dayFirst)), "05/01/2024 … no date tells … day first … --dates")
	for _, table := range []string{datedStream(fifteenth, dayFirst), datedStream(fifth, "2006-01-02 15:04:05")} {
		assert.NotContains(t, notesOf(t, table), "first")
	}
}

// followError is the error of a stream.
func followError(t *testing.T, form *recording.Form, text string) error {
	t.Helper()
	return Follow(t.Context(), strings.NewReader(text), form, func(Row) error { return nil }, nil, func(string) {})
}

// A stream is not read in an order of day and month that nothing tells: it ends with what to do. The training may tell
// the order, and a date of the stream may.
func TestFollowOrderOfDates(t *testing.T) {
	unknown := formOf(t, datedStream(fifth, "2006-01-02 15:04:05"))
	messagetest.Names(t, followError(t, unknown, datedStream(fifth, dayFirst)),
		"line 2 … column time … 05/01/2024 … no date tells … year first … --dates")
	messagetest.Names(t, followError(t, unknown, "time,hip,arm\n05/05/2024 23:59:59,1,2\n06/05/2024 00:00:00,1,2\n"),
		"line 3 … 06/05/2024")
	rows, _ := followedRows(t, unknown, "time,hip,arm\n31/01/2024 23:59:59,1,2\n01/02/2024 00:00:00,1,2\n")
	assert.Equal(t, 1., rows[1].Time-rows[0].Time)

	for _, layout := range []string{dayFirst, monthBefore} {
		form := formOf(t, datedStream(fifteenth, layout))
		midnight := time.Date(2024, 1, 5, 23, 59, 0, 0, time.UTC)
		rows, bad := followedRows(t, form, datedStream(midnight, layout))
		assert.Empty(t, bad)
		assert.Equal(t, 199., rows[199].Time-rows[0].Time, "over midnight")
		assert.Equal(t, midnight.Format(layout), rows[0].Written.Text(rows[0].Time))
	}
	err := followError(t, formOf(t, datedStream(fifteenth, dayFirst)), datedStream(fifteenth, monthBefore))
	messagetest.Names(t, err, "line 2 … a date of the training … 01/15/2024 … alike")
	assert.NotContains(t, err.Error(), "--leave", "which a stream has not")
}

// Recordings to classify may each be of one date. Where the date changes, its order matters, also from one stretch to
// the next.
func TestOrderOfDatesOfStretches(t *testing.T) {
	unknown := formOf(t, datedStream(fifth, "2006-01-02 15:04:05"))
	read := func(table string) error {
		_, _, err := ReadUnlabelled(t.Context(), []string{put(t, t.TempDir(), "new.csv", table)}, unknown)
		return err
	}
	require.NoError(t, read(datedStream(fifth, dayFirst)))
	over := "time,hip,arm,state\n"
	for at, day := range []string{"05", "05", "05", "06", "06", "06"} {
		over += fmt.Sprintf("%s/01/2024 12:00:%02d,1,%d,%s\n", day, at, at, []string{"a", "b"}[at/3])
	}
	messagetest.Names(t, read(over), "line 5 … 06/01/2024 … year first")
	path := put(t, t.TempDir(), "over.csv", over)
	messagetest.Names(t, refused(t, Options{Label: "state", Cut: threeSeconds}, path), "06/01/2024 … --dates day")
}

// The dates of intervals have one order, too, which the last of them may tell.
func TestOrderOfDatesOfIntervals(t *testing.T) {
	read := func(text, dates string) ([]interval, error) {
		j := &job{ctx: t.Context(), markers: map[string]int{}, dialect: newDialect("", false)}
		_, all, err := j.readLabels(put(t, t.TempDir(), "labels.csv", "start,end,label\n"+text), dates)
		return all, err
	}
	const midnight = "01/05/2024 23:59:00,01/06/2024 00:01:00,a\n"
	_, err := read(midnight, "")
	messagetest.Names(t, err, "line 2 … 01/05/2024 … --dates day")
	all, err := read(midnight, "month")
	require.NoError(t, err)
	assert.Equal(t, 120., all[0].end-all[0].start)
	all, err = read(midnight+"01/31/2024 23:59:00,02/01/2024 00:00:00,b\n", "")
	require.NoError(t, err)
	assert.Equal(t, []float64{120, 60}, []float64{all[0].end - all[0].start, all[1].end - all[1].start})
}

// Times in digits are read as the training's, or as their heading says, over minutes and midnight, and written as
// times of day.
func TestFollowDigits(t *testing.T) {
	digits := formOf(t, datedStream(fifth, "150405"))
	plain := formOf(t, strings.ReplaceAll(datedStream(fifth, "150405"), "time,", "time (HHMMSS),"))
	const lines = "095959,1,2\n100000,3,4\n235959,1,2\n000001,1,2\n"
	for heading, form := range map[string]*recording.Form{"time": digits, "time (HHMMSS)": plain} {
		rows, bad := followedRows(t, form, heading+",hip,arm\n"+lines)
		assert.Empty(t, bad)
		require.Len(t, rows, 4)
		assert.Equal(t, []float64{1, 2}, []float64{rows[1].Time - rows[0].Time, rows[3].Time - rows[2].Time})
		assert.Equal(t, "10:00:00", rows[1].Written.Text(rows[1].Time))
	}
	_, bad := followedRows(t, digits, "time,hip,arm\n095959,1,2\n096000,3,4\n100000,1,2\n")
	require.Len(t, bad, 1)
	messagetest.Names(t, bad[0], "line 3 … column time … 96000 … HHMMSS")

	onDays := formOf(t, strings.ReplaceAll(datedStream(time.Date(2024, 1, 5, 23, 58, 0, 0, time.UTC), "20060102,150405"),
		"time,", "date,time,"))
	rows, bad := followedRows(t, onDays, "date,time,hip,arm\n20240105,235959,1,2\n20240106,000000,1,2\n")
	assert.Empty(t, bad)
	assert.Equal(t, 1., rows[1].Time-rows[0].Time)
	assert.Equal(t, "2024-01-06 00:00:00", rows[1].Written.Text(rows[1].Time))
}

// Digits that nothing tells are plain numbers, and a note says so where they go on as times of day do.
func TestFollowSuspectsDigits(t *testing.T) {
	form := formOf(t, stateOfTwo())
	notes := func(times ...string) (all []string) {
		err := Follow(t.Context(), strings.NewReader("time,hip,arm\n"+strings.Join(times, ",1,2\n")+",1,2\n"), form,
			func(Row) error { return nil }, nil, func(note string) { all = append(all, note) })
		require.NoError(t, err)
		return all
	}
	found := notes("093058", "093059", "093100", "093101", "093159", "093200")
	require.Len(t, found, 1)
	messagetest.Names(t, found[0], "93100 … 93059 … column time … HHMMSS … plain number")
	assert.Empty(t, notes("93058", "93059", "93130", "93131"), "a gap")
	assert.Empty(t, notes("1", "2", "3"))
}

// A recording knows how its file writes times: the first one as it is there, in whatever order, zone or columns, and
// digits as times of day. Streams whose classes are known do, too.
func TestRecordingsKnowHowTimesAreWritten(t *testing.T) {
	forms := map[string]*recording.Form{"as the training": formOf(t, datedStream(fifteenth, dayFirst)),
		"month": formOf(t, datedStream(fifteenth, monthBefore)), "digits": formOf(t, datedStream(fifth, "150405"))}
	for _, c := range []struct{ form, times, want string }{
		{"as the training", "05/01/2024 23:59:59,05/01/2024 23:59:59.5", "05/01/2024 23:59:59"},
		{"as the training", "2024-05-31T12:00:00+02:00,2024-05-31T12:00:01+02:00", "2024-05-31T12:00:00+02:00"},
		{"as the training", "23:59:59,00:00:00", "23:59:59"},
		{"month", "01/05/2024 23:59:59,01/06/2024 00:00:00", "01/05/2024 23:59:59"},
		{"digits", "095959,100000", "09:59:59"},
		{"as the training", "0.1,0.2", "0.1"},
	} {
		table := "time,hip,arm,state\n"
		for at := range strings.SplitSeq(c.times, ",") {
			table += at + ",1,2,a\n"
		}
		path := put(t, t.TempDir(), "new.csv", table)
		all, _, err := ReadUnlabelled(t.Context(), []string{path}, forms[c.form])
		require.NoError(t, err, c.times)
		assert.Equal(t, c.want, all[0].Written.Text(all[0].Times[0]), c.times)
		if c.form == "digits" { // which two times do not prove
			continue
		}
		known, _, err := ReadAnnotated(t.Context(), []string{path}, forms[c.form], Annotation{Label: "state"})
		require.NoError(t, err, c.times)
		assert.Equal(t, c.want, known[0].Written.Text(known[0].Times[0]), c.times)
	}
}
