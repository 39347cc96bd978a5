package affinity

import (
	"errors"
	"fmt"
	"math"
	"slices"
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

// graphOf reads the graph, and checks what scipy stores beside it.
func graphOf(file *npz.File) (*Matrix, error) {
	if !slices.ContainsFunc([]string{"indptr", "edges", "adjacency"}, file.Has) {
		return nil, file.Errorf("no graph in its arrays (%s); want indptr, indices and data, or edges, or adjacency",
			strings.Join(file.Names(), ", "))
	}
	if file.Has("indptr") && file.Has("format") { // A symmetric matrix is the same by rows and by columns.
		a, err := file.Array("format")
		if err != nil {
			return nil, err
		}
		format, err := a.Strings()
		if err != nil || len(format) != 1 || (format[0] != "csr" && format[0] != "csc") {
			return nil, file.Errorf("format: %.40q is not supported; save the matrix as csr", format)
		}
	}
	m, _, err := FromArrays(file, -1)
	if err != nil {
		return nil, file.Errorf("%w", err)
	}
	if file.Has("indptr") && file.Has("shape") {
		shape, err := npz.Elements(file, "shape", 2, "sides of a matrix", (*npz.Array).Ints)
		if err == nil && (shape[0] != shape[1] || shape[0] != int64(m.N())) {
			err = fmt.Errorf("shape is %v, but indptr has %d elements; want a square matrix of one row less", shape, m.N()+1)
		}
		if err != nil {
			return nil, file.Errorf("%w", err)
		}
	}
	return m, nil
}

// forms are the ways to give a graph, each with the arrays that it consists of.
var forms = []struct {
	name   string
	arrays []string
	read   func(from npz.Source, n int) (*Matrix, error)
}{
	{"edges", []string{"edges"}, readEdges},
	{"adjacency", []string{"adjacency"}, readAdjacency},
	{"indptr, indices and data", []string{"indptr", "indices", "data"}, readCSR},
}

// FromArrays reads a graph of n nodes, or where n is negative of as many as the arrays say, from the arrays of an .npz
// archive. It is given in one of three forms:
//
//   - edges `[E, 2]` and, if they are not 1, weights `[E]`; an edge may be there more than once with the same weight;
//   - adjacency `[n, n]`; of two opposite values that differ by no more than rounding, the larger counts for both;
//   - indptr `[n+1]`, indices and data: the compressed rows of scipy.sparse.
//
// given names the forms that are there; the matrix is nil if there are none. The error joins all that is wrong: it names
// the array, the index and the value, and says what to do.
func FromArrays(from npz.Source, n int) (m *Matrix, given []string, err error) {
	var errs, reads []error
	for _, form := range forms {
		missing := slices.DeleteFunc(slices.Clone(form.arrays), from.Has)
		switch len(missing) {
		case len(form.arrays):
		case 0:
			given = append(given, form.name)
			m, err = form.read(from, n)
			reads = append(reads, err)
		default:
			errs = append(errs, fmt.Errorf("%s must come together; %s is not there", form.name, strings.Join(missing, ", ")))
		}
	}
	if len(given) > 1 {
		errs = append(errs, fmt.Errorf("the graph is given %d times, by %s; keep one of them", len(given), strings.Join(given, " and by ")))
	}
	return m, given, errors.Join(append(errs, reads...)...)
}

func readEdges(from npz.Source, n int) (*Matrix, error) {
	a, err := from.Array("edges")
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[1] != 2 {
		fix := "list a pair of nodes a row"
		if len(a.Shape) == 2 && a.Shape[0] == 2 {
			fix = "transpose it (edges.T)"
		}
		return nil, fmt.Errorf("edges has shape %v; want [E, 2]: %s", a.Shape, fix)
	}
	ends, err := a.Ints()
	if err != nil {
		return nil, fmt.Errorf("edges: %w", err)
	}
	weights := slices.Repeat([]float64{1}, a.Shape[0])
	if from.Has("weights") {
		weights, err = readWeights(from, "weights", len(weights), "edges")
	}
	if n < 0 && len(weights) > 0 {
		largest := int(max(0, slices.Max(ends)))
		var gap error
		if n, gap = inferNodes(largest, a.Shape[0], ""); gap != nil {
			return nil, errors.Join(err, fmt.Errorf("edges: %w", gap))
		}
	} else if n < 0 {
		return nil, errors.Join(err, errors.New("edges holds no edges; store a graph without any as adjacency"))
	}
	if err := errors.Join(err, checkEnds(ends, n)); err != nil {
		return nil, err
	}
	edges := make([]Edge, len(weights))
	for e, weight := range weights {
		edges[e] = Edge{int(ends[2*e]), int(ends[2*e+1]), weight}
	}
	return about("edges")(New(n, edges))
}

// checkEnds checks that edges join two of n nodes.
func checkEnds(ends []int64, n int) error {
	var wrong npz.Wrong
	for k, node := range ends {
		if node < 0 || node >= int64(n) {
			wrong.Add("edges: edge %d (%d-%d): node %d is not one of the %d nodes, which count from 0", k/2, ends[k&^1], ends[k|1], node, n)
		}
	}
	return wrong.Err("edges")
}

func readAdjacency(from npz.Source, n int) (*Matrix, error) {
	a, err := from.Array("adjacency")
	switch {
	case err != nil:
		return nil, err
	case n < 0 && (len(a.Shape) != 2 || a.Shape[0] != a.Shape[1]):
		return nil, fmt.Errorf("adjacency has shape %v; want a square", a.Shape)
	case n < 0:
		n = a.Shape[0]
	case !slices.Equal(a.Shape, []int{n, n}):
		return nil, fmt.Errorf("adjacency has shape %v; want [%d, %d], the nodes of features", a.Shape, n, n)
	}
	values, err := checkWeights("adjacency", a)
	if err != nil {
		return nil, err
	}
	if kind := a.Kind(); kind == "float32" || kind == "float64" {
		evenOut(values, n)
	}
	return about("adjacency")(FromDense(n, values))
}

// symmetryTolerance is the relative difference of two opposite weights that counts as rounding: a few units in the
// last place of float32.
const symmetryTolerance = 1e-6

// evenOut sets opposite entries of a dense matrix that differ only by rounding to the larger of the two. Computed matrices,
// such as kernels, are seldom symmetric to the last bit.
func evenOut(values []float64, n int) {
	for i := range n {
		for j := range i {
			above, below := &values[j*n+i], &values[i*n+j]
			larger := max(*above, *below)
			if math.Abs(*above-*below) <= symmetryTolerance*larger {
				*above, *below = larger, larger
			}
		}
	}
}

func readCSR(from npz.Source, n int) (*Matrix, error) {
	rows := -1
	if n >= 0 {
		rows = n + 1
	}
	starts, wrongStarts := npz.Elements(from, "indptr", rows, "nodes of features, plus 1", (*npz.Array).Ints)
	columns, err := npz.Elements(from, "indices", -1, "", (*npz.Array).Ints)
	if err != nil {
		return nil, errors.Join(wrongStarts, err)
	}
	weights, err := readWeights(from, "data", len(columns), "indices")
	if err := errors.Join(wrongStarts, err); err != nil {
		return nil, err
	}
	return about("indptr, indices and data")(FromCSR(len(starts)-1, starts, columns, weights))
}

// readWeights reads a vector of weights.
func readWeights(from npz.Source, name string, n int, of string) ([]float64, error) {
	a, err := npz.Vector(from, name, n, of)
	if err != nil {
		return nil, err
	}
	return checkWeights(name, a)
}

// checkWeights returns the elements of an array of weights: numbers, finite, not negative.
func checkWeights(name string, a *npz.Array) ([]float64, error) {
	values, err := a.Floats()
	if err != nil {
		return nil, fmt.Errorf("%s: %w; store them as such (%[1]s.astype(float))", name, err)
	}
	var wrong npz.Wrong
	for i, value := range values {
		if !(value >= 0) || math.IsInf(value, 1) {
			wrong.Add("%s is %g; weights must be finite and not negative", a.Element(name, i), value)
		}
	}
	return values, wrong.Err(name)
}

// about names the arrays that an error is about.
func about(arrays string) func(*Matrix, error) (*Matrix, error) {
	return func(m *Matrix, err error) (*Matrix, error) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arrays, err)
		}
		return m, nil
	}
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
