package recordings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// timed writes four recordings of two classes, whose times are a function of the line.
func timed(t *testing.T, lines int, at func(line int) any) (folder string) {
	folder = t.TempDir()
	for i := range 4 {
		text := "time,a\n"
		for line := range lines {
			text += fmt.Sprintf("%v,%d\n", at(line), (line*line+i)%7)
		}
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), text)
	}
	return folder
}

// A pause is no even series: it is refused, or left out by windows. A stamp of a clock that was not set yet is named.
func TestPauses(t *testing.T) {
	pause := timed(t, 400, func(line int) any { return float64(line)/100 + 600*float64(line/200) })
	messagetest.Names(t, refused(t, Options{}, pause),
		"0.csv … measured … 1.99 to 602 … 6e+04 times … windows")
	result, d := imported(t, cutting(t, "1s", ""), pause)
	assert.Equal(t, []int{16, 100}, []int{result.Samples, result.Timepoints.Longest})
	assert.Len(t, d.Series, 16)
	alike(t, cutting(t, "1s", ""), d, pause)
	all, _, err := ReadUnlabelled(t.Context(), []string{pause}, d.Form) // as predict and the server do
	require.NoError(t, err)
	_, _, err = d.Form.Series(all[0])
	messagetest.Names(t, err, "0.csv … measured … 1.99 to 602")
	for at, line := range map[int]string{0: "0 to 1700000000.01", 99: "1700000000.98 to 3400000000"} {
		stray := timed(t, 100, func(line int) any {
			if line == at {
				return 3.4e9 * float64(at/99)
			}
			return fmt.Sprintf("%.2f", 1.7e9+float64(line)/100)
		})
		message := refused(t, Options{}, stray)
		messagetest.Names(t, message, line)
		messagetest.Names(t, message, "clock … leave its line out")
	}
	// Even times, and times of which many are missing, are no pause.
	for _, at := range []func(line int) any{
		func(line int) any { return line }, func(line int) any { return line * line },
		func(line int) any { return line + line/3*5 },
	} {
		imported(t, Options{}, timed(t, 40, at))
	}
}

// Where the values of a file are not those of the series, because they are resampled, the import says so.
func TestResamplingIsTold(t *testing.T) {
	at := func(times ...float64) func(line int) any { return func(line int) any { return times[line] } }
	uneven, _ := imported(t, Options{}, timed(t, 6, at(0, 1, 1.5, 3, 4.5, 5)))
	messagetest.Names(t, strings.Join(uneven.Notes, "\n"), "uneven … 4 of 4")
	folder := timed(t, 6, at(0, 1, 2, 3, 4, 5))
	even, _ := imported(t, Options{}, folder)
	assert.Empty(t, even.Notes)
	put(t, folder, "u/5.csv", "time,a\n0,1\n0.5,3\n1,2\n1.5,1\n")
	rate, _ := imported(t, Options{}, folder)
	messagetest.Names(t, strings.Join(rate.Notes, "\n"),
		"1 of 5 … "+folder+"/u/5.csv … rate … resampled … time points 1 of time")
}

// One step back is a clock that was set; lines in any order are put in order.
func TestClocksThatGoBack(t *testing.T) {
	winter := func(line int) any {
		minute := 2*60 + 50 + line
		if line >= 10 {
			minute -= 60
		}
		return fmt.Sprintf("2024-10-27 %02d:%02d:00", minute/60, minute%60)
	}
	messagetest.Names(t, refused(t, Options{}, timed(t, 40, winter)),
		"0.csv, line 12 … back … 2024-10-27 02:59:00 to 2024-10-27 02:00:00 … cut")
	messagetest.Names(t, refused(t, Options{}, timed(t, 60, func(line int) any { return line % 30 })),
		"line 32 … back … 29 to 0")
	messagetest.Names(t, refused(t, Options{},
		timed(t, 60, func(line int) any {
			if line == 4 {
				return 104
			}
			return line
		})),
		"line 7 … back … 104 to 5", "one wrong time is no place at the end")
	for moved, at := range map[int]func(line int) any{59: func(line int) any { return 60 - line },
		47: func(line int) any { return line * 7 % 61 },
		4: func(line int) any {
			if line/8 == 3 { // these change places in pairs
				return line ^ 1
			}
			return line
		}} {
		result, _ := imported(t, Options{}, timed(t, 60, at))
		order := slices.DeleteFunc(result.Notes, func(note string) bool { return strings.Contains(note, "are uneven") })
		require.Len(t, order, 1, "one note for all files")
		messagetest.Names(t, order[0], fmt.Sprintf("order … %d of 60", moved))
		messagetest.Names(t, order[0], "0.csv … in order … 4 in all")
	}
}

