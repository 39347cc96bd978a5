package models

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// collapsed is the tiny classifier with U of its first level as given for each node and cluster.
func collapsed(t *testing.T, backend compute.Backend, u func(i, k int) float32) *Classifier {
	t.Helper()
	m, graph := tiny(t)
	store := drawn(t, backend, m.Spec, graph)
	values := make([]float32, 12*4)
	for i := range values {
		values[i] = u(i/4, i%4)
	}
	require.NoError(t, store.GetVariable("/model/level_1/U").SetValue(tensors.FromFlatDataAndDimensions(values, 12, 4)))
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	return c
}

func TestCollapsedHierarchyIsNamed(t *testing.T) {
	backend := backendtest.Go(t)
	for _, c := range []struct {
		name string
		u    func(i, k int) float32
		want string // "": healthy
	}{
		{"all nodes to one cluster", func(_, k int) float32 { return []float32{0, 0, 2, 0}[k] },
			"level 1: collapsed: nodes use 1 of its 4 clusters only; use ccp_hierarchy=prepared"},
		{"uniform", func(i, k int) float32 {
			if k == i%4 {
				return 1e-5
			}
			return 0
		}, "level 1: its memberships are nearly uniform, as if a node were in 4 of 4 clusters alike"},
		{"one for each row and half", func(i, k int) float32 {
			if k == i/6*2+i%4/2 {
				return 2
			}
			return 0
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			health, err := collapsed(t, backend, c.u).Health(0)
			require.NoError(t, err)
			text := strings.Join(health[0].Warnings, "\n")
			if c.want == "" {
				assert.Empty(t, text)
				assert.Equal(t, 4, health[0].InUse)
			} else {
				assert.Contains(t, text, c.want)
			}
		})
	}
}

// leveled is a classifier of tiny whose hierarchy came about in one of the plans of package ccp, or with candidates.
// It returns the store that the classifier was made of, the graph, and how many clusters a node of the first level
// may have.
func leveled(t *testing.T, backend compute.Backend, way string) (c *Classifier, store *model.Store,
	graph *affinity.Matrix, choices int) {
	t.Helper()
	m, graph := tiny(t)
	m.Spec.Options = settings(Patch{"ccp_hierarchy": way, "ccp_membership_rate": 5.0})
	choices = 4
	switch way {
	case "candidates":
		m.Spec.Options = settings(Patch{"ccp_membership_rate": 5.0})
		m.Spec.Levels[0].Candidates = 2
		choices = 2
	case "prepared":
		choices = 1
	}
	store = drawn(t, backend, m.Spec, graph)
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	return c, store, graph, choices
}

// onWays runs a test of a classifier's levels on each way that a hierarchy comes about.
func onWays(t *testing.T, test func(t *testing.T, backend compute.Backend, way string)) {
	t.Helper()
	for _, way := range append(ccp.Plans(), "candidates") {
		t.Run(way, func(t *testing.T) {
			onBackends(t, way == "learned", func(t *testing.T, backend compute.Backend) { test(t, backend, way) })
		})
	}
}

// Memberships that are read of a classifier sum to 1, and gates are those of the layers' alpha and beta.
func TestClusterLevels(t *testing.T) {
	onWays(t, func(t *testing.T, backend compute.Backend, way string) {
		c, _, _, choices := leveled(t, backend, way)
		levels, err := c.ClusterLevels(0)
		require.NoError(t, err)
		require.Len(t, levels, 2)
		assert.Equal(t, choices, levels[0].Choices)
		for i, nodes := range []int{12, 4} {
			l, scope := levels[i], c.store.Scope(fmt.Sprintf("/model/level_%d", i+1))
			require.Equal(t, nodes, l.Memberships.Nodes())
			for node := range nodes {
				clusters, weights := l.Memberships.Row(node)
				assert.LessOrEqual(t, len(clusters), l.Choices)
				sum := float32(0)
				for _, w := range weights {
					sum += w
				}
				assert.InDelta(t, 1, sum, 1e-5)
			}
			alpha, beta := floatsOf(t, scope, "alpha"), floatsOf(t, scope, "beta")
			for k, ranks := range l.Ranks {
				for s, rank := range ranks {
					assert.InDelta(t, 1/(1+math.Exp(-float64(alpha[0]*rank+beta[0]))), l.Gates[k][s], 1e-6)
				}
			}
		}
	})
}

// The ranks of the first level are the paper's.
func TestClusterLevelsRanks(t *testing.T) {
	onWays(t, func(t *testing.T, backend compute.Backend, way string) {
		if way == "candidates" {
			return // whose ranks at nodes that are none are zero
		}
		c, _, graph, _ := leveled(t, backend, way)
		levels, err := c.ClusterLevels(0)
		require.NoError(t, err)
		a, h := graph.Normalized(), levels[0]
		for k, nodes := range h.Neighbourhoods {
			for s, node := range nodes {
				if h.Ranks[k][s] == 0 {
					continue // an empty slot
				}
				links := 0.0
				neighbours, weights := a.Row(int(node))
				for e, j := range neighbours {
					links += weights[e] * float64(h.Memberships.Weight(int(j), int32(k)))
				}
				assert.InDelta(t, (1+float64(h.Memberships.Weight(int(node), int32(k))))*links, h.Ranks[k][s], 1e-5)
			}
		}
	})
}

