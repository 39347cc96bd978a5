// Package layout finds out whether the nodes of a graph are sensors at successive frames.
package layout

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Layout says how the nodes of a graph are sensors at frames. Frames and Sensors are 0 if they are not.
type Layout struct {
	Frames, Sensors int
	// SensorWise says that node = sensor · frames + frame; else it is frame · sensors + sensor.
	SensorWise bool
}

// Of finds the layout of a graph whose grid says that it may be one. grid is {frames, sensors} or {sensors, frames},
// row by row, and the graph is a path of frames times a graph of sensors. A path of rows times a path of columns is
// an image, and no series. Without a grid nodes are no frames, whatever their edges look like: two rivers are no
// series of two sensors.
func Of(graph *affinity.Matrix, grid []int) Layout {
	if len(grid) != 2 || image(graph, grid[0], grid[1]) {
		return Layout{}
	}
	for _, l := range []Layout{{grid[0], grid[1], false}, {grid[1], grid[0], true}} {
		if l.of(graph) {
			return l
		}
	}
	return Layout{}
}

// Seems finds what a graph without a grid looks like by its edges, for people to confirm by a grid.
func Seems(graph *affinity.Matrix) Layout {
	n := graph.N()
	for sensors := 1; 3*sensors <= n; sensors++ {
		for _, sensorWise := range []bool{false, true} {
			l := Layout{n / sensors, sensors, sensorWise}
			switch {
			case n%sensors != 0 || !inTime(graph, l.Frames, l.Sensors, l.SensorWise):
			case l.of(graph):
				return l
			default: // an image
				return Layout{}
			}
		}
	}
	return Layout{}
}

// of reports whether a graph is a path of frames times a graph of sensors, and no path of rows times a path of columns.
func (l Layout) of(graph *affinity.Matrix) bool {
	return l.Frames >= 3 && l.Frames*l.Sensors == graph.N() && inTime(graph, l.Frames, l.Sensors, l.SensorWise) &&
		(l.Sensors < 3 || !inTime(graph, l.Sensors, l.Frames, !l.SensorWise))
}

// Node returns the node of a sensor at a frame.
func (l Layout) Node(frame, sensor int) int32 {
	if l.SensorWise {
		return int32(sensor*l.Frames + frame)
	}
	return int32(frame*l.Sensors + sensor)
}

// At returns the frame and the sensor of a node: Node's inverse.
func (l Layout) At(node int32) (frame, sensor int) {
	if l.SensorWise {
		return int(node) % l.Frames, int(node) / l.Frames
	}
	return int(node) / l.Sensors, int(node) % l.Sensors
}

// Links returns the graph of the sensors: the edges within the first frame.
func (l Layout) Links(graph *affinity.Matrix) *affinity.Matrix {
	var edges []affinity.Edge
	for _, e := range graph.EdgeList() {
		f, i := l.At(int32(e.I))
		g, j := l.At(int32(e.J))
		if f == 0 && g == 0 {
			edges = append(edges, affinity.Edge{I: i, J: j, Weight: e.Weight})
		}
	}
	links, err := affinity.New(l.Sensors, edges)
	if err != nil {
		panic(err) // the edges are those of a graph that has passed the same checks
	}
	return links
}

// Spans cuts the frames of each sensor into at most most spans, and lists the nodes of each.
func (l Layout) Spans(most int) (spans [][]int32) {
	length := (l.Frames + most - 1) / most
	for sensor := range l.Sensors {
		for from := 0; from < l.Frames; from += length {
			var span []int32
			for frame := from; frame < min(from+length, l.Frames); frame++ {
				span = append(span, l.Node(frame, sensor))
			}
			spans = append(spans, span)
		}
	}
	return spans
}

// inTime reports whether the graph is a path of frames times a graph of sensors. Then each sensor is joined to itself
// in the next frame, and sensors are joined in the same way in each frame. A single sensor may also be joined to the
// frame after the next.
func inTime(graph *affinity.Matrix, frames, sensors int, sensorWise bool) bool {
	l := Layout{frames, sensors, sensorWise}
	var first, links int
	for node := range graph.N() {
		frame, sensor := l.At(int32(node))
		next := false
		neighbours, _ := graph.Row(node)
		for _, to := range neighbours {
			f, s := l.At(to)
			switch {
			case f == frame && s != sensor:
				links++
				if frame == 0 {
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
				dr, dc := int(to)/columns-r, int(to)%columns-c
				if dr*dr > 1 || dc*dc > 1 {
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
