package recordings

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// stamped writes four recordings with the heading of times and these times.
func stamped(t *testing.T, heading string, times []string) (folder string) {
	folder = t.TempDir()
	for i := range 4 {
		text := heading + ",a\n"
		for line, at := range times {
			text += fmt.Sprintf("%s,%d\n", at, (line*line+i)%7)
		}
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), text)
	}
	return folder
}

// at returns times from a begin on, a step apart, each written by text.
func at(begin string, step time.Duration, n int, text func(at time.Time) string) (all []string) {
	when, err := time.Parse("2006-01-02 15:04:05", begin)
	if err != nil {
		panic(err)
	}
	for i := range n {
		all = append(all, text(when.Add(step*time.Duration(i))))
	}
	return all
}

// as writes a time by a layout, as a whole number without its first zeros.
func as(layout string) func(time.Time) string {
	return func(at time.Time) string {
		text := strings.TrimLeft(at.Format(layout), "0")
		if text == "" || text[0] == '.' {
			return "0" + text
		}
		return text
	}
}

const (
	hour = time.Hour
	day  = 24 * time.Hour
)

// digital are times as instruments write them in digits, all of them even.
var digital = []struct {
	name, heading string
	times         []string
	form          string
	step          float64 // in seconds
}{
	{"HHMM in minutes", "Time", at("2024-05-01 10:40:00", time.Minute, 50, as("1504")), "HHMM", 60},
	{"HHMM with zeros", "Time",
		at("2024-05-01 00:40:00", time.Minute, 50, func(at time.Time) string { return at.Format("1504") }), "HHMM", 60},
	{"HHMM with hours of one digit", "Time", at("2024-05-01 00:40:00", time.Minute, 50, func(at time.Time) string {
		return fmt.Sprintf("%d%02d", at.Hour(), at.Minute())
	}), "HHMM", 60},
	{"HHMMSS with hours of one digit", "time", at("2024-05-01 00:08:40", time.Second, 100, func(at time.Time) string {
		return fmt.Sprintf("%d%02d%02d", at.Hour(), at.Minute(), at.Second())
	}), "HHMMSS", 1},
	{"HHMM past midnight", "Time", at("2024-05-01 23:30:00", time.Minute, 60, as("1504")), "HHMM", 60},
	{"HHMM over three days", "time", at("2024-05-01 12:00:00", 30*time.Minute, 150, as("1504")), "HHMM", 1800},
	{"HHMM by the hour, past midnight", "time", at("2024-05-01 18:00:00", hour, 12, as("1504")), "HHMM", 3600},
	{"HHMM by quarters", "Uhrzeit", at("2024-05-01 08:00:00", 15*time.Minute, 30, as("1504")), "HHMM", 900},
	{"HHMM by the heading", "time (HHMM)", at("2024-05-01 08:00:00", time.Minute, 30, as("1504")), "HHMM", 60},
	{"HHMM as the heading", "HHMM", at("2024-05-01 08:00:00", time.Minute, 30, as("1504")), "HHMM", 60},
	{"HHMMSS", "time", at("2024-05-01 10:58:40", time.Second, 100, as("150405")), "HHMMSS", 1},
	{"HHMMSS of GPS", "time_utc", at("2024-05-01 10:58:40", 200*time.Millisecond, 200, as("150405.00")), "HHMMSS", 0.2},
	{"HHMMSS past midnight", "time", at("2024-05-01 23:58:40", 10*time.Second, 100, as("150405")), "HHMMSS", 10},
	{"HHMMSS with zeros", "time",
		at("2024-05-01 00:08:40", time.Second, 100, func(at time.Time) string { return at.Format("150405") }), "HHMMSS", 1},
	{"HHMMSSmmm", "time", at("2024-05-01 10:58:59", 20*time.Millisecond, 200, func(at time.Time) string {
		return strings.Replace(at.Format("150405.000"), ".", "", 1)
	}), "HHMMSSmmm", 0.02},
	{"YYYYMMDD weekly", "time", at("2024-01-05 00:00:00", 7*day, 20, as("20060102")), "YYYYMMDD", 7 * 86400},
	{"YYYYMMDD daily", "timestamp", at("2024-01-20 00:00:00", day, 40, as("20060102")), "YYYYMMDD", 86400},
	{"YYYYMMDD under date", "date", at("2024-01-03 00:00:00", day, 20, as("20060102")), "YYYYMMDD", 86400},
	{"YYYYMMDDHH", "time", at("2023-01-01 10:00:00", hour, 40, as("2006010215")), "YYYYMMDDHH", 3600},
	{"YYYYMMDDHH of one day", "time", at("2023-01-01 10:00:00", hour, 10, as("2006010215")), "YYYYMMDDHH", 3600},
	{"YYYYMMDDHHMM", "time", at("2023-12-31 23:40:00", time.Minute, 40, as("200601021504")), "YYYYMMDDHHMM", 60},
	{"YYYYMMDDHHMMSS", "time", at("2023-12-31 23:59:40", time.Second, 40, as("20060102150405")), "YYYYMMDDHHMMSS", 1},
	{"YYYYMMDDHHMMSS with thousandths", "time",
		at("2023-12-31 23:59:58", 37*time.Millisecond, 40, as("20060102150405.000")), "YYYYMMDDHHMMSS", 0.037},
	{"YYYYMMDDHHMMSS with a fraction", "time", at("2023-12-31 23:59:58", 100*time.Millisecond, 40, as("20060102150405.0")),
		"YYYYMMDDHHMMSS", 0.1},
	{"YYYYMMDDHHMMSSmmm", "time", at("2023-12-31 23:59:58", 37*time.Millisecond, 40, func(at time.Time) string {
		return strings.Replace(at.Format("20060102150405.000"), ".", "", 1)
	}), "YYYYMMDDHHMMSSmmm", 0.037},
	{"YYYYDDD", "time", at("2023-12-20 00:00:00", day, 40, as("2006002")), "YYYYDDD", 86400},
	{"YYMMDD", "time", at("2023-12-20 00:00:00", day, 40, as("060102")), "YYMMDD", 86400},
	{"YYMMDDHHMM", "time", at("2023-12-31 23:20:00", time.Minute, 80, as("0601021504")), "YYMMDDHHMM", 60},
	{"DDMMYYYY", "time", at("2023-12-20 00:00:00", day, 40, as("02012006")), "DDMMYYYY", 86400},
	{"MMDDYYYY", "time", at("2023-12-20 00:00:00", day, 40, as("01022006")), "MMDDYYYY", 86400},
	{"YYYYMM", "time", months(30, func(year, month int) string { return fmt.Sprintf("%d%02d", year, month) }, 1),
		"YYYYMM", month},
	{"YYYYQ", "time", months(30, func(year, month int) string { return fmt.Sprintf("%d%d", year, (month+2)/3) }, 3),
		"YYYYQ", 3 * month},
	{"YYYYWW", "time", at("2023-11-06 00:00:00", 7*day, 20, func(at time.Time) string {
		year, week := at.ISOWeek()
		return fmt.Sprintf("%d%02d", year, week)
	}), "YYYYWW", 7 * 86400},
	{"HHMM with lost lines", "time", slices.DeleteFunc(at("2024-05-01 10:10:00", time.Minute, 100, as("1504")),
		func(text string) bool {
			return text == "1031" || text == "1032" || text == "1120" || text == "1159"
		}), "HHMM", 60},
	{"DDHHMM", "time", at("2023-01-20 00:00:00", 30*time.Minute, 150, as("021504")), "DDHHMM", 1800},
	{"MMDD", "time", at("2023-01-20 00:00:00", day, 60, as("0102")), "MMDD", 86400},
	{"MMDDHHMM", "time", at("2023-01-20 00:00:00", 30*time.Minute, 150, as("01021504")), "MMDDHHMM", 1800},
	{"YYYYMMDD.HHMMSS", "time", at("2023-01-20 23:50:00", 30*time.Second, 150, as("20060102.150405")),
		"YYYYMMDD.HHMMSS", 30},
	{"YYYYMMDD.HHMM", "date", at("2023-01-20 23:50:00", 10*time.Minute, 150, as("20060102.1504")), "YYYYMMDD.HHMM", 600},
	{"HH.MMSS", "time", at("2023-01-20 09:58:40", time.Second, 150, as("15.0405")), "HH.MMSS", 1},
	{"YYYY.MM", "date", months(30, func(year, month int) string { return fmt.Sprintf("%d.%02d", year, month) }, 1),
		"YYYY.MM", month},
	{"H.MM", "time", at("2024-05-01 08:40:00", 5*time.Minute, 40, as("15.04")), "H.MM", 1. / 12},
	{"H.MM past midnight", "time", at("2024-05-01 22:40:00", 10*time.Minute, 40, as("15.04")), "H.MM", 1. / 6},
	{"mm.ss", "time", at("2024-05-01 00:00:40", time.Second, 100, as("4.05")), "H.MM", 1. / 60},
	{"mm.ss by the heading", "time_min", at("2024-05-01 00:00:40", time.Second, 100, as("4.05")), "H.MM", 1. / 60},
}