// Memberships that a network learns are the softmax of U, at the rate of the memberships.
func TestClusterLevelsMemberships(t *testing.T) {
	checked := 0
	onWays(t, func(t *testing.T, backend compute.Backend, way string) {
		c, store, _, choices := leveled(t, backend, way)
		levels, err := c.ClusterLevels(0)
		require.NoError(t, err)
		u := store.GetVariable("/model/level_1/U")
		if u == nil || choices != 4 {
			return
		}
		checked++
		values := tensors.MustCopyFlatData[float32](u.MustValue())[:4]
		e := make([]float64, 4)
		sum := 0.0
		for k, v := range values {
			e[k] = math.Exp(5 * float64(v))
			sum += e[k]
		}
		for k := range e {
			assert.InDelta(t, e[k]/sum, levels[0].Memberships.Weight(0, int32(k)), 1e-5)
		}
	})
	assert.Positive(t, checked)
}

// The health of levels has the share of nodes that the neighbourhoods' gates select, and an objective.
func TestClusterLevelsHealth(t *testing.T) {
	onWays(t, func(t *testing.T, backend compute.Backend, way string) {
		c, _, _, _ := leveled(t, backend, way)
		levels, err := c.ClusterLevels(0)
		require.NoError(t, err)
		health, err := c.Health(0)
		require.NoError(t, err)
		for i := range health {
			frozen := c.store.GetVariable(fmt.Sprintf("/model/level_%d/frozen_neighbourhood", i+1)).MustValue()
			covered := hierarchy.Coverage(tensors.MustCopyFlatData[int32](frozen), slices.Concat(levels[i].Gates...),
				health[i].Nodes)
			assert.InDelta(t, covered, 1-health[i].Unselected, 1e-9)
			assert.Positive(t, health[i].Objective)
			assert.LessOrEqual(t, health[i].Objective, float64(health[i].Clusters)/2+1e-6)
		}
	})
}

func floatsOf(t *testing.T, scope *model.Scope, name string) []float32 {
	t.Helper()
	return tensors.MustCopyFlatData[float32](scope.GetVariable(name).MustValue())
}

// C of a prepared hierarchy, which is computed on the host, is that which the search has found.
func TestPreparedObjective(t *testing.T) {
	backend := backendtest.Go(t)
	m, graph := tiny(t)
	m.Spec.Options = settings(Patch{"ccp_hierarchy": ccp.Prepared})
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	store := m.Spec.NewStore(1)
	found, err := m.Spec.Prepare(t.Context(), backend, store, graph, nil, nil)
	require.NoError(t, err)
	require.NoError(t, c.Update(drawn(t, backend, m.Spec, graph)))
	health, err := c.Health(0)
	require.NoError(t, err)
	for i := range health {
		assert.InDelta(t, found.Objective[i], health[i].Objective, 1e-9)
		assert.InDelta(t, found.Coverage[i], 1-health[i].Unselected, 1e-9)
	}
}

func TestClusterLevelsErrors(t *testing.T) {
	backend := backendtest.Go(t)
	m, graph := tiny(t)
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	_, err = c.ClusterLevels(0)
	require.ErrorContains(t, err, "variable /model/level_1/frozen_neighbourhood is not in the checkpoint")

	c = tinyClassifier(t, backend)
	u := make([]float32, 12*4)
	u[5] = float32(math.NaN())
	require.NoError(t, c.store.GetVariable("/model/level_1/U").SetValue(tensors.FromFlatDataAndDimensions(u, 12, 4)))
	_, err = c.ClusterLevels(0)
	require.ErrorContains(t, err, "/model/level_1/U: the memberships of node 1 are not numbers")

	m.Spec.Levels = nil
	c, err = NewClassifier(backend, m, graph)
	require.NoError(t, err)
	_, err = c.Health(0)
	require.EqualError(t, err, "model ccp has no clusters; only ccp with levels has")

	m.Spec.Model = "fc"
	c, err = NewClassifier(backend, m, graph)
	require.NoError(t, err)
	_, err = c.ClusterLevels(0)
	require.EqualError(t, err, "model fc has no clusters; only ccp with levels has")
	c.ridge.Store(&transforms.Classifier{Weight: 1}) // as of the model transforms
	_, err = c.Health(0)
	require.ErrorIs(t, err, ErrNoNetwork)
	_, _, err = c.Input()
	require.ErrorIs(t, err, ErrNoNetwork)
	require.NoError(t, c.Close())
	_, err = c.ClusterLevels(0)
	require.ErrorIs(t, err, ErrClosed)
}

// The readout of levels has the mean and the maximum over the nodes of each resolution, and its one value where there
// is one node. Rows of the input's resolution are repeated for each hierarchy.
func TestPooled(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out, err := CallOnce(backend, func(fine, coarse *Node) *Node { return pooled([]*Node{fine, coarse}, 4) },
			[][][]float32{{{1, 10}, {3, -20}}, {{-1, 0}, {-3, 7}}}, [][][]float32{{{5}}, {{6}}, {{7}}, {{8}}})
		require.NoError(t, err)
		assert.Equal(t, [][]float32{{2, -5, 3, 10, 5}, {2, -5, 3, 10, 6}, {-2, 3.5, -1, 7, 7}, {-2, 3.5, -1, 7, 8}},
			out.Value())
	})
}
