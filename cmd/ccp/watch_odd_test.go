package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is odd in a stream is told once, and does not end what is watched.
func TestWatchOdd(t *testing.T) {
	dir := watched(t)
	lines, _ := annotated(2, 8, false)
	code, plain, plainly := watchStream(t, lines, "--checkpoint", dir)
	require.Zero(t, code, plainly)

	t.Run("rows that are not later", func(t *testing.T) {
		late := slices.Insert(slices.Clone(lines), 501, lines[500], lines[500][:strings.Index(lines[500], ",")]+",9,9",
			lines[490])
		code, stdout, stderr := watchStream(t, late, "--checkpoint", dir)
		require.Zero(t, code, stderr)
		assert.Equal(t, plain, stdout, "nothing begins anew")
		messagetest.Names(t, stderr, "left out … repeats … 24.95 … 24.95 … other values … 0 gaps … 1 row … 2 rows")
		assert.NotContains(t, stderr, "set back")

		back := append(slices.Clone(lines), lines[1:500]...)
		code, _, stderr = watchStream(t, back, "--checkpoint", dir)
		require.Zero(t, code, stderr)
		messagetest.Names(t, stderr, "set back … 1 gap")

		known, _ := annotated(2, 8, true)
		known = slices.Insert(known, 501, known[500])
		path := write(t, filepath.Join(t.TempDir(), "twice.csv"), strings.Join(known, "\n")+"\n")
		code, _, stderr = execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", path, "--label", "activity")
		require.Zero(t, code, stderr)
		messagetest.Names(t, stderr, "left out: 1 line")
	})

	t.Run("values unlike the training's", func(t *testing.T) {
		code, _, stderr := watchStream(t, mapped(lines, func(at int, c []string) {
			c[1] += "e2"
			if at > 800 {
				c[2] = "0.5"
			}
		}), "--checkpoint", dir)
		require.Zero(t, code, stderr)
		messagetest.Names(t, stderr, `warning … "ax" … another unit … warning … "ay" … stuck`)
		assert.Equal(t, 2, strings.Count(stderr, "warning"), "one of each sensor")
	})

	t.Run("gaps", func(t *testing.T) {
		code, stdout, stderr := watchStream(t, mapped(lines, func(at int, c []string) {
			if at >= 500 {
				c[0] = "36" + c[0]
			}
		}), "--checkpoint", dir, "--json")
		require.Zero(t, code, stderr)
		assert.Equal(t, 1, strings.Count(stdout, `"class":"","probability":0,"gap":true`), stdout)
		assert.Equal(t, 1, strings.Count(stderr, "a gap before"))
		messagetest.Names(t, stderr, "1 gap")

		code, stdout, stderr = watchStream(t, mapped(lines, func(at int, c []string) {
			if at >= 500 && at < 600 {
				c[2] = ""
			}
		}), "--checkpoint", dir)
		require.Zero(t, code, stderr)
		assert.Contains(t, stdout, "\n26,,,\n", "told when the first window without ay has come")
		messagetest.Names(t, stderr, "left out … ay … 1 gap\n")
	})

	t.Run("a gap before the first window", func(t *testing.T) {
		late := mapped(lines, func(at int, c []string) {
			if at >= 10 {
				c[0] = fmt.Sprintf("%.2f", 3600+float64(at)/20)
			}
		})
		code, stdout, stderr := watchStream(t, late, "--checkpoint", dir)
		require.Zero(t, code, stderr)
		assert.Equal(t, "3600.5,,,", strings.Split(stdout, "\n")[1])
		messagetest.Names(t, stderr, "a gap before time 3600.5 … 1 gap (3,600 windows missing)")
		assert.Equal(t, 1, strings.Count(stderr, "a gap before"))
	})

	t.Run("no whole window", func(t *testing.T) {
		code, stdout, stderr := watchStream(t, lines[:30], "--checkpoint", dir)
		require.Zero(t, code, stderr)
		assert.Empty(t, stdout)
		messagetest.Names(t, stderr, "no class … window of 2s … 29 rows … 0 windows")
		assert.NotContains(t, plainly, "no class")
	})

	t.Run("a lag at the end", func(t *testing.T) {
		code, stdout, stderr := watchStream(t, lines[:595], "--checkpoint", dir, "--lag", "3", "--raw") // to 29.65
		require.Zero(t, code, stderr)
		rows := strings.Split(strings.TrimSpace(stdout), "\n")
		for _, row := range rows[len(rows)-4:] {
			assert.True(t, strings.HasPrefix(row, "29,"), row)
		}
	})

	t.Run("eval at another rate, and with a pause", func(t *testing.T) {
		known, _ := annotated(2, 8, true)
		known = known[:(len(known)-1)/2*2+1]
		judge := func(lines []string) (judged streamsJSON, text string) {
			path := write(t, filepath.Join(t.TempDir(), "known.csv"), strings.Join(lines, "\n")+"\n")
			eval := []string{"eval", "--backend", "go", "--checkpoint", dir, "--data", path, "--label", "activity"}
			decode(t, succeed(t, append(eval, "--json")...), &judged)
			return judged, succeed(t, eval...)
		}
		seconds := float64(len(known)-1) / 20
		all, text := judge(known)
		assert.InDelta(t, seconds, *all.Hours*3600, 1e-6)
		messagetest.Names(t, text, "1 stream … h recorded … false alarms an hour … s after they begin … s on each side")
		var half []string
		for i, line := range known {
			if i == 0 || i%2 == 1 {
				half = append(half, line)
			}
		}
		slow, _ := judge(half)
		assert.InDelta(t, seconds, *slow.Hours*3600, 1e-6)
		assert.InDelta(t, *all.Delay, *slow.Delay, 1)
		path := write(t, filepath.Join(t.TempDir(), "half.csv"), strings.Join(half, "\n")+"\n")
		_, _, stderr := execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", path, "--label", "activity")
		messagetest.Names(t, stderr, "warning: half.csv … 10 a second … 20")
		paused, _ := judge(mapped(known, func(at int, c []string) {
			if at >= 500 {
				c[0] = fmt.Sprintf("%.2f", 3600+float64(at)/20)
			}
		}))
		assert.InDelta(t, seconds, *paused.Hours*3600, 1e-6)
	})

	t.Run("changes of class across pauses", func(t *testing.T) {
		known, changes := annotated(2, 8, true)
		apart, class, shift := []string{known[0]}, "", 0.0
		for _, line := range known[1:] {
			cells := strings.Split(line, ",")
			if cells[3] == "" {
				continue
			}
			if class != "" && cells[3] != class {
				shift += 60
			}
			class = cells[3]
			at, err := strconv.ParseFloat(cells[0], 64)
			require.NoError(t, err)
			cells[0] = fmt.Sprintf("%.2f", at+shift)
			apart = append(apart, strings.Join(cells, ","))
		}
		path := write(t, filepath.Join(t.TempDir(), "apart.csv"), strings.Join(apart, "\n")+"\n")
		var judged streamsJSON
		decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", path, "--label", "activity", "--json"),
			&judged)
		assert.Equal(t, []int{changes, changes, changes}, []int{judged.Changes, judged.Told, judged.Raw})
		code, _, stderr := watchStream(t, apart, "--checkpoint", dir)
		require.Zero(t, code, stderr)
		messagetest.Names(t, stderr, fmt.Sprintf("%d changes … %d by windows … %d gaps", changes, changes, changes))
	})

	t.Run("many gaps in eval", func(t *testing.T) {
		known, _ := annotated(2, 8, true)
		path := write(t, filepath.Join(t.TempDir(), "gaps.csv"), strings.Join(mapped(known, func(at int, c []string) {
			c[0] = fmt.Sprintf("%.2f", float64(at)/20+100*float64(at/200))
		}), "\n")+"\n")
		_, _, stderr := execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", path, "--label", "activity")
		assert.Equal(t, 5, strings.Count(stderr, "a gap before"))
		messagetest.Names(t, stderr, "more such lines")
	})

	t.Run("a column more", func(t *testing.T) {
		more := mapped(lines, func(_ int, c []string) { c[2] += ",5" })
		more[0] += ",temp"
		code, stdout, stderr := watchStream(t, more, "--checkpoint", dir)
		require.Zero(t, code, stderr)
		assert.Equal(t, plain, stdout)
		assert.Equal(t, 1, strings.Count(stderr, "sensor temp was not in the training data"), stderr)
	})

	t.Run("a fourth of the rate", func(t *testing.T) {
		slow := []string{lines[0]}
		for i := 1; i < len(lines); i += 4 {
			slow = append(slow, lines[i])
		}
		code, stdout, stderr := watchStream(t, slow, "--checkpoint", dir, "--raw")
		require.Zero(t, code, stderr)
		messagetest.Names(t, stderr, "warning … 5 a second … 20 … resampled … 0 gaps")
		assert.NotContains(t, stderr, "a gap before")
		assert.NotContains(t, stderr, "missing")
		path := write(t, filepath.Join(t.TempDir(), "slow.csv"), strings.Join(slow, "\n")+"\n")
		code, predicted, told := execute(t, "predict", "--backend", "go", "--checkpoint", dir, "--window", "2s", "--step",
			"1s", path)
		require.Zero(t, code, told)
		messagetest.Names(t, told, "slow.csv … 5 a second … 20 … resampled")
		assert.NotContains(t, told, "unit")
		watched := strings.Split(strings.TrimSpace(stdout), "\n")
		windows := strings.Split(strings.TrimSpace(predicted), "\n")
		require.Len(t, watched, len(windows)-1, "predict has the recording as a whole, too")
		for i, line := range watched[1:] {
			of := strings.Split(windows[i+1], ",")
			assert.Contains(t, line, strings.Join(of[1:4], ","))
		}

		far := mapped(slow, func(at int, c []string) { c[0] = fmt.Sprint(3 * at) })
		code, _, stderr = watchStream(t, far, "--checkpoint", dir)
		assert.Equal(t, 1, code)
		messagetest.Names(t, stderr, "3 of time apart … window of 2s … unit")
		code, _, stderr = watchStream(t, slow, "--checkpoint", dir, "--window", "0.15s", "--step", "0.15s")
		assert.Equal(t, 1, code)
		messagetest.Names(t, stderr, "0.2 of time apart … window of 0.15s … longer windows")
		assert.NotContains(t, stderr, "unit")
	})

	t.Run("times in ms", func(t *testing.T) {
		code, _, stderr := watchStream(t, mapped(lines, func(at int, c []string) { c[0] = fmt.Sprint(50 * at) }),
			"--checkpoint", dir)
		assert.Equal(t, 1, code)
		messagetest.Names(t, stderr, "50 of time apart … window of 2s … 0.05")
		assert.NotContains(t, stderr, "gap")
		fine := mapped(lines, func(at int, c []string) { c[0] = fmt.Sprintf("%.6f", float64(at)/2e4) })
		code, _, stderr = watchStream(t, fine, "--checkpoint", dir)
		assert.Equal(t, 1, code)
		messagetest.Names(t, stderr, "0.05 of time … ccp watch … --window … --step")
		assert.NotContains(t, stderr, "data import", "the flags are those of watch")
	})
}

