package picture

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cells is a clustering of the cells of a grid, drawn with a colour for each cluster and lines between them.
type Cells struct {
	Title          string
	XLabel, YLabel string // "" for none
	Rows, Columns  int
	Cluster        []int32 // [Rows·Columns], row by row from the top
	Clusters       int
	Rules          []int // rows above which a line goes across, such as between parts of a body
	RowNames       []string
	Plain          bool // without the clusters' numbers
}

// Skeleton turns a clustering of frames × joints, frame by frame, into cells with time to the right and the joints from the top,
// those of each part together. parts lists the joints of each; names are the joints', nil for their numbers.
func Skeleton(title string, frames, joints int, parts [][]int, names []string, cluster []int32, clusters int) Cells {
	c := Cells{Title: title, XLabel: "frame", YLabel: "joint", Rows: joints, Columns: frames, Clusters: clusters}
	var order []int
	order, c.RowNames, c.Rules = body(joints, parts, names)
	c.Cluster = acrossBody(order, frames, cluster)
	return c
}

// body is the order of a skeleton's joints from the top, those of each part together, their names, and the rows above which a new
// part begins.
func body(joints int, parts [][]int, names []string) (order []int, rowNames []string, rules []int) {
	seen := make([]bool, joints)
	for _, part := range parts {
		for _, joint := range part {
			if !seen[joint] {
				seen[joint], order = true, append(order, joint)
			}
		}
		rules = append(rules, len(order))
	}
	for joint := range joints {
		if !seen[joint] {
			order = append(order, joint)
		}
	}
	for _, joint := range order {
		if names == nil {
			rowNames = append(rowNames, fmt.Sprint(joint))
		} else {
			rowNames = append(rowNames, names[joint])
		}
	}
	return order, rowNames, rules
}

// acrossBody turns values of frames × joints into rows of joints in that order.
func acrossBody[T any](order []int, frames int, values []T) (rows []T) {
	for _, joint := range order {
		for frame := range frames {
			rows = append(rows, values[frame*len(order)+joint])
		}
	}
	return rows
}

// touching lists the pairs of clusters of cells side by side or corner to corner.
func (c Cells) touching() (pairs [][2]int32) {
	for y := range c.Rows {
		for x := range c.Columns {
			for _, step := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
				if v, u := y+step[0], x+step[1]; v < c.Rows && u >= 0 && u < c.Columns {
					pairs = append(pairs, [2]int32{c.at(y, x), c.at(v, u)})
				}
			}
		}
	}
	return pairs
}

func (c Cells) at(row, column int) int32 { return c.Cluster[row*c.Columns+column] }

// Save draws the cells into files of these paths, which end in .png or .svg. Errors name the file.
func (c Cells) Save(paths ...string) error {
	width, height := cellSize(c.Rows, c.Columns, c.XLabel)
	return save(c.plot(), width, height, paths)
}

func (c Cells) plot() *plot.Plot {
	p := cellAxes(c.Title, c.XLabel, c.YLabel, c.Rows, c.Columns, c.RowNames)
	p.Add(cellPlot{c, Colours(c.Clusters, c.touching())})
	return p
}

// cellAxes is a plot of rows × columns, the first row at the top.
func cellAxes(title, x, y string, rows, columns int, names []string) *plot.Plot {
	p := blank(title)
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Tick.Marker = roundTicks{}
	if x == "" {
		p.HideAxes()
	}
	if names != nil {
		ticks := make([]plot.Tick, rows)
		for i, name := range names {
			ticks[i] = plot.Tick{Value: float64(rows-1-i) + 0.5, Label: name}
		}
		p.Y.Tick.Marker = plot.ConstantTicks(ticks)
		p.Y.Tick.Label.Font.Size, p.Y.Tick.Length, p.Y.Width = vg.Points(6), 0, 0
	}
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(columns), 0, float64(rows)
	return p
}

// cellSize is that of a picture of cells, in points.
func cellSize(rows, columns int, x string) (width, height vg.Length) {
	side := vg.Length(min(24, max(3, 280/float64(max(rows, columns)))))
	width, height = vg.Length(columns)*side, vg.Length(rows)*side
	if x != "" {
		width, height = width+64, height+28
	}
	return max(width, 140), height + 24
}

// cellPlot is Cells as a plotter.
type cellPlot struct {
	Cells
	colours []color.Color
}

// Plot implements plot.Plotter.
func (c cellPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	at := func(row, column int) vg.Point { return vg.Point{X: x(float64(column)), Y: y(float64(c.Rows - row))} }
	for row := range c.Rows {
		for from := 0; from < c.Columns; {
			to := from + 1 // a run of cells of one cluster is one rectangle
			for to < c.Columns && c.at(row, to) == c.at(row, from) {
				to++
			}
			run := []vg.Point{at(row, from), at(row, to), at(row+1, to), at(row+1, from)}
			canvas.FillPolygon(c.colours[c.at(row, from)], run)
			if row > 0 { // over the seam to the row above
				canvas.StrokeLines(draw.LineStyle{Color: c.colours[c.at(row, from)], Width: vg.Points(0.6)}, run[:2])
			}
			from = to
		}
	}
	border := draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}
	for row := range c.Rows {
		for column := range c.Columns {
			if column+1 < c.Columns && c.at(row, column) != c.at(row, column+1) {
				canvas.StrokeLines(border, []vg.Point{at(row, column+1), at(row+1, column+1)})
			}
			if row+1 < c.Rows && c.at(row, column) != c.at(row+1, column) {
				canvas.StrokeLines(border, []vg.Point{at(row+1, column), at(row+1, column+1)})
			}
		}
	}
	frameCells(canvas, at, c.Rows, c.Columns, c.Rules, draw.LineStyle{Color: color.White, Width: vg.Points(1.6)})
	if c.Clusters <= mostLabels && !c.Plain {
		c.labels(canvas, at)
	}
}

// frameCells draws the border around cells, and dashed lines above the rows of rules.
func frameCells(canvas draw.Canvas, at func(row, column int) vg.Point, rows, columns int, rules []int, rule draw.LineStyle) {
	rule.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
	for _, row := range rules {
		if row > 0 && row < rows {
			canvas.StrokeLines(rule, []vg.Point{at(row, 0), at(row, columns)})
		}
	}
	border := draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}
	canvas.StrokeLines(border, []vg.Point{at(0, 0), at(0, columns), at(rows, columns), at(rows, 0), at(0, 0)})
}

// mostLabels is how many clusters are numbered in a picture at most.
const mostLabels = 50

// labels writes each cluster's number at that cell of it which is nearest to its middle.
func (c cellPlot) labels(canvas draw.Canvas, at func(row, column int) vg.Point) {
	type sum struct{ row, column, count float64 }
	middle := make([]sum, c.Clusters)
	for i, k := range c.Cluster {
		middle[k].row += float64(i / c.Columns)
		middle[k].column += float64(i % c.Columns)
		middle[k].count++
	}
	best, where := make([]float64, c.Clusters), make([]int, c.Clusters)
	for k := range best {
		best[k] = math.Inf(1)
	}
	for i, k := range c.Cluster {
		m := middle[k]
		if d := math.Hypot(float64(i/c.Columns)-m.row/m.count, float64(i%c.Columns)-m.column/m.count); d < best[k] {
			best[k], where[k] = d, i
		}
	}
	for k, i := range where {
		if middle[k].count == 0 {
			continue
		}
		row, column := i/c.Columns, i%c.Columns
		a, b := at(row, column), at(row+1, column+1)
		label(canvas, vg.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}, fmt.Sprint(k), c.colours[k])
	}
}
