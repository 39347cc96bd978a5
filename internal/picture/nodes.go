package picture

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/gomlx/gomlx/support/xslices"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Clusters draws the nodes in the colours of their k clusters. Cells have lines between clusters.
// If numbered is set and the clusters are few, each has its number.
func (l *Layout) Clusters(title string, cluster []int32, k int, numbered bool) *plot.Plot {
	p, colours := l.axes(title), l.Colours(cluster, k)
	l.paint(p, func(node int) color.Color { return Palette[colours[cluster[node]]] }, cluster)
	if numbered && k <= mostLabels && (k > 1 || l.Kind != OnPlane) {
		p.Add(l.numbers(cluster, k))
	}
	return p
}

// Sample draws a sample's signal `[nodes, channels]` and what its values contributed, in one or two plots of one size.
// Sensors and joints have curves in the colours of their contributions.
func (l *Layout) Sample(signal []float32, values []float64, channels int) []*plot.Plot {
	nodes := make([]float64, len(l.X))
	for i, v := range values {
		nodes[i/channels] += v
	}
	switch {
	case l.Kind == OverTime:
		return []*plot.Plot{l.curves(signal, values, channels)}
	case l.names != nil && l.ByGraph: // words
		return []*plot.Plot{l.Values("", nodes)}
	}
	return []*plot.Plot{l.Signal("the signal", signal, channels), l.Values("", nodes)}
}

// Values draws a number for each node. Numbers above 0 are red, numbers below 0 blue, and those further from 0 are
// stronger. On a plane, the named nodes furthest from 0 have their names beside them. Sensors over time have their sums
// beside them.
func (l *Layout) Values(title string, values []float64) *plot.Plot {
	s, small := signed(values), pointRadius(len(values))
	p := l.axes(title)
	if l.Kind != OnPlane {
		l.paint(p, func(node int) color.Color { return s.at(values[node]) }, nil)
		if l.Kind == OverTime {
			p.X.Max, p.Y.Max = p.X.Max*1.25, p.Y.Max*1.3
			p.Add(l.bars(values))
		}
		return p
	}
	colour := func(node int) color.Color {
		if values[node] == 0 && small < 2 { // of many points, those of no weight stay in the background
			return color.Gray{0xd8}
		}
		return s.at(values[node])
	}
	radius := func(node int) vg.Length { // if points are small, it grows with their values
		return max(small, vg.Points(4.5*math.Sqrt(math.Abs(values[node])/s.Max())))
	}
	order := loop.Indices(len(values)) // the furthest from 0 last, so that nothing hides it
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(values[i]), math.Abs(values[j])) })
	p.Add(l.discs(order, radius, colour))
	if l.names != nil {
		named := slices.Clone(order[max(0, len(order)-namedPoints):])
		slices.Reverse(named)
		p.Add(l.captions(slices.DeleteFunc(named, func(node int) bool { return values[node] == 0 })))
	}
	return p
}

// Signal draws a raw signal `[nodes, channels]`. Three channels are red, green and blue; of any other number the
// first is grey. The least value is black and the largest white.
func (l *Layout) Signal(title string, signal []float32, channels int) *plot.Plot {
	low, high, last := float32(math.Inf(1)), float32(math.Inf(-1)), 0
	if channels == 3 {
		last = 2
	}
	for i, v := range signal {
		if i%channels <= last {
			low, high = min(low, v), max(high, v)
		}
	}
	shade := func(v float32) uint8 {
		if high == low {
			return 0
		}
		return uint8(math.Round(255 * float64((v-low)/(high-low))))
	}
	p := l.axes(title)
	l.paint(p, func(node int) color.Color {
		v := signal[node*channels:]
		return color.RGBA{shade(v[0]), shade(v[last/2]), shade(v[last]), 0xff}
	}, nil)
	return p
}

// paint draws the nodes in their colours. Unless cluster is nil, cells have lines between clusters, and points their
// edges, if they are few.
func (l *Layout) paint(p *plot.Plot, colour func(node int) color.Color, cluster []int32) {
	if l.Kind != OnPlane {
		p.Add(l.squares(colour), l.lines(cluster))
		return
	}
	if cluster != nil && l.graph.Edges() <= mostEdges {
		p.Add(l.edges())
	}
	radius := pointRadius(len(l.X))
	p.Add(l.discs(loop.Indices(len(l.X)), func(int) vg.Length { return radius }, colour))
}

// Size returns the width and height that suit a picture of the nodes alone, in points.
func (l *Layout) Size() (width, height vg.Length) {
	switch l.Kind {
	case OnPlane:
		return 360, 384
	case OverTime:
		return 310, vg.Length(min(30*l.Rows, max(260, min(5*l.Rows, 500)))) + 56
	}
	side := min(24, max(3, 280/max(l.Rows, l.Columns)))
	return vg.Length(max(l.Columns*side, 140)), vg.Length(l.Rows*side + 24)
}

// axes returns a plot that all nodes fit into.
func (l *Layout) axes(title string) *plot.Plot {
	p := blank(title)
	if l.Kind == OnPlane { // distances mean the same along both axes
		p.HideAxes()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.03, 1.03, -0.03, 1.03
		return p
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(l.Columns), 0, float64(l.Rows)
	if l.Kind == OnGrid {
		p.HideAxes()
		return p
	}
	l.time(p, xslices.Map(l.RowNames, func(name string) string { return text.Shorten(name, longestLabel) }), 0.5)
	return p
}

// time names the rows of a plot over time, from the top, and numbers its frames; frame 0 is at x = zero. Of many rows
// some are named.
func (l *Layout) time(p *plot.Plot, rows []string, zero float64) {
	p.X.Label.Text, p.X.Width, p.X.Tick.Width = "frame", 0, vg.Points(0.5)
	var names plot.ConstantTicks
	frames := xslices.Map(l.frames(),
		func(frame float64) plot.Tick { return plot.Tick{Value: frame + zero, Label: fmt.Sprint(frame)} })
	for i, name := range rows {
		if i%(1+len(rows)/mostLabels) == 0 {
			names = append(names, plot.Tick{Value: float64(len(rows)-i) - 0.5, Label: name})
		}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker, p.Y.Tick.Length, p.Y.Width = plot.ConstantTicks(frames), names, 0, 0
	p.X.Tick.Label.Font.Size = vg.Points(9)
	p.Y.Tick.Label.Font.Size = vg.Points(min(9, max(5, 300/float64(len(rows)))))
}

// frames returns the frames that are numbered.
func (l *Layout) frames() (numbered []float64) {
	for _, tick := range (plot.DefaultTicks{}).Ticks(0, max(1, float64(l.Columns-1))) {
		if tick.Label != "" && tick.Value == math.Trunc(tick.Value) {
			numbered = append(numbered, tick.Value)
		}
	}
	return numbered
}