// A training without times counts time points, and a stream of it may have times all the same: what is told is in
// these, and what eval says in time points.
func TestWatchUntimed(t *testing.T) {
	folder := t.TempDir()
	bare := func(lines []string) (all []string) {
		for _, line := range lines {
			_, rest, _ := strings.Cut(line, ",")
			all = append(all, rest)
		}
		return all
	}
	lines, _ := annotated(1, 24, true)
	path := write(t, filepath.Join(folder, "bare.csv"), strings.Join(bare(lines), "\n")+"\n")
	npz, dir := filepath.Join(folder, "bare.npz"), filepath.Join(folder, "run")
	succeed(t, "data", "import", path, "--label", "activity", "--window", "40", "--step", "20", "--out", npz)
	succeed(t, "train", "--data", npz, "--checkpoint", dir, "--backend", "go", "--fast", "--set", "transforms=power")

	known, _ := annotated(2, 8, true)
	timed, _ := annotated(2, 8, false)
	code, counted, stderr := watchStream(t, bare(timed), "--checkpoint", dir)
	require.Zero(t, code, stderr)
	messagetest.Names(t, stderr, "time points after … rest for … time points")
	code, stdout, stderr := watchStream(t, timed, "--checkpoint", dir)
	require.Zero(t, code, stderr)
	assert.Regexp(t, `rest for [\d.]+s\n`, stderr)
	inPoints, inSeconds := strings.Split(strings.TrimSpace(counted), "\n"), strings.Split(strings.TrimSpace(stdout), "\n")
	require.Len(t, inSeconds, len(inPoints))
	for i := range inPoints[1:] {
		points, seconds := strings.Split(inPoints[i+1], ","), strings.Split(inSeconds[i+1], ",")
		assert.Equal(t, points[1:3], seconds[1:3])
		for _, column := range []int{0, 3} {
			point, err := strconv.ParseFloat(points[column], 64)
			require.NoError(t, err)
			second, err := strconv.ParseFloat(seconds[column], 64)
			require.NoError(t, err)
			assert.InDelta(t, point/20, second, 1e-9)
		}
	}
	predicted := succeed(t, "predict", "--backend", "go", "--checkpoint", dir, "--window", "40", "--step", "20",
		write(t, filepath.Join(folder, "timed.csv"), strings.Join(timed, "\n")+"\n"))
	last := strings.Split(inSeconds[len(inSeconds)-1], ",")
	assert.Contains(t, predicted, ","+last[1]+","+last[3]+",")

	var judged [2]streamsJSON
	for i, lines := range [][]string{bare(known), known} {
		path := write(t, filepath.Join(folder, fmt.Sprint(i, ".csv")), strings.Join(lines, "\n")+"\n")
		eval := []string{"eval", "--backend", "go", "--checkpoint", dir, "--data", path, "--label", "activity"}
		decode(t, succeed(t, append(eval, "--json", "--tolerance", "40")...), &judged[i])
		assert.Nil(t, judged[i].Hours)
		assert.Nil(t, judged[i].FalseAlarmsPerHour)
		assert.InDelta(t, *judged[0].Delay, *judged[i].Delay, 1e-9)
		assert.Equal(t, judged[0].PerClass, judged[i].PerClass)
		messagetest.Names(t, succeed(t, eval...), "false alarms … time points after … 40 time points")
		code, _, stderr := execute(t, append(eval, "--tolerance", "2s")...)
		assert.Equal(t, 2, code)
		messagetest.Names(t, stderr, "--tolerance 2s … no times … number")
	}
}

