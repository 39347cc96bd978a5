package features

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/models/onnx"
)

const (
	leastLinks           = 16    // of a graph, for quantiles over all of them
	mostLinksRead        = 2_000 // of a channel
	mostAnywhereChannels = 6
)

var anywhereTransform = Transform{
	Name:         "links-anywhere",
	Option:       "links",
	Lacks:        lacksAnywhere,
	New:          newAnywhere,
	Prior:        1,
	InForest:     always,
	KnowsSensors: true,
	AlongLinks:   true,
}

// anywhere is the map to what happens along links, whatever its place on the graph: quantiles over all links, of each
// channel. Statistics of a link that are the same both ways round are the product of its ends' levels and, of
// recordings, their correlation at lags, r(l) + r(-l). Those that have a sign are the difference of the levels and, of
// recordings, r(l) - r(-l), and how much later one end changes than the other. Of these there are quantiles of their
// sizes, and quantiles of the values turned into each direction of the graph, which tell the way in which something
// moves.
type anywhere struct{ channels []channelLinks }

// channelLinks are the links of a channel's columns.
type channelLinks struct {
	pairs []pair
	// leading lists, for each direction of the graph, the pairs that lead somewhere in it. Directions without one are left
	// out.
	leading [][]int
	turns   [][]float32 // of the pairs of leading
	lags    *lags       // of the pairs; nil if recordings are too short
}

// linkQuantiles are the quantiles over all links that are features.
var linkQuantiles = []float64{0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98}

func newAnywhere(s Shape) Map {
	m := &anywhere{}
	for channel := range min(s.Channels, mostAnywhereChannels) {
		m.channels = append(m.channels, s.channelLinks(s.linkedPairs(channel, mostLinksRead)))
	}
	return m
}

// channelLinks returns the links of a channel that are these pairs.
func (s Shape) channelLinks(pairs []pair) channelLinks {
	c := channelLinks{pairs: pairs}
	for direction := range s.directions() {
		var leading []int
		var turns []float32
		for at, p := range c.pairs {
			if turn := p.turns[direction]; turn != 0 {
				leading, turns = append(leading, at), append(turns, turn)
			}
		}
		if len(leading) > 0 {
			c.leading, c.turns = append(c.leading, leading), append(c.turns, turns)
		}
	}
	if s.Length >= leastTimepoints {
		c.lags = &lags{columns: s.Columns, edges: lagBins(s.Length, math.Sqrt2)}
		for _, p := range c.pairs {
			c.lags.pairs = append(c.lags.pairs, [2]int{p.from, p.to})
		}
	}
	return c
}

func lacksAnywhere(s Shape) string {
	if s.Links == nil || s.Links.Edges() < leastLinks {
		return fmt.Sprintf("a graph of at least %d links", leastLinks)
	}
	return ""
}

// counts returns how many statistics of a link are the same both ways round, and how many have a sign.
func (c *channelLinks) counts() (same, signed int) {
	if c.lags == nil {
		return 1, 1
	}
	return 1 + len(c.lags.edges), 1 + len(c.lags.edges)
}

// Width implements Map.
func (m *anywhere) Width() (width int) {
	for _, c := range m.channels {
		same, signed := c.counts()
		width += len(linkQuantiles) * (same + signed*(1+len(c.leading)))
	}
	return width
}

// Features writes, for each channel, quantiles `[statistics, quantiles]`: of those that are the same both ways round,
// of the sizes of those that have a sign, and of these turned into each direction.
func (m *anywhere) Features(r *Recording, out []float32) {
	levels, centres := r.levels(), r.centresOfChange()
	for _, c := range m.channels {
		same, signed := c.statistics(r, levels, centres)
		for _, x := range same {
			out = r.quantiles(x, out)
		}
		turned := make([]float32, len(c.pairs))
		for _, x := range signed {
			for at, v := range x {
				turned[at] = float32(math.Abs(float64(v)))
			}
			out = r.quantiles(turned, out)
		}
		for direction, leading := range c.leading {
			for _, x := range signed {
				for k, at := range leading {
					turned[k] = x[at] * c.turns[direction][k]
				}
				out = r.quantiles(turned[:len(leading)], out)
			}
		}
	}
}

// statistics returns the statistics of all links, `[statistics][links]`.
func (c *channelLinks) statistics(r *Recording, levels, centres []float32) (same, signed [][]float32) {
	nSame, nSigned := c.counts()
	flat := make([]float32, (nSame+nSigned)*len(c.pairs))
	for range nSame {
		same, flat = append(same, flat[:len(c.pairs)]), flat[len(c.pairs):]
	}
	for range nSigned {
		signed, flat = append(signed, flat[:len(c.pairs)]), flat[len(c.pairs):]
	}
	for at, p := range c.pairs {
		same[0][at] = levels[p.from] * levels[p.to]
		signed[0][at] = levels[p.to] - levels[p.from]
	}
	if c.lags == nil {
		return same, signed
	}
	correlations, width := make([]float32, c.lags.Width()), c.lags.width()
	c.lags.Features(r, correlations)
	for at, p := range c.pairs {
		of := correlations[at*width : (at+1)*width]
		same[1][at] = of[0]
		signed[1][at] = centres[p.to] - centres[p.from]
		for bin := range len(c.lags.edges) - 1 {
			later, sooner := of[1+2*bin], of[2+2*bin]
			same[2+bin][at] = later + sooner
			signed[2+bin][at] = later - sooner
		}
	}
	return same, signed
}

