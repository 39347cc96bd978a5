package features

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	mostLinkFeatures = 10_000 // of the transform links
	mostInForest     = 500    // links of a signal that the forest reads: of more its trees would see few
)

var linksTransform = Transform{
	Name:   "links",
	Option: "links",
	Lacks:  lacksLinks,
	New:    newLinks,
	Prior:  1,
	InForest: func(s Shape) bool {
		return s.Length >= leastTimepoints || s.graphGiven() && s.Links.Edges() <= mostInForest
	},
	KnowsSensors: true,
}

// links is the map to what two linked columns have in common: the product and the difference of their levels, which are
// their means over a recording, or the values of a signal; and, of recordings, their correlations at lags. The pairs
// are all columns where these are few, or those of linked sensors and of the channels of each sensor.
type links struct {
	pairs []pair // of different columns
	lags  *lags  // nil if recordings are too short
}

func newLinks(s Shape) Map {
	most := min(mostLinkFeatures, s.Features)
	m := &links{}
	if s.Length < leastTimepoints {
		m.pairs = s.pairsOfSignal(most / 2)
		return m
	}
	m.lags = s.lags()
	different := slices.DeleteFunc(slices.Clone(m.lags.pairs), func(ends [2]int) bool { return ends[0] == ends[1] })
	m.pairs = s.pairs(loop.Spread(different, most/2))
	return m
}

// lagGrowths are how many times as wide as the one before a bin of lags may be. The first is taken with which all pairs
// of columns have a place, or else the first of all with linked pairs only.
var lagGrowths = []float64{math.Sqrt2, 2, 4}

// lags returns the correlations that fit into the width: of each column with itself, and of pairs.
func (s Shape) lags() *lags {
	m := &lags{columns: s.Columns, ones: true}
	for _, growth := range lagGrowths {
		m.edges = lagBins(s.Length, growth)
		if s.Columns*(s.Columns+1)/2*m.width() <= mostLinkFeatures {
			m.pairs = slices.Concat(eachWithItself(s.Columns), allPairs(s.Columns))
			return m
		}
	}
	m.edges = lagBins(s.Length, lagGrowths[0])
	m.pairs = slices.Concat(eachWithItself(s.Columns), s.linkedColumns())
	m.pairs = loop.Spread(m.pairs, mostLinkFeatures/m.width())
	return m
}

func lacksLinks(s Shape) string {
	mostPairs := min(mostLinkFeatures, s.Features) / 2
	switch {
	case s.Columns < 2:
		return "two columns"
	case s.Length < leastTimepoints && !s.graphGiven() && s.Columns*(s.Columns-1)/2 > mostPairs:
		return fmt.Sprintf("a graph that is given, or at most %d pairs of columns", mostPairs)
	}
	return ""
}

// Width implements Map.
func (m *links) Width() int {
	if m.lags == nil {
		return 2 * len(m.pairs)
	}
	return 2*len(m.pairs) + m.lags.Width()
}

// Features writes `[pairs, {product, difference}]`, and then the correlations.
func (m *links) Features(r *Recording, out []float32) {
	levels := r.levels()
	for at, p := range m.pairs {
		out[2*at] = levels[p.from] * levels[p.to]
		out[2*at+1] = levels[p.to] - levels[p.from]
	}
	if m.lags != nil {
		m.lags.Features(r, out[2*len(m.pairs):])
	}
}

// levels returns the mean of each column.
func (r *Recording) levels() []float32 {
	levels := make([]float32, len(r.Columns))
	for c, column := range r.Columns {
		mean, _ := moments(column)
		levels[c] = float32(mean)
	}
	return levels
}

// ends returns the columns from which and to which pairs lead.
func ends(pairs []pair) (from, to []int) {
	for _, p := range pairs {
		from, to = append(from, p.from), append(to, p.to)
	}
	return from, to
}

// Export implements Map.
func (m *links) Export(g *onnx.Graph, x string) string {
	mean, _ := g.Centred(g.To(onnx.Double, x))
	from, to := ends(m.pairs)
	a, b := g.Op("Gather", mean, from, onnx.Axis(1)), g.Op("Gather", mean, to, onnx.Axis(1))
	levels := g.Op("Concat", g.Op("Mul", a, b), g.Op("Sub", b, a), onnx.Axis(2))
	levels = g.To(onnx.Float, g.Op("Flatten", levels))
	if m.lags == nil {
		return levels
	}
	return g.Op("Concat", levels, m.lags.Export(g, x), onnx.Axis(1))
}
