package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
)

// ring makes the arrays of examples/ring.py, for n samples: 12 nodes, 3 channels, 4 classes.
func ring(n int) []npz.Named {
	const nodes, channels, classes = 12, 3, 4
	rng := rand.New(rand.NewPCG(1, 2))
	features, labels, split := make([]float32, n*nodes*channels), make([]int64, n), make([]int64, n)
	for s := range n {
		labels[s] = int64(s % classes)
		split[s] = []int64{0, 0, 0, 0, 0, 0, 0, 1, 2, 2}[(s/classes)%10]
		centres := [2]int{3*int(labels[s]) + rng.IntN(3), rng.IntN(nodes)}
		for i := range nodes {
			for c := range channels {
				v := 0.3 * rng.NormFloat64()
				if c < 2 {
					distance := math.Abs(float64(i - centres[c]))
					distance = min(distance, nodes-distance)
					v += math.Exp(-distance * distance / 2)
				}
				features[(s*nodes+i)*channels+c] = float32(v)
			}
		}
	}
	var edges []int64
	for i := range int64(nodes) {
		edges = append(edges, i, (i+1)%nodes)
	}
	return []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{n, nodes, channels}, Data: features}},
		{Name: "labels", Array: &npz.Array{Shape: []int{n}, Data: labels}},
		{Name: "edges", Array: &npz.Array{Shape: []int{nodes, 2}, Data: edges}},
		{Name: "split", Array: &npz.Array{Shape: []int{n}, Data: split}},
		{Name: "class_names", Array: &npz.Array{Shape: []int{classes}, Data: []string{"north", "east", "south", "west"}}},
	}
}

func ringFile(t *testing.T, arrays []npz.Named) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ring.npz")
	require.NoError(t, npz.Write(path, arrays))
	return path
}

func without(arrays []npz.Named, names ...string) []npz.Named {
	return slices.DeleteFunc(arrays, func(a npz.Named) bool { return slices.Contains(names, a.Name) })
}

// with replaces an array, or adds it.
func with[T any](arrays []npz.Named, name string, data T, shape ...int) []npz.Named {
	return append(without(arrays, name), npz.Named{Name: name, Array: &npz.Array{Shape: shape, Data: data}})
}

// changed is the array of a name, as []T, with element i replaced.
func changed[T any](arrays []npz.Named, name string, i int, v T) []npz.Named {
	at := slices.IndexFunc(arrays, func(a npz.Named) bool { return a.Name == name })
	data := slices.Clone(arrays[at].Array.Data.([]T))
	data[i] = v
	return with(arrays, name, data, arrays[at].Array.Shape...)
}

