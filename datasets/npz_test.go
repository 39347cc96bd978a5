package datasets

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"math"
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

// arrays are the contents of an .npz file.
type arrays map[string]*npz.Array

// path4 is a valid file: 20 samples on a path of 4 nodes, 2 channels, 2 classes, no split.
func path4() arrays {
	features := make([]float32, 20*4*2)
	labels := make([]int64, 20)
	for i := range features {
		features[i] = float32(i*i%17) - 4
	}
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	return arrays{
		"features": {Shape: []int{20, 4, 2}, Data: features},
		"labels":   {Shape: []int{20}, Data: labels},
		"edges":    {Shape: []int{3, 2}, Data: []int64{0, 1, 2, 1, 2, 3}},
	}
}

// with returns the arrays with one set; nil removes it.
func (a arrays) with(name string, array *npz.Array) arrays {
	a[name] = array
	if array == nil {
		delete(a, name)
	}
	return a
}

// directed gives each edge the way in which it is listed, but for those that are listed both ways. The graph has all
// without it.
func TestDirected(t *testing.T) {
	for _, yes := range []*npz.Array{vectorOf(true), {Data: []bool{true}}, vectorOf[int64](1)} {
		d := path4().with("directed", yes).load(t, Options{})
		assert.Equal(t, [][2]int{{0, 1}, {2, 1}, {2, 3}}, d.Directed)
		assert.Equal(t, path4().load(t, Options{}).Affinity, d.Affinity)
		random, err := d.OnRandomGraph(1)
		require.NoError(t, err)
		assert.Nil(t, random.Directed)
	}
	for _, undirected := range []arrays{path4(), path4().with("directed", vectorOf(false))} {
		assert.Nil(t, undirected.load(t, Options{}).Directed)
	}
	both := matrixOf[int64](2, 0, 1, 1, 0, 3, 3, 1, 2, 1, 2, 2, 3)
	d := path4().with("directed", vectorOf(true)).with("edges", both).load(t, Options{})
	assert.Equal(t, [][2]int{{1, 2}, {2, 3}}, d.Directed)
	none := matrixOf[int64](2, 0, 1, 1, 0, 1, 2, 2, 1, 2, 3, 3, 2)
	d = path4().with("directed", vectorOf(true)).with("edges", none).load(t, Options{})
	assert.Nil(t, d.Directed)
	messagetest.Names(t, strings.Join(d.Warnings, "\n"), "directed is true … both ways")
}

func vectorOf[T any](values ...T) *npz.Array {
	return &npz.Array{Shape: []int{len(values)}, Data: values}
}

func matrixOf[T any](columns int, values ...T) *npz.Array {
	return &npz.Array{Shape: []int{len(values) / columns, columns}, Data: values}
}

// write writes the arrays, in the order of their names, to a file of its own.
func (a arrays) write(t testing.TB) string {
	t.Helper()
	var names []string
	for name := range a {
		names = append(names, name)
	}
	slices.Sort(names)
	var named []npz.Named
	for _, name := range names {
		named = append(named, npz.Named{Name: name, Array: a[name]})
	}
	path := filepath.Join(t.TempDir(), "mine.npz")
	require.NoError(t, npz.Write(path, named))
	return path
}

func (a arrays) load(t testing.TB, opts Options) *Dataset {
	t.Helper()
	d, err := Load(t.Context(), a.write(t), opts)
	require.NoError(t, err)
	return d
}

// noSplit has the facts in the warning of a file without split.
const noSplit = "no array split … 14 training … 2 validation … 4 test samples … seed 0"