func months(n int, text func(year, month int) string, step int) (all []string) {
	for i := range n {
		at := 5 + step*i
		all = append(all, text(2021+at/12, at%12+1))
	}
	return all
}

// Dates and times of day in digits are read as what they are, wherever they prove it, and the import says so.
func TestTimesInDigits(t *testing.T) {
	for _, c := range digital {
		t.Run(c.name, func(t *testing.T) {
			folder := stamped(t, c.heading, c.times)
			s, err := read(t, []string{folder}, Options{})
			require.NoError(t, err)
			assert.Contains(t, s.readAs(), "column "+c.heading+" as time "+c.form)
			if !formNamed(c.form).evident(c.heading) {
				assert.Contains(t, s.noteTexts()[0], c.form)
			}
			for _, x := range s.samples {
				require.Len(t, x.Times, len(c.times))
				for i := range x.Times[1:] {
					steps := (x.Times[i+1] - x.Times[i]) / c.step
					require.InDelta(t, math.Round(steps), steps, 1e-4, "step %d", i)
					require.LessOrEqual(t, steps, 3.5)
					require.Greater(t, steps, 0.5)
				}
			}
			result, d := imported(t, Options{}, folder)
			assert.InDelta(t, len(c.times), result.Timepoints.Longest, float64(4*strings.Count(c.name, "lost")))
			assert.InEpsilon(t, 1/c.step, d.Form.Rate, 1e-4)
			alike(t, Options{}, d, folder)
			short := t.TempDir() // a part of them is read alike, though it may prove nothing
			put(t, short, "a.csv", c.heading+",a\n"+c.times[1]+",2\n"+c.times[2]+",3\n"+c.times[3]+",3\n")
			all, _, err := ReadUnlabelled(t.Context(), []string{short}, d.Form)
			require.NoError(t, err)
			assert.InEpsilon(t, c.step, all[0].Times[1]-all[0].Times[0], 1e-4)
		})
	}
}

