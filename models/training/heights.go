package training

import (
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

const (
	mostAxes = 3
	// leastSpread is the deviation of positions along an axis, as a share of that along the first, below which the axis
	// is no direction: positions on a line have one.
	leastSpread = 0.1
)

// heightsOf returns the height of each sensor in each direction of the graph: the sensor's places on the main axes of
// the positions or, where there are no positions and the graph was given without a direction, its number of links.
// There is none if neither tells sensors apart.
func heightsOf(d *datasets.Dataset, links *affinity.Matrix) [][]float32 {
	if links == nil {
		return nil
	}
	n := links.N()
	if n > 1 && d.Coordinates != nil && len(d.Coordinates)%d.Affinity.N() == 0 {
		dims := len(d.Coordinates) / d.Affinity.N()
		positions := mat.NewDense(n, dims, nil)
		for sensor := range n {
			node := sensor
			if d.Layout.InTime() {
				node = int(d.Layout.Node(0, sensor))
			}
			positions.SetRow(sensor, d.Coordinates[node*dims:(node+1)*dims])
		}
		return onMainAxes(positions)
	}
	if d.GraphLearned() || d.Directed != nil {
		return nil
	}
	degrees := make([]float64, n)
	for _, e := range links.EdgeList() {
		if e.I != e.J {
			degrees[e.I]++
			degrees[e.J]++
		}
	}
	if floats.Max(degrees) == floats.Min(degrees) {
		return nil
	}
	return [][]float32{loop.Convert[float32](degrees)}
}

// directedSensors returns the links of a data set that lead one way, from sensor to sensor. Of a signal whose nodes are
// sensors at frames, they are those within the first frame.
func directedSensors(d *datasets.Dataset) (links [][2]int) {
	if d.Series != nil || !d.Layout.InTime() {
		return d.Directed
	}
	for _, link := range d.Directed {
		fromFrame, from := d.Layout.At(int32(link[0]))
		toFrame, to := d.Layout.At(int32(link[1]))
		if fromFrame == 0 && toFrame == 0 {
			links = append(links, [2]int{from, to})
		}
	}
	return links
}

// onMainAxes returns the places of positions `[sensors, d]` on their main axes (principal component analysis). Each
// axis leads to where its largest coordinate grows, so that its sign does not depend on how it is computed.
func onMainAxes(positions *mat.Dense) (heights [][]float32) {
	var pc stat.PC
	if !pc.PrincipalComponents(positions, nil) {
		return nil
	}
	variances := pc.VarsTo(nil)
	var axes, places mat.Dense
	pc.VectorsTo(&axes)
	places.Mul(positions, &axes)
	for axis, variance := range variances {
		if axis == mostAxes || !(variance > leastSpread*leastSpread*variances[0]) {
			break
		}
		column := mat.Col(nil, axis, &axes)
		largest := 0
		for k, v := range column {
			if math.Abs(v) > math.Abs(column[largest]) {
				largest = k
			}
		}
		height := mat.Col(nil, axis, &places)
		floats.Scale(math.Copysign(1, column[largest]), height)
		heights = append(heights, loop.Convert[float32](height))
	}
	return heights
}
