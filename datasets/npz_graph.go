package datasets

import (
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// readGraph reads the graph in the form that the file has. Without a graph it joins nearest neighbours, by the nodes'
// coordinates or else by the training features. Coordinates beside a graph say where its nodes are drawn,
// and directions for directed slots.
func (r *npzReader) readGraph() error {
	graph, given, err := affinity.FromArrays(r, r.nodes)
	r.d.Affinity = graph
	errs := []error{err}
	if r.Has("weights") && !r.Has("edges") {
		errs = append(errs, errors.New("weights without edges; store edges [E, 2] beside them, or leave them out"))
	}
	if len(given) == 1 && r.opts.KNN > 0 {
		errs = append(errs, fmt.Errorf("the graph is given by %s and by --knn %d; keep one of them", given[0], r.opts.KNN))
	}
	if r.Has("coordinates") {
		errs = append(errs, r.readCoordinates())
	}
	wrong := errors.Join(errs...)
	switch {
	case given != nil || wrong != nil:
		return wrong
	case r.d.Coordinates != nil:
		k := r.opts.KNN
		if k == 0 {
			k = min(defaultNeighbours, r.d.Nodes-1)
		}
		return r.join("coordinates", r.d.Coordinates, k)
	case r.opts.KNN == 0:
		return errors.New("no graph; store edges, adjacency, indptr + indices + data, or coordinates, or pass --knn K")
	case r.d.Signals == nil || len(r.d.Train) == 0:
		return nil // an error of features or split
	}
	return r.join("--knn", r.d.describeNodes(r.opts.KNN), r.opts.KNN)
}

// defaultNeighbours is the number of neighbours of a node with coordinates if Options.KNN is 0.
const defaultNeighbours = 8

// join joins each node to its k nearest by points, `[nodes, dims]`. The error says where the points came from.
func (r *npzReader) join(from string, points []float64, k int) (err error) {
	if r.d.Nodes == 0 {
		return nil // an error of features
	}
	if r.d.Affinity, err = affinity.KNN(points, r.d.Nodes, len(points)/r.d.Nodes, k, affinity.Euclidean); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return nil
}

// readCoordinates reads `coordinates` [nodes, d].
func (r *npzReader) readCoordinates() error {
	a, err := r.Array("coordinates")
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
		if !finite(v) {
			return fmt.Errorf("%s is %g; it must be a finite number", a.Element("coordinates", i), v)
		}
	}
	r.d.Coordinates = points
	return nil
}

// describingValues bounds the values that describe a node in a graph over features: more would hardly change distances, but
// cost time.
const describingValues = 2048

// describeNodes gives each node its normalised values over the training samples, or over evenly spaced ones if there are
// many: `[nodes, values]`. It sets Mean and Std.
func (d *Dataset) describeNodes(k int) []float64 {
	d.standardise()
	count := min(len(d.Train), max(1, describingValues/d.Channels))
	if count < len(d.Train) {
		d.warn("the graph of --knn %d compares nodes by %d of the %d training samples", k, count, len(d.Train))
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
	return points
}