// Numbers that count from some begin stay those, though they may look like dates or times of day.
func TestPlainTimesInDigits(t *testing.T) {
	count := func(n int, from, step float64) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("%.15g", from+step*float64(i)))
		}
		return all
	}
	without := func(all []string, lost ...string) []string {
		return slices.DeleteFunc(all, func(c string) bool { return slices.Contains(lost, c) })
	}
	var irregular, bursts, waiting, turns []string
	for i := range 30 {
		turns = append(turns, fmt.Sprint(7*i), fmt.Sprintf("%.1f", 7*float64(i)+2.1))
		irregular = append(irregular, fmt.Sprint(i*i/2+i))
		waiting = append(waiting, fmt.Sprint(100*i+i*7%13))
		bursts = append(bursts, fmt.Sprint(100*i/2+i%2*30))
	}
	for name, c := range map[string]struct {
		heading string
		times   []string
	}{
		"seconds 0 to 2359":              {"time", count(2360, 0, 1)},
		"seconds below a minute":         {"time", count(60, 0, 1)},
		"ms at 10 Hz":                    {"time", count(24, 0, 100)},
		"ms at 20 Hz":                    {"time", count(48, 0, 50)},
		"ms at 20 Hz, one lost":          {"time", without(count(48, 0, 50), "700")},
		"ms at 100 Hz":                   {"time", count(200, 0, 10)},
		"seconds with a lost one":        {"time", without(count(50, 0, 1), "17")},
		"seconds to two digits":          {"time", count(100, 0, 0.01)},
		"half seconds":                   {"time", count(100, 0, 0.5)},
		"half seconds, some lost":        {"time", without(count(100, 0, 0.5), "3.5", "7", "7.5", "20", "33.5")},
		"quarters of a second":           {"time", count(100, 0, 0.25)},
		"tenths":                         {"time", count(100, 0, 0.1)},
		"uneven seconds":                 {"time", irregular},
		"ms with late lines":             {"time", waiting[:23]},
		"a counter of eight digits":      {"time", count(20, 20240101, 1)},
		"a counter that passes a month":  {"time", count(60, 20240101, 1)},
		"a counter of five digits":       {"time", count(30, 20241, 1)},
		"a counter of six digits":        {"time", count(30, 202401, 1)},
		"years":                          {"time", count(25, 2000, 1)},
		"years under date":               {"date", count(25, 2000, 1)},
		"days since 1900":                {"date", count(30, 45292, 1)},
		"days since 1970":                {"date", count(4, 19721, 1)},
		"seconds since 1970":             {"time", count(100, 1.7e9, 1)},
		"seconds since 1970 by the hour": {"time", count(100, 1.7e9, 3600)},
		"ms since 1970":                  {"time", count(100, 1.7e12, 40)},
		"ms of 1998":                     {"time", count(100, 9e11, 40)},
		"µs since the start":             {"time", count(100, 190001010000, 100)},
		"ns since 1970": {"time",
			[]string{"1700000000000000000", "1700000000040000000", "1700000000080000000"}},
		"seconds read in turns":      {"time", turns},
		"decimal years":              {"date", count(30, 2020, 1./12)},
		"a counter from 101":         {"time", count(31, 101, 1)},
		"days from 101":              {"date", count(60, 101, 1)},
		"a year of seconds":          {"time", count(40, 0, 800000)},
		"seconds by their heading":   {"time (s)", bursts[:20]},
		"seconds by another heading": {"seconds", at("2024-05-01 08:00:00", 30*time.Minute, 20, as("1504"))},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := read(t, []string{stamped(t, c.heading, c.times)}, Options{})
			require.NoError(t, err)
			assert.NotRegexp(t, "as time [YMDH]", s.readAs())
			days := func(note string) bool { return strings.Contains(note, "YYYY") && strings.Contains(note, "days") }
			assert.Empty(t, slices.DeleteFunc(s.noteTexts(), days))
			for i, text := range c.times {
				var want float64
				_, err := fmt.Sscan(text, &want)
				require.NoError(t, err)
				require.Equal(t, want, s.samples[0].Times[i])
			}
		})
	}
}

