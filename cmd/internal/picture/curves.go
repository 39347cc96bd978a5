package picture

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is one line over X, with a band of Spread to either side of it.
type Curve struct {
	Name   string
	X, Y   []float64
	Spread []float64 // nil for none
	Colour int       // which colour and pattern of lines, from 0; curves of one kind share one
}

// Curves are lines in one pair of axes.
type Curves struct {
	Title, XLabel, YLabel string
	Lines                 []Curve
	Legend                string  // the corner it is in: "top left", "bottom right" and so on; "" for none
	FromZero              bool    // the axis of Y begins at 0
	Low, High             float64 // the ends of the axis of Y; both 0: what the lines need
}

// lineColours can be told apart by the colour blind, and, with their patterns, in grey.
var (
	lineColours  = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff}}
	linePatterns = [][]vg.Length{nil, {6, 3}, {2, 2}, {7, 2, 2, 2}}
)

// Save draws the curves, their names below them, into files of these paths, which end in .png or .svg. Errors name the file.
func (c Curves) Save(paths ...string) error {
	return Sheet{Panels: [][]Panel{{c}}, Legend: c.Lines, Width: 360, Height: 250}.Save(paths...)
}

func (c Curves) plot() *plot.Plot {
	p := blank(c.Title)
	p.X.Label.Text, p.Y.Label.Text = c.XLabel, c.YLabel
	p.X.Padding, p.Y.Padding = 0, 0
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe4}, color.Gray{0xe4}
	p.Add(grid)
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines { // bands first, that no line is under one
		for i, y := range l.Y {
			spread := 0.0
			if l.Spread != nil {
				spread = l.Spread[i]
			}
			low, high = min(low, y-spread), max(high, y+spread)
		}
		if l.Spread != nil && len(l.X) > 1 {
			p.Add(l.band())
		}
	}
	for _, l := range c.Lines {
		p.Add(l.line())
	}
	if c.FromZero {
		low = min(0, low)
	}
	if low > high {
		low, high = 0, 1
	}
	margin := max(0.04*(high-low), 1e-6)
	p.Y.Min, p.Y.Max = low-margin, high+margin
	if c.FromZero && low == 0 {
		p.Y.Min = 0
	}
	if c.Low != c.High {
		p.Y.Min, p.Y.Max = c.Low, c.High+0.04*(c.High-c.Low)
	}
	if p.X.Min >= p.X.Max { // one point
		p.X.Min, p.X.Max = p.X.Min-0.5, p.X.Min+0.5
	}
	return p
}

func (l Curve) style() draw.LineStyle {
	return draw.LineStyle{Color: lineColours[l.Colour%len(lineColours)], Width: vg.Points(1.5), Dashes: linePatterns[l.Colour%len(linePatterns)]}
}

func (l Curve) line() *plotter.Line {
	points := make(plotter.XYs, len(l.X))
	for i := range points {
		points[i] = plotter.XY{X: l.X[i], Y: l.Y[i]}
	}
	return &plotter.Line{XYs: points, LineStyle: l.style()}
}

// band is the area from Y − Spread to Y + Spread.
func (l Curve) band() *plotter.Polygon {
	var edge plotter.XYs
	for i, x := range l.X {
		edge = append(edge, plotter.XY{X: x, Y: l.Y[i] + l.Spread[i]})
	}
	for i, x := range slices.Backward(l.X) {
		edge = append(edge, plotter.XY{X: x, Y: l.Y[i] - l.Spread[i]})
	}
	c := lineColours[l.Colour%len(lineColours)]
	return &plotter.Polygon{XYs: []plotter.XYs{edge}, Color: color.NRGBA{c.R, c.G, c.B, 0x38}}
}
