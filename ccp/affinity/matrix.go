// Package affinity holds the graph that all samples of a data set share. The graph is a symmetric, non-negative, sparse
// matrix A `[N, N]`, whose entry A[i,j] says how close the nodes i and j are. The package builds grids, graphs of
// nearest neighbours, skeletons over time and random graphs. It computes what the layer starts from: A without its
// diagonal, degrees and the symmetric normalisation. It finds positions for the nodes, and pools them by clusters.
//
// Everything here runs on the host; the package knows nothing of tensors or computation graphs.
package affinity

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"slices"
)

// maxNodes bounds N: a wrong number in a file cannot take all memory.
const maxNodes = 1 << 24

// Matrix is a symmetric, non-negative sparse matrix of N rows in CSR form, immutable after construction. It stores both
// (i,j) and (j,i), no zeros, and each row sorted by column.
type Matrix struct {
	indptr  []int64   // `[N+1]`: row i is at indptr[i]:indptr[i+1] of the other two.
	indices []int32   // Columns.
	data    []float64 // Weights, finite and positive.

	normalized bool // see AsNormalized
}

// Edge joins the nodes I and J, in either order; an edge with I = J is a self-loop.
type Edge struct {
	I, J   int
	Weight float64
}

// New builds the matrix of an undirected graph of n nodes. An edge may be given twice, in either direction, with equal
// weights. Self-loops are kept, edges of weight 0 dropped.
//
// It is an error if a node is not in 0..n-1, if a weight is negative or not finite, or if two weights of one edge
// differ. The error names the edge by its index.
func New(n int, edges []Edge) (*Matrix, error) {
	name := func(k int) string { return fmt.Sprintf("edge %d", k) }
	return assemble(n, edges, name, func(same []entry) (float64, error) {
		e := same[0]
		for _, other := range same[1:] {
			if other.weight != e.weight {
				return 0, fmt.Errorf("%s gives %d-%d the weight %v, but %s gives it %v; keep one of them",
					name(other.at), e.low(), e.high(), other.weight, name(e.at), e.weight)
			}
		}
		return e.weight, nil
	})
}

// entry is an edge or an entry of a matrix on its way into CSR form.
type entry struct {
	key    uint64 // The smaller node in the upper, the larger in the lower half.
	weight float64
	at     int  // Index in the list it came from.
	below  bool // It was given as (larger, smaller): below the diagonal.
}

func (e entry) low() int  { return int(e.key >> 32) }
func (e entry) high() int { return int(e.key & math.MaxUint32) }

// assemble checks edges one by one and sorts them by their smaller and then their larger node. It merges edges between
// the same two nodes into one weight, and drops weights of 0. name is what errors call an edge.
func assemble(n int, edges []Edge, name func(k int) string,
	merge func(same []entry) (float64, error)) (*Matrix, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	entries := make([]entry, len(edges))
	for k, e := range edges {
		for _, node := range []int{e.I, e.J} {
			if node < 0 || node >= n {
				return nil, fmt.Errorf("%s (%d-%d): node %d is not one of the %d nodes, which count from 0",
					name(k), e.I, e.J, node, n)
			}
		}
		if !(e.Weight >= 0) || math.IsInf(e.Weight, 1) {
			return nil, fmt.Errorf("%s (%d-%d): weight %v must be finite and not negative", name(k), e.I, e.J, e.Weight)
		}
		key := uint64(min(e.I, e.J))<<32 | uint64(max(e.I, e.J))
		entries[k] = entry{key: key, weight: e.Weight, at: k, below: e.I > e.J}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), a.at-b.at) })
	kept := entries[:0]
	for next := 0; len(entries) > 0; entries, next = entries[next:], 0 {
		e := entries[0]
		for next < len(entries) && entries[next].key == e.key {
			next++
		}
		var err error
		e.weight, err = merge(entries[:next])
		if err != nil {
			return nil, err
		}
		if e.weight != 0 {
			kept = append(kept, e)
		}
	}
	return pack(n, kept), nil
}

func checkNodes(n int) error {
	if n < 0 || n > maxNodes {
		return fmt.Errorf("%d nodes; a graph has 0 to %d", n, maxNodes)
	}
	return nil
}

// pack makes a matrix of sorted, distinct entries of positive weight and their mirror images. The order fills every row
// in the order of its columns: smaller neighbours are `low` of earlier entries, then the row's own entries follow.
func pack(n int, entries []entry) *Matrix {
	indptr := make([]int64, n+1)
	for _, e := range entries {
		indptr[e.low()+1]++
		if e.low() != e.high() {
			indptr[e.high()+1]++
		}
	}
	for i := range n {
		indptr[i+1] += indptr[i]
	}
	m := &Matrix{indptr: indptr, indices: make([]int32, indptr[n]), data: make([]float64, indptr[n])}
	next := slices.Clone(indptr[:n])
	put := func(row, column int, weight float64) {
		m.indices[next[row]], m.data[next[row]] = int32(column), weight
		next[row]++
	}
	for _, e := range entries {
		put(e.low(), e.high(), e.weight)
		if e.low() != e.high() {
			put(e.high(), e.low(), e.weight)
		}
	}
	return m
}

// N returns the number of nodes.
func (m *Matrix) N() int { return len(m.indptr) - 1 }

