package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	mostLabels   = 50   // clusters that are numbered in a picture
	mostEdges    = 3000 // edges that are drawn: more would hide the points
	longestLabel = 16   // characters of a sensor's name
	namedPoints  = 15   // points that have their names beside them
)

// marks draws something of a plot. at turns coordinates of the plot into a place on the canvas.
type marks func(canvas draw.Canvas, at func(x, y float64) vg.Point)

// Plot implements plot.Plotter.
func (m marks) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	m(canvas, func(u, v float64) vg.Point { return vg.Point{X: x(u), Y: y(v)} })
}

// squares fills each cell with a colour. A run of cells of one colour is one rectangle.
func (l *Layout) squares(colour func(node int) color.Color) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		for row := range l.Rows {
			cells, top := l.Cells[row*l.Columns:], float64(l.Rows-row)
			for from := 0; from < l.Columns; {
				fill, to := colour(int(cells[from])), from+1
				for to < l.Columns && colour(int(cells[to])) == fill {
					to++
				}
				left, right := float64(from), float64(to)
				run := []vg.Point{at(left, top), at(right, top), at(right, top-1), at(left, top-1), at(left, top)}
				canvas.FillPolygon(fill, run)
				canvas.StrokeLines(draw.LineStyle{Color: fill, Width: vg.Points(0.6)}, run) // over the seams
				from = to
			}
		}
	})
}

// lines draws the border around all cells, and dashed lines between the parts of a body. Unless cluster is nil, it
// draws lines between cells of different clusters, too.
func (l *Layout) lines(cluster []int32) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		line := func(style draw.LineStyle, row, column, toRow, toColumn int) {
			from, to := at(float64(column), float64(l.Rows-row)), at(float64(toColumn), float64(l.Rows-toRow))
			canvas.StrokeLines(style, []vg.Point{from, to})
		}
		border := draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}
		rule := draw.LineStyle{Color: color.Gray{0x50}, Width: vg.Points(0.7), Dashes: []vg.Length{3, 2}}
		if cluster != nil {
			rule.Color, rule.Width = color.White, vg.Points(1.6)
		}
		for cell, node := range l.Cells {
			row, column := cell/l.Columns, cell%l.Columns
			if column == 0 || cluster != nil && cluster[node] != cluster[l.Cells[cell-1]] {
				line(border, row, column, row+1, column)
			}
			if row == 0 || cluster != nil && cluster[node] != cluster[l.Cells[cell-l.Columns]] {
				line(border, row, column, row, column+1)
			}
		}
		line(border, 0, l.Columns, l.Rows, l.Columns)
		line(border, l.Rows, 0, l.Rows, l.Columns)
		for _, row := range l.Rules {
			if row > 0 && row < l.Rows {
				line(rule, row, 0, row, l.Columns)
			}
		}
	})
}

// edges draws the lines between linked nodes.
func (l *Layout) edges() plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		for i, j := range l.graph.Links() {
			line := []vg.Point{at(l.X[i], l.Y[i]), at(l.X[j], l.Y[j])}
			canvas.StrokeLines(draw.LineStyle{Color: color.Gray{0xb0}, Width: vg.Points(0.4)}, line)
		}
	})
}

// discs draws the nodes as points, the first of the order at the bottom. They have a rim if there is room for one.
func (l *Layout) discs(order []int, radius func(node int) vg.Length, colour func(node int) color.Color) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		for _, node := range order {
			disc := draw.GlyphStyle{Color: color.Gray{0x30}, Radius: radius(node), Shape: draw.CircleGlyph{}}
			if disc.Radius > 1.5 {
				disc.Radius += 0.2
				canvas.DrawGlyph(disc, at(l.X[node], l.Y[node]))
				disc.Radius -= 0.4
			}
			disc.Color = colour(node)
			canvas.DrawGlyph(disc, at(l.X[node], l.Y[node]))
		}
	})
}

// pointRadius returns the radius of each of n points.
func pointRadius(n int) vg.Length {
	return vg.Points(min(7, max(1, 45/math.Sqrt(float64(max(1, n))))))
}

// numbers writes the number of each of k clusters on a white disc, on the cluster's node nearest to the middle of its
// nodes.
func (l *Layout) numbers(cluster []int32, k int) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		members := make([][]int, k)
		for node, own := range cluster {
			members[own] = append(members[own], node)
		}
		for own, nodes := range members {
			if len(nodes) == 0 {
				continue
			}
			var u, v float64
			for _, node := range nodes {
				u, v = u+l.X[node]/float64(len(nodes)), v+l.Y[node]/float64(len(nodes))
			}
			off := func(node int) float64 { return math.Hypot(l.X[node]-u, l.Y[node]-v) }
			middle := slices.MinFunc(nodes, func(a, b int) int { return cmp.Compare(off(a), off(b)) })
			place := at(l.X[middle], l.Y[middle])
			disc := draw.GlyphStyle{Color: color.White, Radius: vg.Points(5), Shape: draw.CircleGlyph{}}
			canvas.DrawGlyph(disc, place)
			disc.Color, disc.Shape = color.Gray{0x40}, draw.RingGlyph{}
			canvas.DrawGlyph(disc, place)
			canvas.FillText(words(6, text.XCenter, text.YCenter), place, fmt.Sprint(own))
		}
	})
}

// captions writes the names of nodes beside them, the first ones first. A name that would lie on another is left out.
func (l *Layout) captions(nodes []int) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		style := words(7, text.XLeft, text.YCenter)
		var written []vg.Rectangle
		for _, node := range nodes {
			place := at(l.X[node], l.Y[node])
			place.X += 6
			style.XAlign = text.XLeft
			if place.X > canvas.Center().X {
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
