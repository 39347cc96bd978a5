package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/params"
)

// graphForms are the ways to give a graph, each with the arrays that it consists of.
var graphForms = []struct {
	name   string
	arrays []string
	read   func(*npzReader) (*affinity.Matrix, error)
}{
	{"edges", []string{"edges"}, (*npzReader).readEdges},
	{"adjacency", []string{"adjacency"}, (*npzReader).readAdjacency},
	{"indptr, indices and data", []string{"indptr", "indices", "data"}, (*npzReader).readCSR},
}

// readGraph reads the graph in the form that the file has. Without a graph it joins nearest neighbours, by the nodes'
// positions, or leaves it to Make to join them, by the training features. Positions beside a graph are those of nodes
// in pictures, and give the directions of directed slots.
func (r *npzReader) readGraph() error {
	given, graphErr := r.readForms()
	points, err := r.readPositions()
	wrong := errors.Join(graphErr, err)
	switch {
	case given || wrong != nil:
		return wrong
	case (r.series != nil || r.Has("series")) && r.raw.Coordinates == nil:
		r.raw.Graph, r.raw.KNN = r.opts.Graph, r.opts.KNN // or Make links the sensors
		return nil
	case r.opts.Graph != nil:
		r.raw.Graph = r.opts.Graph
		return nil
	case r.raw.Coordinates != nil && r.nodes == 1 && r.opts.KNN == 0:
		r.raw.Graph, wrong = affinity.New(1, nil)
		return wrong
	case r.raw.Coordinates != nil:
		if n := r.raw.Nodes; n > 0 { // else an error of features
			k := cmp.Or(r.opts.KNN, min(defaultNeighbours, n-1))
			dims := len(points) / n
			r.raw.Graph, wrong = about("coordinates")(affinity.KNN(points, n, dims, k, affinity.Euclidean))
			r.warnCoincident(points, dims, k)
		}
		return wrong
	case r.opts.KNN == 0:
		return params.Sentencef("knn", "no graph; store edges, adjacency, indptr + indices + data, or coordinates, or give "+
			"%v, the number of nearest neighbours to join each node to", params.Named("knn"))
	}
	r.raw.KNN = r.opts.KNN
	return nil
}

// readForms reads the graph in the form that the file has, and reports whether it has any. The error joins all that is
// wrong: a form of which arrays are missing, several graphs, what a form's own reading says, and weights without edges.
func (r *npzReader) readForms() (given bool, err error) {
	var errs, reads []error
	var names []string // of the forms that are there
	for _, form := range graphForms {
		missing := slices.DeleteFunc(slices.Clone(form.arrays), r.Has)
		switch len(missing) {
		case len(form.arrays): // the file does not have this form
		case 0:
			names = append(names, form.name)
			graph, err := form.read(r)
			r.raw.Graph, reads = graph, append(reads, err)
		default:
			way := ""
			if r.Has("row") || r.Has("offsets") { // scipy's other forms of a sparse matrix
				way = "; store those of matrix.tocsr()"
			}
			errs = append(errs, fmt.Errorf("%s must come together; %s is not there%s", form.name,
				strings.Join(missing, ", "), way))
		}
	}
	if len(names) > 1 {
		errs = append(errs, fmt.Errorf("the graph is given %d times, by %s; keep one of them",
			len(names), strings.Join(names, " and by ")))
	}
	errs = append(errs, reads...)
	if r.Has("weights") && !r.Has("edges") {
		errs = append(errs, errors.New("weights without edges; store edges [E, 2] beside them, or leave them out"))
	}
	if r.Has("directed") && !r.Has("edges") {
		errs = append(errs, errors.New("directed without edges; store edges [E, 2] beside it, each from its first "+
			"node to its second, or leave it out"))
	}
	if len(names) == 1 && r.opts.KNN > 0 {
		errs = append(errs, fmt.Errorf("the graph is given by %s and by knn %d; keep one of them", names[0], r.opts.KNN))
	}
	return names != nil, errors.Join(errs...)
}