func TestNPZ(t *testing.T) {
	d := path4().load(t, Options{HoldOut: true})
	assert.Equal(t, "mine.npz", d.Name)
	assert.Equal(t, []int{20, 4, 2, 2}, []int{d.Signals.Len(), d.Nodes, d.Channels, d.Classes()})
	assert.Equal(t, []string{"0", "1"}, d.ClassNames)
	messagetest.EachNames(t, d.Warnings, noSplit)
	assert.Equal(t, []int{1, 1}, d.classCounts(d.Validation))
	assert.Equal(t, []int{2, 2}, d.classCounts(d.Test))
	assert.Equal(t, []float64{0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0}, d.Affinity.Dense())
	sample := make([]float32, 8)
	d.Signals.Read(1, sample)
	assert.Equal(t, float32(8*8%17)-4, sample[0])
	assert.Contains(t, d.Provenance, "mine.npz, sha256 ")
	mean, _ := d.ChannelStats(d.Train)
	assert.Equal(t, mean, d.Mean)

	other := path4().load(t, Options{HoldOut: true, Seed: 5})
	assert.NotEqual(t, d.Test, other.Test)
}

func TestNPZFeatureTypes(t *testing.T) {
	bytes, ints, doubles := make([]uint8, 80), make([]int32, 80), make([]float64, 80)
	for i := range bytes {
		bytes[i], ints[i], doubles[i] = uint8(i), int32(i), float64(i)
	}
	for _, data := range []any{bytes, ints, doubles} {
		d := path4().with("features", &npz.Array{Shape: []int{20, 4}, Data: data}).load(t, Options{HoldOut: true})
		assert.Equal(t, 1, d.Channels)
		sample := make([]float32, 4)
		d.Signals.Read(19, sample)
		assert.Equal(t, []float32{76, 77, 78, 79}, sample)
	}
}

func TestNPZLabelsAndSplit(t *testing.T) {
	texts := slices.Repeat([]string{"walk", "run"}, 10)
	d := path4().with("labels", vectorOf(texts...)).load(t, Options{HoldOut: true})
	assert.Equal(t, []string{"run", "walk"}, d.ClassNames, "sorted")
	assert.Equal(t, []int32{1, 0, 1}, d.Labels[:3])

	d = path4().with("labels", vectorOf(texts...)).with("class_names", vectorOf("walk", "sit", "run")).load(t,
		Options{HoldOut: true})
	assert.Equal(t, []string{"walk", "sit", "run"}, d.ClassNames)
	assert.Equal(t, []int32{0, 2, 0}, d.Labels[:3])
	messagetest.OneNames(t, d.Warnings, "no samples of 1 … 3 classes … 1 (sit) … class_names")

	marks := slices.Repeat([]int8{0, 0, 1, 1, 2}, 4)
	d = path4().with("split", vectorOf(marks...)).load(t, Options{Validation: 0.4})
	assert.Equal(t, []int{0, 1, 5, 6, 10, 11, 15, 16}, d.Train)
	assert.Equal(t, []int{2, 3, 7, 8, 12, 13, 17, 18}, d.Validation)
	assert.Equal(t, []int{4, 9, 14, 19}, d.Test)
	messagetest.EachNames(t, d.Warnings, "split … 8 validation samples … validation=0.4 … no others")

	marks = slices.Repeat([]int8{0, 0, 0, 2}, 5)
	d = path4().with("split", vectorOf(marks...)).load(t, Options{HoldOut: true})
	assert.Len(t, d.Train, 13)
	assert.Len(t, d.Validation, 2)
	assert.Equal(t, []int{3, 7, 11, 15, 19}, d.Test)
	messagetest.OneNames(t, d.Warnings, "no validation sample … 2 training samples … seed 0")
	messagetest.OneNames(t, d.Warnings, "class 0 … no test sample")
}

