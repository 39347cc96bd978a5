package datasets

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// textsOf lists what findings say.
func textsOf(found Findings) (texts []string) {
	for _, f := range found {
		texts = append(texts, f.String())
	}
	return texts
}

func (a arrays) check(t *testing.T, opts Options) Report {
	t.Helper()
	report, err := CheckNPZ(a.write(t), opts)
	require.NoError(t, err)
	assert.Equal(t, len(report.Errors) == 0, report.Usable)
	assert.Equal(t, report.Usable, report.Data != nil)
	for _, line := range append(report.Errors, report.Warnings...) {
		assert.NotContains(t, line, "\n")
		assert.NotContains(t, line, "mine.npz: ", "the file is named once, by who prints this")
	}
	return report
}

func TestCheckUsable(t *testing.T) {
	a := path4().with("node_names", vectorOf("a", "b", "c", "d"))
	r := a.check(t, Options{HoldOut: true})
	assert.True(t, r.Usable)
	messagetest.Names(t, r.Warnings[0], noSplit)
	assert.Equal(t, []ArrayInfo{{"features", []int{20, 4, 2}, "float32"}, {"labels", []int{20}, "int64"},
		{"edges", []int{3, 2}, "int64"},
		{"node_names", []int{4}, "string"}}, r.Arrays)
	d := a.load(t, Options{HoldOut: true})
	assert.Equal(t, []string{"a", "b", "c", "d"}, d.NodeNames)
	assert.Equal(t, d.Mean, r.Data.Mean)
	assert.Equal(t, d.Test, r.Data.Test)
	assert.Equal(t, d.Warnings, r.Warnings[:len(d.Warnings)], "what Load warns of, and more")
}

// A check finds many mistakes at once. The whole texts of what it prints are pinned here and in TestSampleOddities
// alone: other tests name the facts in them.
func TestCheckFindsAll(t *testing.T) {
	nan := float32(math.NaN())
	features := path4()["features"].Data.([]float32)
	for _, i := range []int{0, 9, 18, 27, 36} {
		features[i] = nan
	}
	a := arrays{
		"features":    {Shape: []int{20, 4, 2}, Data: features},
		"labels":      vectorOf(append([]int64{-1, -2, 9}, make([]int64, 17)...)...),
		"class_names": vectorOf("a", "b", "a"),
		"split":       vectorOf(append([]int64{3}, make([]int64, 19)...)...),
		"edges":       matrixOf[int64](2, 0, 1, 1, 4, -1, 2),
		"weights":     vectorOf(1, -1, math.Inf(1)),
		"node_names":  vectorOf("x", "y"),
		"lables":      vectorOf(1.0),
	}
	r := a.check(t, Options{})
	assert.Equal(t, []string{
		"features[0,0,0] is NaN, which is not a finite float32, at most 3.4e38; replace it (numpy.nan_to_num) or drop " +
			"the sample",
		"features[1,0,1] is NaN, which is not a finite float32, at most 3.4e38; replace it (numpy.nan_to_num) or drop " +
			"the sample",
		"features[2,1,0] is NaN, which is not a finite float32, at most 3.4e38; replace it (numpy.nan_to_num) or drop " +
			"the sample",
		"features: 2 more elements are wrong in the same way",
		`class_names[2] is "a", as class_names[0] is; give each class a name of its own`,
		"labels[0] is -1; number the classes from 0, or store them as strings (labels.astype(str))",
		"labels[1] is -2; number the classes from 0, or store them as strings (labels.astype(str))",
		"labels[2] is 9, but class_names has 3 names; number the classes from 0 and name each",
		"split[0] is 3; want 0 train, 1 validation or 2 test",
		"weights[1] is -1; weights must be finite and not negative",
		"weights[2] is +Inf; weights must be finite and not negative",
		"edges: edge 1 (1-4): node 4 is not one of the 4 nodes, which count from 0",
		"edges: edge 2 (-1-2): node -1 is not one of the 4 nodes, which count from 0",
		"node_names has shape [2]; want [4], the number of nodes of features: the lengths must agree",
	}, r.Errors)
	assert.Len(t, r.Warnings, 1)
	messagetest.Names(t, r.Warnings[0], `"lables" … not used`)

	_, err := Load(t.Context(), a.write(t), Options{HoldOut: true})
	require.Error(t, err)
	assert.True(t, strings.HasSuffix(err.Error(), r.Errors[0]), "Load tells the first only")
}