// What stands in the place of a file is not left out in silence.
func TestFilesThatAreNotThere(t *testing.T) {
	folder := timed(t, 20, func(line int) any { return line })
	link := filepath.Join(folder, "u", "9.csv")
	if err := os.Symlink("../.git/annex/objects/9.csv", link); err != nil {
		t.Skip("no links here")
	}
	messagetest.Names(t, refused(t, Options{}, folder), link+" … link to nothing … git annex get … dvc pull")
	require.NoError(t, os.Remove(link))
	for _, name := range []string{"9.csv", "9.npy", "9.parquet", "9.xlsx"} {
		pointer := put(t, folder, "u/"+name, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n")
		messagetest.Names(t, refused(t, Options{}, folder), name+" … git-lfs … git lfs pull")
		require.NoError(t, os.Remove(pointer))
	}
	for _, name := range []string{"9.csv.bz2", "9.csv.zst", "9.parquet.zip"} {
		other := put(t, folder, "u/"+name, "x")
		messagetest.Names(t, refused(t, Options{}, folder), name+" … packed … .gz")
		messagetest.Names(t, refused(t, Options{}, other), "packed as .gz")
		require.NoError(t, os.Remove(other))
	}
	put(t, folder, "u/readme.md.zip", "x")
	imported(t, Options{}, folder)
}

// Axes go by their names, whatever their order is.
func TestAxesInAnyOrder(t *testing.T) {
	folder := t.TempDir()
	for i := range 4 {
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), "hip.x,hip.y,head.y,head.x\n"+many(3, "100,200,201,101"))
	}
	result, d := importedAt(t, 3, Options{Origin: "hip"}, folder)
	assert.Equal(t, []float32{0, 0, 1, 1}, signal(d, 0)[:4])
	assert.Empty(t, result.Notes, "all files have one order")
}

// Names that look alike are one, or are told of.
func TestNamesThatLookAlike(t *testing.T) {
	folder := t.TempDir()
	for i, class := range []string{"caf\u00e9", "cafe\u0301", "bar", "bar"} {
		put(t, folder, fmt.Sprintf("%s/%d.csv", class, i), "x,y\n1,3\n1,2\n")
	}
	s, err := read(t, []string{folder}, Options{})
	require.NoError(t, err)
	assert.Equal(t, "caf\u00e9", s.samples[3].label)
	assert.Equal(t, s.samples[2].label, s.samples[3].label)
	text := "x,y,label,who\n"
	for i, class := range []string{"1", "1.0", "Rest", "rest", "nan", "2"} {
		text += fmt.Sprintf("%d,3,%s,%s\n%[1]d,2,%[3]s,anna\n", i*i, class, []string{"Anna", "ben"}[i%2])
	}
	result, err := Import(t.Context(), []string{put(t, t.TempDir(), "r.csv", text)},
		filepath.Join(t.TempDir(), "r.npz"), Options{Group: "who"})
	require.NoError(t, err)
	notes := strings.Join(result.Notes, "\n")
	for _, want := range []string{`class "1" … "1.0" … one`, `class "Rest" … "rest" … one`,
		`class "nan" … missing value`, `group "Anna" … "anna" … one`} {
		messagetest.Names(t, notes, want)
	}
}

// Values far from zero are told of before float32 rounds them.
func TestValuesFarFromZero(t *testing.T) {
	folder := t.TempDir()
	for i := range 8 {
		text := "east,north\n"
		for line := range 20 {
			text += fmt.Sprintf("%.4f,%.4f\n", 5.4e6+0.08*float64(line*line%7+i%2), 5.4e6+float64(line%5)/10)
		}
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), text)
	}
	result, _ := imported(t, Options{}, folder)
	require.Len(t, result.Notes, 1)
	messagetest.Names(t, result.Notes[0], `"east" … 5400000 to 5400000.32`)
	messagetest.Names(t, result.Notes[0], `constant … --origin "east"`)
	result, d := imported(t, Options{Origin: "east"}, folder)
	assert.Empty(t, result.Notes)
	assert.InDelta(t, 0.08, d.Series[0][2], 1e-6)
}

// The first frames of a body that is not tracked yet are no origin.
func TestOriginNotTrackedYet(t *testing.T) {
	folder := t.TempDir()
	for i := range 4 {
		put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i),
			"hip.x,hip.y,head.x,head.y\n0,0,0,0\n"+many(3, "100,200,101,201"))
	}
	result, d := importedAt(t, 4, Options{Origin: "hip"}, folder)
	assert.Equal(t, []float32{0, 0, 1, 1}, signal(d, 0)[4:8])
	require.Len(t, result.Notes, 1)
	messagetest.Names(t, result.Notes[0], `"hip" … origin … is 0 … first time points`)
	assert.Contains(t, result.Notes[0], "(4 in all)")
}

