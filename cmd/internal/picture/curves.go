package picture

import (
	"image/color"
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
	FromZero              bool    // the axis of Y begins at 0
	High                  float64 // it reaches from 0 to a little above this; 0: as far as the lines need
}

// lineColours can be told apart by the colour blind, and, with their patterns, in grey.
var (
	lineColours  = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff}}
	linePatterns = [][]vg.Length{nil, {6, 3}, {2, 2}, {7, 2, 2, 2}}
)

// Plot draws the curves.
func (c Curves) Plot() *plot.Plot {
	p := blank(c.Title)
	p.X.Label.Text, p.Y.Label.Text = c.XLabel, c.YLabel
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe4}, color.Gray{0xe4}
	p.Add(grid)
	for _, l := range c.Lines { // bands first: they cover no line
		if l.Spread != nil && len(l.X) > 1 {
			upper, lower := l.shifted(1), l.shifted(-1)
			slices.Reverse(lower)
			faint := color.NRGBAModel.Convert(lineColours[l.Colour%len(lineColours)]).(color.NRGBA)
			faint.A = 0x38
			p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(upper, lower...)}, Color: faint})
		}
	}
	for _, l := range c.Lines {
		p.Add(l.line())
	}
	low, margin := p.Y.Min, max(0.04*(p.Y.Max-p.Y.Min), 1e-6)
	p.Y.Min, p.Y.Max = low-margin, p.Y.Max+margin
	if c.High != 0 {
		p.Y.Min, p.Y.Max = 0, 1.04*c.High
	} else if c.FromZero && low >= 0 {
		p.Y.Min = 0
	}
	return p
}

// line is the curve itself.
func (l Curve) line() *plotter.Line {
	colour, dashes := lineColours[l.Colour%len(lineColours)], linePatterns[l.Colour%len(linePatterns)]
	return &plotter.Line{XYs: l.shifted(0), LineStyle: draw.LineStyle{Color: colour, Width: vg.Points(1.5), Dashes: dashes}}
}

// shifted are the curve's points, moved upwards by factor times its Spread.
func (l Curve) shifted(factor float64) plotter.XYs {
	points := make(plotter.XYs, len(l.X))
	for i := range points {
		points[i] = plotter.XY{X: l.X[i], Y: l.Y[i]}
		if factor != 0 {
			points[i].Y += factor * l.Spread[i]
		}
	}
	return points
}
