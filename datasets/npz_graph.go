package datasets

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// graphKinds are the ways to give a graph, each with the arrays that it consists of; the first name stands for it.
var graphKinds = []struct {
	name   string
	arrays []string
	read   func(*npzReader) error
}{
	{"edges", []string{"edges"}, (*npzReader).readEdges},
	{"adjacency", []string{"adjacency"}, (*npzReader).readAdjacency},
	{"indptr, indices and data", []string{"indptr", "indices", "data"}, (*npzReader).readCSR},
}

// readGraph reads the graph in the one form that the file gives it, or finds neighbours: by the nodes' coordinates, or else among the
// training features. Coordinates beside a graph only say where its nodes are drawn.
func (r *npzReader) readGraph() error {
	var given []string
	var reads, errs []error
	for _, kind := range graphKinds {
		var missing []string
		for _, name := range kind.arrays {
			if !r.file.Has(name) {
				missing = append(missing, name)
			}
		}
		if len(missing) == len(kind.arrays) {
			continue
		}
		if len(missing) > 0 {
			errs = append(errs, fmt.Errorf("%s must come together; %s is not there", kind.name, strings.Join(missing, ", ")))
			continue
		}
		given = append(given, kind.name)
		reads = append(reads, kind.read(r))
	}
	if len(given) > 1 {
		errs = append(errs, fmt.Errorf("the graph is given %d times, by %s; keep one of them", len(given), strings.Join(given, " and by ")))
	}
	if r.file.Has("weights") && !r.file.Has("edges") {
		errs = append(errs, errors.New("weights without edges; store edges [E, 2] beside them, or leave them out"))
	}
	if len(given) == 1 && r.opts.KNN > 0 {
		errs = append(errs, fmt.Errorf("the graph is given by %s and by --knn %d; keep one of them", given[0], r.opts.KNN))
	}
	if r.file.Has("coordinates") {
		errs = append(errs, r.readCoordinates())
		if len(given) == 0 {
			reads = append(reads, r.neighboursByCoordinates())
		}
	}
	if len(given)+len(errs) > 0 {
		return errors.Join(append(errs, reads...)...)
	}
	if r.opts.KNN == 0 {
		return errors.New("no graph; store edges, adjacency, indptr + indices + data, or coordinates, or pass --knn K")
	}
	return r.neighboursByFeatures()
}

// readEdges reads `edges` [E, 2] and `weights` [E] (1 if absent). An edge may be listed in both directions, or more
// than once, if its weight is the same each time.
func (r *npzReader) readEdges() error {
	a, err := r.array("edges")
	if err != nil {
		return err
	}
	if len(a.Shape) != 2 || a.Shape[1] != 2 {
		fix := "list a pair of nodes a row"
		if len(a.Shape) == 2 && a.Shape[0] == 2 {
			fix = "transpose it (edges.T)"
		}
		return fmt.Errorf("edges has shape %v; want [E, 2]: %s", a.Shape, fix)
	}
	ends, err := a.Ints()
	if err != nil {
		return fmt.Errorf("edges: %w", err)
	}
	weights := make([]float64, a.Shape[0])
	for e := range weights {
		weights[e] = 1
	}
	if r.file.Has("weights") {
		weights, err = r.weights("weights", len(weights), "edges")
	}
	if err := errors.Join(err, r.checkEnds(ends)); err != nil {
		return err
	}
	edges := make([]affinity.Edge, len(weights))
	for e, weight := range weights {
		edges[e] = affinity.Edge{I: int(ends[2*e]), J: int(ends[2*e+1]), Weight: weight}
	}
	return r.use("edges", func() (*affinity.Matrix, error) { return affinity.New(r.d.Nodes, edges) })
}

// checkEnds checks that edges join nodes of the graph, if their number is known.
func (r *npzReader) checkEnds(ends []int64) error {
	if r.d.Nodes == 0 {
		return nil
	}
	wrong := several{array: "edges"}
	for e := range len(ends) / 2 {
		for _, node := range ends[2*e : 2*e+2] {
			if node < 0 || node >= int64(r.d.Nodes) {
				wrong.add(func() error {
					return fmt.Errorf("edges: edge %d (%d-%d): node %d is not one of the %d nodes, which count from 0",
						e, ends[2*e], ends[2*e+1], node, r.d.Nodes)
				})
			}
		}
	}
	return wrong.err()
}

// readAdjacency reads `adjacency` [nodes, nodes].
func (r *npzReader) readAdjacency() error {
	a, err := r.array("adjacency")
	if err != nil {
		return err
	}
	n := r.d.Nodes
	if n == 0 && len(a.Shape) == 2 {
		n = a.Shape[0]
	}
	if len(a.Shape) != 2 || a.Shape[0] != n || a.Shape[1] != n {
		return fmt.Errorf("adjacency has shape %v; want [%d, %d], the nodes of features", a.Shape, n, n)
	}
	values, err := checkedWeights("adjacency", a)
	if err != nil {
		return err
	}
	if kind := a.Kind(); kind == "float32" || kind == "float64" {
		evenOut(values, n)
	}
	return r.use("adjacency", func() (*affinity.Matrix, error) { return affinity.FromDense(n, values) })
}

