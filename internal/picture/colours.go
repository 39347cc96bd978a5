// Package picture draws still pictures, PNG and SVG: clusters, values and signals on the nodes of a graph, curves, and
// functions of two variables.
package picture

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Palette is the palette of Okabe and Ito without black, then its colours lighter or darker. People with the common
// kinds of colour blindness can tell the colours apart. The first ones also differ in grey.
var Palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xf0, 0xe4, 0x42, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
	{0x00, 0x9e, 0x73, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0xff, 0xf7, 0xc0, 0xff},
	{0x00, 0x39, 0x59, 0xff}, {0xc4, 0xe4, 0xf7, 0xff}, {0x6a, 0x2f, 0x00, 0xff}, {0x8c, 0xd9, 0xc3, 0xff},
	{0x66, 0x2d, 0x4e, 0xff}, {0xf2, 0xcf, 0xe1, 0xff},
}

// Colours returns the index of a colour in Palette for each of k clusters. Clusters that touch differ if the colours
// suffice, and all colours are used about equally often. touching lists pairs of clusters in any order; a pair may
// repeat. The same arguments give the same colours.
func Colours(k int, touching [][2]int32) []int {
	lower := make([][]int32, k) // the clusters of lower numbers that touch each cluster
	for _, pair := range touching {
		low, high := min(pair[0], pair[1]), max(pair[0], pair[1])
		if low < high && !slices.Contains(lower[high], low) {
			lower[high] = append(lower[high], low)
		}
	}
	colours, uses := make([]int, k), make([]int, len(Palette))
	for i := range colours {
		taken := make([]int, len(Palette))
		for _, j := range lower[i] {
			taken[colours[j]]++
		}
		colours[i] = slices.MinFunc(loop.Indices(len(Palette)), func(a, b int) int {
			return cmp.Or(cmp.Compare(taken[a], taken[b]), cmp.Compare(uses[a], uses[b]))
		})
		uses[colours[i]]++
	}
	return colours
}

// The ends of signed scales: blue below 0, red above it. People with the common kinds of colour blindness can tell them
// apart.
var (
	mostBelow = color.RGBA{0x21, 0x66, 0xac, 0xff}
	mostAbove = color.RGBA{0xb2, 0x18, 0x2b, 0xff}
)

// darkToLight has the colours of an unsigned scale. Only their lightness grows, from blue through green to yellow.
var darkToLight = []color.Color{
	color.RGBA{0x44, 0x01, 0x54, 0xff}, color.RGBA{0x3e, 0x49, 0x89, 0xff}, color.RGBA{0x26, 0x82, 0x8e, 0xff},
	color.RGBA{0x35, 0xb7, 0x79, 0xff}, color.RGBA{0xb5, 0xde, 0x2b, 0xff}, color.RGBA{0xfd, 0xe7, 0x25, 0xff},
}

// scale gives numbers colours. As a plotter it draws a bar that explains them, to the right of the plot's data.
type scale struct {
	palette.ColorMap
	label string // what the numbers are
}

// signed returns a scale that is light at 0 and reaches equally far below and above it: to the largest of the values.
func signed(values []float64) scale {
	most := cmp.Or(floats.Norm(values, math.Inf(1)), 1)
	return between(-most, most, moreland.NewSmoothDiverging(mostBelow, mostAbove, 96), "")
}

// unsigned returns a scale from low to high, dark at low.
func unsigned(low, high float64, label string) scale {
	colours, err := moreland.NewLuminance(darkToLight)
	if err != nil {
		panic(err) // the colours are constants
	}
	if low == high {
		high = low + 1
	}
	return between(low, high, colours, label)
}

func between(low, high float64, colours palette.ColorMap, label string) scale {
	colours.SetMin(low)
	colours.SetMax(high)
	return scale{colours, label}
}

// at returns the colour of a number. A number beyond an end has the end's colour.
func (s scale) at(v float64) color.Color {
	c, err := s.At(min(s.Max(), max(s.Min(), v)))
	if err != nil {
		return color.Gray{0x80} // of NaN
	}
	return color.RGBAModel.Convert(c)
}

// BarWidth is the room that the bar of a scale takes, in points.
const BarWidth = 56

// GlyphBoxes implements plot.GlyphBoxer: it keeps the room free.
func (scale) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: BarWidth}}}}
}

// Plot implements plot.Plotter.
func (s scale) Plot(canvas draw.Canvas, _ *plot.Plot) {
	p := blank("")
	p.HideX()
	p.Y.Label.Text, p.Y.Tick.Length = s.label, 2
	p.Add(&plotter.ColorBar{ColorMap: s.ColorMap, Vertical: true})
	canvas.Min.X, canvas.Max.X = canvas.Max.X+6, canvas.Max.X+BarWidth-4
	p.Draw(canvas)
}
