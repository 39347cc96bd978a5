package models

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// ClusterLevel is one level of a classifier's hierarchy: how its nodes belong to its clusters, and what each cluster's filter sees
// of them. The nodes of the first level are the input's, those of any other the clusters of the level before.
type ClusterLevel struct {
	Level
	// Memberships of the level's N nodes in its K clusters.
	Memberships Memberships
	// Choices is how many of the clusters a node may belong to: K, or its candidates (ParamCandidates), or 1 in a prepared hierarchy.
	Choices int
	// Neighbourhoods `[K, L]` holds the nodes that each cluster's filter sees, in the order of its weights: the most central first,
	// unless ccp.ParamSlots is random. Ranks are their centralities, and Gates, in (0, 1), what their signals are multiplied by.
	Neighbourhoods [][]int32
	Ranks, Gates   [][]float32
}

// ClusterLevels is a hierarchy from the input upwards. Its methods count levels from 1, as the names level_1 and so on do.
type ClusterLevels []ClusterLevel

// ClusterLevels reads the hierarchy out of the classifier's weights. The result is a copy. Errors: ErrClosed, a model without
// clusters or levels, and a classifier that has no weights yet.
func (c *Classifier) ClusterLevels() (ClusterLevels, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return nil, ErrClosed
	}
	if !c.Spec.Clusters() {
		return nil, fmt.Errorf("model %s has no clusters; only %s has", c.Spec.Model, clusterPooling)
	}
	if len(c.Spec.Levels) == 0 {
		return nil, errors.New("the model has no levels, and so no clusters")
	}
	levels, nodes := make(ClusterLevels, len(c.Spec.Levels)), c.Spec.Nodes
	for i, size := range c.Spec.Levels {
		level, err := readLevel(c.store.Scope(fmt.Sprintf("/model/level_%d", i+1)), size, nodes)
		if err != nil {
			return nil, err
		}
		levels[i], nodes = level, size.Clusters
	}
	return levels, nil
}

func readLevel(scope *model.Scope, size Level, nodes int) (level ClusterLevel, err error) {
	level.Level = size
	if level.Memberships, level.Choices, err = readMemberships(scope, nodes, size.Clusters); err != nil {
		return level, err
	}
	k, l := size.Clusters, size.Neighbours
	neighbourhoods, err := values[int32](scope, "frozen_neighbourhood", k*l)
	if err != nil {
		return level, err
	}
	ranks, err := values[float32](scope, "frozen_rank", k*l)
	if err != nil {
		return level, err
	}
	gates, err := gatesOf(scope, ranks, k, l)
	if err != nil {
		return level, err
	}
	for at := 0; at < k*l; at += l {
		level.Neighbourhoods = append(level.Neighbourhoods, neighbourhoods[at:at+l])
		level.Ranks, level.Gates = append(level.Ranks, ranks[at:at+l]), append(level.Gates, gates[at:at+l])
	}
	return level, nil
}

// values copies the variable of that name and number of values.
func values[T int32 | float32](scope *model.Scope, name string, n int) ([]T, error) {
	v := scope.GetVariable(name)
	if v == nil {
		return nil, fmt.Errorf("%s: it has no %q: the classifier has no weights yet", scope.Scope(), name)
	}
	value, err := v.Value()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.Path(), err)
	}
	flat, err := tensors.CopyFlatData[T](value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.Path(), err)
	}
	if len(flat) != n {
		return nil, fmt.Errorf("%s: it has %d values, the level needs %d", v.Path(), len(flat), n)
	}
	return flat, nil
}

