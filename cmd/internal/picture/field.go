package picture

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Field is a function of two variables on a square of points, drawn in bands of colour, dark for the least. A ring marks
// the middle.
type Field struct {
	Title, XLabel, YLabel string
	Side                  int       // points on each axis, from −1 to 1 in equal steps
	Values                []float64 // `[Side, Side]`; y goes upwards from row to row, x within a row
	High                  float64   // if not 0, the colours reach from 0 to this; else from the least to the largest value
	Label                 string    // what the values are
}

// bands is the number of colours of a Field.
const bands = 24

// Plot draws the field and the bar that explains its colours.
func (f Field) Plot() *plot.Plot {
	low, high := 0.0, f.High
	if high == 0 {
		low, high = slices.Min(f.Values), slices.Max(f.Values)
	}
	s := unsigned(low, high, f.Label)
	colours := plotter.NewHeatMap(f, s.Palette(bands))
	colours.Min, colours.Max, colours.Rasterized = s.Min(), s.Max(), true
	middle := &plotter.Scatter{XYs: plotter.XYs{{}}}
	middle.GlyphStyle = draw.GlyphStyle{Color: color.White, Radius: vg.Points(3), Shape: draw.RingGlyph{}}
	p := blank(f.Title)
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	p.Add(colours, middle, s)
	return p
}

// Dims, X, Y and Z implement plotter.GridXYZ.
func (f Field) Dims() (columns, rows int) { return f.Side, f.Side }
func (f Field) X(column int) float64      { return 2*float64(column)/float64(max(1, f.Side-1)) - 1 }
func (f Field) Y(row int) float64         { return f.X(row) }
func (f Field) Z(column, row int) float64 { return f.Values[row*f.Side+column] }