// TestNPZGraphs gives the same weighted path in every form.
func TestNPZGraphs(t *testing.T) {
	want := []float64{0, 1, 0, 0, 1, 0, 2, 0, 0, 2, 0, 0.5, 0, 0, 0.5, 0}
	kernel := slices.Clone(want)
	kernel[6] = 2 - 1e-12 // rounding
	without := func() arrays { return path4().with("edges", nil) }
	for name, a := range map[string]arrays{
		"edges": path4().with("weights", vectorOf(1.0, 2, 0.5)),
		"edges in both directions": path4().with("edges",
			matrixOf[int32](2, 0, 1, 1, 0, 2, 1, 1, 2, 3, 2)).with("weights", vectorOf[float32](1, 1, 2, 2, 0.5)),
		"an edge of weight 0": path4().with("edges", matrixOf[int32](2, 0, 1, 2, 1, 2, 3, 0, 3)).with("weights",
			vectorOf(1.0, 2, 0.5, 0)),
		"adjacency":         without().with("adjacency", matrixOf(4, want...)),
		"rounded adjacency": without().with("adjacency", matrixOf(4, kernel...)),
		"csr": without().with("indptr", vectorOf[int32](0, 1, 3, 5, 6)).with("indices", vectorOf[int32](1, 0, 2, 1, 3, 2)).
			with("data", vectorOf(1, 1, 2, 2, 0.5, 0.5)),
	} {
		t.Run(name, func(t *testing.T) {
			d := a.load(t, Options{HoldOut: true})
			assert.Equal(t, want, d.Affinity.Dense())
			messagetest.EachNames(t, d.Warnings, noSplit)
		})
	}
}

func TestNPZNeighbours(t *testing.T) {
	a := path4().with("edges", nil).with("coordinates", matrixOf(1, 0.0, 1, 10, 11))
	d := a.load(t, Options{HoldOut: true, KNN: 1})
	assert.Equal(t, 2, d.Affinity.Edges())
	assert.Positive(t, d.Affinity.At(0, 1))
	assert.Positive(t, d.Affinity.At(2, 3))
	messagetest.Names(t, strings.Join(d.Warnings, "\n"), "disconnected … 2 components … 0 nodes without neighbours")
	assert.Equal(t, 6, a.load(t, Options{HoldOut: true}).Affinity.Edges(),
		"8 neighbours by default, or as many as there are")
	assert.Equal(t, []float64{0, 1, 10, 11}, d.Coordinates)

	beside := path4().with("coordinates", matrixOf(2, 0.0, 1, 10, 11, 5, 5, 5, 6)).load(t, Options{HoldOut: true})
	assert.Equal(t, path4().load(t, Options{HoldOut: true}).Affinity.Hash(), beside.Affinity.Hash(),
		"coordinates beside edges are positions only")
	assert.Equal(t, []float64{0, 1, 10, 11, 5, 5, 5, 6}, beside.Coordinates)

	// Nodes 0 and 2 are alike over the samples, and so are 1 and 3.
	features := make([]float32, 20*4)
	for i := range 20 {
		for node := range 4 {
			features[4*i+node] = float32((i*7+node%2*5)%11) + 0.01*float32(node)
		}
	}
	b := path4().with("edges", nil).with("features", &npz.Array{Shape: []int{20, 4}, Data: features})
	d = b.load(t, Options{HoldOut: true, KNN: 1})
	assert.Equal(t, 2, d.Affinity.Edges())
	assert.Positive(t, d.Affinity.At(0, 2))
	assert.Positive(t, d.Affinity.At(1, 3))
	assert.Len(t, d.Mean, 1)
}

// TestNPZManyFeatures checks that a graph over features takes evenly spaced samples where there are many.
func TestNPZManyFeatures(t *testing.T) {
	const samples = 3000
	features, labels := make([]float32, samples*3), make([]int64, samples)
	for i := range features {
		features[i] = float32(i * 7919 % 1_000_003) // no two samples are alike
	}
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	d := arrays{"features": {Shape: []int{samples, 3, 1}, Data: features}, "labels": vectorOf(labels...)}.load(t,
		Options{HoldOut: true, KNN: 2})
	messagetest.OneNames(t, d.Warnings, "knn 2 … 2048 of the 2100")
	assert.Equal(t, 3, d.Affinity.Edges())
}

