package picture

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Field is a function of two variables on a square of points, as colours, dark for the least, and lines of equal value. A ring
// marks the middle.
type Field struct {
	Title, XLabel, YLabel string
	From, To              float64   // of both axes
	Side                  int       // points on each, at equal distances
	Values                []float64 // [Side·Side]; y goes from row to row, from From on, x within a row
	Low, High             float64   // the ends of the colours; both 0: those of Values
	Label                 string    // what the values are
}

// Save draws the field and its colour bar into files of these paths, which end in .png or .svg. Errors name the file.
func (f Field) Save(paths ...string) error {
	return Sheet{Panels: [][]Panel{{f}}, Width: 300, Height: 300}.Save(paths...)
}

func (f Field) scale() scale {
	low, high := f.Low, f.High
	if low == high {
		low, high = slices.Min(f.Values), slices.Max(f.Values)
	}
	return scale{low, high, darkToLight, f.Label}
}

func (f Field) plot() *plot.Plot {
	p := blank(f.Title)
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	p.X.Padding, p.Y.Padding = 0, 0
	half := f.step() / 2
	p.Add(fieldPlot{f})
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = f.From-half, f.To+half, f.From-half, f.To+half
	ticks := plot.ConstantTicks{}
	for i := range 5 {
		v := f.From + (f.To-f.From)*float64(i)/4
		ticks = append(ticks, plot.Tick{Value: v, Label: short(v)})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, ticks
	return p
}

func (f Field) step() float64 { return (f.To - f.From) / float64(max(1, f.Side-1)) }

// place is that of the i-th point on an axis.
func (f Field) place(i int) float64 { return f.From + float64(i)*f.step() }

// contour are the line segments, each of two points x, y, where the field has a value: in each square between four points the
// straight lines between the places on its sides where it has that value.
func (f Field) contour(value float64) (segments [][2][2]float64) {
	corners := [4][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}} // column and row, around the square
	for row := range f.Side - 1 {
		for column := range f.Side - 1 {
			var crossings [][2]float64
			var z [4]float64
			for i, c := range corners {
				z[i] = f.Values[(row+c[1])*f.Side+column+c[0]] - value
			}
			for i, from := range corners {
				to := corners[(i+1)%4]
				if a, b := z[i], z[(i+1)%4]; (a < 0) != (b < 0) {
					share := a / (a - b)
					x, y := f.place(column+from[0]), f.place(row+from[1])
					crossings = append(crossings, [2]float64{x + share*(f.place(column+to[0])-x), y + share*(f.place(row+to[1])-y)})
				}
			}
			if len(crossings) == 4 && (z[0] < 0) == (z[0]+z[1]+z[2]+z[3] < 0) { // the middle belongs to the first corner: cut off the others
				segments = append(segments, [2][2]float64{crossings[0], crossings[1]}, [2][2]float64{crossings[2], crossings[3]})
			} else if len(crossings) == 4 {
				segments = append(segments, [2][2]float64{crossings[3], crossings[0]}, [2][2]float64{crossings[1], crossings[2]})
			} else if len(crossings) == 2 {
				segments = append(segments, [2][2]float64{crossings[0], crossings[1]})
			}
		}
	}
	return segments
}

// contourLines is how many values between the ends of the colours have lines.
const contourLines = 12

// fieldPlot is a Field's colours as a plotter.
type fieldPlot struct{ Field }

// Plot implements plot.Plotter.
func (f fieldPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	s, half := f.scale(), f.step()/2
	for row := range f.Side {
		for column := range f.Side {
			left, right := x(f.place(column)-half), x(f.place(column)+half)
			bottom, top := y(f.place(row)-half), y(f.place(row)+half)
			colour := s.at(f.Values[row*f.Side+column])
			corners := []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}, {X: left, Y: bottom}}
			canvas.FillPolygon(colour, corners[:4])
			canvas.StrokeLines(draw.LineStyle{Color: colour, Width: vg.Points(0.6)}, corners) // over the seams
		}
	}
	line := draw.LineStyle{Color: color.White, Width: vg.Points(0.5)}
	for i := range contourLines {
		for _, segment := range f.contour(s.low + (s.high-s.low)*(float64(i)+0.5)/contourLines) {
			canvas.StrokeLine2(line, x(segment[0][0]), y(segment[0][1]), x(segment[1][0]), y(segment[1][1]))
		}
	}
	middle := vg.Point{X: x((f.From + f.To) / 2), Y: y((f.From + f.To) / 2)}
	canvas.DrawGlyph(draw.GlyphStyle{Color: color.White, Radius: vg.Points(3), Shape: draw.RingGlyph{}}, middle)
}
