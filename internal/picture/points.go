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
}

// mostEdges is how many edges are drawn at most: more would hide the points.
const mostEdges = 3000

// Save draws the points into files of these paths, which end in .png or .svg. Errors name the file.
func (q Points) Save(paths ...string) error {
	p := blank(q.Title)
	p.HideAxes()
	var touching [][2]int32
	for _, e := range q.Graph.EdgeList() {
		touching = append(touching, [2]int32{q.Cluster[e.I], q.Cluster[e.J]})
	}
	p.Add(pointPlot{q, Colours(q.Clusters, touching)})
	if len(q.X) > 0 {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = slices.Min(q.X), slices.Max(q.X), slices.Min(q.Y), slices.Max(q.Y)
	}
	// One point alone, or all in a row, would leave an axis without extent.
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		margin := max(0.03*(axis.Max-axis.Min), 1e-9)
		axis.Min, axis.Max = axis.Min-margin, axis.Max+margin
	}
	return save(p, 360, 384, paths)
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
	if q.Graph.Edges() <= mostEdges {
		line := draw.LineStyle{Color: color.Gray{0xb0}, Width: vg.Points(0.4)}
		for _, e := range q.Graph.EdgeList() {
			canvas.StrokeLine2(line, at(e.I).X, at(e.I).Y, at(e.J).X, at(e.J).Y)
		}
	}
	radius := vg.Points(min(6, max(1, 45/math.Sqrt(float64(max(1, len(q.X)))))))
	rim := draw.LineStyle{Color: color.Gray{0x30}, Width: vg.Points(0.4)}
	for i := range q.X {
		var disc vg.Path
		centre := at(i)
		disc.Move(vg.Point{X: centre.X + radius, Y: centre.Y})
		disc.Arc(centre, radius, 0, 2*math.Pi)
		disc.Close()
		canvas.SetColor(q.colours[q.Cluster[i]])
		canvas.Fill(disc)
		if radius > 1.5 {
			canvas.SetLineStyle(rim)
			canvas.Stroke(disc)
		}
	}
	switch {
	case radius >= 4: // there is room for a number in each point
		for i, k := range q.Cluster {
			label(canvas, at(i), fmt.Sprint(k), q.colours[k])
		}
	case q.Clusters > 1 && q.Clusters <= mostLabels:
		q.labels(canvas, at)
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
