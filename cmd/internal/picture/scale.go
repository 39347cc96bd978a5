package picture

import (
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scale gives numbers colours: the stops at equal distances from low to high, and in between what lies between them.
type scale struct {
	low, high float64
	stops     []color.RGBA
	label     string // what the numbers are
}

var (
	// blueToRed is light in the middle, and told apart by people with the common kinds of colour blindness.
	blueToRed = []color.RGBA{
		{0x05, 0x30, 0x61, 0xff}, {0x21, 0x66, 0xac, 0xff}, {0x43, 0x93, 0xc3, 0xff}, {0x92, 0xc5, 0xde, 0xff}, {0xf7, 0xf7, 0xf7, 0xff},
		{0xf4, 0xa5, 0x82, 0xff}, {0xd6, 0x60, 0x4d, 0xff}, {0xb2, 0x18, 0x2b, 0xff}, {0x67, 0x00, 0x1f, 0xff},
	}
	// darkToLight grows in lightness alone, from blue by way of green to yellow.
	darkToLight = []color.RGBA{
		{0x44, 0x01, 0x54, 0xff}, {0x48, 0x28, 0x78, 0xff}, {0x3e, 0x49, 0x89, 0xff}, {0x31, 0x68, 0x8e, 0xff}, {0x26, 0x82, 0x8e, 0xff},
		{0x1f, 0x9e, 0x89, 0xff}, {0x35, 0xb7, 0x79, 0xff}, {0x6e, 0xce, 0x58, 0xff}, {0xb5, 0xde, 0x2b, 0xff}, {0xfd, 0xe7, 0x25, 0xff},
	}
)

// signed is a scale that reaches as far below 0, in blue, as above it, in red: to most, or where that is 0 to the largest of the
// values.
func signed(values []float64, most float64, label string) scale {
	if most == 0 {
		for _, v := range values {
			most = max(most, math.Abs(v))
		}
	}
	if most == 0 { // all alike: in the middle
		most = 1
	}
	return scale{-most, most, blueToRed, label}
}

// at is the colour of a number; beyond the ends it is the end's.
func (s scale) at(v float64) color.RGBA {
	place := 0.0
	if s.high > s.low {
		place = min(1, max(0, (v-s.low)/(s.high-s.low))) * float64(len(s.stops)-1)
	}
	i := min(int(place), len(s.stops)-2)
	a, b, share := s.stops[i], s.stops[i+1], place-float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// barWidth is the room that a colour bar takes beside a plot.
const barWidth = 56

// bar draws the scale with ticks at the left of a canvas, which is as high as the plot beside it.
func (s scale) bar(canvas draw.Canvas) {
	const shades, width = 128, 8
	style := blank("").Y.Tick.Label
	style.Font.Size, style.Handler = vg.Points(7), plot.DefaultTextHandler
	left, height := canvas.Min.X, canvas.Max.Y-canvas.Min.Y
	for i := range shades {
		low := canvas.Min.Y + height*vg.Length(i)/shades
		high := min(canvas.Max.Y, low+1.5*height/shades) // over the seam
		shade := s.at(s.low + (s.high-s.low)*(float64(i)+0.5)/shades)
		canvas.FillPolygon(shade, []vg.Point{{X: left, Y: low}, {X: left + width, Y: low}, {X: left + width, Y: high}, {X: left, Y: high}})
	}
	line := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
	canvas.StrokeLines(line, []vg.Point{{X: left, Y: canvas.Min.Y}, {X: left + width, Y: canvas.Min.Y}, {X: left + width, Y: canvas.Max.Y}, {X: left, Y: canvas.Max.Y}, {X: left, Y: canvas.Min.Y}})
	style.XAlign, style.YAlign = text.XLeft, text.YCenter
	for _, v := range s.ticks() {
		y := canvas.Min.Y + height*vg.Length((v-s.low)/(s.high-s.low))
		canvas.StrokeLine2(line, left+width, y, left+width+2, y)
		canvas.FillText(style, vg.Point{X: left + width + 4, Y: y}, short(v))
	}
	style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XCenter, text.YTop
	canvas.FillText(style, vg.Point{X: left + 32, Y: canvas.Min.Y + height/2}, s.label)
}

func (s scale) ticks() []float64 { return roundNumbers(s.low, s.high) }

// roundNumbers are some from low to high, about five.
func roundNumbers(low, high float64) (values []float64) {
	span := high - low
	if !(span > 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(span/2.5)))
	for _, times := range []float64{5, 2} {
		if span/(times*step) >= 2.5 {
			step *= times
			break
		}
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*span; i++ {
		values = append(values, i*step)
	}
	return values
}

// roundTicks marks an axis with round numbers.
type roundTicks struct{}

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for _, v := range roundNumbers(low, high) {
		ticks = append(ticks, plot.Tick{Value: v, Label: short(v)})
	}
	return ticks
}

// short writes a number with few digits, and a proper minus.
func short(v float64) string {
	if v == 0 {
		return "0"
	}
	text := strconv.FormatFloat(math.Abs(v), 'g', 3, 64)
	if v < 0 {
		return "−" + text
	}
	return text
}