// Days of one year or of one month go on as plain numbers do: their unit is what the import cannot tell, and says so.
func TestDaysThatMayBeNumbers(t *testing.T) {
	days := func(from string, layout func(time.Time) string) []string {
		return at(from+" 00:00:00", 24*time.Hour, 20, layout)
	}
	for name, c := range map[string]struct {
		heading string
		times   []string
		says    string
	}{
		"days of a year": {"time", days("2024-03-01", as("2006002")),
			"time … 2024061 … YYYYDDD"},
		"days of a month": {"time", days("2024-03-01", as("20060102")),
			"time … 20240301 … YYYYMMDD"},
		"days by their heading":  {"time (YYYYDDD)", days("2024-03-01", as("2006002")), ""},
		"under the name of date": {"date", days("2024-03-01", as("2006002")), ""},
		"with a unit":            {"time (ms)", days("2024-03-01", as("2006002")), ""},
		"over a new year":        {"time", days("2023-12-25", as("2006002")), "column time … dates, YYYYDDD"},
	} {
		s, err := read(t, []string{stamped(t, c.heading, c.times)}, Options{})
		require.NoError(t, err, name)
		if c.says == "" {
			assert.Empty(t, s.noteTexts(), name)
		} else {
			messagetest.OneNames(t, s.noteTexts(), c.says, name)
		}
	}
}

// Where the steps are uneven in both ways, a person says what the numbers are.
func TestTimesInDigitsThatMayBeNumbers(t *testing.T) {
	var times []string
	minute := 8 * 60
	for i := range 18 {
		times = append(times, fmt.Sprint(minute/60*100+minute%60))
		minute += 5 + i*i%4*4
	}
	message := refused(t, Options{}, stamped(t, "time", times))
	messagetest.Names(t, message, `0.csv … column time … HHMM … 800 … uneven … "time (HHMM)" … "time (s)"`)
	for heading, want := range map[string]float64{"time (HHMM)": 8 * 3600, "time (s)": 800, "time_s": 800} {
		s, err := read(t, []string{stamped(t, heading, times)}, Options{})
		require.NoError(t, err)
		assert.Equal(t, want, s.samples[0].Times[0])
	}
	message = refused(t, Options{}, stamped(t, "time (HHMM)", []string{"858", "859", "860"}))
	messagetest.Names(t, message, "0.csv, line 4 … time (HHMM) … 860")
	message = refused(t, Options{}, stamped(t, "time (YYYYMMDDHHMM)", []string{"202405011040", "202405011041.00001"}))
	messagetest.Names(t, message, "0.csv, line 3 … YYYYMMDDHHMM … 202405011041.00001",
		"what float64 leaves out of a number belongs to it")
	firsts := stamped(t, "date", []string{"01012024", "02012024", "03012024", "04012024"})
	messagetest.Names(t, refused(t, Options{}, firsts), "0.csv … column date … 1012024 … --dates day … --dates month")
	for order, want := range map[string]float64{"day": 86400, "month": 31 * 86400} {
		s, err := read(t, []string{firsts}, Options{Table: Table{Dates: order}})
		require.NoError(t, err)
		assert.Equal(t, want, s.samples[0].Times[1]-s.samples[0].Times[0])
	}
	_, d := imported(t, Options{}, stamped(t, "time", at("2024-05-01 10:40:00", time.Minute, 50, as("1504"))))
	_, _, err := ReadUnlabelled(t.Context(),
		[]string{put(t, t.TempDir(), "a.csv", "time,a\n858,1\n859,2\n860,3\n")}, d.Form)
	messagetest.Names(t, err, "line 4 … column time … 860 … HHMM")
}