// mapped changes the cells of each line after the headings; at counts these lines from 0.
func mapped(lines []string, change func(at int, cells []string)) []string {
	changed := slices.Clone(lines)
	for at := range changed[1:] {
		cells := strings.Split(changed[at+1], ",")
		change(at, cells)
		changed[at+1] = strings.Join(cells, ",")
	}
	return changed
}

// Streams are tested with the class that the import gave to what has none; what would be ignored is refused.
func TestEvalStreamsAsImported(t *testing.T) {
	folder := t.TempDir()
	lines, _ := annotated(1, 24, true)
	path := write(t, filepath.Join(folder, "stream.csv"), strings.Join(lines, "\n")+"\n")
	trainOn := func(name string, words ...string) string {
		npz, dir := filepath.Join(folder, name+".npz"), filepath.Join(folder, name)
		succeed(t, append([]string{"data", "import", path, "--label", "activity", "--out", npz}, words...)...)
		succeed(t, "train", "--data", npz, "--checkpoint", dir, "--backend", "go", "--fast", "--set", "transforms=power")
		return dir
	}
	between := trainOn("between", "--window", "0.5s", "--step", "0.5s", "--rest", "transition")
	eval := []string{"eval", "--backend", "go", "--checkpoint", between, "--data", path, "--label", "activity", "--json"}
	code, stdout, stderr := execute(t, eval...)
	require.Zero(t, code, stderr)
	messagetest.Names(t, stderr, "without a class … transition")
	var judged streamsJSON
	require.NoError(t, json.Unmarshal([]byte(stdout), &judged))
	assert.Equal(t, judged.TimePoints, len(lines)-1, "each time point has a class")

	shown := succeed(t, eval[:len(eval)-1]...)
	messagetest.Names(t, errors.New(shown), "after they begin … delay, s … transition")
	assert.NotContains(t, shown, "%!")

	code, _, stderr = execute(t, append(eval, "--rest", "transit")...)
	assert.Equal(t, 2, code)
	messagetest.Names(t, stderr, "--rest transit … classes … transition … without --rest")
	none := trainOn("none", "--window", "0.5s", "--step", "0.5s", "--rest", "none")
	_, table, isTable := strings.Cut(succeed(t, "eval", "--backend", "go", "--checkpoint", none, "--data", path, "--label",
		"activity"), "confusion of events")
	require.True(t, isTable)
	assert.Equal(t, 1, strings.Count(table, "\nnone "), "the row of a class, and no other one")

	ahead := trainOn("ahead", "--window", "0.2s", "--step", "0.1s", "--ahead", "0.3s", "--after", "1ms")
	eval[4] = ahead
	code, _, stderr = execute(t, eval...)
	assert.Equal(t, 1, code)
	messagetest.Names(t, stderr, "before an event … --ahead 0.3s … --data FILE.npz")

	for _, c := range []struct {
		words []string
		names string
	}{
		{[]string{"--coverage", "0.9"}, "--coverage"},
		{[]string{"--coverage", "95"}, "--coverage … such as 0.95"},
		{[]string{"--split", "all"}, "--split"},
		{[]string{"--mirrored"}, "--mirrored"},
		{[]string{"--early"}, "--early"},
		{[]string{"--data", "b.csv"}, "b.csv … stream.csv … once"},
	} {
		code, _, stderr = execute(t, append(slices.Clone(eval), c.words...)...)
		assert.Equal(t, 2, code)
		messagetest.Names(t, stderr, c.names)
	}

	// Without classes a stream is no data set, and its flags are not ignored.
	code, _, stderr = execute(t, "eval", "--checkpoint", between, "--data", path)
	assert.Equal(t, 2, code)
	messagetest.Names(t, stderr, "stream.csv … --label COLUMN … --labels FILE")
	for _, words := range [][]string{{"--tolerance", "1s"}, {"--lag", "2"}, {"--rest", "other"}} {
		code, _, stderr = execute(t, append([]string{"eval", "--checkpoint", between}, words...)...)
		assert.Equal(t, 2, code)
		messagetest.Names(t, stderr, words[0]+" … --label … --labels")
	}
}

