// Package hierarchy describes a trained hierarchy of clusters on the host: the clusters of each node, the nodes that
// each filter reads, and measures of each level.
package hierarchy

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Level is one level of a hierarchy: how its N nodes belong to its K clusters, and what each cluster's filter reads.
// The nodes of the first level are the input's. The nodes of another level are the clusters of the level before.
type Level struct {
	// Clusters is K, Neighbours is L, the nodes of a neighbourhood.
	Clusters, Neighbours int
	// Memberships of the level's N nodes in its K clusters.
	Memberships Memberships
	// Choices is the number of clusters that a node may belong to: K, or its candidates, or 1 in a prepared
	// hierarchy.
	Choices int
	// Neighbourhoods `[K, L]` holds the nodes that each cluster's filter reads, in the order of its weights. The most
	// central node is first unless slots are random or directed. Ranks are their centralities. Gates, in (0, 1),
	// multiply their signals.
	Neighbourhoods [][]int32
	Ranks, Gates   [][]float32
	// Around `[K, reach]` holds the clusters that the filters of residual blocks read around each cluster, row-major.
	// Present is 1, or 0 at an empty slot. Without blocks both are nil.
	Around  []int32
	Present []float32
}

// Levels is a hierarchy from the input upwards. Its methods count levels from 1, like the names level_1 and so on.
type Levels []Level

// Clusters holds, for each level, the cluster that each of its nodes belongs to most.
type Clusters [][]int32

// Hard finds the clusters of all levels.
func (h Levels) Hard() (clusters Clusters) {
	for _, l := range h {
		clusters = append(clusters, l.Memberships.Hard())
	}
	return clusters
}

// within panics unless levels have the level.
func within(level, levels int) {
	if level < 1 || level > levels {
		panic(fmt.Sprintf("hierarchy: level %d of %d levels; levels count from 1", level, levels))
	}
}

// Path finds the cluster of a level, from 1, that each input node reaches by its clusters at every level, `[nodes]`. It
// panics if there is no such level.
func (c Clusters) Path(level int) []int32 {
	within(level, len(c))
	path := slices.Clone(c[0])
	for _, clusters := range c[1:level] {
		for i, k := range path {
			path[i] = clusters[k]
		}
	}
	return path
}

// Inputs computes the memberships of the input nodes in the clusters of every level, the first level at index 0. They
// are the products of the memberships up to the level.
func (h Levels) Inputs() (inputs []Memberships) {
	for i, l := range h {
		if i > 0 {
			l.Memberships = inputs[i-1].times(l.Memberships)
		}
		inputs = append(inputs, l.Memberships)
	}
	return inputs
}

// Central lists the input nodes of each cluster of a level, by Clusters.Path, the most central first. A node's rank
// among them is (1 + M[i,k])·Σ_j A[i,j]·M[j,k]; the lower number comes first among equals. a: the affinity of the input
// nodes. m: Inputs of the level. level counts from 1. Central panics if there is no such level.
func (h Levels) Central(level int, m Memberships, a *affinity.Matrix) [][]int32 {
	within(level, len(h))
	path := h[:level].Hard().Path(level)
	members := make([][]int32, h[level-1].Clusters)
	weights, ranks := make([]float64, len(path)), make([]float64, len(path))
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

// Mass computes how many input nodes each cluster of a level holds: the column sums of its Inputs. They sum to the
// number of input nodes. level counts from 1. Mass panics if there is no such level.
func (h Levels) Mass(level int) []float64 {
	within(level, len(h))
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