// TestOwnData follows a user with data of their own: train, evaluate, predict.
func TestOwnData(t *testing.T) {
	path := ringFile(t, ring(800))
	dir := filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := execute(t, "train", "--backend", "go", "--data", path, "--checkpoint", dir,
		"--levels", "4x16/4,1x32/4", "--fc", "16",
		"--set", "readout_dropout=0", "--lr", "0.01", "--epochs", "15", "--json")
	require.Zero(t, code, stderr)
	var result trainDocument
	decode(t, stdout, &result)
	assert.Equal(t, "ring.npz", result.Data)
	assert.Greater(t, result.Test.Accuracy, 0.8, "of 4 classes")

	t.Chdir(t.TempDir()) // the file is found again from any folder
	var e evalDocument
	decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--json"), &e)
	assert.Equal(t, 160, e.Samples)
	assert.Equal(t, result.Test, scoreDocument{e.Loss, e.Accuracy}, "the checkpoint classifies as the training did")
	assert.Equal(t, "east", e.PerClass[1].Name)

	predictions := lines(succeed(t, "predict", "--backend", "go", "--checkpoint", dir, "--json", path))
	require.Len(t, predictions, 800)
	hits := 0
	for i, line := range predictions {
		var p predictDocument
		decode(t, line, &p)
		require.Equal(t, fmt.Sprint(i), p.Name)
		if p.Class == []string{"north", "east", "south", "west"}[i%4] {
			hits++
		}
	}
	assert.Greater(t, hits, 640)

	_, _, stderr = execute(t, "explain", "--backend", "go", "--checkpoint", dir, "--class", "North")
	assert.Contains(t, stderr, "; did you mean north?\n")

	moved := filepath.Join(t.TempDir(), "moved.npz")
	require.NoError(t, os.Rename(path, moved))
	code, _, stderr = execute(t, "eval", "--backend", "go", "--checkpoint", dir)
	assert.Equal(t, 1, code)
	messagetest.Names(t, stderr, path+": … no such file … --data")
	assert.Contains(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", moved), "160 samples")
	code, _, stderr = execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", path)
	assert.Equal(t, 1, code)
	assert.NotContains(t, stderr, "--data", "it was given")
	// In the data folder it is known by its content: another file of that name is neither evaluated nor trained on.
	there := filepath.Join(t.TempDir(), filepath.Base(path))
	require.NoError(t, os.Rename(moved, there))
	for _, command := range []string{"eval", "explain"} {
		succeed(t, command, "--backend", "go", "--checkpoint", dir, "--data-dir", filepath.Dir(there))
	}
	require.NoError(t, os.Rename(there, moved))
	require.NoError(t, os.Rename(ringFile(t, ring(40)), there))
	for _, line := range [][]string{{"eval", "--checkpoint", dir}, {"explain", "--checkpoint", dir},
		{"train", "--data", path}} {
		messagetest.Names(t, fails(t, append(line, "--backend", "go", "--data-dir", filepath.Dir(there))...),
			path+": … no such file")
	}
	for _, command := range []string{"explain", "report"} {
		_, _, stderr = execute(t, command, "--backend", "go", "--checkpoint", dir)
		messagetest.Names(t, stderr, "place … --data", command)
	}
	assert.Contains(t, succeed(t, "explain", "--backend", "go", "--checkpoint", dir, "--data", moved, "--samples", "5"),
		"moved.npz, test split: 5 of 160")
	page := filepath.Join(t.TempDir(), "report.html")
	succeed(t, "report", "--backend", "go", "--checkpoint", dir, "--data", moved, "--samples", "5", "--out", page)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Contains(t, string(html), "The samples are those of moved.npz; the model was trained on ring.npz.")
	require.NoError(t, os.Rename(moved, path))

	one := with(without(ring(40), "split", "class_names"), "labels", slices.Repeat([]string{"east"}, 40), 40)
	decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", ringFile(t, one), "--json"), &e)
	assert.Equal(t, []any{40, 4, 40, "east"},
		[]any{e.Samples, len(e.PerClass), e.PerClass[1].Samples, e.PerClass[1].Name}, "of one of the model's classes")

	messagetest.Names(t, fails(t, "explain", "--backend", "go", "--checkpoint", dir, "--data", ringFile(t, one),
		"--class", "north"),
		`no samples … "north" … --split`)
	assert.Zero(t, e.Outside)
	for i, v := range one[0].Array.Data.([]float32) {
		one[0].Array.Data.([]float32)[i] = 100*v + 50
	}
	text := succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", ringFile(t, one))
	messagetest.Names(t, text, "warning … 40 of 40 … training data … channel 0")

	code, _, stderr = execute(t, "train", "--backend", "go", "--data", ringFile(t, ring(400)), "--checkpoint", dir,
		"--epochs", "15")
	assert.Equal(t, 1, code, "another file of that name is another data set")
	assert.Contains(t, stderr, dir+" holds a")
}

// Nodes in another order are refused by their names; of a graph alone that is another one is warned.
func TestNodesInAnotherOrder(t *testing.T) {
	names := make([]string, 12)
	for i := range names {
		names[i] = fmt.Sprintf("é%d", i)
	}
	trained := func() []npz.Named { return with(ring(80), "node_names", names, 12) }
	dir := filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--backend", "go", "--data", ringFile(t, trained()), "--checkpoint", dir, "--model", "softmax",
		"--epochs", "1")
	reversed := slices.Clone(names)
	slices.Reverse(reversed)
	other := ringFile(t, with(trained(), "node_names", reversed, 12))
	for _, line := range [][]string{{"predict", other}, {"eval", "--data", other}, {"explain", "--data", other}} {
		messagetest.Names(t, fails(t, append(line, "--backend", "go", "--checkpoint", dir)...),
			`ring.npz … node_names[0] … "é11" … "é0"`)
	}
	assert.Contains(t, fails(t, "predict", "--backend", "go", "--checkpoint", dir,
		ringFile(t, with(trained(), "node_names", names[:5], 5))), "node_names")
	edges := make([]int64, 24)
	for i := range edges {
		edges[i] = int64((i/2 + i%2*5) % 12)
	}
	code, _, stderr := execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--data",
		ringFile(t, with(trained(), "edges", edges, 12, 2)))
	assert.Zero(t, code)
	assert.Contains(t, stderr, "warning: the graph of ")
	for _, same := range [][]npz.Named{trained(), without(trained(), "node_names"), without(trained(), "edges")} {
		code, _, stderr := execute(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", ringFile(t, same))
		assert.Zero(t, code, stderr)
		assert.NotContains(t, stderr, "warning: the graph")
		succeed(t, "predict", "--backend", "go", "--checkpoint", dir, ringFile(t, same))
	}
}