// Whole recordings of one class are told by the mean over their windows, as streams and as samples; one of two classes
// does not count.
func TestEvalWholeRecordings(t *testing.T) {
	dir, folder := watched(t), t.TempDir()
	lines, _ := annotated(3, 12, true)
	ofClass := func(name, called string) string {
		some := []string{lines[0]}
		for _, line := range lines[1:] {
			if strings.HasSuffix(line, ","+name) {
				values := strings.Split(line, ",")
				some = append(some, fmt.Sprintf("%.2f,%s,%s,%s", float64(len(some))/20, values[1], values[2], called))
			}
		}
		return write(t, filepath.Join(folder, name+called+".csv"), strings.Join(some, "\n")+"\n")
	}
	both := write(t, filepath.Join(folder, "both.csv"), strings.Join(lines, "\n")+"\n")
	files := strings.Join([]string{ofClass("rest", "rest"), ofClass("run", "run"), ofClass("run", "walk"), both}, ",")
	eval := []string{"eval", "--backend", "go", "--checkpoint", dir, "--data", files, "--label", "activity"}
	var judged streamsJSON
	require.NoError(t, json.Unmarshal([]byte(succeed(t, append(eval, "--json")...)), &judged))
	assert.Equal(t, []int{3, 2}, []int{judged.Recordings, judged.Right})
	assert.Equal(t, []string{"rest", "run", "run"}, []string{judged.Streams[0].Whole, judged.Streams[1].Whole,
		judged.Streams[2].Whole})
	messagetest.Names(t, errors.New(succeed(t, eval...)), "2 of 3 … mean over their windows … as a whole … rest")

	npz := filepath.Join(folder, "whole.npz")
	succeed(t, append([]string{"data", "import", "--label", "activity", "--window", "2s", "--step", "1s", "--out", npz},
		strings.Split(files, ",")...)...)
	eval = []string{"eval", "--backend", "go", "--checkpoint", dir, "--data", npz, "--split", "all"}
	var evaluated evalJSON
	require.NoError(t, json.Unmarshal([]byte(succeed(t, append(eval, "--json")...)), &evaluated))
	assert.Equal(t, &recordingsJSON{3, 2, 2. / 3}, evaluated.Recordings)
	messagetest.Names(t, errors.New(succeed(t, eval...)), "whole recordings: 2 of 3")
}

