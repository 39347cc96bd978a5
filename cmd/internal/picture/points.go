package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Points is a clustering of the nodes of a graph, drawn as points at coordinates of the caller's choice, see Spectral, joined by the
// graph's edges where these are few.
type Points struct {
	Title    string
	X, Y     []float64
	Graph    *affinity.Matrix
	Cluster  []int32
	Clusters int
	Plain    bool // without the clusters' numbers
}

// mostEdges is how many edges are drawn at most: more would hide the points.
const mostEdges = 3000

// Save draws the points into files of these paths, which end in .png or .svg. Errors name the file.
func (q Points) Save(paths ...string) error { return save(q.plot(), 360, 384, paths) }

func (q Points) plot() *plot.Plot {
	p := pointAxes(q.Title, q.X, q.Y)
	var touching [][2]int32
	for _, e := range q.Graph.EdgeList() {
		touching = append(touching, [2]int32{q.Cluster[e.I], q.Cluster[e.J]})
	}
	p.Add(pointPlot{q, Colours(q.Clusters, touching)})
	return p
}

// pointAxes is a plot, without axes, that holds all points.
func pointAxes(title string, x, y []float64) *plot.Plot {
	p := blank(title)
	p.HideAxes()
	if len(x) > 0 {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = slices.Min(x), slices.Max(x), slices.Min(y), slices.Max(y)
	} else {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 0, 0, 0
	}
	// Distances mean the same along both axes. One point alone would leave them without extent.
	extent := max(1.06*max(p.X.Max-p.X.Min, p.Y.Max-p.Y.Min), 1e-9)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		middle := (axis.Min + axis.Max) / 2
		axis.Min, axis.Max = middle-extent/2, middle+extent/2
	}
	return p
}

// pointPlot is Points as a plotter.
type pointPlot struct {
	Points
	colours []color.Color
}

// Plot implements plot.Plotter.
func (q pointPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	at := func(i int) vg.Point { return vg.Point{X: x(q.X[i]), Y: y(q.Y[i])} }
	edges(canvas, q.Graph, at)
	radius := pointRadius(len(q.X))
	for i := range q.X {
		disc(canvas, at(i), radius, q.colours[q.Cluster[i]])
	}
	switch {
	case q.Plain:
	case radius >= 4: // there is room for a number in each point
		for i, k := range q.Cluster {
			label(canvas, at(i), fmt.Sprint(k), q.colours[k])
		}
	case q.Clusters > 1 && q.Clusters <= mostLabels:
		q.labels(canvas, at)
	}
}

// edges draws those of the graph where they are few.
func edges(canvas draw.Canvas, graph *affinity.Matrix, at func(i int) vg.Point) {
	if graph.Edges() > mostEdges {
		return
	}
	line := draw.LineStyle{Color: color.Gray{0xb0}, Width: vg.Points(0.4)}
	for _, e := range graph.EdgeList() {
		canvas.StrokeLine2(line, at(e.I).X, at(e.I).Y, at(e.J).X, at(e.J).Y)
	}
}

// pointRadius is that of each of n points.
func pointRadius(n int) vg.Length {
	return vg.Points(min(6, max(1, 45/math.Sqrt(float64(max(1, n))))))
}

// disc draws a point, with a rim where there is room for one.
func disc(canvas draw.Canvas, centre vg.Point, radius vg.Length, fill color.Color) {
	var path vg.Path
	path.Move(vg.Point{X: centre.X + radius, Y: centre.Y})
	path.Arc(centre, radius, 0, 2*math.Pi)
	path.Close()
	canvas.SetColor(fill)
	canvas.Fill(path)
	if radius > 1.5 {
		canvas.SetLineStyle(draw.LineStyle{Color: color.Gray{0x30}, Width: vg.Points(0.4)})
		canvas.Stroke(path)
	}
}

// labels writes each cluster's number on a white disc at the median of its points.
func (q pointPlot) labels(canvas draw.Canvas, at func(i int) vg.Point) {
	xs, ys := make([][]vg.Length, q.Clusters), make([][]vg.Length, q.Clusters)
	for i, k := range q.Cluster {
		xs[k], ys[k] = append(xs[k], at(i).X), append(ys[k], at(i).Y)
	}
	for k := range xs {
		if len(xs[k]) > 0 {
			slices.Sort(xs[k])
			slices.Sort(ys[k])
			number(canvas, vg.Point{X: xs[k][len(xs[k])/2], Y: ys[k][len(ys[k])/2]}, k)
		}
	}
}
