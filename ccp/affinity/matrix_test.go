package affinity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// small is the graph of testdata/make.py: 0-1 of weight 2, 1-2 of weight 0.5, a self-loop at 2, node 3 isolated.
func small(t testing.TB) *Matrix {
	m, err := New(4, []Edge{{2, 1, 0.5}, {0, 1, 2}, {2, 2, 1}})
	require.NoError(t, err)
	return m
}

func TestNew(t *testing.T) {
	m := small(t)
	indptr, indices, data := m.CSR()
	assert.Equal(t, []int64{0, 1, 3, 5, 5}, indptr)
	assert.Equal(t, []int32{1, 0, 2, 1, 2}, indices)
	assert.Equal(t, []float64{2, 2, 0.5, 0.5, 1}, data)

	assert.Equal(t, 4, m.N())
	assert.Equal(t, 5, m.Entries())
	assert.Equal(t, 2, m.Edges())
	assert.Equal(t, []Edge{{0, 1, 2}, {1, 2, 0.5}, {2, 2, 1}}, m.EdgeList())
	assert.Equal(t, 5.0/16, m.Density())
	assert.Equal(t, 0.5, m.At(2, 1))
	assert.Equal(t, 0.0, m.At(0, 3))
	assert.Equal(t, []float64{
		0, 2, 0, 0,
		2, 0, 0.5, 0,
		0, 0.5, 1, 0,
		0, 0, 0, 0,
	}, m.Dense())

	neighbours, weights := m.Row(1)
	assert.Equal(t, []int32{0, 2}, neighbours)
	assert.Equal(t, []float64{2, 0.5}, weights)
	neighbours, weights = m.Row(3)
	assert.Empty(t, neighbours)
	assert.Empty(t, weights)
}

func TestNewCountsEqualEdgesOnceAndDropsZeros(t *testing.T) {
	m, err := New(3, []Edge{{0, 1, 2}, {1, 0, 2}, {0, 1, 2}, {1, 2, 0}, {2, 2, 0}})
	require.NoError(t, err)
	assert.Equal(t, []Edge{{0, 1, 2}}, m.EdgeList())
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		n     int
		edges []Edge
		want  string
	}{
		{-1, nil, "-1 nodes … 16777216"},
		{maxNodes + 1, nil, "16777217 nodes"},
		{2, []Edge{{0, 1, 1}, {0, 2, 1}}, "edge 1 … 0-2 … node 2 … 2 nodes"},
		{2, []Edge{{-1, 0, 1}}, "edge 0 (-1-0): node -1"},
		{0, []Edge{{0, 0, 1}}, "edge 0 … 0-0 … node 0 … 0 nodes"},
		{2, []Edge{{0, 1, math.NaN()}}, "edge 0 (0-1): weight NaN"},
		{2, []Edge{{0, 1, math.Inf(1)}}, "edge 0 (0-1): weight +Inf"},
		{2, []Edge{{1, 0, -0.5}}, "edge 0 (1-0): weight -0.5"},
		{3, []Edge{{0, 1, 1}, {1, 2, 1}, {1, 0, 2}},
			"edge 2 … 0-1 … weight 2 … edge 0 … 1; … keep"},
		{3, []Edge{{0, 1, 0}, {0, 1, 2}}, "edge 1 … 0-1 … weight 2 … edge 0 … it 0"},
	} {
		_, err := New(c.n, c.edges)
		messagetest.Names(t, err, c.want)
	}
}

// TestDegenerate takes graphs without edges through every method.
func TestDegenerate(t *testing.T) {
	for n := range 3 {
		m, err := New(n, nil)
		require.NoError(t, err)
		assert.Equal(t, n, m.N())
		assert.Zero(t, m.Entries())
		assert.Zero(t, m.Edges())
		assert.Empty(t, m.EdgeList())
		assert.Equal(t, make([]float64, n*n), m.Dense())
		assert.Zero(t, m.Density())
		assert.Equal(t, make([]float64, n), m.Degrees())
		assert.Equal(t, m.AsNormalized(), m.Normalized())
		assert.Equal(t, m, m.WithoutLoops())
		s := m.Stats()
		assert.Equal(t, Stats{Nodes: n, Components: n, LargestComponent: min(n, 1), Isolated: n}, s)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		same, err := m.Permuted(order)
		require.NoError(t, err)
		assert.Equal(t, m, same)
		dense, err := FromDense(n, m.Dense())
		require.NoError(t, err)
		assert.Equal(t, m, dense)
	}
}

