package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const mostStrips = 10 // sensors whose curves are drawn

// curves draws a signal `[nodes, channels]` over time: a strip for each sensor, in its own units, with a line for each
// channel. The colour along a line is what its values contributed, `[nodes, channels]`. Of many sensors it draws those
// that contributed most.
func (l *Layout) curves(signal []float32, values []float64, channels int) *plot.Plot {
	absolute := make([]float64, len(l.Cells))
	for i, v := range values {
		absolute[i/channels] += math.Abs(v)
	}
	sums, _ := l.Sums(absolute)
	rows := loop.Indices(l.Rows)
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(sums[b], sums[a]) })
	rows = rows[:min(mostStrips, l.Rows)]
	slices.Sort(rows)
	p, s, names := blank(""), signed(values), []string(nil)
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
	l.time(p, names, 0)
	if len(rows) < l.Rows {
		p.X.Label.Text = fmt.Sprintf("frame; the %d of %d sensors that contributed most", len(rows), l.Rows)
	}
	p.Add(marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		for i, row := range rows {
			cells, bottom := l.Cells[row*l.Columns:(row+1)*l.Columns], float64(len(rows)-i-1)
			rule := draw.LineStyle{Color: color.Gray{0xc0}, Width: vg.Points(0.6)}
			canvas.StrokeLines(rule, []vg.Point{at(0, bottom), at(p.X.Max, bottom)})
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

// Sums adds up values of the nodes over the frames of each row, and over the rows of each frame.
func (l *Layout) Sums(values []float64) (rows, frames []float64) {
	rows, frames = make([]float64, l.Rows), make([]float64, l.Columns)
	for cell, node := range l.Cells {
		rows[cell/l.Columns] += values[node]
		frames[cell%l.Columns] += values[node]
	}
	return rows, frames
}

// bars draws a bar for each row, at its right, and for each frame, above it: in red the sum of its values above 0, then
// in blue the absolute sum of those below 0.
func (l *Layout) bars(values []float64) plot.Plotter {
	positive, absolute := make([]float64, len(values)), make([]float64, len(values))
	for node, v := range values {
		positive[node], absolute[node] = max(0, v), math.Abs(v)
	}
	redRows, redFrames := l.Sums(positive)
	rows, frames := l.Sums(absolute)
	return marks(func(canvas draw.Canvas, at func(x, y float64) vg.Point) {
		side := func(red, all []float64, longest float64, corner func(i int, at float64) vg.Point) {
			scale := longest / cmp.Or(floats.Max(all), 1)
			for i := range all { // red covers the beginning of a whole bar in blue
				canvas.SetColor(mostBelow)
				canvas.Fill(vg.Rectangle{Min: corner(i, 0), Max: corner(i+1, all[i]*scale)}.Path())
				canvas.SetColor(mostAbove)
				canvas.Fill(vg.Rectangle{Min: corner(i, 0), Max: corner(i+1, red[i]*scale)}.Path())
			}
		}
		width, height := float64(l.Columns), float64(l.Rows)
		side(redRows, rows, 0.22*width, func(i int, x float64) vg.Point { return at(1.02*width+x, height-float64(i)) })
		side(redFrames, frames, 0.25*height, func(i int, y float64) vg.Point { return at(float64(i), 1.03*height+y) })
	})
}
