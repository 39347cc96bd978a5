package picture

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat is a number for each cell of a grid, in red above 0 and in blue below it, the stronger the further from 0.
type Heat struct {
	Title          string
	XLabel, YLabel string // "" for none
	Rows, Columns  int
	Values         []float64 // [Rows·Columns], row by row from the top
	Most           float64   // what the strongest colours stand for, above and below 0; 0: the largest of Values
	Label          string    // what the numbers are
	Rules          []int     // rows above which a line goes across
	RowNames       []string
}

// SkeletonHeat turns numbers for frames × joints, frame by frame, into cells as Skeleton does.
func SkeletonHeat(title, label string, frames, joints int, parts [][]int, names []string, values []float64) Heat {
	h := Heat{Title: title, Label: label, XLabel: "frame", YLabel: "joint", Rows: joints, Columns: frames}
	var order []int
	order, h.RowNames, h.Rules = body(joints, parts, names)
	h.Values = acrossBody(order, frames, values)
	return h
}

// Save draws the cells and their colour bar into files of these paths, which end in .png or .svg. Errors name the file.
func (h Heat) Save(paths ...string) error {
	width, height := cellSize(h.Rows, h.Columns, h.XLabel)
	return Sheet{Panels: [][]Panel{{h}}, Width: float64(width), Height: float64(max(height, 150))}.Save(paths...)
}

func (h Heat) scale() scale { return signed(h.Values, h.Most, h.Label) }

func (h Heat) plot() *plot.Plot {
	p := cellAxes(h.Title, h.XLabel, h.YLabel, h.Rows, h.Columns, h.RowNames)
	s := h.scale()
	p.Add(squares{h.Rows, h.Columns, h.Rules, func(i int) color.Color { return s.at(h.Values[i]) }})
	return p
}

// squares is a plotter of cells with a colour each.
type squares struct {
	rows, columns int
	rules         []int
	colour        func(i int) color.Color
}

// Plot implements plot.Plotter.
func (q squares) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	at := func(row, column int) vg.Point {
		return vg.Point{X: x(float64(column)), Y: y(float64(q.rows - row))}
	}
	for row := range q.rows {
		for column := range q.columns {
			colour := q.colour(row*q.columns + column)
			corners := []vg.Point{at(row, column), at(row, column+1), at(row+1, column+1), at(row+1, column), at(row, column)}
			canvas.FillPolygon(colour, corners[:4])
			canvas.StrokeLines(draw.LineStyle{Color: colour, Width: vg.Points(0.6)}, corners) // over the seams
		}
	}
	frameCells(canvas, at, q.rows, q.columns, q.rules, draw.LineStyle{Color: color.Gray{0x50}, Width: vg.Points(0.7)})
}

// HeatPoints is a number for each node of a graph, drawn as points in the colours of Heat.
type HeatPoints struct {
	Title, Label string
	X, Y         []float64
	Graph        *affinity.Matrix
	Values       []float64
	Most         float64  // see Heat
	Names        []string // of the nodes, of which those of the few furthest from 0 are written beside them; nil for none
}

// namedPoints is how many points have their names written at most.
const namedPoints = 15

// Save draws the points and their colour bar into files of these paths, which end in .png or .svg. Errors name the file.
func (h HeatPoints) Save(paths ...string) error {
	return Sheet{Panels: [][]Panel{{h}}, Width: 360, Height: 384}.Save(paths...)
}

func (h HeatPoints) scale() scale { return signed(h.Values, h.Most, h.Label) }

func (h HeatPoints) plot() *plot.Plot {
	p := pointAxes(h.Title, h.X, h.Y)
	p.Add(heatPointPlot{h})
	return p
}

// heatPointPlot is HeatPoints as a plotter.
type heatPointPlot struct{ HeatPoints }

// Plot implements plot.Plotter. What is furthest from 0 is drawn last, and so hidden by nothing.
func (h heatPointPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	at := func(i int) vg.Point { return vg.Point{X: x(h.X[i]), Y: y(h.Y[i])} }
	edges(canvas, h.Graph, at)
	order := make([]int, len(h.Values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(h.Values[i]), math.Abs(h.Values[j])) })
	s, small := h.scale(), pointRadius(len(h.X))
	for _, i := range order {
		if h.Values[i] == 0 && small < 2 { // of many points, those of no weight stay in the background
			disc(canvas, at(i), small, color.Gray{0xd8})
			continue
		}
		disc(canvas, at(i), h.radius(i, s, small), s.at(h.Values[i]))
	}
	if h.Names != nil {
		slices.Reverse(order)
		h.names(canvas, order, at)
	}
}

// radius is that of a point: where points are small, it grows with what they stand for.
func (h heatPointPlot) radius(i int, s scale, small vg.Length) vg.Length {
	return max(small, vg.Points(4.5*math.Sqrt(min(1, math.Abs(h.Values[i])/s.high))))
}

// names writes the names of the first points of order, but for those that would lie on others.
func (h heatPointPlot) names(canvas draw.Canvas, order []int, at func(i int) vg.Point) {
	style := blank("").Y.Tick.Label
	style.Handler, style.Font.Size, style.YAlign = plot.DefaultTextHandler, vg.Points(7), text.YCenter
	var written []vg.Rectangle
	for _, i := range order[:min(namedPoints, len(order))] {
		if h.Values[i] == 0 {
			return
		}
		place := at(i)
		place.X += 6
		if style.XAlign = text.XLeft; place.X > (canvas.Min.X+canvas.Max.X)/2 {
			style.XAlign, place.X = text.XRight, place.X-12
		}
		box := style.Rectangle(h.Names[i]).Add(place)
		overlaps := func(b vg.Rectangle) bool {
			return box.Min.X < b.Max.X && b.Min.X < box.Max.X && box.Min.Y < b.Max.Y && b.Min.Y < box.Max.Y
		}
		if slices.ContainsFunc(written, overlaps) {
			continue
		}
		written = append(written, box)
		canvas.SetColor(color.NRGBA{0xff, 0xff, 0xff, 0xc0})
		canvas.Fill(box.Path())
		canvas.FillText(style, place, h.Names[i])
	}
}

// Image is a signal on a grid as it is, of one channel in grey or of three in colour.
type Image struct {
	Title                   string
	Rows, Columns, Channels int
	Values                  []float32 // [Rows·Columns, Channels]; the least is drawn black, the largest white
}

func (m Image) plot() *plot.Plot {
	p := cellAxes(m.Title, "", "", m.Rows, m.Columns, nil)
	low, high := slices.Min(m.Values), slices.Max(m.Values)
	shade := func(v float32) uint8 {
		if high == low {
			return 0
		}
		return uint8(math.Round(255 * float64((v-low)/(high-low))))
	}
	p.Add(squares{m.Rows, m.Columns, nil, func(i int) color.Color {
		v := m.Values[i*m.Channels : (i+1)*m.Channels]
		return color.RGBA{shade(v[0]), shade(v[m.Channels/2]), shade(v[m.Channels-1]), 0xff}
	}})
	return p
}
