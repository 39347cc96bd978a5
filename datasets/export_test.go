package datasets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/npz"
)

// exported writes a data set to a file and loads it again.
func exported(t *testing.T, d *Dataset) *Dataset {
	t.Helper()
	path := filepath.Join(t.TempDir(), "exported.npz")
	require.NoError(t, d.Export(path))
	again, err := Load(t.Context(), path, Options{HoldOut: true})
	require.NoError(t, err)
	return again
}

// same compares what an export keeps.
func same(t *testing.T, d, again *Dataset) {
	t.Helper()
	require.Equal(t, []int{d.Signals.Len(), d.Nodes, d.Channels}, []int{again.Signals.Len(), again.Nodes, again.Channels})
	want, got := make([]float32, d.Nodes*d.Channels), make([]float32, d.Nodes*d.Channels)
	for i := range d.Signals.Len() {
		d.Signals.Read(i, want)
		again.Signals.Read(i, got)
		require.Equal(t, want, got, "sample %d", i)
	}
	assert.Equal(t, d.Labels, again.Labels)
	assert.Equal(t, [][]int{d.Train, d.Validation, d.Test}, [][]int{again.Train, again.Validation, again.Test})
	assert.Equal(t, d.Affinity.Hash(), again.Affinity.Hash())
	assert.Equal(t, d.ClassNames, again.ClassNames)
	assert.Equal(t, d.NodeNames, again.NodeNames)
	assert.Equal(t, d.SampleNames, again.SampleNames)
	assert.Equal(t, d.Coordinates, again.Coordinates)
}

func TestExportDigits(t *testing.T) {
	d, err := Load(t.Context(), "digits", Options{HoldOut: true, Seed: 3})
	require.NoError(t, err)
	again := exported(t, d)
	same(t, d, again)
	assert.Equal(t, d.Mean, again.Mean)
	assert.Equal(t, d.Std, again.Std)
	assert.Empty(t, again.Warnings)
}

// TestExportOddities: a self-loop, weights that float32 would round, an isolated node, node names beyond ASCII.
func TestExportOddities(t *testing.T) {
	d := small(t)
	graph, err := affinity.New(3, []affinity.Edge{{I: 0, J: 0, Weight: 2}, {I: 1, J: 0, Weight: 1.0 / 3}})
	require.NoError(t, err)
	d.Nodes, d.Channels, d.Affinity, d.NodeNames = 3, 1, graph, []string{"a", "żółw", ""}
	d.Coordinates = []float64{1, 2, 3, 4, 5, 6}
	d.Signals = &Floats{Size: 3, Values: []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1e-40}}
	same(t, d, exported(t, d))

	d.Affinity, err = affinity.New(3, nil)
	require.NoError(t, err)
	d.NodeNames, d.Coordinates = nil, nil
	same(t, d, exported(t, d))
}

// TestExportLeavesOut samples of no split.
func TestExportLeavesOut(t *testing.T) {
	d := small(t)
	d.Train, d.Validation = []int{1}, []int{3}
	d.SampleNames = strings.Split("abcdef", "")
	again := exported(t, d)
	assert.Equal(t, []int32{1, 1, 0, 1}, again.Labels)
	assert.Equal(t, [][]int{{0}, {1}, {2, 3}}, [][]int{again.Train, again.Validation, again.Test})
	assert.Equal(t, []string{"b", "d", "e", "f"}, again.SampleNames)
	assert.Equal(t, "d", again.SampleName(1))
}

// TestExportArrays: the arrays of a file, which replaces the one before.
func TestExportArrays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "small.npz")
	require.NoError(t, os.WriteFile(path, []byte("before"), 0o644))
	require.NoError(t, small(t).Export(path))
	file, err := npz.Open(path)
	require.NoError(t, err)
	defer file.Close()
	assert.Equal(t, []string{"labels", "split", "class_names", "edges", "weights", "features"}, file.Names())
	require.Error(t, small(t).Export(filepath.Join(dir, "none", "x.npz")))
}

func ExampleDataset_Export() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "digits.npz")
	d, err := Load(context.Background(), "digits", Options{})
	if err == nil {
		err = d.Export(path)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := Load(context.Background(), path, Options{})
	fmt.Println(again.Signals.Len(), again.Affinity.Edges(), errors.Is(err, nil))
	// Output: 1797 210 true
}
