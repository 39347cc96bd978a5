package picture

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is one line over X. Its place in a list gives its colour and pattern. A band reaches from Y − Spread to Y +
// Spread.
type Curve struct {
	Name   string
	X, Y   []float64
	Spread []float64 // nil for none
}

// Curves has lines in one pair of axes. Their names stand at the bottom right, where curves that grow leave room.
type Curves struct {
	Title, XLabel, YLabel string
	Lines                 []Curve
}

// linePatterns tell the lines apart in grey. The first colours of Palette that are dark enough for lines are
// lineColours.
var (
	lineColours  = []color.RGBA{Palette[0], Palette[2], Palette[4], Palette[6]}
	linePatterns = [][]vg.Length{nil, {6, 3}, {2, 2}, {7, 2, 2, 2}}
)

// Plot draws the curves.
func (c Curves) Plot() *plot.Plot {
	p := blank(c.Title)
	p.X.Label.Text, p.Y.Label.Text = c.XLabel, c.YLabel
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe4}, color.Gray{0xe4}
	p.Add(grid)
	for i, l := range c.Lines { // bands first: they cover no line
		if l.Spread != nil && len(l.X) > 1 {
			upper, lower := l.shifted(1), l.shifted(-1)
			slices.Reverse(lower)
			faint := lineColours[i%len(lineColours)]
			band := color.NRGBA{faint.R, faint.G, faint.B, 0x38}
			p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(upper, lower...)}, Color: band})
		}
	}
	for i, l := range c.Lines {
		line := &plotter.Line{XYs: l.shifted(0), LineStyle: draw.LineStyle{Color: lineColours[i%len(lineColours)],
			Width: vg.Points(1.5), Dashes: linePatterns[i%len(linePatterns)]}}
		p.Add(line)
		if l.Name != "" {
			p.Legend.Add(l.Name, line)
		}
	}
	p.Legend.TextStyle.Font = sans(8)
	margin := max(0.04*(p.Y.Max-p.Y.Min), 1e-6)
	p.Y.Min, p.Y.Max = p.Y.Min-margin, p.Y.Max+margin
	return p
}

// shifted returns the curve's points, moved upwards by factor times its Spread.
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

// Field is a function of two variables on a square of points, drawn in bands of colour, dark for the least. A ring
// marks the middle.
type Field struct {
	Title, XLabel, YLabel string
	Side                  int       // points on each axis, from −1 to 1 in equal steps
	Values                []float64 // `[Side, Side]`; y goes upwards from row to row, x within a row
	High                  float64   // if not 0, the colours reach from 0 to this; else from the least to the largest value
	Label                 string    // what the values are
}

// Plot draws the field and the bar that explains its colours.
func (f Field) Plot() *plot.Plot {
	low, high := 0.0, f.High
	if high == 0 {
		low, high = slices.Min(f.Values), slices.Max(f.Values)
	}
	s := unsigned(low, high, f.Label)
	colours := plotter.NewHeatMap(points{f}, s.Palette(24))
	colours.Min, colours.Max, colours.Rasterized = s.Min(), s.Max(), true
	middle := &plotter.Scatter{XYs: plotter.XYs{{}}}
	middle.GlyphStyle = draw.GlyphStyle{Color: color.White, Radius: vg.Points(3), Shape: draw.RingGlyph{}}
	p := blank(f.Title)
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	p.Add(colours, middle, s)
	return p
}

// points gives a Field to gonum/plot.
type points struct{ Field }

// Dims, X, Y and Z implement plotter.GridXYZ.
func (f points) Dims() (columns, rows int) { return f.Side, f.Side }
func (f points) X(column int) float64      { return 2*float64(column)/float64(max(1, f.Side-1)) - 1 }
func (f points) Y(row int) float64         { return f.X(row) }
func (f points) Z(column, row int) float64 { return f.Values[row*f.Side+column] }