func TestNPZWarnings(t *testing.T) {
	a := path4().with("featuers", vectorOf(1.0)).with("edges", matrixOf[int64](2, 0, 1, 2, 2))
	values := a["features"].Data.([]float32)
	for i := 1; i < len(values); i += 2 {
		values[i] = 0.1
	}
	d := a.load(t, Options{HoldOut: true})
	messagetest.EachNames(t, d.Warnings,
		`array "featuers" … not used … features … labels … sensor_names`,
		noSplit,
		"channel 1 … constant … 0.1",
		"graph is disconnected … 3 components … 2 nodes without neighbours",
		"graph … self-loops … 1")
	assert.Equal(t, float32(1), d.Std[1])
}

// badFile is a file of path4 with a mistake, and what the error must say.
type badFile struct {
	name  string
	a     arrays
	knn   int
	wants []string
}

// refuse loads bad files. Each error has what is wanted, and names the file once.
func refuse(t *testing.T, files []badFile) {
	t.Helper()
	for _, c := range files {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(t.Context(), c.a.write(t), Options{HoldOut: true, KNN: c.knn})
			require.Error(t, err)
			for _, want := range append(c.wants, "mine.npz") {
				messagetest.Names(t, err, want)
			}
			assert.Equal(t, 1, strings.Count(err.Error(), "mine.npz"), "the file is named once: %v", err)
		})
	}
}

// without is path4 without its graph.
func without() arrays { return path4().with("edges", nil) }

// replaced is a vector with another value at a place.
func replaced(values []int64, at int, value int64) *npz.Array {
	values = slices.Clone(values)
	values[at] = value
	return vectorOf(values...)
}

func TestNPZFeaturesErrors(t *testing.T) {
	// spoiled is the valid file's features as float64, with one of them replaced.
	spoiled := func(at int, value float64) *npz.Array {
		data := make([]float64, 160)
		data[at] = value
		return &npz.Array{Shape: []int{20, 4, 2}, Data: data}
	}
	refuse(t, []badFile{
		{"no features", path4().with("features", nil), 0, []string{"no array features", "edges, labels"}},
		{"features of one axis", path4().with("features", vectorOf(1.0, 2)), 0,
			[]string{"features … [2] … [samples, nodes, channels]"}},
		{"no nodes", path4().with("features", &npz.Array{Shape: []int{20, 0}, Data: []float64{}}), 0,
			[]string{"features has shape [20 0]"}},
		{"text features", path4().with("features", matrixOf(2, "a", "b")), 0, []string{"features: elements are string"}},
		{"NaN", path4().with("features", spoiled(3*8+2*2+1, math.NaN())), 0,
			[]string{"features[3,2,1] is NaN", "numpy.nan_to_num"}},
		{"infinity", path4().with("features", spoiled(159, math.Inf(-1))), 0, []string{"features[19,3,1] is -Inf"}},
		{"beyond float32", path4().with("features", spoiled(0, 1e300)), 0,
			[]string{"features[0,0,0] … 1e+300 … float32 … power"}},
	})
}

func TestNPZLabelsErrors(t *testing.T) {
	labels := path4()["labels"].Data.([]int64)
	refuse(t, []badFile{
		{"no labels", path4().with("labels", nil), 0, []string{"no array labels", "each of the 20 samples"}},
		{"too few labels", path4().with("labels", vectorOf(labels[:19]...)), 0,
			[]string{"labels … [19] … [20] … features"}},
		{"column of labels", path4().with("labels", matrixOf(1, labels...)), 0,
			[]string{"labels has shape [20 1]", "labels.ravel()"}},
		{"scalar label", path4().with("labels", &npz.Array{Shape: []int{}, Data: []int64{1}}), 0,
			[]string{"labels has shape []"}},
		{"labels with fractions", path4().with("labels", vectorOf(make([]float64, 20)...)), 0,
			[]string{"labels … float64 … integer … string"}},
		{"negative label", path4().with("labels", replaced(labels, 7, -1)), 0,
			[]string{"labels[7] … -1 … from 0"}},
		{"label beyond the samples", path4().with("labels", replaced(labels, 5, 1<<40)), 0,
			[]string{"labels[5] … 1099511627776 … 20 samples"}},
		{"one class", path4().with("labels", vectorOf(make([]int64, 20)...)), 0,
			[]string{"1 class … at least 2"}},
		{"too few class names", path4().with("class_names", vectorOf("a")), 0,
			[]string{"labels[1] is 1 … class_names … 1 names"}},
		{"class names that are numbers", path4().with("class_names", vectorOf(1.0, 2)), 0,
			[]string{"class_names … float64 … strings"}},
		{"class names in a table", path4().with("class_names", matrixOf(1, "a", "b")), 0,
			[]string{"class_names has shape [2 1]"}},
		{"class name twice", path4().with("class_names", vectorOf("a", "b", "a")), 0, []string{`class_names[2] … "a" … class_names[0]`}},
		{"unnamed label", path4().with("labels", vectorOf(slices.Repeat([]string{"a", "b"}, 10)...)).with("class_names",
			vectorOf("a", "c")), 0,
			[]string{`labels[1] … "b" … class_names`}},
	})
}

