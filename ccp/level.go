package ccp

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Level is what clustering one level gives, before any signal: it is the same for the whole batch.
type Level struct {
	Neighbourhood *Node    // int32 [K, L]: each cluster's nodes, most central first
	Rank          *Node    // [K, L]: their ranks, differentiable
	Objective     *Node    // scalar C; nil where the hierarchy is frozen
	Coarse        Affinity // the next level's, normalised
	nodes         int      // N
}

// Cluster is the cluster step of a level (Algorithm 1 of the paper, without its filter): pooled affinity, objective, ranks and
// neighbourhoods of `size` nodes. m: memberships `[N, K]`.
func Cluster(a Affinity, m *Node, size int, volumeLoops bool) Level {
	links := Links(a, m)
	pooled := Coarsen(a, m, links)
	rank := Rank(m, links)
	neighbourhood := Select(rank, size)
	return Level{
		Neighbourhood: neighbourhood,
		Rank:          At(rank, neighbourhood),
		Objective:     Objective(Cohesion(pooled), Volume(a.Degrees(volumeLoops), m)),
		Coarse:        Dense{A: Normalize(pooled)},
		nodes:         a.Nodes(),
	}
}
