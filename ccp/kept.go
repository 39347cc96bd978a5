package ccp

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"
)

// The names of a level's trained variables.
const (
	membershipsName = "U"
	alphaName       = "alpha"
	betaName        = "beta"
)

// Read reads one of a trained network's hierarchies, from 0, out of the variables that Hierarchy.Keep or a Freezer
// has kept below scope, on the host. An error names a variable that is missing, has another shape, or holds an
// impossible value.
func (p *Preparation) Read(scope *model.Scope, which int, names ...string) (levels hierarchy.Levels, err error) {
	nodes := p.graph.N()
	for l, size := range p.levels {
		reach := 0
		if slices.Contains(p.around, l+1) {
			reach = min(p.reach, size.Clusters)
		}
		level, err := kept{levelScope(scope, l, names), which, p.hierarchies}.level(nodes, size, reach)
		if err != nil {
			return nil, err
		}
		levels, nodes = append(levels, level), size.Clusters
	}
	return levels, nil
}

// Input lists the nodes that Stem's filter reads, `[N, reach]`, and their gates: 1, or 0 for an empty slot. If no
// Hierarchy has kept them below scope, they are the nearest to each node by hops, the node itself among them. Slots
// that are not directed are in the order of the nodes' numbers.
func (p *Preparation) Input(scope *model.Scope) (nodes []int32, present []float32, err error) {
	stem := scope.Store().Scope(model.JoinPath(scope.Scope(), stemName))
	if stem.GetVariable(aroundNodes) == nil {
		around := p.input(p.graph)
		return around.Nodes, loop.Convert[float32](around.Ranks), nil
	}
	n := p.graph.N()
	return kept{stem, 0, 1}.slots(aroundNodes, aroundPresent, n, n, min(p.reach, n))
}

// kept is one of several hierarchies, `which` from 0 of `all`, in the variables of a scope.
type kept struct {
	scope      *model.Scope
	which, all int
}

// level reads all of a level. If reach is not 0, it has residual blocks, whose filters read so many clusters.
func (r kept) level(nodes int, size partition.Size, reach int) (level hierarchy.Level, err error) {
	level.Clusters, level.Neighbours = size.Clusters, size.MaxSize
	selected, ranks, err := r.slots(frozenNeighbourhoods, frozenRanks, nodes, size.Clusters, size.MaxSize)
	if err != nil {
		return level, err
	}
	gates, err := gatesOf(r.scope, ranks)
	if err != nil {
		return level, err
	}
	level.Neighbourhoods = slices.Collect(slices.Chunk(selected, size.MaxSize))
	level.Ranks = slices.Collect(slices.Chunk(ranks, size.MaxSize))
	level.Gates = slices.Collect(slices.Chunk(gates, size.MaxSize))
	level.Memberships, level.Choices, err = r.memberships(nodes, size.Clusters)
	if err == nil && reach > 0 {
		level.Around, level.Present, err = r.slots(aroundNodes, aroundPresent, size.Clusters, size.Clusters, reach)
	}
	return level, err
}

// gatesOf computes the gates of ranks, with the variables of a level's scope.
func gatesOf(scope *model.Scope, ranks []float32) ([]float32, error) {
	padding := optionsOf(scope).Padding
	alpha, err := readReals(scope, alphaName, 1, 1)
	if err != nil {
		return nil, err
	}
	beta, err := readReals(scope, betaName, 1, 1)
	if err != nil {
		return nil, err
	}
	gates := make([]float32, len(ranks))
	for i, rank := range ranks {
		if rank > 0 || padding != zeroPadding {
			gates[i] = float32(1 / (1 + math.Exp(-(float64(alpha[0])*float64(rank) + float64(beta[0])))))
		}
	}
	return gates, nil
}

// memberships reads hard memberships if there are any. Otherwise it computes the softmax of U over all clusters or
// each node's candidates. It also returns the number of clusters that a node could belong to.
func (r kept) memberships(nodes, clusters int) (m hierarchy.Memberships, choices int, err error) {
	if r.scope.GetVariable(hardClusters) != nil {
		hard, err := readOne[int32](r, hardClusters, nodes)
		return hierarchy.Hard(hard, clusters), 1, err
	}
	var among []int32
	choices = clusters
	if v := r.scope.GetVariable(candidateClusters); v != nil {
		choices = v.Shape().Dim(1)
		among, err = variables.Read[int32](r.scope, candidateClusters, nodes, choices)
		if err != nil {
			return m, choices, err
		}
	}
	all, err := readReals(r.scope, membershipsName, nodes*r.all, choices)
	if err != nil {
		return m, choices, err
	}
	u := all[r.which*nodes*choices:][:nodes*choices]
	m, err = hierarchy.Soft(u, optionsOf(r.scope).MembershipRate, nodes, clusters, among)
	if err != nil {
		err = fmt.Errorf("%s/%s: %w", r.scope.Scope(), membershipsName, err)
	}
	return m, choices, err
}

// slots reads neighbourhoods of nodes below n, and the values of their slots, both `[clusters, size]`.
func (r kept) slots(name, with string, n, clusters, size int) (nodes []int32, values []float32, err error) {
	nodes, err = readOne[int32](r, name, clusters, size)
	if err != nil {
		return nil, nil, err
	}
	if bad := slices.IndexFunc(nodes, func(i int32) bool { return i < 0 || int(i) >= n }); bad >= 0 {
		return nil, nil, fmt.Errorf("%s/%s: element %d is node %d, out of 0 to %d; the checkpoint is damaged",
			r.scope.Scope(), name, bad, nodes[bad], n-1)
	}
	values, err = readOne[float32](r, with, clusters, size)
	return nodes, values, err
}

// readReals reads a variable of a layer that computes in float32 or in float64.
func readReals(scope *model.Scope, name string, dims ...int) ([]float32, error) {
	if v := scope.GetVariable(name); v == nil || v.DType() != dtypes.Float64 {
		return variables.Read[float32](scope, name, dims...)
	}
	wide, err := variables.Read[float64](scope, name, dims...)
	return loop.Convert[float32](wide), err
}

// readOne reads one hierarchy's part of a variable, whose first axis has the parts of all hierarchies.
func readOne[T int32 | float32](r kept, name string, dims ...int) ([]T, error) {
	dims[0] *= r.all
	all, err := variables.Read[T](r.scope, name, dims...)
	one := len(all) / r.all
	return all[r.which*one:][:one], err
}
