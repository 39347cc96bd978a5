package picture

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Clusters draws the nodes in the colours of their clusters, of which there are k, with a line between clusters on cells. The clusters
// have their numbers, too, if numbered says so and they are few.
func (l *Layout) Clusters(title string, cluster []int32, k int, numbered bool) *plot.Plot {
	colours := l.Colours(cluster, k)
	colour := func(node int) color.Color { return colours[cluster[node]] }
	p := l.axes(title)
	if l.Kind != OnPlane {
		p.Add(l.squares(colour), l.lines(cluster, white))
	} else {
		radius := pointRadius(len(l.X))
		p.Add(l.edges(), l.discs(indices(len(l.X)), func(int) vg.Length { return radius }, colour))
	}
	if numbered && k <= mostLabels && (k > 1 || l.Kind != OnPlane) {
		p.Add(l.numbers(cluster, k))
	}
	return p
}

// Values draws a number for each node, in red above 0 and in blue below it, the stronger the further from 0, beside a bar that explains
// the colours. On a plane the few named nodes furthest from 0 have their names beside them.
func (l *Layout) Values(title, label string, values []float64) *plot.Plot {
	s, small := signed(values, label), pointRadius(len(values))
	colour := func(node int) color.Color {
		if l.Kind == OnPlane && values[node] == 0 && small < 2 { // of many points, those of no weight stay in the background
			return color.Gray{0xd8}
		}
		return s.at(values[node])
	}
	p := l.axes(title)
	p.Add(bar{s})
	if l.Kind != OnPlane {
		p.Add(l.squares(colour), l.lines(nil, grey))
		return p
	}
	// What is furthest from 0 is drawn last: nothing hides it.
	order := indices(len(values))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(values[i]), math.Abs(values[j])) })
	radius := func(node int) vg.Length { // where points are small, it grows with what they stand for
		return max(small, vg.Points(4.5*math.Sqrt(math.Abs(values[node])/s.Max())))
	}
	p.Add(l.edges(), l.discs(order, radius, colour))
	if l.names != nil {
		named := slices.Clone(order[max(0, len(order)-namedPoints):])
		slices.Reverse(named)
		p.Add(l.captions(slices.DeleteFunc(named, func(node int) bool { return values[node] == 0 })))
	}
	return p
}

// Image draws a signal `[nodes, channels]` on a grid as it is: one channel in grey, three in colour. The least value is black, the
// largest white.
func (l *Layout) Image(title string, signal []float32, channels int) *plot.Plot {
	low, high := slices.Min(signal), slices.Max(signal)
	shade := func(v float32) uint8 {
		if high == low {
			return 0
		}
		return uint8(math.Round(255 * float64((v-low)/(high-low))))
	}
	p := l.axes(title)
	p.Add(l.squares(func(node int) color.Color {
		v := signal[node*channels : (node+1)*channels]
		return color.RGBA{shade(v[0]), shade(v[channels/2]), shade(v[channels-1]), 0xff}
	}), l.lines(nil, grey))
	return p
}

// Size is the width and height that suit a picture of the nodes alone, in points.
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

// axes are those of a plot that all nodes fit into.
func (l *Layout) axes(title string) *plot.Plot {
	p := blank(title)
	if l.Kind != OnSkeleton {
		p.HideAxes()
	} else {
		p.X.Label.Text, p.Y.Label.Text = "frame", "joint"
		ticks := plot.ConstantTicks{}
		for i, name := range l.RowNames {
			ticks = append(ticks, plot.Tick{Value: float64(l.Rows-i) - 0.5, Label: name})
		}
		p.Y.Tick.Marker = ticks
		p.Y.Tick.Label.Font.Size, p.Y.Tick.Length, p.Y.Width = vg.Points(6), 0, 0
	}
	if l.Kind != OnPlane {
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(l.Columns), 0, float64(l.Rows)
		return p
	}
	// Distances mean the same along both axes. One point alone would leave them without extent.
	x, width := span(l.X)
	y, height := span(l.Y)
	half := max(0.53*max(width, height), 1e-9)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x-half, x+half, y-half, y+half
	return p
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
