package datasets

import (
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/sphere"
)

// warnCoincident warns of nodes that lie where more others lie than they are joined to, as where positions are missing
// and all are 0.
func (r *npzReader) warnCoincident(points []float64, dims, k int) {
	nodes := "node"
	if r.series != nil {
		nodes = "sensor"
	}
	if count, first := affinity.Coincident(points, dims, k); count > 0 {
		appendf(&r.raw.Warnings,
			"%d of %d %ss have more others at their place than the %d that they are joined to (the first: %[3]s %[5]d), so "+
				"that their neighbours are those of the lowest numbers; give each a position of its own, or store the graph as "+
				"edges", count, r.nodes, nodes, k, first)
	}
}

// readPositions reads the positions of nodes, `coordinates` [nodes, d] or `latitude` and `longitude` [nodes] in
// degrees, and returns the points whose neighbours are near: the coordinates, or points on a sphere. Coordinates of the
// data set are then those of a map.
func (r *npzReader) readPositions() (points []float64, err error) {
	degrees := r.Has("latitude") || r.Has("longitude")
	switch {
	case degrees && r.Has("coordinates"):
		return nil, errors.New("positions are given twice, by coordinates and by latitude and longitude; keep one of them")
	case degrees:
		return r.readDegrees()
	case !r.Has("coordinates"):
		return nil, nil
	}
	points, err = r.readCoordinates()
	if err == nil && r.raw.Nodes > 0 && len(points) == 2*r.raw.Nodes {
		if seems := sphere.Seems(points); seems != "" {
			appendf(&r.raw.Warnings, "coordinates %s; if they are degrees, store the arrays latitude and longitude [nodes] "+
				"in the place of coordinates", seems)
		}
	}
	return points, err
}

// readDegrees reads `latitude` and `longitude` [nodes], in degrees.
func (r *npzReader) readDegrees() ([]float64, error) {
	for _, name := range []string{"latitude", "longitude"} {
		if !r.Has(name) {
			return nil, fmt.Errorf("latitude and longitude must come together; %s is not there", name)
		}
	}
	latitudes, wrong := npz.Elements(r, "latitude", r.nodes, "nodes", (*npz.Array).Floats)
	longitudes, err := npz.Elements(r, "longitude", r.nodes, "nodes", (*npz.Array).Floats)
	if err := errors.Join(wrong, err); err != nil {
		return nil, err
	}
	if len(latitudes) != len(longitudes) { // of features that cannot be read
		return nil, nil
	}
	if at, err := sphere.Check(latitudes, longitudes); err != nil {
		return nil, fmt.Errorf("latitude[%d], longitude[%[1]d]: %w; if they are no degrees, store coordinates [nodes, 2]", at,
			err)
	}
	r.raw.Coordinates = sphere.Plan(latitudes, longitudes)
	return sphere.Points(latitudes, longitudes), nil
}

// readCoordinates reads `coordinates` [nodes, d].
func (r *npzReader) readCoordinates() ([]float64, error) {
	a, err := r.Array("coordinates")
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[0] != r.raw.Nodes && r.raw.Nodes > 0 || a.Shape[1] == 0 {
		return nil, fmt.Errorf("coordinates has shape %v; want [%d, d], a row for each node of features", a.Shape,
			r.raw.Nodes)
	}
	points, err := a.Floats()
	if err != nil {
		return nil, fmt.Errorf("coordinates: %w", err)
	}
	for i, v := range points {
		if !finite(v) {
			return nil, fmt.Errorf("%s is %g; it must be a finite number", a.Element("coordinates", i), v)
		}
	}
	r.raw.Coordinates = points
	return points, nil
}
