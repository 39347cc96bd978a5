package audit

import (
	"math"
	"math/rand/v2"
)

// Link is an edge of a graph over nodes.
type Link struct {
	I, J   int
	Weight float64
}

// Links says whether the values of linked nodes go together.
type Links struct {
	// Correlation is the mean absolute correlation of linked nodes over the samples, Drawn that where the nodes are
	// drawn anew, and Deviations their difference in deviations of the draws.
	Correlation, Drawn, Deviations float64
	// FromZero has the deviations if the nodes are numbered from 1 in the links, by mistake. It is 0 if they cannot be.
	FromZero float64
	// ByWeight is the rank correlation of the weights of links with the correlations, which is above 0 where a weight says
	// how near two nodes are, and below where it is a distance. WeightDeviations are those from graphs of drawn nodes.
	// Both are 0 if all weights are equal.
	ByWeight, WeightDeviations float64
	// Dense says that most pairs of nodes are linked, so that only weights tell which are alike.
	Dense bool
}

// unlike is the number of deviations that a graph which has to do with the values exceeds.
const unlike = 2.0

// fewestLinks is the number of links of which a mean says something.
const fewestLinks = 10

// Unrelated reports whether the values of linked nodes have nothing to do with one another.
func (l Links) Unrelated() bool {
	if l.Dense {
		return l.WeightDeviations != 0 && math.Abs(l.WeightDeviations) < unlike
	}
	return l.Deviations < unlike
}

// AreDistances reports whether heavier links clearly join nodes that are less alike.
func (l Links) AreDistances() bool {
	const least, deviations = 0.25, 4
	return l.ByWeight < -least && l.WeightDeviations < -deviations
}

// LinksOf compares the correlations of linked nodes of signals with those of nodes drawn at random: over all samples
// and within classes, whichever says more for the graph. nodes is the number of nodes, each with the same number of
// channels, of which the first is looked at.
func (s *Samples) LinksOf(links []Link, nodes int) (l Links) {
	if len(links) < fewestLinks || s.Len() < fewestOfAll {
		return Links{Deviations: math.Inf(1)} // too few to say
	}
	fromOne := true
	for _, link := range links {
		fromOne = fromOne && link.I > 0 && link.J > 0
	}
	for _, within := range []bool{false, true} {
		columns := s.standardised(nodes, within)
		one := compareLinks(columns, links, 0)
		if fromOne {
			one.FromZero = compareLinks(columns, links, 1).Deviations
		}
		if !within {
			l = one
		}
		if one.Deviations > l.Deviations {
			l.Correlation, l.Drawn, l.Deviations, l.FromZero = one.Correlation, one.Drawn, one.Deviations, one.FromZero
		}
		if math.Abs(one.WeightDeviations) > math.Abs(l.WeightDeviations) {
			l.ByWeight, l.WeightDeviations = one.ByWeight, one.WeightDeviations
		}
	}
	l.Dense = 4*len(links) > nodes*(nodes-1)
	return l
}

// standardised returns the values of each node over the samples, with a mean of 0 and a length of 1,
// `[nodes][samples]`; within classes if that is asked for. A constant node is 0.
func (s *Samples) standardised(nodes int, within bool) [][]float64 {
	columns := make([][]float64, nodes)
	for node := range columns {
		columns[node] = make([]float64, s.Len())
	}
	channels := s.Width / nodes
	for i := range s.Len() {
		values := s.Values(i)
		for node := range nodes {
			columns[node][i] = float64(values[node*channels])
		}
	}
	groups := [][]int{nil}
	if within {
		groups = s.byClass()
	} else {
		for i := range s.Len() {
			groups[0] = append(groups[0], i)
		}
	}
	for _, column := range columns {
		squares := 0.0
		for _, group := range groups {
			mean := 0.0
			for _, i := range group {
				mean += column[i] / float64(len(group))
			}
			for _, i := range group {
				column[i] -= mean
				squares += column[i] * column[i]
			}
		}
		for i := range column {
			if squares > 0 {
				column[i] /= math.Sqrt(squares)
			}
		}
	}
	return columns
}

// compareLinks compares links, whose numbers of nodes are too large by from, with links of nodes drawn anew.
func compareLinks(columns [][]float64, links []Link, from int) (l Links) {
	const mostLinks = 2000 // say enough
	rng := rand.New(rand.NewPCG(3, 3))
	some := make([]Link, 0, mostLinks)
	for _, at := range spread(len(links), mostLinks) {
		some = append(some, links[at])
	}
	weights := make([]float64, len(some))
	for at, link := range some {
		weights[at] = link.Weight
	}
	weightRanks, left := ranksOf(weights)
	weighted := left > 0
	alike := make([]float64, len(some)) // the absolute correlation of each link
	compare := func(node func(int) int) (mean, byWeight float64) {
		for at, link := range some {
			product := 0.0
			b := columns[node(link.J-from)]
			for i, a := range columns[node(link.I-from)] {
				product += a * b[i]
			}
			alike[at] = math.Abs(product)
			mean += alike[at] / float64(len(some))
		}
		if weighted {
			own, _ := ranksOf(alike)
			byWeight = correlation(weightRanks, own)
		}
		return mean, byWeight
	}
	l.Correlation, l.ByWeight = compare(func(node int) int { return node })
	squares, byWeight, weightSquares := 0.0, 0.0, 0.0
	for range draws {
		order := rng.Perm(len(columns))
		drawn, drawnByWeight := compare(func(node int) int { return order[node] })
		l.Drawn += drawn / draws
		squares += drawn * drawn / draws
		byWeight += drawnByWeight / draws
		weightSquares += drawnByWeight * drawnByWeight / draws
	}
	l.Deviations = math.Inf(1) // where all nodes are linked alike, or none changes
	const rounding = 1e-9
	if deviation := math.Sqrt(max(0, squares-l.Drawn*l.Drawn)); deviation > rounding {
		l.Deviations = (l.Correlation - l.Drawn) / deviation
	}
	if deviation := math.Sqrt(max(0, weightSquares-byWeight*byWeight)); deviation > rounding {
		l.WeightDeviations = (l.ByWeight - byWeight) / deviation
	}
	return l
}
