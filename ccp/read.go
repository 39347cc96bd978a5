package ccp

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/gomlx/ml/model"
)

// The names of a level's variables, beside those above.
const (
	membershipsName = "U"
	kernelName      = "W"
	alphaName       = "alpha"
	betaName        = "beta"
)

// IsMemberships says whether a variable is a level's U, `[N, K]`, or `[N, c]` for c candidates.
func IsMemberships(v *model.Variable) bool { return v.Name() == membershipsName }

// ReadLevel reads a trained, frozen level of N nodes, K clusters and neighbourhoods of L nodes out of the variables of its scope, in
// float32: that of one of its hierarchies, counted from 0. The error names the variable that is missing or has another shape.
func ReadLevel(scope *model.Scope, which, nodes, clusters, size int) (level hierarchy.Level, err error) {
	if level, err = ReadNeighbourhoods(scope, which, nodes, clusters, size); err == nil {
		level.Memberships, level.Choices, err = ReadMemberships(scope, which, nodes, clusters)
	}
	return level, err
}

// ReadNeighbourhoods is ReadLevel without the memberships.
func ReadNeighbourhoods(scope *model.Scope, which, nodes, clusters, size int) (level hierarchy.Level, err error) {
	level.Clusters, level.Neighbours = clusters, size
	selected, err := readNodes(scope, frozenNeighbourhoods, which, nodes, clusters, size)
	if err != nil {
		return level, err
	}
	ranks, err := readOne[float32](scope, frozenRanks, which, clusters, size)
	if err != nil {
		return level, err
	}
	options := optionsOf(scope)
	dims := gateDims(options.Gates, clusters, size)
	alpha, err := variables.Read[float32](scope, alphaName, dims...)
	if err != nil {
		return level, err
	}
	beta, err := variables.Read[float32](scope, betaName, dims...)
	if err != nil {
		return level, err
	}
	gates := make([]float32, len(ranks))
	for i, rank := range ranks {
		if rank > 0 || options.Padding != zeroPadding {
			pair := i/size%dims[0]*dims[1] + i%size%dims[1]
			gates[i] = float32(1 / (1 + math.Exp(-(float64(alpha[pair])*float64(rank) + float64(beta[pair])))))
		}
	}
	for at := 0; at < len(ranks); at += size {
		level.Neighbourhoods = append(level.Neighbourhoods, selected[at:at+size])
		level.Ranks, level.Gates = append(level.Ranks, ranks[at:at+size]), append(level.Gates, gates[at:at+size])
	}
	return level, nil
}

// ReadAround reads what SetAround kept for a level of K clusters in scope, for one of its hierarchies, counted from 0.
func ReadAround(scope *model.Scope, which, clusters, reach int) (around []int32, present []float32, err error) {
	if around, err = readNodes(scope, aroundClusters, which, clusters, clusters, reach); err == nil {
		present, err = readOne[float32](scope, aroundPresent, which, clusters, reach)
	}
	return around, present, err
}

// readNodes reads one hierarchy's neighbourhoods, `[clusters, size]`, of nodes below `nodes`.
func readNodes(scope *model.Scope, name string, which, nodes, clusters, size int) ([]int32, error) {
	selected, err := readOne[int32](scope, name, which, clusters, size)
	if bad := slices.IndexFunc(selected, func(i int32) bool { return i < 0 || int(i) >= nodes }); bad >= 0 {
		err = fmt.Errorf("%s/%s: element %d is node %d, out of 0 to %d; the checkpoint is damaged", scope.Scope(), name, bad, selected[bad], nodes-1)
	}
	return selected, err
}

// readOne reads one hierarchy's part, counted from 0, of a variable that holds those of all along its first axis.
func readOne[T int32 | float32](scope *model.Scope, name string, which int, dims ...int) (part []T, err error) {
	whole, one := slices.Clone(dims), 1
	for _, dim := range dims {
		one *= dim
	}
	if v := scope.GetVariable(name); v != nil && v.Shape().Rank() == len(dims) && v.Shape().Dim(0)%dims[0] == 0 && v.Shape().Dim(0) > which*dims[0] {
		whole[0] = v.Shape().Dim(0)
	}
	all, err := variables.Read[T](scope, name, whole...)
	if err != nil {
		return nil, err
	}
	return all[which*one : (which+1)*one], nil
}

// gateDims is the shape of α and β, see Options.Gates: `[1, 1]`, `[K, 1]` or `[K, L]`.
func gateDims(sharing string, clusters, size int) []int {
	return map[string][]int{"level": {1, 1}, "cluster": {clusters, 1}, "slot": {clusters, size}}[sharing]
}

// ReadMemberships reads the memberships of N nodes in K clusters out of the variables of a level's scope: hard ones, of one of its
// hierarchies, where there are, else the softmax of U over all clusters or over each node's candidates. choices is how many clusters a
// node could belong to.
func ReadMemberships(scope *model.Scope, which, nodes, clusters int) (m hierarchy.Memberships, choices int, err error) {
	if scope.GetVariable(hardClusters) != nil {
		hard, err := ReadClusters(scope, which, nodes)
		return hierarchy.Hard(hard, clusters), 1, err
	}
	var among []int32
	choices = clusters
	if v := scope.GetVariable(candidateClusters); v != nil {
		choices = v.Shape().Dim(1)
		if among, err = variables.Read[int32](scope, candidateClusters, nodes, choices); err != nil {
			return m, choices, err
		}
	}
	u, err := variables.Read[float32](scope, membershipsName, nodes, choices)
	if err != nil {
		return m, choices, err
	}
	if m, err = hierarchy.Soft(u, optionsOf(scope).MembershipRate, nodes, clusters, among); err != nil {
		err = fmt.Errorf("%s/%s: %w", scope.Scope(), membershipsName, err)
	}
	return m, choices, err
}

// ReadClusters reads the hard clusters of N nodes that SetClusters gave the level in scope, for one of its hierarchies.
func ReadClusters(scope *model.Scope, which, nodes int) ([]int32, error) {
	return readOne[int32](scope, hardClusters, which, nodes)
}

// ReadFilter reads the kernel W, `[filters, L, C]`, and the bias b, `[filters]`, of a level's filter, in float32.
func ReadFilter(scope *model.Scope, filters, size, channels int) (kernel, bias []float32, err error) {
	if kernel, err = variables.Read[float32](scope, kernelName, filters, size, channels); err == nil {
		bias, err = variables.Read[float32](scope, "b", filters)
	}
	return kernel, bias, err
}