func TestNPZSplitErrors(t *testing.T) {
	split := slices.Repeat([]int64{0, 0, 1, 2}, 5)
	refuse(t, []badFile{
		{"split too short", path4().with("split", vectorOf(split[:3]...)), 0, []string{"split has shape [3]; want [20]"}},
		{"split mark", path4().with("split", replaced(split, 6, 3)), 0,
			[]string{"split[6] … 3 … 0 train … 2 test"}},
		{"split fraction", path4().with("split", vectorOf(slices.Repeat([]float64{0.5}, 20)...)), 0,
			[]string{"split: element 0 is 0.5"}},
		{"no test", path4().with("split", vectorOf(slices.Repeat([]int64{0, 1}, 10)...)), 0,
			[]string{"split … no test sample … 2"}},
		{"no train", path4().with("split", vectorOf(slices.Repeat([]int64{1, 2}, 10)...)), 0,
			[]string{"split … no train sample … 0"}},
		{"too few samples to split", arrays{"features": {Shape: []int{2, 2}, Data: []uint8{1, 2, 3, 4}},
			"labels": vectorOf[int64](0, 1),
			"edges":  matrixOf[int64](2, 0, 1)}, 0, []string{"split … empty"}},
	})
}

func TestNPZGraphErrors(t *testing.T) {
	refuse(t, []badFile{
		{"no graph", without(), 0,
			[]string{"no graph … edges … adjacency … indptr + indices + data … coordinates … knn"}},
		{"two graphs", path4().with("adjacency", matrixOf(4, make([]float64, 16)...)), 0,
			[]string{"2 times … edges … adjacency"}},
		{"edges and knn", path4(), 2, []string{"given by edges … knn 2"}},
		{"directed without edges", without().with("directed", vectorOf(true)), 3, []string{"directed without edges"}},
		{"directed each", path4().with("directed", vectorOf(true, false, true)), 0,
			[]string{"directed … shape [3] … kind bool … one value, true"}},
		{"directed by another number", path4().with("directed", vectorOf[int64](2)), 0,
			[]string{"directed … one value, true"}},
		{"directed in words", path4().with("directed", vectorOf("yes")), 0,
			[]string{"directed … kind string … one value, true"}},
		{"weights alone", without().with("weights", vectorOf(1.0)), 3, []string{"weights without edges"}},
		{"half a CSR", without().with("indptr", vectorOf[int64](0)).with("data", vectorOf(1.0)), 0,
			[]string{"indptr, indices and data … together … indices is not there"}},
	})
}

