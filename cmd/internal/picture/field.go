package picture

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Field is a function of two variables on a square of points, drawn as colours, dark for the least, with contour
// lines. A ring marks the middle.
type Field struct {
	Title, XLabel, YLabel string
	Side                  int       // points on each axis, from −1 to 1 in equal steps
	Values                []float64 // `[Side, Side]`; y goes upwards from row to row, x within a row
	High                  float64   // if not 0, the colours reach from 0 to this; else from the least to the largest value
	Label                 string    // what the values are
}

// contourLines is the number of contour lines between the ends of the colours.
const contourLines = 12

// Plot draws the field and the bar that explains its colours.
func (f Field) Plot() *plot.Plot {
	low, high := 0.0, f.High
	if high == 0 {
		low, high = slices.Min(f.Values), slices.Max(f.Values)
	}
	s := unsigned(low, high, f.Label)
	var levels []float64
	for i := range contourLines {
		levels = append(levels, low+(high-low)*(float64(i)+0.5)/contourLines)
	}
	colours := plotter.NewHeatMap(points{f}, s.Palette(256))
	colours.Min, colours.Max, colours.Rasterized = s.Min(), s.Max(), true
	lines := plotter.NewContour(points{f}, levels, nil)
	lines.LineStyles[0] = draw.LineStyle{Color: color.White, Width: vg.Points(0.5)}
	middle := &plotter.Scatter{XYs: plotter.XYs{{}}}
	middle.GlyphStyle = draw.GlyphStyle{Color: color.White, Radius: vg.Points(3), Shape: draw.RingGlyph{}}

	p := blank(f.Title)
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	p.Add(colours, middle, s)
	if high > low {
		p.Add(sorted{lines})
	}
	return p
}

// sorted draws contour lines as one path in a fixed order. gonum/plot draws them in the order of a map, which shows
// where they blend.
type sorted struct{ *plotter.Contour }

// Plot implements plot.Plotter.
func (s sorted) Plot(c draw.Canvas, p *plot.Plot) {
	strokes := &strokes{Canvas: c.Canvas}
	s.Contour.Plot(draw.Canvas{Canvas: strokes, Rectangle: c.Rectangle}, p)
	slices.SortFunc(strokes.paths, func(a, b vg.Path) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	c.SetLineStyle(s.LineStyles[0])
	c.Stroke(slices.Concat(strokes.paths...))
}

// strokes is a canvas that keeps the lines instead of drawing them.
type strokes struct {
	vg.Canvas
	paths []vg.Path
}

func (s *strokes) Stroke(path vg.Path) { s.paths = append(s.paths, slices.Clone(path)) }

// points gives a Field to gonum/plot.
type points struct{ Field }

// Dims, X, Y and Z implement plotter.GridXYZ.
func (f points) Dims() (columns, rows int) { return f.Side, f.Side }
func (f points) X(column int) float64      { return 2*float64(column)/float64(max(1, f.Side-1)) - 1 }
func (f points) Y(row int) float64         { return f.X(row) }
func (f points) Z(column, row int) float64 { return f.Values[row*f.Side+column] }
