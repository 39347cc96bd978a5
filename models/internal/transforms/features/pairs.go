package features

import (
	"cmp"

	"github.com/clusterpool/ccp/internal/loop"
)

// pair is two columns that a transform compares.
type pair struct {
	from, to int
	// turns has 1 for each direction of the graph in which from leads to to, -1 where to leads to from, and 0 where
	// neither does.
	turns []float32
}

// pairsOfSignal returns the pairs of columns of a signal to compare, at most so many: those of linked sensors and of
// the channels of each sensor, evenly spread. The others would drown these, because products of all pairs are many and
// noisy. Where no graph was given, they are all pairs: who links those that are alike in the training samples finds
// them more alike there than in new ones.
func (s Shape) pairsOfSignal(most int) []pair {
	if s.graphGiven() {
		return s.pairs(loop.Spread(s.linkedColumns(), most))
	}
	return s.pairs(loop.Spread(allPairs(s.Columns), most))
}

// graphGiven reports whether there are links, and whether they do not follow from the samples.
func (s Shape) graphGiven() bool { return s.Links != nil && s.Links.Edges() > 0 && !s.LinksLearned }

// linkedPairs returns the pairs of linked sensors' columns of one channel, at most so many, evenly spread.
func (s Shape) linkedPairs(channel, most int) []pair {
	var columns [][2]int
	for a, b := range s.Links.Links() {
		if a != b {
			columns = append(columns, [2]int{a*s.Channels + channel, b*s.Channels + channel})
		}
	}
	return s.pairs(loop.Spread(columns, most))
}

// linkedColumns lists the pairs of columns that are of one sensor, and those of one channel of linked sensors.
func (s Shape) linkedColumns() (columns [][2]int) {
	for sensor := range s.Columns / s.Channels {
		for _, pair := range allPairs(s.Channels) {
			columns = append(columns, [2]int{sensor*s.Channels + pair[0], sensor*s.Channels + pair[1]})
		}
	}
	if s.Links == nil {
		return columns
	}
	for a, b := range s.Links.Links() {
		for channel := range s.Channels {
			if a != b {
				columns = append(columns, [2]int{a*s.Channels + channel, b*s.Channels + channel})
			}
		}
	}
	return columns
}

// allPairs lists the pairs of n different columns.
func allPairs(n int) (columns [][2]int) {
	for to := range n {
		for from := range to {
			columns = append(columns, [2]int{from, to})
		}
	}
	return columns
}

// eachWithItself lists the pairs of n columns with themselves.
func eachWithItself(n int) (columns [][2]int) {
	for column := range n {
		columns = append(columns, [2]int{column, column})
	}
	return columns
}

// pairs returns the pairs of columns, with their turns.
func (s Shape) pairs(columns [][2]int) (pairs []pair) {
	turns := s.directions()
	for _, ends := range columns {
		p := pair{from: ends[0], to: ends[1]}
		for _, turn := range turns {
			p.turns = append(p.turns, turn(p.from/s.Channels, p.to/s.Channels))
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// directions returns, for each direction of the graph, how it turns a link between two sensors; see pair.
func (s Shape) directions() (turns []func(from, to int) float32) {
	if s.Directed != nil {
		directed := map[[2]int]bool{}
		for _, link := range s.Directed {
			directed[link] = true
		}
		turns = append(turns, func(from, to int) float32 {
			switch {
			case directed[[2]int{from, to}]:
				return 1
			case directed[[2]int{to, from}]:
				return -1
			}
			return 0
		})
	}
	for _, heights := range s.Heights {
		turns = append(turns, func(from, to int) float32 { return float32(cmp.Compare(heights[to], heights[from])) })
	}
	return turns
}

// lagBins returns the bins of lags above zero, up to half of so many time points: bin b has the lags from edges[b] up
// to edges[b+1], without it. Each bin is so many times as wide as the one before.
func lagBins(timepoints int, growth float64) (edges []int) {
	last := max(1, timepoints/2)
	for edge := 1.0; int(edge) <= last; edge = max(edge+1, edge*growth) {
		edges = append(edges, int(edge))
	}
	return append(edges, max(edges[len(edges)-1]+1, last))
}