// A time of day in digits goes with the date in a column of its own.
func TestTimesInDigitsWithDates(t *testing.T) {
	pairs := func(step time.Duration, n int, date, clock func(at time.Time) string) []string {
		return at("2024-05-01 22:00:00", step, n, func(at time.Time) string { return date(at) + "," + clock(at) })
	}
	plainDay := func(at time.Time) string { return fmt.Sprint(at.Hour()*3600 + at.Minute()*60 + at.Second()) }
	layout := func(text string) func(time.Time) string { return func(at time.Time) string { return at.Format(text) } }
	for name, c := range map[string]struct {
		heading string
		pairs   []string
		step    float64
		form    string
	}{
		"HHMM":              {"Date,Time", pairs(time.Minute, 300, as("20060102"), as("1504")), 60, "HHMM"},
		"HHMM by the hour":  {"Date,Time", pairs(hour, 60, as("20060102"), as("1504")), 3600, "HHMM"},
		"a date with signs": {"date,time", pairs(hour, 60, layout("2006-01-02"), as("1504")), 3600, "HHMM"},
		"days first":        {"date,time", pairs(hour, 600, layout("02/01/2006"), as("1504")), 3600, "HHMM"},
		"HHMMSS":            {"Date,Time", pairs(30*time.Second, 400, as("20060102"), as("150405")), 30, "HHMMSS"},
		"H.MM":              {"Datum,Zeit", pairs(10*time.Minute, 60, layout("02.01.2006"), as("15.04")), 600, "H.MM"},
		"seconds": {"date,time", pairs(10*time.Minute, 60, layout("02.01.2006"), plainDay), 600,
			"seconds of the day"},
		"as headings": {"YYYYMMDD,HHMM", pairs(time.Minute, 300, as("20060102"), as("1504")), 60, "HHMM"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := stamped(t, c.heading, c.pairs)
			s, err := read(t, []string{folder}, Options{})
			require.NoError(t, err)
			assert.Contains(t, s.readAs(), " as time "+c.form)
			date, clock, _ := strings.Cut(c.heading, ",")
			want := []string{fmt.Sprintf("column %s … times of day … %s … column %s", clock, c.form, date)}
			if name == "days first" {
				want = append(want, "dates such as 01/05/2024 … day first … 26/05/2024 … tells")
			}
			messagetest.EachNames(t, s.noteTexts(), want...)
			for i := range s.samples[0].Times[1:] {
				require.InDelta(t, c.step, s.samples[0].Times[i+1]-s.samples[0].Times[i], 1e-6, "step %d", i)
			}
			assert.Less(t, math.Abs(s.samples[0].Times[0]-1714600800), 1.)
			_, d := imported(t, Options{}, folder)
			alike(t, Options{}, d, folder)
		})
	}
	elapsed := pairs(time.Minute, 300, as("20060102"),
		func(at time.Time) string { return fmt.Sprint(at.Unix() - 1714600800) })
	s, err := read(t, []string{stamped(t, "date,time", elapsed)}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 60, 120}, s.samples[0].Times[:3])
	assert.Equal(t, 299*60., s.samples[0].Times[299])
	ticks := pairs(hour, 60, as("20060102"), func(at time.Time) string { return fmt.Sprint(99000000 + at.Hour()) })
	messagetest.Names(t, refused(t, Options{}, stamped(t, "date,time", ticks)),
		"column date … column time … 99000009 … 23:59:59")
}