// Lines end as old Macs ended them, letters have four bytes, and the UCR archive has no headings.
func TestRareText(t *testing.T) {
	lines := "time,x\n0,1\n1,3\n2,4\n"
	wide := []byte{0xff, 0xfe, 0, 0}
	for _, letter := range lines {
		wide = append(wide, byte(letter), 0, 0, 0)
	}
	for as, text := range map[string]string{"commas": strings.ReplaceAll(lines, "\n", "\r"),
		"commas, UTF-32": string(wide)} {
		folder := t.TempDir()
		put(t, folder, "u/1.csv", text)
		put(t, folder, "v/1.csv", lines)
		s, err := read(t, []string{folder}, Options{})
		require.NoError(t, err)
		assert.Equal(t, []float64{1, 3, 4}, s.samples[0].Values)
		assert.Contains(t, s.readAs(), as)
	}
	folder := t.TempDir()
	put(t, folder, "Beef_TRAIN.tsv", "1\t0.5\t1.25\tNaN\n-1\t2\t3\t4\n")
	test := put(t, folder, "Beef_TEST.tsv", "-1\t7\t8\t9\n")
	s, err := read(t, []string{folder}, Options{})
	require.NoError(t, err)
	var got string
	for _, x := range s.samples {
		got += fmt.Sprint(x.label, x.Values, x.test, " ")
	}
	assert.Equal(t, "1[0.5 1.25 NaN] -1[2 3 4] -1[7 8 9]the files ", got)
	s, err = readKnown(t, []string{test}, s.settingsForAlike(), s.chosen.sensors, 1)
	require.NoError(t, err)
	assert.Equal(t, []float64{7, 8, 9}, s.samples[0].Values)
}

// A value far outside all others is told of: instruments write it where they measured nothing.
func TestFillValues(t *testing.T) {
	for value, want := range map[string]string{"-9999": "-9999", "9.96921e36": "9.96921e+36", "5": ""} {
		folder := t.TempDir()
		for i := range 4 {
			text := "a,b\n" + value + ",1\n"
			for line := range 20 {
				text += fmt.Sprintf("%d,%d\n", (line*line+i)%7, line%5)
			}
			put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), text)
		}
		result, _ := imported(t, Options{}, folder)
		if want == "" {
			assert.Empty(t, result.Notes)
			continue
		}
		messagetest.EachNames(t, result.Notes, `sensor "a" is `+want+" … 4 of 84 … --gap "+want)
		gap, err := strconv.ParseFloat(value, 64)
		require.NoError(t, err)
		result, d := imported(t, Options{Gaps: []float64{gap, -55}}, folder)
		messagetest.EachNames(t, result.Notes, "--gap -55 … no recording")
		assert.Equal(t, 4, result.Filled.Interpolated)
		alike(t, Options{}, d, folder)
	}
}

// A second is what the headings of times say, in the import and in predict. Times in several units are refused or told
// of.
func TestUnitsOfTimes(t *testing.T) {
	for heading, step := range map[string]float64{"time_ms": 10, "time [s]": 0.01, "T [us]": 1e4, "millis": 10,
		"time_min": 0.01 / 60} {
		folder := timed(t, 400, func(line int) any { return float64(line) * step })
		for i := range 4 {
			path := fmt.Sprintf("%s/%c/%d.csv", folder, 'u'+i%2, i)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			put(t, path, "", strings.Replace(string(text), "time", heading, 1))
		}
		o := cutting(t, "1s", "500ms")
		result, d := imported(t, o, folder)
		assert.Equal(t, []int{28, 100}, []int{result.Samples, result.Timepoints.Longest}, heading)
		alike(t, o, d, folder)
		messagetest.Names(t, refused(t, cutting(t, "5s", ""), folder), "length is 4s … 5s")
		other := put(t, folder, "u/5.csv", "time_ns,a\n1,2\n2,2\n")
		messagetest.Names(t, refused(t, Options{}, folder), "5.csv … column time_ns … another unit")
		_, _, err := ReadUnlabelled(t.Context(), []string{other}, d.Form)
		messagetest.Names(t, err, "5.csv … column time_ns … another unit")
	}
	for _, per := range []int{1, 1e3, 1e6, 1e9} { // since 1970
		folder := timed(t, 400, func(line int) any { return (1_700_000_000 + line) * per })
		o := cutting(t, "100s", "")
		result, d := imported(t, o, folder)
		assert.Equal(t, []int{16, 100}, []int{result.Samples, result.Timepoints.Longest}, per)
		alike(t, o, d, folder)
	}
	// Without headings that say so, the spacing tells.
	folder := timed(t, 40, func(line int) any { return line })
	put(t, folder, "u/5.csv", "time,a\n0,1\n10,3\n20,2\n30,1\n")
	result, _ := imported(t, Options{}, folder)
	require.Len(t, result.Notes, 2)
	messagetest.Names(t, result.Notes[1], "1 of 5 … "+folder+"/u/5.csv … rate … resampled")
	messagetest.Names(t, result.Notes[0], "time points … 10 … training's 1 of time; … another unit")
	put(t, folder, "u/5.csv", "time,a\n0,1\n1000,3\n2000,2\n3000,1\n")
	messagetest.Names(t, refused(t, Options{}, folder), "5.csv … 1000 … training's 1 of time; … give … unit")
	// Groups of lines that come together have no step.
	groups := timed(t, 60, func(line int) any { return line/3*1000 + line%3 })
	messagetest.Names(t, refused(t, Options{}, groups), "0.csv … groups … 1 apart … 998")
}