// centresOfChange returns, for each column, where in the recording it changes: the mean place of the steps between
// time points, weighed by their sizes, from 0 to 1.
func (r *Recording) centresOfChange() []float32 {
	centres := make([]float32, len(r.Columns))
	for c, steps := range r.differences {
		size, moment := float64(powerFloor), float64(powerFloor)/2
		for t, step := range steps {
			size += math.Abs(float64(step))
			moment += math.Abs(float64(step)) * (float64(t) + 0.5) / float64(len(steps))
		}
		centres[c] = float32(moment / size)
	}
	return centres
}

// quantiles writes the quantiles of x at the beginning of out, and returns the rest of out.
func (r *Recording) quantiles(x, out []float32) []float32 {
	positions := r.ascending(x)
	for q, at := range quantilePositions(len(x)) {
		out[q] = x[uint32(positions[at])]
	}
	return out[len(linkQuantiles):]
}

// quantilePositions returns the places of the quantiles among n sorted values.
func quantilePositions(n int) []int {
	at := make([]int, len(linkQuantiles))
	for q, share := range linkQuantiles {
		at[q] = int(math.Round(share * float64(n-1)))
	}
	return at
}

// Export implements Map.
func (m *anywhere) Export(g *onnx.Graph, x string) string {
	mean, _ := g.Centred(g.To(onnx.Double, x))
	levels := g.To(onnx.Float, mean)
	centres := ""
	all := []any{onnx.Axis(1)}
	for _, c := range m.channels {
		if c.lags != nil && centres == "" {
			centres = exportCentres(g, x)
		}
		all = append(all, c.export(g, x, levels, centres))
	}
	return g.Op("Concat", all...)
}

// exportCentres adds the nodes of centresOfChange, for series x; the centres are `[batch, columns, 1]`.
func exportCentres(g *onnx.Graph, x string) string {
	sizes := g.To(onnx.Double, g.Op("Abs", g.Steps(x)))
	count := g.Length(sizes)
	places := g.Op("Div", g.Op("Add", g.Until(count), 0.5), count)
	size := g.Op("Add", g.Op("ReduceSum", sizes, []int{2}), float64(powerFloor))
	moment := g.Op("Add", g.Op("ReduceSum", g.Op("Mul", sizes, places), []int{2}), float64(powerFloor)/2)
	return g.To(onnx.Float, g.Op("Div", moment, size))
}

// export adds the nodes of the features of one channel. levels and centres are `[batch, columns, 1]`.
func (c *channelLinks) export(g *onnx.Graph, x, levels, centres string) string {
	from, to := ends(c.pairs)
	at := func(x string, ends []int) string { return g.Op("Gather", x, ends, onnx.Axis(1)) }
	same := []any{g.Op("Mul", at(levels, from), at(levels, to)), onnx.Axis(2)}
	signed := []any{g.Op("Sub", at(levels, to), at(levels, from)), onnx.Axis(2)}
	if c.lags != nil {
		r := g.Op("Reshape", c.lags.Export(g, x), []int{0, len(c.pairs), c.lags.width()})
		lagged := func(first int) string { // lag 0, or all bins on one side
			var places []int
			for k := first; k < c.lags.width(); k += 2 {
				places = append(places, k)
			}
			return g.Op("Gather", r, places, onnx.Axis(2))
		}
		later, sooner := lagged(1), lagged(2)
		same = append(same, g.Op("Gather", r, []int{0}, onnx.Axis(2)), g.Op("Add", later, sooner))
		signed = append(signed, g.Op("Sub", at(centres, to), at(centres, from)), g.Op("Sub", later, sooner))
	}
	linksLast := func(x string) string { // `[batch, statistics, links]`
		return g.Op("Transpose", x, onnx.Attribute{Name: "perm", Value: []int{0, 2, 1}})
	}
	summary := func(x string, links int) string {
		return g.Op("Flatten", g.Op("Gather", g.Sorted(x), quantilePositions(links), onnx.Axis(2)))
	}
	statistics := linksLast(g.Op("Concat", signed...))
	all := []any{onnx.Axis(1),
		summary(linksLast(g.Op("Concat", same...)), len(c.pairs)),
		summary(g.Op("Abs", statistics), len(c.pairs)),
	}
	for direction, leading := range c.leading {
		turned := g.Op("Mul", g.Op("Gather", statistics, leading, onnx.Axis(2)), c.turns[direction])
		all = append(all, summary(turned, len(leading)))
	}
	return g.Op("Concat", all...)
}