// readEdges reads `edges` [E, 2] and `weights` [E], which are 1 if there are none. An edge may be listed more than
// once.
func (r *npzReader) readEdges() (*affinity.Matrix, error) {
	a, err := r.Array("edges")
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[1] != 2 {
		fix := "list a pair of nodes a row"
		switch {
		case len(a.Shape) == 2 && a.Shape[0] == 2:
			fix = "transpose it (edges.T)"
		case len(a.Shape) == 2 && a.Shape[1] == 3:
			fix = "store the first two columns (edges[:, :2]), and the third as weights (edges[:, 2]), if it holds them"
		}
		return nil, fmt.Errorf("edges has shape %v; want [E, 2]: %s", a.Shape, fix)
	}
	ends, err := a.Ints()
	if err != nil {
		return nil, fmt.Errorf("edges: %w: the number of each node, its place in features", err)
	}
	weights := slices.Repeat([]float64{1}, a.Shape[0])
	if r.Has("weights") {
		weights, err = r.readWeights("weights", len(weights), "edges")
	}
	if len(ends) > 0 && slices.Min(ends) == 1 && slices.Max(ends) == int64(r.nodes) {
		return nil, fmt.Errorf("edges numbers the %d nodes from 1; they count from 0: subtract 1 (edges - 1)", r.nodes)
	}
	var wrong npz.Wrong
	for k, node := range ends {
		if node < 0 || node >= int64(r.nodes) && r.nodes >= 0 {
			wrong.Add("edges: edge %d (%d-%d): node %d is not one of the %d nodes, which count from 0",
				k/2, ends[k&^1], ends[k|1], node, r.nodes)
		}
	}
	if err := errors.Join(err, wrong.Err("edges")); err != nil || r.nodes < 0 {
		return nil, err
	}
	edges := make([]affinity.Edge, len(weights))
	for e, weight := range weights {
		edges[e] = affinity.Edge{I: int(ends[2*e]), J: int(ends[2*e+1]), Weight: weight}
	}
	if r.rounded("weights") {
		alike(edges)
	}
	if len(ends) > 0 && slices.Min(ends) == 1 {
		r.raw.fromOne = true
	}
	if err := r.readDirected(edges); err != nil {
		return nil, err
	}
	return about("edges")(affinity.New(r.nodes, edges))
}

// readDirected reads `directed`, true or false, which says whether each edge leads from its first node to its second.
func (r *npzReader) readDirected(edges []affinity.Edge) error {
	if !r.Has("directed") {
		return nil
	}
	a, err := r.Array("directed")
	if err != nil {
		return err
	}
	values, err := a.Ints()
	if err != nil || len(values) != 1 || values[0] != 0 && values[0] != 1 {
		return fmt.Errorf("directed is an array of shape %v and kind %s; want one value, true if each edge leads from its "+
			"first node to its second, or false", a.Shape, a.Kind())
	}
	if values[0] == 0 {
		return nil
	}
	r.raw.Directed = oneWay(edges)
	if r.raw.Directed == nil && len(edges) > 0 {
		appendf(&r.raw.Warnings, "directed is true, and edges lists each link both ways round, so that none leads one way; "+
			"list those once that do")
	}
	return nil
}

// oneWay returns the edges, from node to node, that are not listed the other way round, too. Self-loops lead nowhere.
func oneWay(edges []affinity.Edge) (links [][2]int) {
	listed := map[[2]int]bool{}
	for _, e := range edges {
		listed[[2]int{e.I, e.J}] = true
	}
	for _, e := range edges {
		link := [2]int{e.I, e.J}
		if listed[link] && !listed[[2]int{e.J, e.I}] {
			links, listed[link] = append(links, link), false // once
		}
	}
	return links
}

// rounded reports whether an array that was read has the results of computations, which are rounded.
func (r *npzReader) rounded(name string) bool {
	return slices.ContainsFunc(r.taken,
		func(a ArrayInfo) bool { return a.Name == name && strings.HasPrefix(a.Kind, "float") })
}

// alike gives edges between the same two nodes the larger of their weights, if these differ only by rounding. Programs
// that list both directions of an edge often compute each.
func alike(edges []affinity.Edge) {
	order := loop.Indices(len(edges))
	ends := func(i int) (low, high int) { return min(edges[i].I, edges[i].J), max(edges[i].I, edges[i].J) }
	slices.SortFunc(order, func(a, b int) int {
		lowA, highA := ends(a)
		lowB, highB := ends(b)
		return cmp.Or(cmp.Compare(lowA, lowB), cmp.Compare(highA, highB), cmp.Compare(edges[b].Weight, edges[a].Weight))
	})
	for at := 1; at < len(order); at++ { // the larger comes first
		before, e := edges[order[at-1]], &edges[order[at]]
		lowA, highA := ends(order[at-1])
		lowB, highB := ends(order[at])
		if lowA == lowB && highA == highB && before.Weight-e.Weight <= symmetryTolerance*before.Weight {
			e.Weight = before.Weight
		}
	}
}

