package main

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asRecorded writes the file of an import as the Python package writes windows of recorders' files: without the
// settings of an import, which only tables have.
func asRecorded(t *testing.T, imported string) string {
	t.Helper()
	file, err := npz.Open(imported)
	require.NoError(t, err)
	defer file.Close()
	arrays := []npz.Named{{Name: "rate", Array: &npz.Array{Data: []float64{20}}},
		{Name: "sensor_names", Array: &npz.Array{Shape: []int{2}, Data: []string{"ax", "ay"}}}}
	for _, name := range []string{"series", "labels", "class_names", "sample_names", "groups", "stretches", "windows"} {
		a, err := file.Array(name)
		require.NoError(t, err, name)
		arrays = append(arrays, npz.Named{Name: name, Array: a})
	}
	path := filepath.Join(t.TempDir(), "recorded.npz")
	require.NoError(t, npz.Write(path, arrays))
	return path
}

// seriesOf writes lines of a table, time,ax,ay, as a recording of an .npz file: at even times, with NaN for lines that
// are not there and for empty cells.
func seriesOf(t *testing.T, lines []string) string {
	t.Helper()
	cell := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	cells := func(line string) []string { return strings.Split(line, ",") }
	length := int(math.Round(20*cell(cells(lines[len(lines)-1])[0]))) + 1
	values := make([]float64, 2*length)
	for i := range values {
		values[i] = math.NaN()
	}
	for _, line := range lines[1:] {
		at := int(math.Round(20 * cell(cells(line)[0])))
		values[at], values[length+at] = cell(cells(line)[1]), cell(cells(line)[2])
	}
	path := filepath.Join(t.TempDir(), "s2.npz")
	require.NoError(t, npz.Write(path, []npz.Named{
		{Name: "series", Array: &npz.Array{Shape: []int{1, 2, length}, Data: values}},
		{Name: "rate", Array: &npz.Array{Data: []float64{20}}},
		{Name: "sensor_names", Array: &npz.Array{Shape: []int{2}, Data: []string{"ax", "ay"}}},
		{Name: "sample_names", Array: &npz.Array{Shape: []int{1}, Data: []string{"s2.csv"}}},
	}))
	return path
}

// A recorder's file, as the Python package gives it, is a stream as a table of it is: a training learns along time from
// its windows, and watches in windows of their length and step; predict cuts a whole recording of it alike.
func TestRecordersFilesAlongTime(t *testing.T) {
	imported := watched(t)
	dir := filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--data", asRecorded(t, filepath.Join(filepath.Dir(imported), "stream.npz")),
		"--checkpoint", dir, "--backend", "go", "--fast", "--set", "transforms=power")
	lines, _ := annotated(2, 12, false)
	code, stdout, stderr := watchStream(t, lines, "--checkpoint", dir)
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "of held-out windows")
	_, want, _ := watchStream(t, lines, "--checkpoint", imported)
	assert.Equal(t, want, stdout)

	lines = append(lines[:500:500], lines[600:]...) // a pause of 5 s
	lines[700] = strings.Split(lines[700], ",")[0] + ",,0.5"
	words := []string{"predict", "--backend", "go", "--checkpoint", dir, "--window", "2s", "--step", "1s"}
	table := write(t, filepath.Join(t.TempDir(), "s2.csv"), strings.Join(lines, "\n")+"\n")
	code, ofTable, aboutTable := execute(t, append(words, table)...)
	require.Zero(t, code, aboutTable)
	code, ofSeries, aboutSeries := execute(t, append(words, seriesOf(t, lines))...)
	require.Zero(t, code, aboutSeries)
	assert.Equal(t, ofTable, ofSeries)
	assert.Equal(t, aboutTable, aboutSeries)
	messagetest.Names(t, aboutSeries, "windows … gaps … left out")
	code, _, aboutWhole := execute(t, append(words[:5:5], seriesOf(t, lines[:400]))...)
	require.Zero(t, code, aboutWhole)
	messagetest.Names(t, aboutWhole, "windows … --window 2s")
	assert.NotContains(t, aboutSeries, "--window")
}