// Entries returns the number of stored (non-zero) entries of the matrix, both triangles and the diagonal.
func (m *Matrix) Entries() int { return len(m.data) }

// Edges returns the number of undirected edges, self-loops left out.
func (m *Matrix) Edges() int { return (m.Entries() - m.loops()) / 2 }

// loops returns the number of self-loops.
func (m *Matrix) loops() int {
	loops := 0
	for i := range m.N() {
		if m.At(i, i) != 0 {
			loops++
		}
	}
	return loops
}

// EdgeList lists each edge and self-loop once, with I <= J, sorted by I and then J.
func (m *Matrix) EdgeList() []Edge {
	edges := make([]Edge, 0, (m.Entries()+m.loops())/2)
	for i := range m.N() {
		neighbours, weights := m.Row(i)
		for k, j := range neighbours {
			if int(j) >= i {
				edges = append(edges, Edge{i, int(j), weights[k]})
			}
		}
	}
	return edges
}

// Links goes through the edges and self-loops once, as EdgeList lists them, and gives the two nodes of each.
func (m *Matrix) Links() iter.Seq2[int, int] {
	return func(yield func(i, j int) bool) {
		for _, e := range m.EdgeList() {
			if !yield(e.I, e.J) {
				return
			}
		}
	}
}

// Row returns the neighbours of node i in ascending order, and their weights. If i has a self-loop, i is among them.
// Both are views into the matrix: do not change them.
func (m *Matrix) Row(i int) (neighbours []int32, weights []float64) {
	from, to := m.indptr[i], m.indptr[i+1]
	return m.indices[from:to:to], m.data[from:to:to]
}

// CSR returns the whole matrix: row i has the columns indices[indptr[i]:indptr[i+1]], ascending, and the values at the
// same places of data. All three are views into the matrix: do not change them.
func (m *Matrix) CSR() (indptr []int64, indices []int32, data []float64) {
	return m.indptr, m.indices, m.data
}

// At returns A[i,j], 0 if nothing is stored.
func (m *Matrix) At(i, j int) float64 {
	neighbours, weights := m.Row(i)
	if k, ok := slices.BinarySearch(neighbours, int32(j)); ok {
		return weights[k]
	}
	return 0
}

// Dense returns the matrix with its zeros, row-major `[N, N]`.
func (m *Matrix) Dense() []float64 {
	n := m.N()
	values := make([]float64, n*n)
	for i := range n {
		neighbours, weights := m.Row(i)
		for k, j := range neighbours {
			values[i*n+int(j)] = weights[k]
		}
	}
	return values
}

// Density returns Entries / N², 0 for a graph without nodes.
func (m *Matrix) Density() float64 {
	n := float64(m.N())
	return float64(m.Entries()) / max(n*n, 1)
}

// Hash returns the SHA-256, in hexadecimal, of N and the entries. Equal matrices have equal hashes.
func (m *Matrix) Hash() string {
	digest := sha256.New()
	for _, part := range []any{int64(m.N()), m.indices, m.data, m.indptr} {
		_ = binary.Write(digest, binary.LittleEndian, part) // neither the types nor a hash fail
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// Degrees returns the row sums of A0, the matrix without its diagonal: d_i = Σ_{j≠i} A[i,j], `[N]`.
func (m *Matrix) Degrees() []float64 {
	degrees := make([]float64, m.N())
	for i := range degrees {
		neighbours, weights := m.Row(i)
		for k, j := range neighbours {
			if int(j) != i {
				degrees[i] += weights[k]
			}
		}
	}
	return degrees
}

// WithoutLoops returns A0 = A − I⊙A, the matrix without its diagonal.
func (m *Matrix) WithoutLoops() *Matrix {
	return m.offDiagonal(func(_, _ int, weight float64) float64 { return weight })
}

// AsNormalized returns the matrix, which Normalized then leaves as it is: for who normalises in another way.
func (m *Matrix) AsNormalized() *Matrix { as := *m; as.normalized = true; return &as }

// Normalized returns D^−½ A0 D^−½: A0 is the matrix without its diagonal, D the diagonal of its row sums. Rows of
// degree 0 stay zero. What Normalized returned stays as it is.
func (m *Matrix) Normalized() *Matrix {
	if m.normalized {
		return m
	}
	roots := m.Degrees()
	for i, d := range roots {
		roots[i] = math.Sqrt(d)
	}
	return m.offDiagonal(func(i, j int, weight float64) float64 {
		return weight / (roots[i] * roots[j]) // An entry's two nodes have positive degrees.
	}).AsNormalized()
}

// offDiagonal drops the diagonal, replaces every other weight by f, which must be symmetric in i and j, and drops what
// becomes 0.
func (m *Matrix) offDiagonal(f func(i, j int, weight float64) float64) *Matrix {
	out := &Matrix{
		indptr:  make([]int64, len(m.indptr)),
		indices: make([]int32, 0, len(m.indices)),
		data:    make([]float64, 0, len(m.data)),
	}
	for i := range m.N() {
		neighbours, weights := m.Row(i)
		for k, j := range neighbours {
			if int(j) == i {
				continue
			}
			if w := f(i, int(j), weights[k]); w != 0 {
				out.indices, out.data = append(out.indices, j), append(out.data, w)
			}
		}
		out.indptr[i+1] = int64(len(out.data))
	}
	return out
}
