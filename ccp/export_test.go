package ccp

import (
	"errors"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// At gives tests the values of a quantity at the selected nodes; Cohesion and Volume are the parts of C.
var At, Cohesion, Volume = at, cohesion, volume

// Normalize, Objective, Rank and Select are parts of Cluster.
var Normalize, Objective, Rank, RankOnHost, Select = normalize, objective, centrality, centralityOnHost, selectNodes

// Dense is an affinity as a matrix.
type Dense = dense

// Coarsen computes the pooled affinity.
func Coarsen(a Affinity, m, links *Node) *Node { return a.pool(m, links) }

// Gate computes σ(α·rank + β).
func Gate(rank, alpha, beta *Node) *Node { return Sigmoid(Add(Mul(alpha, rank), beta)) }

// Memberships is the softmax of each row of u.
func Memberships(u *Node) *Node { return Softmax(u, -1) }

// SetHeld gives the level in scope neighbourhoods of `size` nodes that it holds.
func SetHeld(scope *model.Scope, nodes []int32, size int) error {
	n := Neighbourhoods{Size: size, Nodes: nodes, Ranks: slices.Repeat([]float64{1}, len(nodes))}
	return n.keep(scope, heldNeighbourhoods, heldRanks)
}

// SetCandidates restricts the memberships of the level in scope to c clusters of each node.
func SetCandidates(scope *model.Scope, of []int32, c int) error {
	return HierarchyLevel{Candidates: of, Clusters: make([]int32, len(of)/c)}.keepLearned(scope, false)
}

// SetFrozen gives the level in scope neighbourhoods and ranks, without clusters.
func SetFrozen(scope *model.Scope, nodes []int32, ranks []float64, size int) error {
	err := HierarchyLevel{Pooled: Neighbourhoods{Size: size, Nodes: nodes, Ranks: ranks}, Clusters: []int32{0}}.keep(scope)
	return errors.Join(err, scope.Store().DeleteVariable(scope.Scope()+"/"+hardClusters))
}

// ReadLevel reads the first hierarchy's level in scope.
func ReadLevel(scope *model.Scope, nodes, clusters, size int) (hierarchy.Level, error) {
	return kept{scope, 0, 1}.level(nodes, partition.Size{Clusters: clusters, MaxSize: size}, 0)
}

// Frozen stands for a graph whose hierarchies are in the variables of the levels.
func Frozen(nodes int) Affinity { return frozen{nodes: nodes, side: 1} }

// FrozenDraw is Frozen of the hierarchy of that number.
func FrozenDraw(nodes int, which *Node) Affinity { return frozen{nodes: nodes, side: 1, drawn: which} }