func TestFromCSR(t *testing.T) {
	m := small(t)
	back, err := FromCSR(m.N(), m.indptr, m.indices, m.data)
	require.NoError(t, err)
	assert.Equal(t, m, back)

	// Columns out of order, and a stored zero whose mirror image is not stored.
	back, err = FromCSR(4, []int64{0, 2, 4, 6, 6}, []int64{3, 1, 2, 0, 2, 1}, []float64{0, 2, 0.5, 2, 1, 0.5})
	require.NoError(t, err)
	assert.Equal(t, m, back)
}

func TestFromCSRErrors(t *testing.T) {
	for _, c := range []struct {
		n       int
		indptr  []int
		indices []int
		data    []float64
		want    string
	}{
		{-1, nil, nil, nil, "-1 nodes"},
		{2, []int{0, 0}, nil, nil, "indptr has 2 elements, want 3"},
		{1, []int{0, 1}, []int{0}, nil, "indices … 1 elements … data has 0"},
		{1, []int{0, 2}, []int{0}, []float64{1}, "indptr … 0 to 2 … 0 to 1"},
		{1, []int{1, 1}, []int{0}, []float64{1}, "indptr … 1 to 1 … 0 to 1"},
		{3, []int{0, 2, 1, 2}, []int{1, 0}, []float64{1, 1}, "indptr[2] … 1 … less than the 2"},
		{3, []int{0, 9, 1, 2}, []int{1, 0}, []float64{1, 1}, "indptr[2] … 1 … less than the 9"},
		{2, []int{0, 1, 1}, []int{2}, []float64{1}, "entry 0 (0-2): node 2"},
		{2, []int{0, 0, 1}, []int{-1}, []float64{1}, "entry 0 (1--1): node -1"},
		{2, []int{0, 1, 2}, []int{1, 0}, []float64{1, math.NaN()}, "entry 1 (1-0): weight NaN"},
		{2, []int{0, 2, 3}, []int{1, 1, 0}, []float64{1, 1, 1},
			"entry 1 … (0,1) … entry 0"},
		{2, []int{0, 2, 2}, []int{0, 0}, []float64{1, 1}, "entry 1 … (0,0) … before"},
		{2, []int{0, 1, 1}, []int{1}, []float64{1}, "symmetric … (0,1) is 1 … (1,0) is 0"},
		{2, []int{0, 1, 2}, []int{1, 0}, []float64{1, 2}, "symmetric … (0,1) is 1 … (1,0) is 2"},
	} {
		_, err := FromCSR(c.n, c.indptr, c.indices, c.data)
		messagetest.Names(t, err, c.want)
	}
}

func TestFromDense(t *testing.T) {
	m := small(t)
	back, err := FromDense(4, m.Dense())
	require.NoError(t, err)
	assert.Equal(t, m, back)

	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0, 1, 1}, "3 values, want 4 for 2 x 2"},
		{[]float64{0, 1, 0, 0}, "symmetric … (0,1) is 1 … (1,0) is 0"},
		{[]float64{0, 0, 3, 0}, "symmetric … (0,1) is 0 … (1,0) is 3"},
		{[]float64{0, -1, -1, 0}, "entry (0-1): weight -1"},
		{[]float64{0, 0, 0, math.NaN()}, "entry (1-1): weight NaN"},
	} {
		_, err := FromDense(2, c.values)
		messagetest.Names(t, err, c.want)
	}
}

func TestDegreesAndNormalized(t *testing.T) {
	m := small(t)
	assert.Equal(t, []float64{2, 2.5, 0.5, 0}, m.Degrees(), "the self-loop does not count")

	loopless := m.WithoutLoops()
	assert.Equal(t, []Edge{{0, 1, 2}, {1, 2, 0.5}}, loopless.EdgeList())
	assert.Equal(t, 5, m.Entries(), "m is as it was")

	normalized := m.Normalized()
	assert.Equal(t, loopless.Normalized(), normalized)
	assert.Same(t, normalized, normalized.Normalized(), "once is enough")
	assert.Equal(t, 2, normalized.Edges())
	assert.InDelta(t, 2/math.Sqrt(2*2.5), normalized.At(0, 1), 1e-15)
	assert.InDelta(t, 0.5/math.Sqrt(2.5*0.5), normalized.At(2, 1), 1e-15)
}

