package kernels

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/place"
)

// View says how kernels read a signal: as channels at positions. If the graph is a path of frames times a graph of
// sensors, the positions are the frames, and all channels of all sensors are channels. Else the positions are the
// nodes.
type View struct {
	Positions, Channels int
	// Sensors is the number of sensors of a graph that is frames times sensors; else 0.
	Sensors    int
	sensorWise bool // node = sensor · frames + frame; else frame · sensors + sensor
	columns    int  // of an image; else 0
	// dilations hold for each dilation the position in each slot, `[positions, slots]`. Positions means that there is
	// none. steps are the dilations' sizes.
	dilations [][]int32
	steps     []int
	shares    []float64 // the share of the thresholds that each dilation has
	clusters  []int32   // each position's of four clusters, which have shares of their own; nil for series
}

// Image reports whether the positions are the pixels of an image.
func (v *View) Image() bool { return v.columns > 0 }

// Usual is the usual number of features, many that for many samples.
const (
	Usual = 10_000
	many  = 2_000
)

// Suited returns the number of features that suits a data set, alone or beside another network. Beside one, kernels
// suit series with at least as many frames as a kernel has slots, and few images. Elsewhere they are no better than the
// network, and the number is 0. Memory grows with positions times features, so that signals of
// more than 512 positions get fewer features.
func Suited(graph *affinity.Matrix, grid []int, samples int, alone bool) int {
	v := DetectLayout(graph, grid, 1)
	series, large := v.Sensors > 0 && v.Positions >= Slots, samples > MostDual
	switch {
	case !alone && !series && (large || !v.Image()):
		return 0
	case large:
		return many
	}
	return max(many, Usual*512/max(512, v.Positions))
}

// NewView finds the view of signals `[nodes, channels]` on a graph. grid is {rows, columns} of nodes row by row, or nil.
func NewView(graph *affinity.Matrix, grid []int, channels int) *View {
	v := DetectLayout(graph, grid, channels)
	switch {
	case v.Sensors > 0:
		v.slotsInTime()
	case v.Image():
		v.slotsOfImage()
	default:
		v.slotsOnGraph(graph)
	}
	return v
}

// DetectLayout is NewView without the slots, which take time on a large graph.
func DetectLayout(graph *affinity.Matrix, grid []int, channels int) *View {
	n := graph.N()
	whole := &View{Positions: n, Channels: channels}
	if len(grid) == 2 && image(graph, grid[0], grid[1]) {
		whole.columns = grid[1]
		return whole
	}
	for sensors := 1; 3*sensors <= n; sensors++ {
		if n%sensors != 0 {
			continue
		}
		for _, sensorWise := range []bool{false, true} {
			frames := n / sensors
			switch {
			case !inTime(graph, frames, sensors, sensorWise):
			case sensors < 3 || !inTime(graph, sensors, frames, !sensorWise):
				return &View{Positions: frames, Channels: sensors * channels, Sensors: sensors, sensorWise: sensorWise}
			case sensorWise: // a path of rows times a path of columns
				whole.columns = frames
				return whole
			default:
				whole.columns = sensors
				return whole
			}
		}
	}
	return whole
}

// inTime reports whether the graph is a path of frames times a graph of sensors. Then each sensor is joined to itself
// in the next frame, and sensors are joined in the same way in each frame. A single sensor may also be joined to the
// frame after the next.
func inTime(graph *affinity.Matrix, frames, sensors int, sensorWise bool) bool {
	at := func(node int) (frame, sensor int) { return node / sensors, node % sensors }
	if sensorWise {
		at = func(node int) (frame, sensor int) { return node % frames, node / frames }
	}
	var first, links int
	for node := range graph.N() {
		frame, sensor := at(node)
		next := false
		neighbours, _ := graph.Row(node)
		for _, to := range neighbours {
			f, s := at(int(to))
			switch {
			case f == frame && s != sensor:
				if links++; frame == 0 {
					first++
				}
			case s == sensor && f == frame+1:
				next = true
			case s == sensor && (f == frame || f == frame-1 || sensors == 1 && (f == frame+2 || f == frame-2)):
			default:
				return false
			}
		}
		if !next && frame < frames-1 {
			return false
		}
	}
	return links == first*frames
}

