package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	mostLabels  = 50   // clusters that are numbered in a picture
	mostEdges   = 3000 // edges that are drawn: more would hide the points
	namedPoints = 15   // points that have their names beside them
)

var (
	black = draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}
	white = draw.LineStyle{Color: color.White, Width: vg.Points(1.6), Dashes: []vg.Length{3, 2}}
	grey  = draw.LineStyle{Color: color.Gray{0x50}, Width: vg.Points(0.7), Dashes: []vg.Length{3, 2}}
)

// marks draws something of a plot.
type marks func(canvas draw.Canvas, at func(x, y float64) vg.Point)

// Plot implements plot.Plotter.
func (m marks) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	m(canvas, func(u, v float64) vg.Point { return vg.Point{X: x(u), Y: y(v)} })
}

// corner is the upper left one of a cell, in the plot.
func (l *Layout) corner(row, column int) (x, y float64) {
	return float64(column), float64(l.Rows - row)
}

// squares fills each cell with a colour. A run of cells of one colour is one rectangle.
func (l *Layout) squares(colour func(node int) color.Color) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		for row := range l.Rows {
			cells := l.Cells[row*l.Columns : (row+1)*l.Columns]
			for from := 0; from < l.Columns; {
				fill, to := colour(int(cells[from])), from+1
				for to < l.Columns && colour(int(cells[to])) == fill {
					to++
				}
				run := []vg.Point{at(l.corner(row, from)), at(l.corner(row, to)), at(l.corner(row+1, to)), at(l.corner(row+1, from))}
				canvas.FillPolygon(fill, run)
				canvas.StrokeLines(draw.LineStyle{Color: fill, Width: vg.Points(0.6)}, append(run, run[0])) // over the seams
				from = to
			}
		}
	})
}

// borders are the lines between cells of different clusters.
func (l *Layout) borders(cluster []int32) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		differ := func(a, b int) bool { return cluster[l.Cells[a]] != cluster[l.Cells[b]] }
		for cell := range l.Cells {
			row, column := cell/l.Columns, cell%l.Columns
			if column+1 < l.Columns && differ(cell, cell+1) {
				canvas.StrokeLines(black, []vg.Point{at(l.corner(row, column+1)), at(l.corner(row+1, column+1))})
			}
			if row+1 < l.Rows && differ(cell, cell+l.Columns) {
				canvas.StrokeLines(black, []vg.Point{at(l.corner(row+1, column)), at(l.corner(row+1, column+1))})
			}
		}
	})
}

// frame is the border around all cells, with dashed lines between the parts of a body.
func (l *Layout) frame(rule draw.LineStyle) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		for _, row := range l.Rules {
			if row > 0 && row < l.Rows {
				canvas.StrokeLines(rule, []vg.Point{at(l.corner(row, 0)), at(l.corner(row, l.Columns))})
			}
		}
		canvas.StrokeLines(black, []vg.Point{at(l.corner(0, 0)), at(l.corner(0, l.Columns)), at(l.corner(l.Rows, l.Columns)), at(l.corner(l.Rows, 0)), at(l.corner(0, 0))})
	})
}

// edges are the lines between linked nodes, where these are few.
func (l *Layout) edges() plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		if l.graph.Edges() > mostEdges {
			return
		}
		for _, e := range l.graph.EdgeList() {
			line := []vg.Point{at(l.X[e.I], l.Y[e.I]), at(l.X[e.J], l.Y[e.J])}
			canvas.StrokeLines(draw.LineStyle{Color: color.Gray{0xb0}, Width: vg.Points(0.4)}, line)
		}
	})
}

// discs are the nodes as points, the first of the order at the bottom.
func (l *Layout) discs(order []int, radius func(node int) vg.Length, colour func(node int) color.Color) plot.Plotter {
	places := make(plotter.XYs, len(order))
	for i, node := range order {
		places[i] = plotter.XY{X: l.X[node], Y: l.Y[node]}
	}
	return &plotter.Scatter{XYs: places, GlyphStyleFunc: func(i int) draw.GlyphStyle {
		return draw.GlyphStyle{Color: colour(order[i]), Radius: radius(order[i]), Shape: rimmed{}}
	}}
}

// pointRadius is that of each of n points.
func pointRadius(n int) vg.Length {
	return vg.Points(min(7, max(1, 45/math.Sqrt(float64(max(1, n))))))
}

// rimmed is the shape of a disc with a rim where there is room for one.
type rimmed struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (rimmed) DrawGlyph(canvas *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	draw.CircleGlyph{}.DrawGlyph(canvas, style, at)
	if style.Radius > 1.5 {
		rim := vg.Path{{Type: vg.MoveComp, Pos: vg.Point{X: at.X + style.Radius, Y: at.Y}}}
		rim.Arc(at, style.Radius, 0, 2*math.Pi)
		canvas.SetLineStyle(draw.LineStyle{Color: color.Gray{0x30}, Width: vg.Points(0.4)})
		canvas.Stroke(rim)
	}
}

// numbers writes each cluster's number at that node of it which is nearest to the middle of them.
func (l *Layout) numbers(cluster []int32, colours []color.Color) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		places := make([][]vg.Point, len(colours))
		for node, k := range cluster {
			places[k] = append(places[k], at(l.X[node], l.Y[node]))
		}
		for k, own := range places {
			if len(own) == 0 {
				continue
			}
			var middle vg.Point
			for _, place := range own {
				middle = middle.Add(place.Scale(1 / vg.Length(len(own))))
			}
			distance := func(a vg.Point) float64 { return math.Hypot(float64(a.X-middle.X), float64(a.Y-middle.Y)) }
			nearest := slices.MinFunc(own, func(a, b vg.Point) int { return cmp.Compare(distance(a), distance(b)) })
			if l.Kind == OnPlane {
				number(canvas, nearest, k)
			} else {
				label(canvas, nearest, fmt.Sprint(k), colours[k])
			}
		}
	})
}

// captions are the names of nodes beside them, the first ones first. A name that would lie on another is left out.
func (l *Layout) captions(nodes []int) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		style := words(7)
		style.YAlign = text.YCenter
		var written []vg.Rectangle
		for _, node := range nodes {
			place := at(l.X[node], l.Y[node])
			place.X += 6
			if style.XAlign = text.XLeft; place.X > canvas.Center().X {
				style.XAlign, place.X = text.XRight, place.X-12
			}
			box := style.Rectangle(l.names[node]).Add(place)
			if slices.ContainsFunc(written, func(b vg.Rectangle) bool {
				return box.Min.X < b.Max.X && b.Min.X < box.Max.X && box.Min.Y < b.Max.Y && b.Min.Y < box.Max.Y
			}) {
				continue
			}
			written = append(written, box)
			canvas.SetColor(color.NRGBA{0xff, 0xff, 0xff, 0xc0})
			canvas.Fill(box.Path())
			canvas.FillText(style, place, l.names[node])
		}
	})
}