// TestMalformedData gives for each way to get an .npz wrong the array, the index where there is one, and the way out.
func TestMalformedData(t *testing.T) {
	const n = 40
	nan32, inf64 := float32(math.NaN()), math.Inf(1)
	adjacency := make([]float64, 144)
	adjacency[1], adjacency[12], adjacency[2] = 1, 1, 1
	for _, c := range []struct {
		name   string
		arrays []npz.Named
		want   []string
	}{
		{"no features", without(ring(n), "features"), []string{"no array features", "store signals as features"}},
		{"features of one dimension", with(ring(n), "features", make([]float32, n), n),
			[]string{"features has shape [40]", "want [samples, nodes, channels]"}},
		{"no samples", with(ring(n), "features", []float32{}, 0, 12, 3),
			[]string{"features has shape [0 12 3]", "none of them 0"}},
		{"features of text", with(ring(n), "features", make([]string, n*12), n, 12),
			[]string{"features … string … numbers … features.astype(numpy.float32)"}},
		{"NaN", changed(ring(n), "features", 2*36+5*3+1, nan32),
			[]string{"features[2,5,1] is NaN", "numpy.nan_to_num"}},
		{"too large for float32", with(ring(n), "features", append(make([]float64, n*36-1), inf64), n, 12, 3),
			[]string{"features[39,11,2] is +Inf", "drop the sample"}},
		{"no labels", without(ring(n), "labels"), []string{"no array labels", "class … 40 samples"}},
		{"labels too short", with(ring(n), "labels", make([]int64, 39), 39),
			[]string{"labels has shape [39]", "want [40]", "the lengths must agree"}},
		{"labels in a column", with(ring(n), "labels", make([]int64, n), n, 1),
			[]string{"labels has shape [40 1]", "flatten it (labels.ravel())"}},
		{"negative label", changed(ring(n), "labels", 3, int64(-1)),
			[]string{"labels[3] is -1", "number the classes from 0"}},
		{"label out of range", changed(ring(n), "labels", 5, int64(4)),
			[]string{"labels[5] is 4", "class_names has 4 names"}},
		{"labels of fractions", with(ring(n), "labels", make([]float64, n), n),
			[]string{"labels are float64", "labels.astype(int)"}},
		{"unknown class", with(ring(n), "labels", slices.Repeat([]string{"up"}, n), n),
			[]string{`labels[0] is "up"`, "not in class_names"}},
		{"a class twice", with(ring(n), "class_names", []string{"a", "b", "a", "c"}, 4),
			[]string{`class_names[2] … "a" … class_names[0]`, "a name of its own"}},
		{"one class", with(without(ring(n), "class_names"), "labels", make([]int64, n), n),
			[]string{"1 class … at least 2"}},
		{"unknown split", changed(ring(n), "split", 7, int64(3)),
			[]string{"split[7] is 3", "0 train … 2 test"}},
		{"no test samples", with(ring(n), "split", make([]int64, n), n),
			[]string{"split … no test sample … 2", "leave the array out"}},
		{"no graph", without(ring(n), "edges"), []string{"no graph", "store edges, adjacency", "give --knn"}},
		{"two graphs", with(ring(n), "adjacency", adjacency, 12, 12),
			[]string{"2 times … edges … adjacency", "keep one of them"}},
		{"edges transposed", with(ring(n), "edges", make([]int64, 24), 2, 12),
			[]string{"edges has shape [2 12]", "transpose it (edges.T)"}},
		{"edge to nowhere", changed(ring(n), "edges", 1, int64(12)), []string{"edges", "12"}},
		{"weights too short", with(ring(n), "weights", make([]float64, 11), 11),
			[]string{"weights has shape [11]", "[12] … edges"}},
		{"negative weight", with(ring(n), "weights", append([]float64{1, -2}, make([]float64, 10)...), 12),
			[]string{"weights[1] is -2", "negative"}},
		{"weights alone", with(without(ring(n), "edges"), "weights", make([]float64, 12), 12),
			[]string{"weights without edges", "store edges [E, 2] beside them"}},
		{"adjacency of another size", with(without(ring(n), "edges"), "adjacency", make([]float64, 25), 5, 5),
			[]string{"adjacency has shape [5 5]", "want [12, 12]"}},
		{"asymmetric adjacency", with(without(ring(n), "edges"), "adjacency", adjacency, 12, 12),
			[]string{"adjacency … symmetric … (0,2) is 1"}},
		{"half a CSR", with(without(ring(n), "edges"), "indptr", make([]int64, 13), 13),
			[]string{"indptr, indices and data … together … indices, data"}},
		{"coordinates of other nodes", with(without(ring(n), "edges"), "coordinates", make([]float64, 22), 11, 2),
			[]string{"coordinates has shape [11 2]", "[12, d]"}},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, ringFile(t, c.arrays), c.want...) })
	}

	raw, err := os.ReadFile(ringFile(t, ring(n)))
	require.NoError(t, err)
	flipped := slices.Clone(raw)
	flipped[200] ^= 0xff // within the first array's compressed bytes
	for name, content := range map[string][]byte{"empty file": nil, "text": []byte("features,labels\n"),
		"cut short": raw[:len(raw)/2], "a byte flipped": flipped} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ring.npz")
			require.NoError(t, os.WriteFile(path, content, 0o644))
			refused(t, path)
		})
	}
}