func TestNPZEdgesErrors(t *testing.T) {
	refuse(t, []badFile{
		{"edges transposed", path4().with("edges", matrixOf[int64](3, 0, 1, 2, 1, 2, 3)), 0,
			[]string{"edges … [2 3] … [E, 2] … edges.T"}},
		{"edges flat", path4().with("edges", vectorOf[int64](0, 1)), 0,
			[]string{"edges … [2] … [E, 2] … pair"}},
		{"edge fraction", path4().with("edges", matrixOf(2, 0.5, 1)), 0, []string{"edges: element 0 is 0.5"}},
		{"edge from 1", path4().with("edges", matrixOf[int64](2, 1, 2, 3, 4)), 0,
			[]string{"edges … 4 nodes … from 1 … edges - 1"}},
		{"two weights", path4().with("edges", matrixOf[int64](2, 0, 1, 1, 2, 1, 0)).with("weights", vectorOf(1.0, 1, 2)), 0,
			[]string{"edge 2 … 0-1 … weight 2 … edge 0"}},
		{"too few weights", path4().with("weights", vectorOf(1.0)), 0,
			[]string{"weights … [1] … [3]"}},
		{"negative weight", path4().with("weights", vectorOf(1, -0.5, 1)), 0,
			[]string{"weights[1] … -0.5 … negative"}},
		{"weights beyond all units", path4().with("weights", vectorOf(1.0, 1, 1e301)), 0,
			[]string{"1e+301 … 1e-300 to 1e+300 … multiply"}},
		{"weights below all units", path4().with("weights", vectorOf(1e-301, 1e-302, 1e-301)), 0,
			[]string{"1e-301 … 1e-300 to 1e+300"}},
		{"NaN weight", path4().with("weights", vectorOf(1, 1, math.NaN())), 0, []string{"weights[2] is NaN"}},
	})
}

func TestNPZAdjacencyErrors(t *testing.T) {
	adjacency := func(at int, value float64) arrays {
		values := []float64{0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0}
		values[at] = value
		return without().with("adjacency", matrixOf(4, values...))
	}
	refuse(t, []badFile{
		{"adjacency of other nodes", without().with("adjacency", matrixOf(3, make([]float64, 9)...)), 0,
			[]string{"adjacency … [3 3] … [4, 4]"}},
		{"negative adjacency", adjacency(2*4+3, -1), 0, []string{"adjacency[2,3] is -1"}},
		{"infinite adjacency", adjacency(1, math.Inf(1)), 0, []string{"adjacency[0,1] is +Inf"}},
		{"asymmetric adjacency", adjacency(2*4+3, 5), 0,
			[]string{"adjacency … symmetric … (2,3) is 5 … (3,2) is 1", "maximum"}},
		{"nearly asymmetric adjacency", adjacency(2*4+3, 1.00001), 0, []string{"(2,3) is 1.00001 but (3,2) is 1"}},
		{"one direction", without().with("adjacency",
			matrixOf(4, []uint8{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}...)), 0, []string{"(0,1) is 1 but (1,0) is 0"}},
	})
}

func TestNPZCSRErrors(t *testing.T) {
	csr := func(indptr, indices []int64, data ...float64) arrays {
		return without().with("indptr", vectorOf(indptr...)).with("indices", vectorOf(indices...)).with("data",
			vectorOf(data...))
	}
	refuse(t, []badFile{
		{"indptr too short", csr([]int64{0, 0, 0}, nil), 0,
			[]string{"indptr … [3] … [5]"}},
		{"indptr falls", csr([]int64{0, 2, 1, 2, 2}, []int64{1, 0}, 1, 1), 0,
			[]string{"indptr[2] … 1 … less than the 2"}},
		{"indptr ends elsewhere", csr([]int64{0, 1, 2, 2, 3}, []int64{1, 0}, 1, 1), 0,
			[]string{"indptr … 0 to 3 … 0 to 2"}},
		{"indptr negative", csr([]int64{0, -5, 2, 2, 2}, []int64{1, 0}, 1, 1), 0, []string{"indptr[1] is -5"}},
		{"CSR column", csr([]int64{0, 1, 2, 2, 2}, []int64{4, 0}, 1, 1), 0,
			[]string{"indices", "node 4 … 4 nodes"}},
		{"CSR asymmetric", csr([]int64{0, 1, 1, 1, 1}, []int64{1}, 1), 0,
			[]string{"indptr, indices and data … symmetric … (0,1) is 1 … (1,0) is 0"}},
		{"CSR entry twice", csr([]int64{0, 2, 3, 3, 3}, []int64{1, 1, 0}, 1, 1, 2), 0,
			[]string{"entry 1 … (0,1) … entry 0"}},
		{"CSR lengths", csr([]int64{0, 1, 2, 2, 2}, []int64{1, 0}, 1), 0,
			[]string{"data … [1] … [2] … indices"}},
		{"CSR negative", csr([]int64{0, 1, 2, 2, 2}, []int64{1, 0}, 1, -1), 0, []string{"data[1] is -1"}},
		{"CSR table", without().with("indptr", vectorOf[int64](0, 0, 0, 0, 0)).with("indices",
			matrixOf[int64](1, 1)).with("data", vectorOf(1.0)), 0,
			[]string{"indices … [1 1] … one dimension"}},
	})
}

