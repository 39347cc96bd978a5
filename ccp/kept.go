package ccp

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/gomlx/ml/model"
)

// The names of a level's trained variables.
const (
	membershipsName = "U"
	kernelName      = "W"
	alphaName       = "alpha"
	betaName        = "beta"
)

// Kept reads a trained level, whose hierarchy is frozen, from the variables of its scope, on the host. An error of
// its methods names a variable that is missing, has another shape, or holds an impossible value.
type Kept struct {
	Scope *model.Scope
	// Hierarchy is which of several hierarchies to read, from 0.
	Hierarchy int
}

// Level reads all of a level of N nodes, K clusters and neighbourhoods of L nodes.
func (r Kept) Level(nodes, clusters, size int) (level hierarchy.Level, err error) {
	level.Clusters, level.Neighbours = clusters, size
	selected, err := r.nodes(frozenNeighbourhoods, nodes, clusters, size)
	if err != nil {
		return level, err
	}
	ranks, err := readOne[float32](r, frozenRanks, clusters, size)
	if err != nil {
		return level, err
	}
	gates, err := r.gates(ranks)
	if err != nil {
		return level, err
	}
	level.Neighbourhoods = slices.Collect(slices.Chunk(selected, size))
	level.Ranks, level.Gates = slices.Collect(slices.Chunk(ranks, size)), slices.Collect(slices.Chunk(gates, size))
	level.Memberships, level.Choices, err = r.memberships(nodes, clusters)
	return level, err
}

// gates computes the gates of ranks.
func (r Kept) gates(ranks []float32) ([]float32, error) {
	padding := optionsOf(r.Scope).Padding
	alpha, err := variables.Read[float32](r.Scope, alphaName, 1, 1)
	if err != nil {
		return nil, err
	}
	beta, err := variables.Read[float32](r.Scope, betaName, 1, 1)
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

// Around reads what the filters of residual blocks or of a stem see: `reach` nodes around each of K, `[K, reach]`
// row-major. A gate in present is 1, or 0 for an empty slot.
func (r Kept) Around(clusters, reach int) (around []int32, present []float32, err error) {
	if around, err = r.nodes(aroundNodes, clusters, clusters, reach); err == nil {
		present, err = readOne[float32](r, aroundPresent, clusters, reach)
	}
	return around, present, err
}

// HasAround reports whether there is what Around reads.
func (r Kept) HasAround() bool { return r.Scope.GetVariable(aroundNodes) != nil }

// Filter reads the kernel W, `[filters, L, C]`, and the bias b, `[filters]`, in float32.
func (r Kept) Filter(filters, size, channels int) (kernel, bias []float32, err error) {
	if kernel, err = variables.Read[float32](r.Scope, kernelName, filters, size, channels); err == nil {
		bias, err = variables.Read[float32](r.Scope, "b", filters)
	}
	return kernel, bias, err
}

// memberships reads hard memberships if there are any. Otherwise it computes the softmax of U over all clusters or
// each node's candidates. It also returns the number of clusters that a node could belong to.
func (r Kept) memberships(nodes, clusters int) (m hierarchy.Memberships, choices int, err error) {
	if r.Scope.GetVariable(hardClusters) != nil {
		hard, err := readOne[int32](r, hardClusters, nodes)
		return hierarchy.Hard(hard, clusters), 1, err
	}
	var among []int32
	choices = clusters
	if v := r.Scope.GetVariable(candidateClusters); v != nil {
		choices = v.Shape().Dim(1)
		if among, err = variables.Read[int32](r.Scope, candidateClusters, nodes, choices); err != nil {
			return m, choices, err
		}
	}
	u, err := readOne[float32](r, membershipsName, nodes, choices)
	if err != nil {
		return m, choices, err
	}
	if m, err = hierarchy.Soft(u, optionsOf(r.Scope).MembershipRate, nodes, clusters, among); err != nil {
		err = fmt.Errorf("%s/%s: %w", r.Scope.Scope(), membershipsName, err)
	}
	return m, choices, err
}

// nodes reads one hierarchy's neighbourhoods, `[clusters, size]`, of nodes below n.
func (r Kept) nodes(name string, n, clusters, size int) ([]int32, error) {
	selected, err := readOne[int32](r, name, clusters, size)
	if bad := slices.IndexFunc(selected, func(i int32) bool { return i < 0 || int(i) >= n }); bad >= 0 {
		err = fmt.Errorf("%s/%s: element %d is node %d, out of 0 to %d; the checkpoint is damaged",
			r.Scope.Scope(), name, bad, selected[bad], n-1)
	}
	return selected, err
}

// readOne reads one hierarchy's part of a variable, whose first axis has the parts of all hierarchies.
func readOne[T int32 | float32](r Kept, name string, dims ...int) ([]T, error) {
	whole, one := slices.Clone(dims), 1
	for _, dim := range dims {
		one *= dim
	}
	v := r.Scope.GetVariable(name)
	if v != nil && v.Shape().Rank() == len(dims) {
		if all := v.Shape().Dim(0); all%dims[0] == 0 && all > r.Hierarchy*dims[0] {
			whole[0] = all
		}
	}
	all, err := variables.Read[T](r.Scope, name, whole...)
	if err != nil {
		return nil, err
	}
	return all[r.Hierarchy*one : (r.Hierarchy+1)*one], nil
}