// The server's answer about windows of recordings has the lines of predict --json: a class of each window alone and by
// those before it, and that of the whole recording behind them.
func TestWindowsOverHTTP(t *testing.T) {
	dir, folder := watched(t), t.TempDir()
	var want, bodies, paths []string
	for i := range 2 {
		lines, _ := annotated(uint64(6+i), 4+i, false)
		name := fmt.Sprintf("r%d.csv", i)
		paths = append(paths, write(t, filepath.Join(folder, name), strings.Join(lines, "\n")+"\n"))
		var times, values []string
		for _, line := range lines[1:] {
			at, row, _ := strings.Cut(line, ",")
			times, values = append(times, at), append(values, "["+row+"]")
		}
		bodies = append(bodies, fmt.Sprintf(`{"name":%q,"times":[%s],"values":[%s]}`, name, strings.Join(times, ","),
			strings.Join(values, ",")))
	}
	bare := func(prediction []byte) string { // without warnings, which predict gathers
		var one map[string]any
		require.NoError(t, json.Unmarshal(prediction, &one))
		delete(one, "warnings")
		raw, err := json.Marshal(one)
		require.NoError(t, err)
		return string(raw)
	}
	for line := range strings.Lines(succeed(t, append([]string{"predict", "--checkpoint", dir, "--window", "2s", "--step",
		"1s", "--json", "--backend", "go"}, paths...)...)) {
		want = append(want, bare([]byte(line)))
	}
	var answer struct{ Predictions []json.RawMessage }
	require.NoError(t, json.Unmarshal(overHTTP(t, dir, "recordings?window=2s&step=1s", "application/json",
		`{"recordings":[`+strings.Join(bodies, ",")+`]}`), &answer))
	var got []string
	for _, one := range answer.Predictions {
		got = append(got, bare(one))
	}
	assert.Equal(t, want, got)
}