// Where a body is tracked, time points at which every joint is 0 are missing: at the ends they are cut off, in between
// they are filled. Predict and the server, which have the form, do the same.
func TestTimePointsWithoutABodyAreMissing(t *testing.T) {
	const tracked = "100,200,101,201\n102,202,104,203\n"
	body := "hip.x,hip.y,head.x,head.y\n0,0,0,0\n0,0,0,0\n" + tracked + "0,0,0,0\n" + tracked + "0,0,0,0\n"
	for name, o := range map[string]Options{"origin": {Origin: "hip"}, "origin in the second place": {Origin: "head"}} {
		folder := t.TempDir()
		for i := range 4 {
			put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), body)
		}
		result, d := importedAt(t, 5, o, folder)
		assert.Equal(t, 5, result.Timepoints.Longest, name)
		assert.Equal(t, recording.Changes{Interpolated: 4 * 4}, result.Filled.Changes, name)
		at := [2]float32{100, 200}
		if o.Origin == "head" {
			at = [2]float32{101, 201}
		}
		want := []float32{100, 200, 101, 201, 102, 202, 104, 203, 101, 201, 102.5, 202, 100, 200, 101, 201, 102,
			202, 104, 203}
		for i := range want {
			want[i] -= at[i%2]
		}
		assert.Equal(t, want, signal(d, 0), name)
		again, _, err := ReadUnlabelled(t.Context(), []string{put(t, t.TempDir(), "new.csv", body)}, d.Form)
		require.NoError(t, err)
		series, notes, err := d.Form.Series(again[0])
		require.NoError(t, err)
		assert.Equal(t, want, series, name)
		messagetest.Names(t, notes[0], "missing values … cut off … ends")
		_, _, err = d.Form.Series(recording.Recording{Values: make([]float64, 12)})
		messagetest.Names(t, err, "never tracked … remove the sample")
		old := *d.Form
		old.Untracked = false
		series, _, err = old.Series(again[0])
		require.NoError(t, err)
		assert.Len(t, series, 8*4, "a form of 0.1.0")
	}
}

// Elsewhere 0 is a value. Who has zeros at the ends of recordings and nowhere else is asked.
func TestZerosAreValuesUnlessABodyIsTracked(t *testing.T) {
	for name, c := range map[string]struct {
		rows  string
		asked bool
		left  int // time points with --gap 0: a begin without values keeps its place, an end is cut off
	}{
		"rain":         {"0,0\n1,2\n0,3\n4,0\n0,0\n", false, 0},
		"not on":       {"0,0\n0,0\n1,2\n3,4\n", true, 4},
		"off too soon": {"1,2\n3,4\n0,0\n", true, 2},
		"no zeros":     {"1,2\n3,4\n", false, 0},
	} {
		folder := t.TempDir()
		for i := range 4 {
			put(t, folder, fmt.Sprintf("%c/%d.csv", 'u'+i%2, i), "left,right\n"+c.rows)
		}
		rows := strings.Count(c.rows, "\n")
		result, _ := imported(t, Options{}, folder)
		assert.Equal(t, rows, result.Timepoints.Longest, name)
		notes := strings.Join(result.Notes, "\n")
		assert.Equal(t, c.asked,
			strings.Contains(notes, "every sensor is 0"), "%s: %s", name, notes)
		if c.asked {
			result, _ = imported(t, Options{Gaps: []float64{0}}, folder)
			assert.Equal(t, c.left, result.Timepoints.Longest, name)
			assert.NotContains(t, strings.Join(result.Notes, "\n"), "every sensor is 0")
		}
	}
}
