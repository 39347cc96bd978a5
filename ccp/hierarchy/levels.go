// Package hierarchy describes a trained hierarchy of clusters on the host: which nodes belong to which clusters, what each
// cluster's filter sees, and how well each level does its work.
package hierarchy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"gonum.org/v1/gonum/floats"
)

// Level is one level of a hierarchy: how its N nodes belong to its K clusters, and what each cluster's filter sees of them. The
// nodes of the first level are the input's, those of any other the clusters of the level before.
type Level struct {
	// Clusters is K, Neighbours is L, the nodes of a neighbourhood.
	Clusters, Neighbours int
	// Memberships of the level's N nodes in its K clusters.
	Memberships Memberships
	// Choices is how many of the clusters a node may belong to: K, or its candidates, or 1 in a prepared hierarchy.
	Choices int
	// Neighbourhoods `[K, L]` holds the nodes that each cluster's filter sees, in the order of its weights: the most central first,
	// unless slots are random or directed. Ranks are their centralities, and Gates, in (0, 1), what their signals are multiplied by.
	Neighbourhoods [][]int32
	Ranks, Gates   [][]float32
}

// Levels is a hierarchy from the input upwards. Its methods count levels from 1, as the names level_1 and so on do.
type Levels []Level

// Path is the cluster of the level that each input node is in if it goes with its largest membership at every level, `[nodes]`.
// level counts from 1; level 0 gives the input nodes themselves.
func (h Levels) Path(level int) []int32 {
	path := make([]int32, h[0].Memberships.Nodes())
	for i := range path {
		path[i] = int32(i)
	}
	for _, l := range h[:level] {
		hard := l.Memberships.Hard()
		for i, k := range path {
			path[i] = hard[k]
		}
	}
	return path
}

// Inputs are the memberships of the input nodes in the clusters of every level, the first level at index 0: the products of the
// memberships up to it.
func (h Levels) Inputs() (inputs []Memberships) {
	for i, l := range h {
		if i > 0 {
			l.Memberships = inputs[i-1].times(l.Memberships)
		}
		inputs = append(inputs, l.Memberships)
	}
	return inputs
}

// Central lists the input nodes of each cluster of a level, those of Path, the most central first: by their rank among them,
// (1 + M[i,k])·Σ_j A[i,j]·M[j,k], the lower number first among equals. a: the affinity of the input nodes; m: Inputs of that
// level. level counts from 1.
func (h Levels) Central(level int, m Memberships, a *affinity.Matrix) [][]int32 {
	path := h.Path(level)
	members, weights, ranks := make([][]int32, h[level-1].Clusters), make([]float64, len(path)), make([]float64, len(path))
	for i, k := range path {
		members[k] = append(members[k], int32(i))
		weights[i] = float64(m.Weight(i, k))
	}
	for i, k := range path {
		neighbours, links := a.Row(i)
		for e, j := range neighbours {
			if int(j) != i && path[j] == k {
				ranks[i] += links[e] * weights[j]
			}
		}
		ranks[i] *= 1 + weights[i]
	}
	for _, nodes := range members {
		slices.SortStableFunc(nodes, func(i, j int32) int { return cmp.Compare(ranks[j], ranks[i]) })
	}
	return members
}

// Spread maps values of a level's clusters back to the input nodes: node i gets Σ_k M[i,k]·v[k], M being those of Inputs. That is a
// weighted mean: a value that all clusters share comes back as it is. To keep the sum of amounts, first divide each cluster's by its
// Mass. values: `[K]` or `[K, channels]` row-major; result `[nodes]` or `[nodes, channels]`. level counts from 1. M itself is never
// made: the cost is that of reading the memberships of each level once. The error says which number does not fit.
func (h Levels) Spread(level int, values []float32) ([]float64, error) {
	if level < 1 || level > len(h) {
		return nil, fmt.Errorf("there is no level %d; levels go from 1 to %d", level, len(h))
	}
	k := h[level-1].Clusters
	if len(values) == 0 || len(values)%k != 0 {
		return nil, fmt.Errorf("level %d has %d clusters, there are %d values; there must be as many for each cluster", level, k, len(values))
	}
	channels, spread := len(values)/k, make([]float64, len(values))
	for i, v := range values {
		spread[i] = float64(v)
	}
	for _, l := range slices.Backward(h[:level]) {
		m := l.Memberships
		below := make([]float64, m.Nodes()*channels)
		for i := range m.Nodes() {
			for s, k := range m.clusters[i] {
				from := spread[int(k)*channels:][:channels]
				floats.AddScaled(below[i*channels:][:channels], float64(m.weights[i][s]), from)
			}
		}
		spread = below
	}
	return spread, nil
}

// Mass is how many input nodes each cluster of a level, counted from 1, holds: the column sums of its Inputs, which sum to
// the number of input nodes.
func (h Levels) Mass(level int) []float64 {
	mass := slices.Repeat([]float64{1}, h[0].Memberships.Nodes())
	for _, l := range h[:level] {
		above := make([]float64, l.Clusters)
		for i, amount := range mass {
			for s, k := range l.Memberships.clusters[i] {
				above[k] += amount * float64(l.Memberships.weights[i][s])
			}
		}
		mass = above
	}
	return mass
}