// predict, eval and watch write times in one form: that of the file.
func TestTimesAsTheFileHasThem(t *testing.T) {
	dir := watched(t)
	lines, _ := annotated(5, 4, true)
	begin := time.Date(2024, 5, 31, 23, 59, 50, 0, time.UTC)
	dated := mapped(lines, func(at int, cells []string) {
		gap := min(at/400, 1) * 60
		cells[0] = begin.Add(time.Duration(at)*50*time.Millisecond + time.Duration(gap)*time.Second).
			Format("2006-01-02 15:04:05.00")
	})
	path := write(t, filepath.Join(t.TempDir(), "new.csv"), strings.Join(dated, "\n")+"\n")
	const first, gap = "2024-05-31 23:59:50.00", "2024-06-01 00:01:10"
	code, out, stderr := watchStream(t, dated, "--checkpoint", dir)
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, gap)
	assert.Contains(t, out, ","+first+"\n")

	predict := []string{"predict", "--checkpoint", dir, path, "--window", "2s", "--step", "0.7s", "--backend", "go"}
	code, out, stderr = execute(t, predict...)
	require.Zero(t, code, stderr)
	assert.Contains(t, out, "new.csv,"+first+",2024-05-31 23:59:52.00,")
	assert.Contains(t, stderr, "new.csv from "+first)
	assert.NotContains(t, stderr, "1717")
	for line := range strings.Lines(succeed(t, append(predict, "--json")...)) {
		var window struct {
			Start, End string
			Filtered   struct{ Since string }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &window))
		assert.Regexp(t, `^2024-0[56]-`, window.Start)
		assert.Regexp(t, `^2024-0[56]-`, window.End)
		assert.Regexp(t, `^2024-0[56]-|^$`, window.Filtered.Since)
	}
	code, _, stderr = execute(t, "eval", "--checkpoint", dir, "--data", path, "--label", "activity", "--backend", "go")
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "a gap before time "+gap)
}
