package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/text"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	mostStrips = 10 // sensors whose curves are drawn
	mostPoses  = 5  // of a skeleton
)

// curves draws a signal `[nodes, channels]` over time: a strip for each sensor, in its own units, with a line for each
// channel. The colour along a line is what its values contributed, `[nodes, channels]`. Of many sensors it draws those
// that contributed most.
func (l *Layout) curves(label string, signal []float32, values []float64, channels int) *plot.Plot {
	sums := make([]float64, l.Rows)
	for cell, node := range l.Cells {
		for c := range channels {
			sums[cell/l.Columns] += math.Abs(values[int(node)*channels+c])
		}
	}
	rows := indices(l.Rows)
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	rows = rows[:min(mostStrips, l.Rows)]
	slices.Sort(rows)
	p, s, names := blank(""), signed(values, label), []string(nil)
	value := func(row, frame, c int) float64 {
		return float64(signal[int(l.Cells[row*l.Columns+frame])*channels+c])
	}
	low, high := make([]float64, len(rows)), make([]float64, len(rows))
	for i, row := range rows {
		low[i], high[i] = math.Inf(1), math.Inf(-1)
		for k := range l.Columns * channels {
			v := value(row, k/channels, k%channels)
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
		names = append(names, fmt.Sprintf("%s\n%.3g to %.3g", text.Shorten(l.RowNames[row], longestLabel), low[i], high[i]))
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, max(1, float64(l.Columns-1)), 0, float64(len(rows))
	if l.time(p, names, 0); len(rows) < l.Rows {
		p.X.Label.Text = fmt.Sprintf("frame; the %d of %d sensors that contributed most", len(rows), l.Rows)
	}
	if label != "" {
		p.Add(s)
	}
	p.Add(marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		for i, row := range rows {
			cells, bottom := l.Cells[row*l.Columns:(row+1)*l.Columns], float64(len(rows)-i-1)
			ends := []vg.Point{at(0, bottom), at(p.X.Max, bottom)}
			canvas.StrokeLines(draw.LineStyle{Color: color.Gray{0xc0}, Width: vg.Points(0.6)}, ends)
			for c := range channels {
				line := make([]vg.Point, l.Columns)
				for frame := range line {
					share := 0.5
					if high[i] > low[i] {
						share = (value(row, frame, c) - low[i]) / (high[i] - low[i])
					}
					line[frame] = at(float64(frame), bottom+0.12+0.76*share)
				}
				for frame := range l.Columns - 1 {
					here := values[int(cells[frame])*channels+c] + values[int(cells[frame+1])*channels+c]
					canvas.StrokeLines(draw.LineStyle{Color: s.at(here / 2), Width: vg.Points(4.5)}, line[frame:frame+2])
				}
				style := draw.LineStyle{Color: color.Gray{0x30}, Width: vg.Points(0.7), Dashes: linePatterns[c%len(linePatterns)]}
				canvas.StrokeLines(style, line)
			}
		}
	}))
	return p
}

// bars draws the sums of values over time: to the right of each row, and above each frame. What is above 0 is red, and
// what is below 0 is blue and comes after it.
func (l *Layout) bars(values []float64) plot.Plotter {
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		rows, frames := make([][2]float64, l.Rows), make([][2]float64, l.Columns)
		for cell, node := range l.Cells {
			sign, v := 0, values[node]
			if v < 0 {
				sign = 1
			}
			rows[cell/l.Columns][sign] += math.Abs(v)
			frames[cell%l.Columns][sign] += math.Abs(v)
		}
		columns, height := float64(l.Columns), float64(l.Rows)
		bars := func(sums [][2]float64, most float64, box func(i int, from, to float64) [2]vg.Point) {
			longest := 0.0
			for _, sum := range sums {
				longest = max(longest, sum[0]+sum[1])
			}
			for i, sum := range sums {
				middle, end := most*sum[0]/cmp.Or(longest, 1), most*(sum[0]+sum[1])/cmp.Or(longest, 1)
				canvas.SetColor(mostAbove)
				canvas.Fill(vg.Rectangle{Min: box(i, 0, middle)[0], Max: box(i, 0, middle)[1]}.Path())
				canvas.SetColor(mostBelow)
				canvas.Fill(vg.Rectangle{Min: box(i, middle, end)[0], Max: box(i, middle, end)[1]}.Path())
			}
		}
		bars(rows, 0.22*columns, func(i int, from, to float64) [2]vg.Point {
			left, bottom := 1.02*columns, height-float64(i)
			return [2]vg.Point{at(left+from, bottom-0.85), at(left+to, bottom-0.15)}
		})
		bars(frames, 0.25*height, func(i int, from, to float64) [2]vg.Point {
			bottom := 1.03 * height
			return [2]vg.Point{at(float64(i)+0.1, bottom+from), at(float64(i)+0.9, bottom+to)}
		})
	})
}

// poses draws the joints of the first body at a few evenly spread frames, in one scale, with their bones. The first two
// channels of a signal `[nodes, channels]` are a joint's places to the body's left and upwards. The body is seen from
// the front: its left is to the right.
func (l *Layout) poses(signal []float32, channels int) *plot.Plot {
	p, count := blank(""), min(mostPoses, l.Columns)
	p.HideAxes()
	p.Add(marks(func(canvas draw.Canvas, _ func(x, y float64) vg.Point) {
		frames, xs, ys := make([]int, count), make([][]float64, count), make([][]float64, count)
		widest, all := 1e-6, []float64(nil)
		for i := range frames {
			frames[i] = (i*(l.Columns-1) + (count-1)/2) / max(1, count-1)
			for joint := range l.Rows {
				at := (frames[i]*l.Rows + joint) * channels
				xs[i], ys[i] = append(xs[i], float64(signal[at])), append(ys[i], float64(signal[at+1]))
			}
			_, width := span(xs[i])
			widest, all = max(widest, width), append(all, ys[i]...)
		}
		_, tall := span(all)
		size, foot := canvas.Size(), vg.Length(14)
		step, low := size.X/vg.Length(count), floats.Min(all)
		scale := min(0.88*float64(step)/widest, float64(size.Y-foot-8)/max(1e-6, tall))
		for i := range frames {
			middle, _ := span(xs[i])
			left := canvas.Min.X + step*(vg.Length(i)+0.5)
			at := func(j int) vg.Point {
				return vg.Point{X: left + vg.Length(scale*(xs[i][j]-middle)), Y: canvas.Min.Y + foot + vg.Length(scale*(ys[i][j]-low))}
			}
			for _, bone := range l.Bones {
				canvas.StrokeLines(draw.LineStyle{Color: lineColours[0], Width: 2}, []vg.Point{at(bone[0]), at(bone[1])})
			}
			for j := range xs[i] {
				canvas.DrawGlyph(draw.GlyphStyle{Color: color.Black, Radius: 1.7, Shape: draw.CircleGlyph{}}, at(j))
			}
			place := vg.Point{X: left, Y: canvas.Min.Y}
			canvas.FillText(words(8, draw.XCenter, draw.YBottom), place, fmt.Sprintf("frame %d", frames[i]))
		}
	}))
	return p
}
