package picture

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The kinds of a Layout.
const (
	OnGrid   = "grid" // pixels: cell (row, column) is node row·columns + column
	OverTime = "time" // a row for each sensor or joint, a column for each frame
	OnPlane  = "points"
)

// Layout says where the nodes of a graph lie, and draws clusters and values there. Its JSON says so in a report's page.
type Layout struct {
	Kind     string    `json:"kind"`
	Rows     int       `json:"rows"` // 0 on a plane
	Columns  int       `json:"columns"`
	Cells    []int32   `json:"-"`        // the node in each cell, row by row from the top
	RowNames []string  `json:"-"`        // of the sensors or joints
	Rules    []int     `json:"-"`        // first rows of parts of the body; a line is drawn above each
	ByGraph  bool      `json:"by_graph"` // distances in the graph place the nodes, not coordinates of the data
	X        []float64 `json:"-"`        // of each node: on a plane from 0 to at most 1, else in cells of side 1
	Y        []float64 `json:"-"`        // upwards, in the scale of X

	graph Graph
	names []string
	rows  []int // the sensor or joint in each row
}

// Sensor returns the sensor or joint that a row is of.
func (l *Layout) Sensor(row int) int { return l.rows[row] }

// Graph is what a Layout needs to know of a graph, such as an affinity.Matrix.
type Graph interface {
	N() int                         // the number of nodes
	Edges() int                     // the number of edges between different nodes
	Links() iter.Seq2[int, int]     // the nodes that each edge joins
	Positions(dims int) [][]float64 // of each node, by distances in the graph, `[N, dims]`
}

// Nodes says what a data set states about the nodes of its graph, as datasets/signal.Info has it.
type Nodes struct {
	Grid        []int     // {rows, columns}; nil if nodes lie on none
	Series      [][]int32 // the nodes of each sensor, frame by frame; nil if nodes are not sensors at frames
	Sensors     []string  // names of the sensors or joints; nil if they have none
	Parts       [][]int   // the joints of each part of a body; nil if nodes are not a skeleton's
	Coordinates []float64 // `[nodes, d]`, row-major; nil if there are none
	Names       []string  // of each node; nil if nodes have no names
}

// overTime lists the nodes of each sensor over time: those of Series or, if the columns of the grid are the joints of a
// skeleton or have the names of sensors, those of each column. It is nil if nodes are not over time.
func (n Nodes) overTime() (series [][]int32) {
	if n.Series != nil || n.Parts == nil && n.Sensors == nil {
		return n.Series
	}
	frames, sensors := n.Grid[0], n.Grid[1]
	series = make([][]int32, sensors)
	for node := range int32(frames * sensors) {
		sensor := int(node) % sensors
		series[sensor] = append(series[sensor], node)
	}
	return series
}

// NewLayout lays out the nodes of a graph. There are four cases:
//
//   - with a grid of frames and sensors, the nodes are sensors over time, see Nodes.Series. So are the joints of a
//     skeleton;
//   - with any other grid `[rows, columns]`, node row·columns + column is the pixel in that cell;
//   - with coordinates, the nodes lie at their first two principal components;
//   - otherwise distances in the graph place them, see Graph.Positions.
func NewLayout(graph Graph, nodes Nodes) *Layout {
	l := &Layout{Kind: OnPlane, graph: graph, names: nodes.Names}
	if nodes.Grid == nil {
		l.onPlane(nodes.Coordinates)
		return l
	}
	if series := nodes.overTime(); series != nil {
		l.Kind, l.Rows, l.Columns = OverTime, len(series), len(series[0])
		l.layRows(nodes.Parts, series, nodes.Sensors)
	} else {
		l.Kind, l.Rows, l.Columns = OnGrid, nodes.Grid[0], nodes.Grid[1]
		l.Cells = loop.Convert[int32](loop.Indices(l.Rows * l.Columns))
	}
	l.X, l.Y = make([]float64, len(l.Cells)), make([]float64, len(l.Cells))
	for cell, node := range l.Cells {
		l.X[node], l.Y[node] = float64(cell%l.Columns)+0.5, float64(l.Rows-cell/l.Columns)-0.5
	}
	return l
}

// onPlane places nodes without a grid by their coordinates, or by distances in the graph if there are none.
func (l *Layout) onPlane(coordinates []float64) {
	l.ByGraph = len(coordinates) == 0
	if l.ByGraph {
		coordinates = slices.Concat(l.graph.Positions(2)...)
	}
	l.X, l.Y = plane(coordinates, l.graph.N())
	x, width := span(l.X)
	y, height := span(l.Y)
	side := cmp.Or(max(width, height), 1)
	for i := range l.X { // four digits are more than a picture shows
		l.X[i], l.Y[i] = math.Round(1e4*(0.5+(l.X[i]-x)/side))/1e4, math.Round(1e4*(0.5+(l.Y[i]-y)/side))/1e4
	}
}

// plane reduces coordinates of n nodes to two. If there are more, these are the first two principal components.
func plane(coordinates []float64, n int) (x, y []float64) {
	if len(coordinates) <= n {
		return slices.Clone(coordinates), make([]float64, n)
	}
	var components stat.PC
	positions := mat.NewDense(n, len(coordinates)/n, coordinates)
	if _, d := positions.Dims(); d > 2 && n > 1 && components.PrincipalComponents(positions, nil) {
		var directions, projected mat.Dense
		components.VectorsTo(&directions)
		projected.Mul(positions, directions.Slice(0, d, 0, 2))
		positions = &projected
	}
	return mat.Col(nil, 0, positions), mat.Col(nil, 1, positions)
}

// span returns the middle of the values and how far they reach from the lowest to the highest; 0 and 0 for none.
func span(values []float64) (middle, extent float64) {
	if len(values) == 0 {
		return 0, 0
	}
	low, high := floats.Min(values), floats.Max(values)
	return (low + high) / 2, high - low
}

// layRows fills Cells, RowNames and Rules: a column for each frame, a row for each sensor or joint. The joints of a
// part are next to each other; joints of no part come last.
func (l *Layout) layRows(parts [][]int, series [][]int32, names []string) {
	for _, part := range append(slices.Clone(parts), loop.Indices(len(series))) {
		for _, joint := range part {
			if slices.Contains(l.rows, joint) {
				continue
			}
			name := fmt.Sprint(joint)
			if names != nil {
				name = names[joint]
			}
			l.rows, l.RowNames = append(l.rows, joint), append(l.RowNames, name)
			l.Cells = append(l.Cells, series[joint]...)
		}
		l.Rules = append(l.Rules, len(l.rows))
	}
	l.Rules = l.Rules[:len(parts)]
}

// Colours returns the index of a colour in [Palette] for each of k clusters. Clusters that touch have different
// colours. cluster has the cluster of each node.
func (l *Layout) Colours(cluster []int32, k int) []int {
	var touching [][2]int32
	for cell, node := range l.Cells {
		for _, step := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
			row, column := cell/l.Columns+step[0], cell%l.Columns+step[1]
			if row < l.Rows && column >= 0 && column < l.Columns {
				touching = append(touching, [2]int32{cluster[node], cluster[l.Cells[row*l.Columns+column]]})
			}
		}
	}
	if l.Kind == OnPlane {
		for i, j := range l.graph.Links() {
			touching = append(touching, [2]int32{cluster[i], cluster[j]})
		}
	}
	return Colours(k, touching)
}