// refused trains on a file that must be refused, in one line that names it.
func refused(t *testing.T, path string, want ...string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := execute(t, "train", "--backend", "go", "--data", path, "--checkpoint", dir, "--epochs", "1")
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	require.Len(t, lines(stderr), 1, stderr)
	assert.True(t, strings.HasPrefix(stderr, "ccp: "), stderr)
	for _, part := range append(want, "ring.npz") {
		messagetest.Names(t, stderr, part)
	}
	if testing.Verbose() {
		t.Log(strings.ReplaceAll(stderr, filepath.Dir(path)+"/", ""))
	}
}

// predict tells of a file whose graph is not the model's, as where the nodes have another order, as eval does.
func TestPredictTellsOfAnotherGraph(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	arrays := ring(200)
	succeed(t, "train", "--backend", "go", "--fast", "--data", ringFile(t, arrays), "--checkpoint", dir)
	warningsOf := func(arrays []npz.Named) string {
		code, _, stderr := execute(t, "predict", "--backend", "go", "--checkpoint", dir, ringFile(t, arrays))
		require.Zero(t, code, stderr)
		return stderr
	}
	const warning = "are the nodes in another order?"
	assert.NotContains(t, warningsOf(ring(20)), warning)
	assert.NotContains(t, warningsOf(without(ring(20), "edges", "labels")), warning, "without a graph")
	assert.NotContains(t, warningsOf(changed(ring(20), "edges", 0, int64(77))), warning,
		"of other nodes, which are not needed")
	assert.Contains(t, warningsOf(changed(ring(20), "edges", 0, int64(5))), warning)
}
