package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/serve"
	"github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// annotated draws a stream of so many stretches of three activities at 20 Hz, and returns its lines and its true
// changes of class. Between two stretches is a second without a class, in which the one goes over into the other.
func annotated(seed uint64, stretches int, labels bool) (lines []string, changes int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	lines = []string{"time,ax,ay"}
	if labels {
		lines[0] += ",activity"
	}
	names, at, phase, last := []string{"rest", "walk", "run"}, 0, 0.0, 0
	heights, speeds := []float64{0.2, 1, 1}, []float64{0, 1, 2.2}
	add := func(name string, from, to int, part float64) {
		height := heights[from] + part*(heights[to]-heights[from])
		phase += 2 * math.Pi * (speeds[from] + part*(speeds[to]-speeds[from])) / 20
		line := fmt.Sprintf("%.2f,%.4f,%.4f", float64(at)/20, height*math.Sin(phase)+0.6*rng.NormFloat64(),
			height*math.Cos(phase)+0.6*rng.NormFloat64())
		if labels {
			line += "," + name
		}
		lines = append(lines, line)
		at++
	}
	for range stretches {
		class := (last + 1 + rng.IntN(2)) % 3
		for i := range 20 {
			add("", last, class, float64(i)/20)
		}
		last = class
		for range 160 + rng.IntN(120) {
			add(names[class], class, class, 0)
		}
	}
	return lines, stretches - 1
}

// watched trains on an annotated stream, and returns the checkpoint.
func watched(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	lines, _ := annotated(1, 24, true)
	path := write(t, filepath.Join(folder, "stream.csv"), strings.Join(lines, "\n")+"\n")
	npz, dir := filepath.Join(folder, "stream.npz"), filepath.Join(folder, "run")
	succeed(t, "data", "import", path, "--label", "activity", "--window", "2s", "--step", "1s", "--out", npz)
	succeed(t, "train", "--data", npz, "--checkpoint", dir, "--backend", "go", "--fast", "--set", "transforms=power")
	return dir
}

// watchStream sends lines to `ccp watch` on the standard input.
func watchStream(t *testing.T, lines []string, words ...string) (code int, stdout, stderr string) {
	t.Helper()
	path := write(t, filepath.Join(t.TempDir(), "stdin"), strings.Join(lines, "\n")+"\n")
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	before := os.Stdin
	os.Stdin = file
	defer func() { os.Stdin = before }()
	return execute(t, append([]string{"watch", "--backend", "go"}, words...)...)
}

// served returns the address of the models of a server that has a checkpoint, as mine, until the test ends.
func served(t *testing.T, dir string) string {
	t.Helper()
	config := serve.Defaults
	config.Checkpoints = []serve.Checkpoint{{Name: "mine", Dir: dir}}
	config.Options.Backend = backendtest.Go(t)
	s, err := serve.New(t.Context(), config)
	require.NoError(t, err)
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, s.Close())
	})
	return server.URL + "/v2/models/"
}

