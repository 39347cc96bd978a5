package affinity

import "slices"

// Layout says how the nodes of a graph are sensors at frames, as those of [SpaceTime] are. Frames and Sensors are 0 if
// they are not.
type Layout struct {
	Frames, Sensors int
	// SensorWise says that node = sensor · frames + frame; else it is frame · sensors + sensor.
	SensorWise bool
	// Guessed says that the edges alone look so, and that nothing states it. Such a layout is for people to confirm, and
	// no ground to compute on.
	Guessed bool
}

// InTime reports whether nodes are stated to be sensors at frames.
func (l Layout) InTime() bool { return l.Frames > 0 && !l.Guessed }

// LayoutOf finds the layout of a graph. grid is {frames, sensors} or {sensors, frames}, row by row, or nil. A grid
// states a layout if the graph is a path of frames times a graph of sensors. A path of rows times a path of columns is
// an image, and no series. Where no grid states a layout, that of the edges alone is Guessed, since nodes along a path
// need not be frames, whatever their edges look like: two rivers are no series of two sensors.
func LayoutOf(graph *Matrix, grid []int) Layout {
	if len(grid) == 2 && !isImage(graph, grid[0], grid[1]) {
		for _, l := range []Layout{{Frames: grid[0], Sensors: grid[1]},
			{Frames: grid[1], Sensors: grid[0], SensorWise: true}} {
			if l.of(graph) {
				return l
			}
		}
	}
	return guessLayout(graph)
}

// guessLayout finds what a graph looks like by its edges.
func guessLayout(graph *Matrix) Layout {
	n := graph.N()
	for sensors := 1; 3*sensors <= n; sensors++ {
		if n%sensors != 0 {
			continue
		}
		for _, sensorWise := range []bool{false, true} {
			l := Layout{Frames: n / sensors, Sensors: sensors, SensorWise: sensorWise, Guessed: true}
			switch {
			case !l.joinsFrames(graph):
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
func (l Layout) of(graph *Matrix) bool {
	turned := Layout{Frames: l.Sensors, Sensors: l.Frames, SensorWise: !l.SensorWise}
	return l.Frames >= 3 && l.Frames*l.Sensors == graph.N() && l.joinsFrames(graph) &&
		(l.Sensors < 3 || !turned.joinsFrames(graph))
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

// Links returns the graph of the sensors alone: the edges within the first frame, as all frames have the same ones.
func (l Layout) Links(graph *Matrix) *Matrix {
	var edges []Edge
	for _, e := range graph.EdgeList() {
		f, i := l.At(int32(e.I))
		g, j := l.At(int32(e.J))
		if f == 0 && g == 0 {
			edges = append(edges, Edge{I: i, J: j, Weight: e.Weight})
		}
	}
	links, err := New(l.Sensors, edges)
	if err != nil {
		panic(err) // the edges are those of a graph that has passed the same checks
	}
	return links
}

// Series lists the nodes of each sensor, frame by frame. It is nil if nodes are not stated to be sensors at frames.
func (l Layout) Series() [][]int32 {
	if !l.InTime() {
		return nil
	}
	return l.Spans(1)
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

// joinsFrames reports whether the graph is a path of frames times a graph of sensors. Then each sensor is joined to
// itself in the next frame, and sensors are joined in the same way in each frame. A single sensor may also be joined to
// the frame after the next.
func (l Layout) joinsFrames(graph *Matrix) bool {
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
			case s == sensor && (f == frame || f == frame-1 || l.Sensors == 1 && (f == frame+2 || f == frame-2)):
			default:
				return false
			}
		}
		if !next && frame < l.Frames-1 {
			return false
		}
	}
	return links == first*l.Frames
}

// isImage reports whether a graph joins the nodes of a grid as pixels: each with the next one in its row and in its
// column, and with none but the eight around it. A grid of fewer than 3 rows or columns has no such inside.
func isImage(graph *Matrix, rows, columns int) bool {
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