// image reports whether a grid's nodes are joined along rows and along columns.
func image(graph *affinity.Matrix, rows, columns int) bool {
	if rows < 3 || columns < 3 {
		return false
	}
	for r := range rows {
		for c := range columns {
			neighbours, _ := graph.Row(r*columns + c)
			for _, to := range neighbours {
				if dr, dc := int(to)/columns-r, int(to)%columns-c; dr*dr > 1 || dc*dc > 1 {
					return false
				}
			}
			if c+1 < columns && !slices.Contains(neighbours, int32(r*columns+c+1)) ||
				r+1 < rows && !slices.Contains(neighbours, int32((r+1)*columns+c)) {
				return false
			}
		}
	}
	return true
}

// Steps returns the dilations of a series of so many frames, and the share of the thresholds that each has. They are
// MiniRocket's 32 dilations, many of them equal, spaced exponentially up to the length of the series.
func Steps(frames int) (steps []int, shares []float64) {
	most := math.Log2(float64(max(1, frames-1)) / (slots - 1))
	const spaced = 32
	for i := range spaced {
		step := int(math.Pow(2, max(0, most)*float64(i)/(spaced-1)))
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps, shares = append(steps, step), append(shares, 0)
		}
		shares[len(shares)-1] += 1.0 / spaced
	}
	return steps, shares
}

// slotsInTime makes nine slots in time.
func (v *View) slotsInTime() {
	frames := v.Positions
	v.steps, v.shares = Steps(frames)
	for _, step := range v.steps {
		table := make([]int32, 0, frames*slots)
		for frame := range frames {
			for slot := range slots {
				table = append(table, v.within(frame+(slot-slots/2)*step, frames, 0))
			}
		}
		v.dilations = append(v.dilations, table)
	}
}

// within returns base + i, or Positions if i is out of the range to n.
func (v *View) within(i, n, base int) int32 {
	if i < 0 || i >= n {
		return int32(v.Positions)
	}
	return int32(base + i)
}

// slotsOfImage makes three times three slots.
func (v *View) slotsOfImage() {
	rows, columns := v.Positions/v.columns, v.columns
	var points [][]float64
	for p := range v.Positions {
		points = append(points, []float64{float64(p / columns), float64(p % columns)})
	}
	v.quarter(points)
	for step := 1; step == 1 || 2*step < min(rows, columns); step *= 2 {
		v.steps = append(v.steps, step)
		var table []int32
		for r := range rows {
			for c := range columns {
				for slot := range slots {
					row := r + (slot/3-1)*step
					to := v.within(c+(slot%3-1)*step, columns, row*columns)
					if row < 0 || row >= rows {
						to = int32(v.Positions)
					}
					table = append(table, to)
				}
			}
		}
		v.dilations = append(v.dilations, table)
	}
	v.evenly()
}

// slotsOnGraph makes slots by direction in the positions that package place gives the nodes. With a dilation d they are
// every d-th of the nearest nodes.
func (v *View) slotsOnGraph(graph *affinity.Matrix) {
	n := graph.N()
	positions := place.Embed(graph)
	v.quarter(positions)
	for step := 1; step == 1 || 2*step*slots < n && step < 8; step *= 2 {
		size := min(n, step*slots)
		nearest, hops := place.Nearest(graph, size)
		nodes, ranks := make([]int32, 0, n*slots), make([]float64, 0, n*slots)
		for i := range n {
			for slot := range slots {
				at := slot * step
				if at >= size || nearest[i*size+at] < 0 {
					nodes, ranks = append(nodes, int32(i)), append(ranks, 0)
					continue
				}
				nodes, ranks = append(nodes, nearest[i*size+at]), append(ranks, float64(n-int(hops[i*size+at])))
			}
		}
		table, present := place.Directed(positions, positions, nodes, ranks, n, slots)
		for j := range table {
			if present[j] <= 0 {
				table[j] = int32(n)
			}
		}
		v.steps, v.dilations = append(v.steps, step), append(v.dilations, table)
	}
	v.evenly()
}

// quarter makes four clusters. It cuts the first two axes of the positions at their medians.
func (v *View) quarter(points [][]float64) {
	v.clusters = make([]int32, len(points))
	for axis := range 2 {
		var sorted []float64
		for _, place := range points {
			sorted = append(sorted, place[axis])
		}
		slices.Sort(sorted)
		for i, place := range points {
			if place[axis] >= sorted[len(sorted)/2] {
				v.clusters[i] += int32(2 - axis)
			}
		}
	}
}

// pools returns the number of sets of positions with shares of their own: all positions, and each cluster.
func (v *View) pools() int {
	if v.clusters == nil {
		return 1
	}
	return 5
}

// evenly gives each dilation as many thresholds.
func (v *View) evenly() {
	for range v.steps {
		v.shares = append(v.shares, 1/float64(len(v.steps)))
	}
}