func TestNPZCoordinatesErrors(t *testing.T) {
	refuse(t, []badFile{
		{"coordinates of other nodes", without().with("coordinates", matrixOf(1, 1.0, 2, 3)), 0,
			[]string{"coordinates has shape [3 1]; want [4, d]"}},
		{"coordinates flat", without().with("coordinates", vectorOf(1.0, 2, 3, 4)), 0,
			[]string{"coordinates has shape [4]; want [4, d]"}},
		{"NaN coordinate beside edges", path4().with("coordinates", matrixOf(1, 1, math.NaN(), 3, 4)), 0,
			[]string{"coordinates[1,0] is NaN"}},
		{"NaN coordinate", without().with("coordinates", matrixOf(2, 1, 2, 3, 4, math.NaN(), 6, 7, 8)), 0,
			[]string{"coordinates[2,0] … NaN … finite"}},
		{"too many neighbours", without().with("coordinates", matrixOf(1, 1.0, 2, 3, 4)), 4,
			[]string{"coordinates … k=4 … 4 points"}},
		{"too many neighbours by features", without(), 4, []string{"knn … k=4 … 4 points"}},
	})
}

func TestNPZNotAnArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.NPZ")
	require.NoError(t, os.WriteFile(path, []byte("1,2,3\n"), 0o644))
	_, err := Load(t.Context(), path, Options{HoldOut: true})
	messagetest.Names(t, err, "table.NPZ … .npz")
}

