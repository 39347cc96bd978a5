package picture

import (
	"cmp"
	"image/color"
	"math"
	"slices"

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

// Values draws a number for each node. If there is a label, a bar beside them explains the colours, and points have
// their edges. Numbers above 0 are red, numbers below 0 blue, and those further from 0 are stronger. On a plane, the
// named nodes furthest from 0 have their names beside them.
func (l *Layout) Values(title, label string, values []float64) *plot.Plot {
	s, small := signed(values, label), pointRadius(len(values))
	p := l.axes(title)
	if label != "" {
		p.Add(s)
	}
	if l.Kind != OnPlane {
		l.paint(p, func(node int) color.Color { return s.at(values[node]) }, nil)
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
	order := indices(len(values)) // the furthest from 0 last, so that nothing hides it
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(values[i]), math.Abs(values[j])) })
	if label != "" {
		p.Add(l.edges())
	}
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
// edges.
func (l *Layout) paint(p *plot.Plot, colour func(node int) color.Color, cluster []int32) {
	if l.Kind != OnPlane {
		p.Add(l.squares(colour), l.lines(cluster))
		return
	}
	if cluster != nil {
		p.Add(l.edges())
	}
	radius := pointRadius(len(l.X))
	p.Add(l.discs(indices(len(l.X)), func(int) vg.Length { return radius }, colour))
}

// Size returns the width and height that suit a picture of the nodes alone, in points.
func (l *Layout) Size() (width, height vg.Length) {
	if l.Kind == OnPlane {
		return 360, 384
	}
	side := vg.Length(min(24, max(3, 280/float64(max(l.Rows, l.Columns)))))
	width, height = vg.Length(l.Columns)*side, vg.Length(l.Rows)*side
	if l.Kind == OnSkeleton {
		width, height = width+64, height+28
	}
	return max(width, 140), height + 24
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
	p.X.Label.Text, p.Y.Label.Text = "frame", "joint"
	ticks := plot.ConstantTicks{}
	for i, name := range l.RowNames {
		ticks = append(ticks, plot.Tick{Value: float64(l.Rows-i) - 0.5, Label: name})
	}
	p.Y.Tick.Marker = ticks
	p.Y.Tick.Label.Font.Size, p.Y.Tick.Length, p.Y.Width = vg.Points(6), 0, 0
	return p
}