// readMemberships reads hard clusters where there are, else the softmax of U over all clusters or over each node's candidates.
func readMemberships(scope *model.Scope, nodes, k int) (m Memberships, choices int, err error) {
	if scope.GetVariable("clusters") != nil {
		hard, err := values[int32](scope, "clusters", nodes)
		return HardMemberships(hard, k), 1, err
	}
	var candidates []int32
	choices = k
	if v := scope.GetVariable("candidates"); v != nil {
		choices = v.Shape().Dim(1)
		if candidates, err = values[int32](scope, "candidates", nodes*choices); err != nil {
			return m, choices, err
		}
	}
	u, err := values[float32](scope, "U", nodes*choices)
	if err != nil {
		return m, choices, err
	}
	rate := model.GetParamOr(scope, ccp.ParamMembershipRate, 10.0)
	m = Memberships{clusters: k}
	row := make([]float64, choices)
	for i := range nodes {
		high, sum := math.Inf(-1), 0.0
		for s, v := range u[i*choices : (i+1)*choices] {
			row[s] = rate * float64(v)
			high = max(high, row[s])
		}
		for s, v := range row {
			row[s] = math.Exp(v - high)
			sum += row[s]
		}
		if math.IsNaN(sum) {
			return m, choices, fmt.Errorf("%s/U: the memberships of node %d are not numbers; the training has diverged, lower its learning rate", scope.Scope(), i)
		}
		for s, v := range row {
			if v < negligible { // of the largest, which is 1
				continue
			}
			cluster := int32(s)
			if candidates != nil {
				cluster = candidates[i*choices+s]
			}
			m.add(cluster, v/sum)
		}
		m.end()
	}
	return m, choices, nil
}

// gatesOf is σ(α·rank + β) with one pair α, β for the level, or for each cluster, or for each slot. ranks: `[k, l]`.
func gatesOf(scope *model.Scope, ranks []float32, k, l int) ([]float32, error) {
	pairs, per := 1, k*l // and slots that share a pair
	switch model.GetParamOr(scope, ccp.ParamGates, "level") {
	case "cluster":
		pairs, per = k, l
	case "slot":
		pairs, per = k*l, 1
	}
	alpha, err := values[float32](scope, "alpha", pairs)
	if err != nil {
		return nil, err
	}
	beta, err := values[float32](scope, "beta", pairs)
	if err != nil {
		return nil, err
	}
	gates := make([]float32, len(ranks))
	for i, rank := range ranks {
		gates[i] = float32(1 / (1 + math.Exp(-float64(alpha[i/per]*rank+beta[i/per]))))
	}
	return gates, nil
}

// Path is the cluster of the level that each input node is in if at every level it goes with its largest membership. The result
// has a cluster for each input node. level counts from 1; level 0 gives the input nodes themselves.
func (h ClusterLevels) Path(level int) []int32 {
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

// Inputs are the memberships of the input nodes in the clusters of every level, those of the first level at index 0: each is the
// product of the memberships up to it.
func (h ClusterLevels) Inputs() []Memberships {
	inputs := make([]Memberships, len(h))
	for i, l := range h {
		inputs[i] = l.Memberships
		if i > 0 {
			inputs[i] = inputs[i-1].times(l.Memberships)
		}
	}
	return inputs
}

// Central lists the input nodes of each cluster of a level, those of Path, the most central first: by their rank among them,
// (1 + M[i,k])·Σ_j A[i,j]·M[j,k], the lower number first among equals. a: the affinity of the input nodes; m: Inputs of that
// level. level counts from 1.
func (h ClusterLevels) Central(level int, m Memberships, a *affinity.Matrix) [][]int32 {
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
// weighted mean, since each node's memberships sum to 1: a value that all clusters share comes back as it is, for every node. To
// spread amounts in place of intensities, such that their sum is kept, first divide each cluster's by its Mass. values: `[K]` or
// `[K, channels]` row-major; result `[nodes]` or `[nodes, channels]`. level counts from 1. It never makes M, so that it costs
// no more than reading the memberships of each level once. The error says which number does not fit.
func (h ClusterLevels) Spread(level int, values []float32) ([]float64, error) {
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
	for ; level > 0; level-- {
		m := h[level-1].Memberships
		below := make([]float64, m.Nodes()*channels)
		for i := range m.Nodes() {
			clusters, weights := m.Row(i)
			for s, k := range clusters {
				for c := range channels {
					below[i*channels+c] += float64(weights[s]) * spread[int(k)*channels+c]
				}
			}
		}
		spread = below
	}
	return spread, nil
}

// Mass is how many input nodes each cluster of a level, counted from 1, holds: the column sums of its Inputs, which sum to
// the number of input nodes.
func (h ClusterLevels) Mass(level int) []float64 {
	mass := make([]float64, h[0].Memberships.Nodes())
	for i := range mass {
		mass[i] = 1
	}
	for _, l := range h[:level] {
		above := make([]float64, l.Clusters)
		for i, amount := range mass {
			clusters, weights := l.Memberships.Row(i)
			for s, k := range clusters {
				above[k] += amount * float64(weights[s])
			}
		}
		mass = above
	}
	return mass
}
