package recordings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// counting writes recordings whose values count their lines, at times in the order of the lines.
func counting(t *testing.T, times []string) (folder string) {
	folder = t.TempDir()
	for i := range 4 {
		text := "time,a,b\n"
		for line, at := range times {
			text += fmt.Sprintf("%s,%d,%d\n", at, line*line%11+i, line*7%5)
		}
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), text)
	}
	return folder
}

// clocked are times of lines at a step, of a clock that is set by a jump before line at and never again.
func clocked(n int, step, jump float64, at int) (times []string) {
	for line := range n {
		time := step * float64(line)
		if line >= at {
			time += jump
		}
		times = append(times, fmt.Sprintf("%.9g", time))
	}
	return times
}

// A clock that is set back, by a few lines or many, is refused at its line: its values would stand between those of
// other times.
func TestClocksSetBack(t *testing.T) {
	local := func(n, minutes int) (times []string) { // the end of summer time
		for line := range n {
			minute := line * minutes
			if minute >= 180 {
				minute -= 60
			}
			times = append(times, fmt.Sprintf("2024-10-27 %02d:%02d", minute/60, minute%60))
		}
		return times
	}
	for name, c := range map[string]struct {
		times []string
		line  int
		jump  string
	}{
		"by two lines":              {clocked(60, 1, -2, 40), 42, "from 39 to 38"},
		"by a line and a half":      {clocked(60, 0.5, -1.25, 40), 42, "from 19.5 to 18.75"},
		"by four lines, soon":       {clocked(60, 1, -4, 6), 8, "from 5 to 2"},
		"by an hour, of few lines":  {local(24, 15), 14, "from 2024-10-27 02:45 to 2024-10-27 02:00"},
		"by half an hour in a few":  {clocked(14, 600, -1800, 8), 10, "from 4200 to 3000"},
		"by many lines":             {clocked(60, 1, -25.5, 40), 42, "from 39 to 14.5"},
		"twice":                     {append(clocked(30, 1, -3, 20), clocked(60, 1, -6, 0)[30:]...), 22, "from 19 to 17"},
		"on for two lines and back": {append(clocked(30, 1, 5, 28), clocked(60, 1, 0, 0)[30:]...), 32, "from 34 to 30"},
	} {
		text := refused(t, Options{}, counting(t, c.times))
		messagetest.Names(t, text, fmt.Sprintf("0.csv, line %d … back … %s … clock", c.line, c.jump), name)
	}
}

// Lines that come late, or in any order, are put in order, and their number is told. The values go with their times.
func TestLinesInAnyOrder(t *testing.T) {
	swapped := clocked(60, 1, 0, 0)
	swapped[10], swapped[11] = swapped[11], swapped[10]
	late := clocked(60, 1, 0, 0)
	late = append(append(append([]string{}, late[:20]...), late[25:32]...),
		append(append([]string{}, late[20:25]...), late[32:]...)...)
	var shuffled []string
	for line := range 60 {
		shuffled = append(shuffled, fmt.Sprint(line*37%60))
	}
	newest := clocked(60, 1, 0, 0)
	for i := range 30 {
		newest[i], newest[59-i] = newest[59-i], newest[i]
	}
	for name, c := range map[string]struct {
		times []string
		moved int
	}{
		"two packets": {swapped, 1}, "a late burst": {late, 5}, "the newest first": {newest, 59}, "shuffled": {shuffled, 0},
		"a step back of less than a line": {clocked(60, 1, -1.3, 40), 1},
	} {
		s, err := read(t, []string{counting(t, c.times)}, Options{})
		require.NoError(t, err, name)
		require.Len(t, s.noteTexts(), 1, name)
		if c.moved > 0 {
			messagetest.Names(t, s.noteTexts()[0], fmt.Sprintf("order … %d of 60", c.moved), name)
		}
		x := s.samples[0]
		for line, at := range c.times {
			place := -1
			for i, time := range x.Times {
				if fmt.Sprintf("%.9g", time) == at {
					place = i
				}
			}
			require.GreaterOrEqual(t, place, 0, name)
			assert.Equal(t, float64(line*line%11), x.Values[2*place], name)
		}
	}
}

// Lines that came twice are taken once, and their number is told. Other values at the same time are no such lines.
func TestResentLines(t *testing.T) {
	folder := t.TempDir()
	lines := []string{"0,1,2", "1,2,", "2,3,1", "3,1,1", "4,2,9"}
	again := []string{"0,1,2", "1,2,", "1,2,", "2,3,1", "3,1,1", "2,3,1", "3,1,1", "4,2,9"}
	for i, text := range [][]string{lines, again, lines, again} {
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), "time,a,b\n"+strings.Join(text, "\n")+"\n")
	}
	result, d := imported(t, Options{}, folder)
	require.Len(t, result.Notes, 1)
	messagetest.Names(t, strings.ReplaceAll(result.Notes[0], `\`, "/"), "left out … 6 lines … line 4 of "+folder+"/v/1.csv")
	assert.Equal(t, d.Series[0], d.Series[2])
	alike(t, Options{}, d, folder)
	long := "sample,time,sensor,value,label\n"
	for i := range 4 {
		for at := range 5 {
			long += many(1+at%2, fmt.Sprintf("%d,%d,a,%d,%c", i, at, at*at, 'u'+i%2)) + fmt.Sprintf("%d,%d,b,%d,%c\n", i, at,
				at+1, 'u'+i%2)
		}
	}
	result, _ = imported(t, Options{}, put(t, t.TempDir(), "long.csv", long))
	require.Len(t, result.Notes, 1)
	messagetest.Names(t, result.Notes[0], "left out … 8 lines … time and the values … line 5")

	for name, text := range map[string]string{"other values": "0,1,2\n1,2,3\n1,2,4\n2,3,4\n",
		"a clock that stood still": "1,2,3\n1,2,3\n1,2,3\n1,2,3\n"} {
		other := t.TempDir()
		put(t, other, "u/1.csv", "time,a,b\n"+text)
		put(t, other, "v/1.csv", "time,a,b\n"+text)
		messagetest.Names(t, refused(t, Options{}, other), "this time already", name)
	}
}

// A clock that is set back is seen in a table with a line for each reading, too, whose lines may be sorted by their
// sensors.
func TestReadingsOfAClockSetBack(t *testing.T) {
	table := func(bySensor bool, jump int) string {
		var lines [2][]string
		for at := range 30 {
			for k, sensor := range []string{"a", "b"} {
				time := 10 * at
				if at >= 15 {
					time -= jump
				}
				lines[k] = append(lines[k], fmt.Sprintf("1,%d,%s,%d,u\n", time+k, sensor, at*at%7))
			}
		}
		text := "sample,time,sensor,value,label\n"
		if bySensor {
			text += strings.Join(append(lines[0], lines[1]...), "")
		} else {
			for at := range lines[0] {
				text += lines[0][at] + lines[1][at]
			}
		}
		return text + strings.ReplaceAll(strings.ReplaceAll(text[strings.Index(text, "\n")+1:], "1,", "2,"), "u", "v")
	}
	for _, bySensor := range []bool{false, true} {
		s, err := read(t, []string{put(t, t.TempDir(), "a.csv", table(bySensor, 0))}, Options{})
		require.NoError(t, err)
		assert.Empty(t, s.noteTexts())
		line := 32
		if bySensor {
			line = 17
		}
		messagetest.Names(t, refused(t, Options{}, put(t, t.TempDir(), "a.csv", table(bySensor, 35))),
			fmt.Sprintf("line %d … back … 140 to 115", line))
	}
}