func ExampleLoad_npz() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "triangle.npz") // what numpy.savez writes
	err = npz.Write(path, []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{4, 3}, Data: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7}}},
		{Name: "labels", Array: &npz.Array{Shape: []int{4}, Data: []string{"up", "up", "up", "down"}}},
		{Name: "edges", Array: &npz.Array{Shape: []int{3, 2}, Data: []int64{0, 1, 1, 2, 2, 0}}},
		{Name: "split", Array: &npz.Array{Shape: []int{4}, Data: []int64{0, 0, 1, 2}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := Load(context.Background(), path, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.ClassNames, d.Labels, d.Affinity.Edges())
	fmt.Println(d.Warnings[0])
	// Output:
	// [down up] [1 1 1 0] 3
	// class 0 (down) has no train sample
}

// A graph of the training features is made of those alone that are left to train on, as Load makes it.
func TestHoldOutOfAJoinedGraph(t *testing.T) {
	a := path4().with("edges", nil)
	for _, share := range []float64{0, 0.3} {
		want := a.load(t, Options{KNN: 2, HoldOut: true, Validation: share, Seed: 3})
		all := a.load(t, Options{KNN: 2, Seed: 3})
		require.NotEqual(t, want.Affinity.Hash(), all.Affinity.Hash(), "the test needs samples that matter")
		got := heldOut(t, all, share, 3)
		assert.Equal(t, want.Affinity.Hash(), got.Affinity.Hash())
		assert.Empty(t, want.Fingerprint().Differences(got.Fingerprint()))
		assert.NotEmpty(t, got.Validation)
		counts := map[string]int{}
		for _, line := range got.Warnings {
			counts[line]++
			assert.Equal(t, 1, counts[line], line)
		}
	}
}

// A self-loop, weights that float32 would round, an isolated node, names beyond ASCII and the least numbers are read as
// they are; a graph may have no edge; samples without a split keep their places.
func TestOddGraphs(t *testing.T) {
	features := make([]float32, 20*3)
	for i := range features {
		features[i] = float32(i % 7)
	}
	features[59] = 1e-40
	a := path4().with("features", &npz.Array{Shape: []int{20, 3}, Data: features}).with("edges",
		matrixOf[int32](2, 0, 0, 1, 0)).
		with("weights", vectorOf(2, 1.0/3)).with("node_names", vectorOf("a", "żółw", "")).with("coordinates",
		matrixOf(2, 1.0, 2, 3, 4, 5, 6))
	d := a.load(t, Options{HoldOut: true})
	assert.Equal(t, []float64{2, 1.0 / 3, 0, 0}, []float64{d.Affinity.At(0, 0), d.Affinity.At(0, 1), d.Affinity.At(1, 2),
		d.Affinity.At(2, 2)})
	assert.Equal(t, []string{"a", "żółw", ""}, d.NodeNames)
	assert.Equal(t, []float64{1, 2, 3, 4, 5, 6}, d.Coordinates)
	last := make([]float32, 3)
	d.Signals.Read(19, last)
	assert.Equal(t, features[57:], last)

	d = a.with("edges", &npz.Array{Shape: []int{0, 2}, Data: []int32{}}).with("weights", nil).with("node_names",
		nil).load(t, Options{HoldOut: true})
	assert.Zero(t, d.Affinity.Edges())
}

// Names of classes and groups that look alike are one, or are told of.
func TestNamesThatLookAlike(t *testing.T) {
	labels, groups := make([]string, 20), make([]string, 20)
	for i := range labels {
		labels[i], groups[i] = []string{"rest", "rest ", "caf\u00e9", "cafe\u0301", "Rest"}[i%5],
			[]string{"anna", "anna ", "ben", "Ben"}[i/5]
	}
	d := path4().with("labels", vectorOf(labels...)).with("groups", vectorOf(groups...)).load(t, Options{})
	assert.Equal(t, []string{"Rest", "caf\u00e9", "rest"}, slices.Sorted(slices.Values(d.ClassNames)))
	assert.Equal(t, "anna", d.Groups[5])
	messagetest.OneNames(t, d.Warnings, `labels … "rest" … "rest " … alike`)
	messagetest.OneNames(t, d.Warnings, `groups … "anna" … "anna " … alike`)
	messagetest.OneNames(t, d.Warnings, `class … "Rest" … "rest"`)
	messagetest.OneNames(t, d.Warnings, `group … "Ben" … "ben"`)
}

// TestArraysWithoutTheEnding loads a file whose members have no .npy behind their names, as a program that is not numpy
// packs them. numpy has them, so that groups and split must not get lost.
func TestArraysWithoutTheEnding(t *testing.T) {
	a := path4()
	groups := make([]int64, 20)
	for i := range groups {
		groups[i] = int64(i / 5)
	}
	a["groups"] = &npz.Array{Shape: []int{20}, Data: groups}
	from, err := zip.OpenReader(a.write(t))
	require.NoError(t, err)
	defer from.Close()
	path := filepath.Join(t.TempDir(), "bare.npz")
	file, err := os.Create(path)
	require.NoError(t, err)
	to := zip.NewWriter(file)
	for _, member := range from.File {
		r, err := member.Open()
		require.NoError(t, err)
		w, err := to.Create(strings.TrimSuffix(member.Name, ".npy"))
		require.NoError(t, err)
		_, err = io.Copy(w, r)
		require.NoError(t, err)
	}
	w, err := to.Create("notes.txt")
	require.NoError(t, err)
	_, err = io.WriteString(w, "measured in May")
	require.NoError(t, err)
	require.NoError(t, to.Close())
	require.NoError(t, file.Close())
	d, err := Load(t.Context(), path, Options{})
	require.NoError(t, err)
	assert.Len(t, d.Groups, 20)
	messagetest.OneNames(t, d.Warnings, `"notes.txt" … no array`)
}
