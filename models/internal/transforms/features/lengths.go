package features

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	lengthParts = 3 // of links, by their length, each of as many
	// leastLengthRatio is how many times as long as the shortest part the longest one has to be, in the median: links of
	// nearest neighbours are of one kind, and long links among short ones are another.
	leastLengthRatio = 5
)

var lengthsTransform = Transform{
	Name:         "links-lengths",
	Option:       "links",
	Lacks:        lacksLengths,
	New:          newLengths,
	Prior:        1,
	InForest:     always,
	KnowsSensors: true,
	AlongLinks:   true,
}

// newLengths returns the map to what links-anywhere reads, of the shortest third of each channel's links, of the next
// and of the longest.
func newLengths(s Shape) Map {
	m := &anywhere{}
	for channel := range min(s.Channels, mostAnywhereChannels) {
		pairs := s.linkedPairs(channel, mostLinksRead)
		slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(s.length(a), s.length(b)) })
		for part := range lengthParts {
			from, to := part*len(pairs)/lengthParts, (part+1)*len(pairs)/lengthParts
			m.channels = append(m.channels, s.channelLinks(pairs[from:to]))
		}
	}
	return m
}

// length returns the distance of the sensors of a pair on the main axes of all positions.
func (s Shape) length(p pair) float64 {
	square := 0.0
	for _, place := range s.Heights {
		square += math.Pow(float64(place[p.to/s.Channels]-place[p.from/s.Channels]), 2)
	}
	return math.Sqrt(square)
}

// lacksLengths says what the links lack to be read apart by their lengths; "" if nothing.
func lacksLengths(s Shape) string {
	lacks := fmt.Sprintf("positions, and a graph of at least %d links, the longest third of which are %d times "+
		"as long as the shortest", lengthParts*leastLinks, leastLengthRatio)
	if !s.Placed || s.Links == nil || s.Links.Edges() < lengthParts*leastLinks {
		return lacks
	}
	var lengths []float64
	for _, p := range s.linkedPairs(0, mostLinksRead) {
		lengths = append(lengths, s.length(p))
	}
	slices.Sort(lengths)
	if n := len(lengths); n == 0 || lengths[5*n/6] <= leastLengthRatio*lengths[n/6] {
		return lacks
	}
	return ""
}