// symmetryTolerance is the relative difference of two opposite weights that counts as rounding: a few units in the
// last place of float32.
const symmetryTolerance = 1e-6

// evenOut gives opposite entries of a dense matrix that differ by rounding the larger weight of the two. Matrices that
// were computed, such as kernels, are seldom symmetric to the last bit.
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

// readCSR reads the compressed rows `indptr` [nodes+1], `indices` and `data`, as scipy.sparse stores them.
func (r *npzReader) readCSR() error {
	rows := -1
	if r.d.Nodes > 0 {
		rows = r.d.Nodes + 1
	}
	starts, wrongStarts := r.integers("indptr", rows, "nodes of features, plus 1")
	columns, err := r.integers("indices", -1, "")
	if err != nil {
		return errors.Join(wrongStarts, err)
	}
	weights, err := r.weights("data", len(columns), "indices")
	if err != nil || wrongStarts != nil {
		return errors.Join(wrongStarts, err)
	}
	return r.use("indptr, indices and data", func() (*affinity.Matrix, error) {
		return affinity.FromCSR(r.d.Nodes, starts, columns, weights)
	})
}

// readCoordinates reads `coordinates` [nodes, d].
func (r *npzReader) readCoordinates() error {
	a, err := r.array("coordinates")
	if err != nil {
		return err
	}
	if len(a.Shape) != 2 || a.Shape[0] != r.d.Nodes && r.d.Nodes > 0 || a.Shape[1] == 0 {
		return fmt.Errorf("coordinates has shape %v; want [%d, d], a row for each node of features", a.Shape, r.d.Nodes)
	}
	points, err := a.Floats()
	if err != nil {
		return fmt.Errorf("coordinates: %w", err)
	}
	for i, v := range points {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("coordinates[%d, %d] is %g; it must be a finite number", i/a.Shape[1], i%a.Shape[1], v)
		}
	}
	r.d.Coordinates = points
	return nil
}

// defaultNeighbours is the number of neighbours of a node with coordinates, unless Options.KNN says another.
const defaultNeighbours = 8

// neighboursByCoordinates joins each node to its nearest, if the coordinates could be read.
func (r *npzReader) neighboursByCoordinates() error {
	if r.d.Coordinates == nil {
		return nil
	}
	k := r.opts.KNN
	if k == 0 {
		k = min(defaultNeighbours, r.d.Nodes-1)
	}
	return r.use("coordinates", func() (*affinity.Matrix, error) {
		return affinity.KNN(r.d.Coordinates, r.d.Nodes, len(r.d.Coordinates)/r.d.Nodes, k, affinity.Euclidean)
	})
}

// describingValues bounds the values that describe a node in a graph over features: beyond it, a distance between
// nodes hardly changes, and its cost only grows.
const describingValues = 2048

// neighboursByFeatures joins each node to those whose normalised values, over the training samples (or evenly spaced
// ones of them, if they are many), are nearest.
func (r *npzReader) neighboursByFeatures() error {
	d := r.d
	if d.Signals == nil || len(d.Train) == 0 {
		return nil // an error of features or split
	}
	d.standardise()
	count := min(len(d.Train), max(1, describingValues/d.Channels))
	if count < len(d.Train) {
		d.warn("the graph of --knn %d compares nodes by %d of the %d training samples", r.opts.KNN, count, len(d.Train))
	}
	dims := count * d.Channels
	points := make([]float64, d.Nodes*dims)
	sample := make([]float32, d.Nodes*d.Channels)
	for s := range count {
		d.Sample(d.Train[s*len(d.Train)/count], sample)
		for j, value := range sample {
			node, channel := j/d.Channels, j%d.Channels
			points[node*dims+s*d.Channels+channel] = float64(value)
		}
	}
	return r.use("--knn", func() (*affinity.Matrix, error) {
		return affinity.KNN(points, d.Nodes, dims, r.opts.KNN, affinity.Euclidean)
	})
}

// use takes the matrix that build makes as the graph; its errors are about the named arrays. Without the number of nodes,
// an error of features, nothing can be built.
func (r *npzReader) use(arrays string, build func() (*affinity.Matrix, error)) error {
	if r.d.Nodes == 0 {
		return nil
	}
	matrix, err := build()
	if err != nil {
		return fmt.Errorf("%s: %w", arrays, err)
	}
	r.d.Affinity = matrix
	return nil
}
