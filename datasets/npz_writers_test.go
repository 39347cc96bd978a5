package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// square is an adjacency of path4's nodes.
func square[T float64 | int8](values ...T) *npz.Array {
	return &npz.Array{Shape: []int{4, 4}, Data: values}
}

// Weights that a program computed for both directions differ in their last digits. In all forms of a graph the larger
// one counts.
func TestOppositeWeightsThatDifferByRounding(t *testing.T) {
	less := 0.3 * (1 - 1e-12)
	for name, a := range map[string]arrays{
		"edges": path4().with("edges", matrixOf[int64](2, 0, 1, 1, 2, 2, 3, 2, 1)).with("weights", vectorOf(1, less, 1, 0.3)),
		"dense": without().with("adjacency", square(0, 1.0, 0, 0, 1, 0, 0.3, 0, 0, less, 0, 1, 0, 0, 1, 0)),
		"csr": without().with("indptr", vectorOf[int32](0, 1, 3, 5, 6)).with("indices", vectorOf[int32](1, 2, 0, 1, 3, 2)).
			with("data", vectorOf(1, 0.3, 1, less, 1, 1)).with("format", vectorOf("csr")).with("shape", vectorOf[int64](4, 4)),
	} {
		d := a.load(t, Options{HoldOut: true})
		assert.Equal(t, 0.3, d.Affinity.At(1, 2), name)
		assert.Equal(t, 3, d.Affinity.Edges(), name)
		messagetest.EachNames(t, d.Warnings, noSplit)
	}
}

// Whole numbers of few bits are not added up in them.
func TestSmallIntegersAsWeights(t *testing.T) {
	d := without().with("adjacency", square[int8](0, 100, 0, 100, 100, 0, 100, 0, 0, 100, 0, 100, 100, 0, 100, 0)).load(t,
		Options{})
	assert.Equal(t, []float64{200, 200, 200, 200}, d.Affinity.Degrees())
}

// Arrays of other libraries for graphs are told of by what they are here.
func TestGraphsOfOtherLibraries(t *testing.T) {
	warnings := func(a arrays) string { return strings.Join(a.check(t, Options{}).Warnings, "\n") }
	messagetest.Names(t, warnings(without().with("edge_index", matrixOf[int64](3, 0, 1, 2, 1, 2, 3))),
		`"edge_index" … not used … edge_index.T`)
	messagetest.Names(t, warnings(path4().with("edge_attr", vectorOf(1.0, 2, 3))), `"edge_attr" … not used … weights`)
	found, err := Audit(path4().with("edges", matrixOf[int64](2, 1, 2, 2, 1)).load(t, Options{}))
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == ofLinks && f.What == perhapsText }))
	names := func(names ...string) string { return warnings(path4().with("node_names", vectorOf(names...))) }
	messagetest.Names(t, names("1", "10", "11", "2"), `node_names … sorted as texts … "11" … "2"`)
	assert.Contains(t, names("n1", "n10", "n2", "n3"), `("n10" is followed by "n2")`)
	for _, fine := range [][]string{{"1", "2", "10", "11"}, {"8", "9", "10", "11"}, {"a", "b", "c", "d"},
		{"01", "02", "10", "11"}, {"3", "1", "2", "10"}} {
		assert.NotContains(t, names(fine...), "sorted as texts", "%v", fine)
	}
}

func TestMatricesThatAreNoAdjacency(t *testing.T) {
	inf := math.Inf(1)
	weighted := []float64{0, 2, inf, inf, 2, 0, 1, inf, inf, 1, 0, 3, inf, inf, 3, 0}
	refuse(t, []badFile{
		{"Laplacian", without().with("adjacency", square(1.0, -1, 0, 0, -1, 3, -2, 0, 0, -2, 3, -1, 0, 0, -1, 1)), 0,
			[]string{"adjacency … Laplacian … numpy.diag(numpy.diag(L)) - L"}},
		{"infinite where there is no edge", without().with("adjacency", square(weighted...)), 0,
			[]string{"adjacency … +Inf … 6 of 16 … no edge"}},
		{"a mark where there is no edge", without().with("adjacency", square(slices.Repeat([]float64{-1}, 16)...)), 0,
			[]string{"adjacency … -1 … 16 of 16"}},
		{"one wrong weight", without().with("adjacency", square(0.0, -1, 0, 0, -1, 0, 2, 0, 0, 2, 0, 1, 0, 0, 1, 0)), 0,
			[]string{"adjacency[0,1] … -1 … negative"}},
		{"three columns of three edges", path4().with("edges", matrixOf(3, 0.0, 1, 0.5, 1, 2, 0.5, 2, 3, 1)), 0,
			[]string{"edges … [3 3] … [E, 2] … edges[:, :2] … edges[:, 2]"}},
		{"names of nodes", path4().with("edges", matrixOf(2, "a", "b")), 0,
			[]string{"edges … string … integers"}},
	})
}