// TestNormalizedExtremes: weights at the ends of float64 give neither NaN, infinities nor asymmetry.
func TestNormalizedExtremes(t *testing.T) {
	m, err := New(6, []Edge{{0, 1, 5e-324}, {2, 3, 1e308}, {3, 4, 1e-308}, {4, 5, 3}})
	require.NoError(t, err)
	normalized := m.Normalized()
	_, err = FromDense(6, normalized.Dense())
	assert.NoError(t, err)
	assert.InDelta(t, 1, normalized.At(0, 1), 1e-9)
}

func TestPermuted(t *testing.T) {
	m := small(t)
	order := []int{3, 2, 0, 1}
	permuted, err := m.Permuted(order)
	require.NoError(t, err)
	for i := range order {
		for j := range order {
			assert.Equal(t, m.At(order[i], order[j]), permuted.At(i, j))
		}
	}
	for _, c := range []struct {
		order []int
		want  string
	}{
		{[]int{0, 1}, "order has 2 nodes, want 4"},
		{[]int{0, 1, 2, 4}, "order[3] is 4 … 4 nodes"},
		{[]int{0, 1, -1, 3}, "order[2] is -1"},
		{[]int{0, 1, 2, 1}, "order[3] is 1 … at 1 already"},
	} {
		_, err := m.Permuted(c.order)
		messagetest.Names(t, err, c.want)
	}
}

func TestHash(t *testing.T) {
	m := small(t)
	assert.Len(t, m.Hash(), 64)
	assert.Equal(t, small(t).Hash(), m.Hash())
	seen := map[string]bool{m.Hash(): true}
	for _, other := range []struct {
		n     int
		edges []Edge
	}{
		{5, m.EdgeList()}, // One more isolated node.
		{4, m.EdgeList()[:2]},
		{4, []Edge{{0, 1, 2}, {1, 2, 0.5}, {2, 2, math.Nextafter(1, 2)}}},
		{4, []Edge{{0, 1, 2}, {1, 3, 0.5}, {2, 2, 1}}},
		{0, nil}, {1, nil},
	} {
		m, err := New(other.n, other.edges)
		require.NoError(t, err)
		assert.False(t, seen[m.Hash()])
		seen[m.Hash()] = true
	}
}

// TestRandomGraphs compares the sparse operations with their definitions on dense matrices.
func TestRandomGraphs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		n := 1 + random.IntN(9)
		dense := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				if random.IntN(3) == 0 {
					dense[i*n+j] = random.Float64()
					dense[j*n+i] = dense[i*n+j]
				}
			}
		}
		m, err := FromDense(n, dense)
		require.NoError(t, err)
		assert.Equal(t, dense, m.Dense())
		again, err := New(n, m.EdgeList())
		require.NoError(t, err)
		assert.Equal(t, m, again)

		degrees, normalized := m.Degrees(), m.Normalized()
		for i := range n {
			sum := 0.0
			for j := range n {
				a0 := dense[i*n+j]
				if i == j {
					a0 = 0
				}
				sum += a0
				want := 0.0
				if a0 != 0 {
					want = a0 / math.Sqrt(degrees[i]) / math.Sqrt(degrees[j])
				}
				assert.InDelta(t, want, normalized.At(i, j), 1e-14)
			}
			assert.InDelta(t, sum, degrees[i], 1e-14)
		}
	}
}

func ExampleNew() {
	m, err := New(3, []Edge{{0, 1, 2}, {2, 1, 0.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.N(), m.Edges(), m.At(1, 2), m.Degrees())
	// Output: 3 2 0.5 [2 2.5 0.5]
}

func ExampleFromDense() {
	_, err := FromDense(2, []float64{
		0, 1,
		2, 0,
	})
	fact, advice, _ := strings.Cut(err.Error(), "; ")
	fmt.Println(fact)
	fmt.Println(advice)
	// Output:
	// the matrix is not symmetric: (0,1) is 1 but (1,0) is 2, counted from 0
	// make it so, as by numpy.maximum(a, a.T)
}

func ExampleMatrix_Normalized() {
	path, err := New(3, []Edge{{0, 1, 4}, {1, 2, 12}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(path.Normalized().At(0, 1)) // 4 / √(4·16)
	// Output: 0.5
}
