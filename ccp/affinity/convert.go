package affinity

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"github.com/clusterpool/ccp/internal/npz"
)

// FromCSR builds a matrix from compressed sparse rows, as CSR returns them and scipy.sparse.csr_matrix holds them. Row
// i has the columns indices[indptr[i]:indptr[i+1]], and its values are at the same places of data. Columns need not be
// sorted within a row. Stored zeros are dropped, and the slices are copied.
//
// It is an error if
//   - the three slices do not fit together,
//   - a column is out of range or twice in a row,
//   - a value is negative or not finite,
//   - the matrix is not exactly symmetric.
func FromCSR[P, C ~int | ~int32 | ~int64](n int, indptr []P, indices []C, data []float64) (*Matrix, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	if len(indptr) != n+1 {
		return nil, fmt.Errorf("indptr has %d elements, want %d: one more than the %d rows", len(indptr), n+1, n)
	}
	if len(indices) != len(data) {
		return nil, fmt.Errorf("indices has %d elements but data has %d; they must be as many", len(indices), len(data))
	}
	if indptr[0] != 0 || int64(indptr[n]) != int64(len(data)) {
		return nil, fmt.Errorf("indptr goes from %d to %d, want 0 to %d, the number of entries",
			indptr[0], indptr[n], len(data))
	}
	for i := range n {
		if indptr[i+1] < indptr[i] {
			return nil, fmt.Errorf("indptr[%d] is %d, less than the %d before it", i+1, indptr[i+1], indptr[i])
		}
	}
	edges := make([]Edge, 0, len(data))
	for i := range n {
		for k := indptr[i]; k < indptr[i+1]; k++ {
			edges = append(edges, Edge{i, int(indices[k]), data[k]})
		}
	}
	return fromEntries(n, edges, func(k int) string { return fmt.Sprintf("entry %d", k) })
}

// FromDense builds a matrix from all its values, row-major `[n, n]`. It is an error if a value is negative or not
// finite, or if the matrix is not exactly symmetric. The error names the row and column.
func FromDense(n int, values []float64) (*Matrix, error) {
	if err := checkNodes(n); err != nil {
		return nil, err
	}
	if len(values) != n*n {
		return nil, fmt.Errorf("%d values, want %d for %d x %d", len(values), n*n, n, n)
	}
	var edges []Edge
	for at, v := range values {
		if v != 0 {
			edges = append(edges, Edge{at / n, at % n, v})
		}
	}
	return fromEntries(n, edges, func(int) string { return "entry" })
}

// fromEntries builds a matrix from both its triangles, in any order. Unlike New it refuses an entry that comes twice,
// and one whose mirror image is missing or different. Zeros count as not given.
func fromEntries(n int, given []Edge, name func(k int) string) (*Matrix, error) {
	return assemble(n, given, name, func(same []entry) (float64, error) {
		var up, down float64 // above and below the diagonal
		for k, e := range same {
			for _, before := range same[:k] {
				if before.below == e.below {
					return 0, fmt.Errorf("%s: (%d,%d), counted from 0, was there before, at %s; give each entry once",
						name(e.at), given[e.at].I, given[e.at].J, name(before.at))
				}
			}
			if e.below {
				down = e.weight
			} else {
				up = e.weight
			}
		}
		i, j := same[0].low(), same[0].high()
		if i != j && up != down {
			return 0, fmt.Errorf("the matrix is not symmetric: (%d,%d) is %v but (%d,%d) is %v, counted from 0; make it so, "+
				"as by numpy.maximum(a, a.T)", i, j, up, j, i, down)
		}
		return up, nil
	})
}

// Permuted renumbers the nodes: node order[i] of m becomes node i. It is an error if order does not hold each node
// once.
func (m *Matrix) Permuted(order []int) (*Matrix, error) {
	n := m.N()
	if len(order) != n {
		return nil, fmt.Errorf("order has %d nodes, want %d", len(order), n)
	}
	place := slices.Repeat([]int{-1}, n)
	for i, node := range order {
		if node < 0 || node >= n {
			return nil, fmt.Errorf("order[%d] is %d, not one of the %d nodes", i, node, n)
		}
		if place[node] >= 0 {
			return nil, fmt.Errorf("order[%d] is %d, which is at %d already", i, node, place[node])
		}
		place[node] = i
	}
	edges := m.EdgeList()
	for k, e := range edges {
		edges[k] = Edge{place[e.I], place[e.J], e.Weight}
	}
	return New(n, edges)
}

// ReadFS reads a graph from an .npz file of a file system, which WriteFile or scipy.sparse.save_npz wrote: the arrays
// indptr, indices and data of [FromCSR]. Errors name the file and the array.
func ReadFS(fsys fs.FS, name string) (*Matrix, error) {
	content, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	return Parse(name, content)
}

// Parse is ReadFS of the content of a file.
func Parse(name string, content []byte) (*Matrix, error) {
	file, err := npz.Read(name, content)
	if err != nil {
		return nil, err
	}
	indptr, wrongStarts := npz.Elements(file, "indptr", -1, "", (*npz.Array).Ints)
	indices, wrongColumns := npz.Elements(file, "indices", -1, "", (*npz.Array).Ints)
	data, wrongWeights := npz.Elements(file, "data", -1, "", (*npz.Array).Floats)
	if err := cmp.Or(wrongStarts, wrongColumns, wrongWeights); err != nil {
		return nil, file.Errorf("%w", err)
	}
	m, err := FromCSR(len(indptr)-1, indptr, indices, data)
	if err != nil {
		return nil, file.Errorf("%w", err)
	}
	return m, nil
}

// WriteFile writes an .npz file that ReadFS and scipy.sparse.load_npz read. The file appears whole or not at all.
func (m *Matrix) WriteFile(path string) error {
	n := int64(m.N())
	return npz.Write(path, []npz.Named{
		{Name: "indices", Array: &npz.Array{Shape: []int{len(m.indices)}, Data: m.indices}},
		{Name: "indptr", Array: &npz.Array{Shape: []int{len(m.indptr)}, Data: m.indptr}},
		{Name: "format", Array: &npz.Array{Data: []string{"csr"}}},
		{Name: "shape", Array: &npz.Array{Shape: []int{2}, Data: []int64{n, n}}},
		{Name: "data", Array: &npz.Array{Shape: []int{len(m.data)}, Data: m.data}},
	})
}