// symmetryTolerance is the relative difference of two opposite weights that counts as rounding: a few units in the
// last place of float32.
const symmetryTolerance = 1e-6

// readAdjacency reads `adjacency` [nodes, nodes]. Computed matrices, such as kernels, are seldom symmetric to the last
// bit. If two opposite values differ only by rounding, the larger counts for both.
func (r *npzReader) readAdjacency() (*affinity.Matrix, error) {
	a, err := r.Array("adjacency")
	if err != nil {
		return nil, err
	}
	n := r.nodes
	if n >= 0 && !slices.Equal(a.Shape, []int{n, n}) {
		return nil, fmt.Errorf("adjacency has shape %v; want [%d, %d], the nodes of features", a.Shape, n, n)
	}
	values, err := checkWeights("adjacency", a)
	if err != nil {
		return nil, cmp.Or(otherMatrix(a), err)
	}
	if n < 0 {
		return nil, nil
	}
	if kind := a.Kind(); kind == "float32" || kind == "float64" {
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
	return about("adjacency")(affinity.FromDense(n, values))
}

// otherMatrix returns an error if a square matrix with unusable weights is a Laplacian, or marks where there is no edge
// by another value than 0; else nil.
func otherMatrix(a *npz.Array) error {
	values, err := a.Floats()
	if err != nil || len(a.Shape) != 2 || a.Shape[0] != a.Shape[1] || a.Shape[0] < 2 {
		return nil
	}
	n, laplacian := a.Shape[0], true
	bad := map[string]int{} // how often each unusable value is there
	for i := range n {
		sum, diagonal := 0.0, values[i*n+i]
		for j, value := range values[i*n : (i+1)*n] {
			sum += value
			if !(value >= 0) || math.IsInf(value, 1) {
				bad[fmt.Sprint(value)]++
			}
			laplacian = laplacian && (i == j || value <= 0)
		}
		laplacian = laplacian && math.Abs(sum) <= symmetryTolerance*diagonal
	}
	if laplacian {
		return errors.New("adjacency is a Laplacian, whose rows sum to 0; store the weights (numpy.diag(numpy.diag(L)) - L)")
	}
	for value, count := range bad {
		if len(bad) == 1 && 4*count > n*n {
			return fmt.Errorf("adjacency is %s in %d of %d places; 0 says that there is no edge: store it there", value,
				count, n*n)
		}
	}
	return nil
}

// readCSR reads `indptr` [nodes+1], `indices` and `data`, the compressed rows of scipy.sparse.
func (r *npzReader) readCSR() (*affinity.Matrix, error) {
	rows := -1
	if r.nodes >= 0 {
		rows = r.nodes + 1
	}
	starts, wrongStarts := npz.Elements(r, "indptr", rows, "nodes of features, plus 1", (*npz.Array).Ints)
	columns, err := npz.Elements(r, "indices", -1, "", (*npz.Array).Ints)
	if err != nil {
		return nil, errors.Join(wrongStarts, err)
	}
	weights, err := r.readWeights("data", len(columns), "indices")
	if err := errors.Join(wrongStarts, err); err != nil {
		return nil, err
	}
	if r.rounded("data") {
		weights = symmetricCSR(starts, columns, weights)
	}
	return about("indptr, indices and data")(affinity.FromCSR(len(starts)-1, starts, columns, weights))
}

// symmetricCSR returns the weights of compressed rows, of which two opposite ones that differ only by rounding are the
// larger.
func symmetricCSR(starts, columns []int64, weights []float64) []float64 {
	edges := make([]affinity.Edge, len(weights))
	for row := range len(starts) - 1 {
		for k := max(0, starts[row]); k < min(starts[row+1], int64(len(weights))); k++ {
			edges[k] = affinity.Edge{I: row, J: int(columns[k]), Weight: weights[k]}
		}
	}
	alike(edges)
	for k, e := range edges {
		weights[k] = e.Weight
	}
	return weights
}

// readWeights reads a vector of n weights.
func (r *npzReader) readWeights(name string, n int, of string) ([]float64, error) {
	a, err := npz.Vector(r, name, n, of)
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
func about(arrays string) func(*affinity.Matrix, error) (*affinity.Matrix, error) {
	return func(m *affinity.Matrix, err error) (*affinity.Matrix, error) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arrays, err)
		}
		return m, nil
	}
}

// defaultNeighbours is the number of neighbours of a node with coordinates if Options.KNN is 0.
const defaultNeighbours = 8