// TestCheckGoesOn without what other arrays are measured by.
func TestCheckGoesOn(t *testing.T) {
	csr := arrays{"indptr": vectorOf(0.5), "indices": vectorOf[int64](0), "data": vectorOf(-1.0)}
	for _, c := range []struct {
		name string
		a    arrays
		opts Options
		want []string
	}{
		{"an empty file", arrays{}, Options{}, []string{"no array features", "no array labels",
			"no graph"}},
		{"features alone", arrays{"features": path4()["features"]}, Options{},
			[]string{"no array labels … 20", "no graph"}},
		{"no features", path4().with("features", nil).with("labels", vectorOf(0.5)), Options{},
			[]string{"no array features", "labels are float64"}},
		{"no labels at all", path4().with("features", nil).with("labels", vectorOf[int64]()), Options{},
			[]string{"no array features"}},
		{"neighbours of nothing", arrays{"labels": vectorOf[int64](0, 1)}, Options{KNN: 3}, []string{"no array features"}},
		{"split without labels", path4().with("labels", nil).with("split", vectorOf(make([]int64, 20)...)), Options{},
			[]string{"no array labels", "split … no test sample"}},
		{"split and groups … no samples",
			path4().with("features", vectorOf(1.0)).with("split", vectorOf(slices.Repeat([]int64{0, 1, 2, 0}, 5)...)).
				with("groups", vectorOf[int64](1, 2, 1)), Options{}, []string{"features has shape [1]"}},
		{"parts of a CSR", csr, Options{}, []string{"no array features", "no array labels", "indptr: element 0 is 0.5",
			"data[0] is -1"}},
		{"two graphs, both wrong", path4().with("edges", matrixOf(2, 0.5, 1)).with("adjacency", matrixOf(1, 1.0)),
			Options{KNN: 2},
			[]string{"graph … 2 times", "edges: element 0 is 0.5", "adjacency has shape [1 1]; want [4, 4]"}},
		{"adjacency alone", arrays{"adjacency": matrixOf(2, 1.0, -1, 1, 1)}, Options{},
			[]string{"no array features", "no array labels", "adjacency[0,1] is -1"}},
		{"one class", path4().with("labels", vectorOf(make([]int64, 20)...)), Options{}, []string{"labels name 1 class"}},
		{"two samples", path4().with("features", matrixOf(4, 1.0, 2, 3, 4, 5, 6, 7, 8)).with("labels", vectorOf[int64](0, 1)),
			Options{},
			[]string{"test split … empty"}},
		{"text for numbers", path4().with("features",
			&npz.Array{Shape: []int{20, 4}, Data: make([]string, 80)}).with("labels", vectorOf[int64](-1)), Options{},
			[]string{"features: elements are string", "labels has shape [1]; want [20]"}},
		{"names that are numbers", path4().with("class_names", vectorOf(1.0)).with("node_names", vectorOf(1.0, 2, 3, 4)),
			Options{},
			[]string{"class_names … float64", "node_names … float64"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.a.check(t, c.opts)
			require.Len(t, r.Errors, len(c.want), "%q", r.Errors)
			for i, want := range c.want {
				messagetest.Names(t, r.Errors[i], want)
			}
		})
	}
}

func TestCheckCannotOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.npz")
	_, err := CheckNPZ(path, Options{HoldOut: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	messagetest.Names(t, err, "check the path … numpy.savez")
	require.NoError(t, os.WriteFile(path, []byte("text"), 0o644))
	_, err = CheckNPZ(path, Options{HoldOut: true})
	messagetest.Names(t, err, "mine.npz … .npz … zip")
	_, err = CheckNPZ(path, Options{HoldOut: true, KNN: -1})
	messagetest.Option(t, err, "knn", -1, "negative")
}

// TestSampleOddities by hand: node 1 never changes in training, a test sample is a training sample, one is far off, two
// equal samples have different classes, and one class has 20 training samples for each of the other.
func TestSampleOddities(t *testing.T) {
	const n = 24
	values, labels, split := make([]float32, 0, 2*n), make([]int64, n), make([]int64, n)
	for i := range n {
		values = append(values, float32(i), 7)
	}
	labels[20], labels[21], labels[22], labels[23] = 1, 1, 0, 1
	split[21], split[22], split[23] = 1, 2, 2
	values[2*22] = 3     // the test sample 22 is the training sample 3
	values[2*23] = 0     // the test sample 23 is the training sample 0 of another class
	values[2*21+1] = 1e6 // far, in validation: node 1 still never changes in training
	a := arrays{"features": {Shape: []int{n, 2, 1}, Data: values}, "labels": vectorOf(labels...),
		"split": vectorOf(split...),
		"edges": matrixOf[int64](2, 0, 1)}
	r := a.check(t, Options{})
	mean, std := r.Data.Mean[0], r.Data.Std[0]
	assert.Equal(t, []string{
		"channel 0 is 1e+06 in 1 of 48 values, far from all others: if it stands for a missing value, store NaN in its place",
		"class 0 has no validation sample",
		fmt.Sprintf("1 values lie over 100 deviations from the mean of their channel, the farthest %.0f: sample 21, node "+
			"1, channel 0 is 1e+06; "+
			"clip them, or take logarithms", (1e6-mean)/std),
		"2 test samples are training samples, too (sample 22 is sample 3): the test accuracy will be too good; keep copies " +
			"together in split",
		"1 samples equal a sample of another class (sample 23, class 1, is sample 0, class 0): no classifier can tell them " +
			"apart; check labels",
		"1 of 2 nodes never change over the training samples (the first: [1]); they cost time and tell nothing",
		"channel 0 is constant in sample 7, and in hardly any other: is that sample as it should be? The limits by which " +
			"predict warns leave it out",
		"class 0 has 20 training samples, class 1 only 1: accuracy says little about the small one; look at recall " +
			"in ccp eval",
	}, slices.Concat(r.Warnings, textsOf(r.Data.oddities())))
	assert.Subset(t, textsOf(r.Findings), textsOf(r.Data.oddities()))
	assert.Empty(t, small(t).oddities())
	for i := range n {
		values[2*i], labels[i] = 1e6+float32(i), int64(i%2)
	}
	messagetest.OneNames(t, textsOf(a.check(t, Options{}).Findings),
		"1 of 2 nodes … 1/10000 … float32 … first: 0 … subtract")
}

// FuzzCheckNPZ: a file is usable if and only if Load takes it, and no file makes the search for more errors fail.
func FuzzCheckNPZ(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{0, 1, 0, 1}, []byte{0, 1}, []byte{1}, []byte{0, 0, 1, 2}, uint8(0xff))
	f.Add([]byte{1, 2, 3, 4}, []byte{0, 9}, []byte{0, 200}, []byte{255}, []byte{3, 0}, uint8(0x3f))
	f.Add([]byte{1, 2}, []byte{}, []byte{0, 1, 1, 0}, []byte{1, 1}, []byte{}, uint8(0x88))
	f.Fuzz(func(t *testing.T, features, labels, graph, weights, split []byte, which uint8) {
		if len(features) > 1024 || len(graph) > 64 {
			t.Skip()
		}
		signed := func(values []byte) *npz.Array {
			out := make([]int8, len(values))
			for i, value := range values {
				out[i] = int8(value)
			}
			return vectorOf(out...)
		}
		side := int(math.Sqrt(float64(len(graph))))
		all := []npz.Named{
			{Name: "features", Array: matrixOf(max(1, len(features)/max(1, len(labels))), slices.Clone(features)...)},
			{Name: "labels", Array: signed(labels)},
			{Name: "split", Array: signed(split)},
			{Name: "edges", Array: &npz.Array{Shape: []int{len(graph) / 2, 2},
				Data: signed(graph).Data.([]int8)[:len(graph)/2*2]}},
			{Name: "weights", Array: signed(weights)},
			{Name: "adjacency", Array: &npz.Array{Shape: []int{side, side}, Data: signed(graph).Data.([]int8)[:side*side]}},
			{Name: "indptr", Array: signed(graph)},
			{Name: "coordinates", Array: matrixOf(1, slices.Clone(weights)...)},
		}
		a := arrays{}
		for bit, array := range all {
			if which>>bit&1 == 1 {
				a[array.Name] = array.Array
			}
		}
		if count := len(features); a["features"] != nil {
			a["features"].Data = features[:count/a["features"].Shape[1]*a["features"].Shape[1]]
		}
		path := a.write(t)
		report, err := CheckNPZ(path, Options{HoldOut: true})
		require.NoError(t, err)
		d, err := Load(t.Context(), path, Options{HoldOut: true})
		require.Equal(t, report.Usable, err == nil, "%v %q", err, report.Errors)
		if err != nil {
			require.NotEmpty(t, report.Errors)
			return
		}
		require.Equal(t, d.Test, report.Data.Test)
	})
}

func ExampleCheckNPZ() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "triangle.npz")
	err = npz.Write(path, []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{4, 3}, Data: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7}}},
		{Name: "labels", Array: &npz.Array{Shape: []int{4}, Data: []int64{0, 1, 0, -1}}},
		{Name: "edges", Array: &npz.Array{Shape: []int{3, 2}, Data: []int64{0, 1, 1, 2, 2, 3}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := CheckNPZ(path, Options{})
	fmt.Println(report.Usable, err)
	for _, line := range report.Errors {
		fmt.Println(line)
	}
	// Output:
	// false <nil>
	// labels[3] is -1; number the classes from 0, or store them as strings (labels.astype(str))
	// edges: edge 2 (2-3): node 3 is not one of the 3 nodes, which count from 0
}