// overHTTP posts a body to a path of the model of a checkpoint, and returns the answer.
func overHTTP(t *testing.T, dir, path, kind, body string) []byte {
	t.Helper()
	answer, err := http.Post(served(t, dir)+"mine/"+path, kind, strings.NewReader(body))
	require.NoError(t, err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return raw
}

// streamOverHTTP sends lines to a server of a checkpoint, and returns the lines of its answer without the notes.
func streamOverHTTP(t *testing.T, dir, query string, lines []string) string {
	t.Helper()
	raw := overHTTP(t, dir, "stream"+query, "application/x-ndjson", strings.Join(lines, "\n")+"\n")
	var decisions strings.Builder
	for line := range strings.Lines(string(raw)) {
		if !strings.HasPrefix(line, `{"note":`) {
			decisions.WriteString(line)
		}
	}
	return decisions.String()
}

// An annotated stream goes to a watched stream in three commands, and the class changes about as often as in truth. A
// gap resets it, lines without a row are told, and objects of JSON give the same as a CSV.
func TestWatch(t *testing.T) {
	dir := watched(t)
	lines, changes := annotated(2, 24, false)
	code, stdout, stderr := watchStream(t, lines, "--checkpoint", dir)
	require.Zero(t, code, stderr)
	table, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"time", "class", "probability", "since"}, table[0])
	told := len(table) - 2 // without the heading, and the first decision
	assert.InDelta(t, changes, told, 0.15*float64(changes), stdout)
	messagetest.Names(t, stderr, "held-out windows … right … rows … windows … changes of class … by windows alone … "+
		"rest for … run for … walk for")
	for i, row := range table[1:] {
		at, _ := strconv.ParseFloat(row[0], 64)
		since, _ := strconv.ParseFloat(row[3], 64)
		assert.LessOrEqual(t, since, at, i)
	}

	// eval watches as watch does, and predict tells the same of each window.
	known, _ := annotated(2, 24, true)
	path := write(t, filepath.Join(t.TempDir(), "known.csv"), strings.Join(known, "\n")+"\n")
	var judged streamsJSON
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", path,
		"--label", "activity", "--json")), &judged))
	assert.Equal(t, []int{told, changes}, []int{judged.Told, judged.Changes})
	assert.Equal(t, recording.Cut{Window: recording.Span{Length: 2}, Step: recording.Span{Length: 1}}, judged.Cut)
	longer := succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", path, "--label", "activity", "--window",
		"80", "--json")
	assert.Contains(t, longer, `"window":"80","step":"20"`, "the training's step")
	assert.Greater(t, judged.F, 0.8)
	assert.Positive(t, *judged.Delay)
	code, _, stderr = execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--label", "activity")
	assert.Equal(t, 2, code)
	messagetest.Names(t, stderr, "--data")
	some := lines[:800]
	code, raw, stderr := watchStream(t, some, "--checkpoint", dir, "--raw")
	require.Zero(t, code, stderr)
	windows, err := csv.NewReader(strings.NewReader(raw)).ReadAll()
	require.NoError(t, err)
	path = write(t, filepath.Join(t.TempDir(), "some.csv"), strings.Join(some, "\n")+"\n")
	predicted, err := csv.NewReader(strings.NewReader(succeed(t, "predict", "--backend", "go", "--checkpoint", dir,
		"--window", "2s", "--step", "1s", path))).ReadAll()
	require.NoError(t, err)
	require.Len(t, windows, len(predicted)-1)
	for i, row := range windows[1:] {
		of := predicted[i+1]
		assert.Equal(t, []string{row[4], row[5], row[6], row[1], row[3]}, []string{of[1], of[2], of[3], of[5], of[6]})
	}

	var objects []string
	for _, line := range lines[1:1500] {
		cells := strings.Split(line, ",")
		objects = append(objects, fmt.Sprintf(`{"ay":%s,"time":%s,"ax":%s}`, cells[2], cells[0], cells[1]))
	}
	code, asJSON, stderr := watchStream(t, objects, "--checkpoint", dir, "--json")
	require.Zero(t, code, stderr)
	decisions := strings.Split(strings.TrimSpace(asJSON), "\n")
	require.Greater(t, len(decisions), 2)
	for i, line := range decisions {
		var d watch.Decision
		require.NoError(t, json.Unmarshal([]byte(line), &d))
		assert.Equal(t, table[i+1], cellsOf(d))
	}

	// The server answers a stream with the same lines.
	streamed := func(query string, lines []string, words ...string) {
		code, stdout, stderr := watchStream(t, lines, append([]string{"--checkpoint", dir, "--json"}, words...)...)
		require.Zero(t, code, stderr)
		assert.Equal(t, stdout, streamOverHTTP(t, dir, query, lines), query)
	}
	streamed("", objects)
	streamed("?raw&lag=3", objects[:500], "--raw", "--lag", "3")
	streamed("", lines[:900])

	// A gap of an hour in the middle, and a line that is none.
	with := append([]string{}, lines[:1000]...)
	for i := 500; i < len(with); i++ {
		time, rest, _ := strings.Cut(with[i], ",")
		at, _ := strconv.ParseFloat(time, 64)
		with[i] = fmt.Sprintf("%.2f,%s", at+3600, rest)
	}
	with[300] = "?,x"
	code, stdout, stderr = watchStream(t, with, "--checkpoint", dir, "--raw")
	require.Zero(t, code, stderr)
	messagetest.Names(t, stderr, "left out: line 301 … a gap before time 3624 … begins anew … 1 gap")
	assert.Contains(t, strings.SplitN(stdout, "\n", 2)[0], "start,end,window")

	// Rows without times; a lag; a rate that is not the training's.
	var bare []string
	for i, line := range lines {
		_, rest, _ := strings.Cut(line, ",")
		if i%2 == 0 || i == 0 {
			bare = append(bare, rest)
		}
	}
	code, _, stderr = watchStream(t, bare[:500], "--checkpoint", dir, "--lag", "3", "--window", "40", "--step", "20")
	require.Zero(t, code, stderr)
	messagetest.Names(t, stderr, "3 windows")
	var half []string
	for i, line := range lines {
		if i%2 == 0 {
			half = append(half, line)
		}
	}
	code, _, stderr = watchStream(t, half[:500], "--checkpoint", dir)
	require.Zero(t, code, stderr)
	messagetest.Names(t, stderr, "warning … 10 a second … 20")
	for _, c := range []struct {
		lines []string
		words []string
		names string
	}{
		{[]string{"time,ax", "0,1"}, nil, "ay"},
		{[]string{"time,ax,ay", "0,a,1"}, nil, "line 2 … ax … --leave … ccp data import"},
		{lines, []string{"--lasts", "30s"}, "--lasts"},
		{lines, []string{"--window", "0.01s"}, "0.05 of time apart"},
	} {
		code, _, stderr = watchStream(t, c.lines, append([]string{"--checkpoint", dir}, c.words...)...)
		assert.Equal(t, 1, code)
		messagetest.Names(t, stderr, c.names)
	}
}

// Rows without times that keep coming at another rate are told, once, and a pause among the first is not.
func TestWallClock(t *testing.T) {
	told := func(count int, second func(i int) float64) (rates []float64) {
		var c wallClock
		begin := time.Date(2024, 5, 31, 12, 0, 0, 0, time.UTC)
		for i := range count {
			rate, isOther := c.add(begin.Add(time.Duration(second(i)*float64(time.Second))), 10)
			if isOther {
				rates = append(rates, rate)
			}
		}
		return rates
	}
	assert.Empty(t, told(1000, func(i int) float64 { return float64(i) / 10 }))
	assert.Empty(t, told(1000, func(i int) float64 { return float64(i)/10 + 30*float64(min(i/50, 1)) }))
	assert.Empty(t, told(100_000, func(i int) float64 { return float64(i) / 1000 }), "a file at once")
	slow := told(1000, func(i int) float64 { return float64(i) / 5 })
	require.Len(t, slow, 1)
	assert.InDelta(t, 5, slow[0], 0.1)
}
