package affinity

import (
	"fmt"
	"strings"

	"github.com/clusterpool/ccp/internal/npz"
)

// readNPZ reads a graph from a .npz archive: see ReadFile.
func readNPZ(path string) (*Matrix, error) {
	file, err := npz.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return graphOf(file)
}

// graphOf reads the graph in whichever form the archive has it.
func graphOf(file *npz.File) (*Matrix, error) {
	type form struct {
		array string
		read  func(*npz.File) (*Matrix, error)
	}
	var found []form
	for _, f := range []form{{"indptr", readCSR}, {"edges", readEdges}, {"adjacency", readAdjacency}} {
		if file.Has(f.array) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return nil, file.Errorf("no graph in its arrays (%s); want indptr, indices and data, or edges, or adjacency",
			strings.Join(file.Names(), ", "))
	case 1:
	default:
		return nil, file.Errorf("holds both %q and %q; keep one form of the graph", found[0].array, found[1].array)
	}
	return found[0].read(file)
}

// readCSR reads what scipy.sparse.save_npz writes. A symmetric matrix is the same by rows and by columns.
func readCSR(file *npz.File) (*Matrix, error) {
	if file.Has("format") {
		a, err := file.Array("format")
		if err != nil {
			return nil, err
		}
		format, err := a.Strings()
		if err != nil || len(format) != 1 || (format[0] != "csr" && format[0] != "csc") {
			return nil, file.Errorf(`array "format": %.40q is not supported; save the matrix as csr`, format)
		}
	}
	indptr, err := vector(file, "indptr", (*npz.Array).Ints)
	if err != nil {
		return nil, err
	}
	indices, err := vector(file, "indices", (*npz.Array).Ints)
	if err != nil {
		return nil, err
	}
	data, err := vector(file, "data", (*npz.Array).Floats)
	if err != nil {
		return nil, err
	}
	n := len(indptr) - 1
	if file.Has("shape") {
		shape, err := vector(file, "shape", (*npz.Array).Ints)
		if err != nil {
			return nil, err
		}
		if len(shape) != 2 || shape[0] != shape[1] || shape[0] != int64(n) {
			return nil, file.Errorf(`array "shape": %v, but indptr has %d elements; want a square matrix of one row less`, shape, len(indptr))
		}
	}
	m, err := FromCSR(n, indptr, indices, data)
	if err != nil {
		return nil, file.Errorf("%w", err)
	}
	return m, nil
}

// vector reads a one-dimensional array as elements of the type that convert gives.
func vector[T any](file *npz.File, name string, convert func(*npz.Array) ([]T, error)) ([]T, error) {
	a, err := file.Array(name)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 1 {
		return nil, file.Errorf("array %q: shape %v, want one dimension", name, a.Shape)
	}
	values, err := convert(a)
	if err != nil {
		return nil, file.Errorf("array %q: %w", name, err)
	}
	return values, nil
}

// readEdges reads `edges` `[E, 2]` and, if it is there, `weights` `[E]`.
func readEdges(file *npz.File) (*Matrix, error) {
	a, err := file.Array("edges")
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[1] != 2 {
		return nil, file.Errorf(`array "edges": shape %v, want [edges, 2]`, a.Shape)
	}
	nodes, err := a.Ints()
	if err != nil {
		return nil, file.Errorf(`array "edges": %w`, err)
	}
	edges := make([]Edge, a.Shape[0])
	if len(edges) == 0 {
		return nil, file.Errorf(`array "edges": holds no edges; store a graph without any as adjacency`)
	}
	var weights []float64
	if file.Has("weights") {
		if weights, err = vector(file, "weights", (*npz.Array).Floats); err != nil {
			return nil, err
		}
		if len(weights) != len(edges) {
			return nil, file.Errorf(`array "weights": %d elements, want %d, one an edge`, len(weights), len(edges))
		}
	}
	largest := 0
	for k := range edges {
		edges[k] = Edge{int(nodes[2*k]), int(nodes[2*k+1]), 1}
		if weights != nil {
			edges[k].Weight = weights[k]
		}
		largest = max(largest, edges[k].I, edges[k].J)
	}
	n, err := inferNodes(largest, len(edges), "")
	if err != nil {
		return nil, file.Errorf(`array "edges": %w`, err)
	}
	m, err := build(n, edges, func(k int) string { return fmt.Sprintf("row %d", k) })
	if err != nil {
		return nil, file.Errorf(`array "edges": %w`, err)
	}
	return m, nil
}

// readAdjacency reads `adjacency` `[N, N]`.
func readAdjacency(file *npz.File) (*Matrix, error) {
	a, err := file.Array("adjacency")
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[0] != a.Shape[1] {
		return nil, file.Errorf(`array "adjacency": shape %v, want a square`, a.Shape)
	}
	values, err := a.Floats()
	if err != nil {
		return nil, file.Errorf(`array "adjacency": %w`, err)
	}
	m, err := FromDense(a.Shape[0], values)
	if err != nil {
		return nil, file.Errorf(`array "adjacency": %w`, err)
	}
	return m, nil
}

// writeNPZ writes the arrays that scipy.sparse.load_npz reads.
func (m *Matrix) writeNPZ(path string) error {
	indptr := make([]int64, len(m.indptr))
	for i, p := range m.indptr {
		indptr[i] = int64(p)
	}
	n := int64(m.N())
	return npz.Write(path, []npz.Named{
		{Name: "indices", Array: &npz.Array{Shape: []int{len(m.indices)}, Data: m.indices}},
		{Name: "indptr", Array: &npz.Array{Shape: []int{len(indptr)}, Data: indptr}},
		{Name: "format", Array: &npz.Array{Data: []string{"csr"}}},
		{Name: "shape", Array: &npz.Array{Shape: []int{2}, Data: []int64{n, n}}},
		{Name: "data", Array: &npz.Array{Shape: []int{len(m.data)}, Data: m.data}},
	})
}
