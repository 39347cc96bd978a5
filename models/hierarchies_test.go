package models

import (
	"maps"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// three is the tiny network with three hierarchies.
func three(t *testing.T, plan ccp.Plan) (Metadata, *affinity.Matrix) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	m, graph := tiny(t)
	m.Spec.Options = settings(Patch{"ccp_hierarchy": plan, "ccp_hierarchies": 3, "readout_dropout": 0})
	return m, graph
}

// alone is a network with the weights in store and the frozen hierarchy of that number only.
func alone(t *testing.T, s Spec, c *Classifier, which int) (Spec, *model.Store) {
	t.Helper()
	levels, err := c.ClusterLevels(which)
	require.NoError(t, err)
	store := c.store
	readout, stem := s.Options.Readout, s.Options.Stem
	s.Options = settings(Patch{"ccp_hierarchy": ccp.Prepared, "readout_dropout": 0, "ccp_readout": readout,
		"ccp_stem": stem})
	single := s.NewStore(3)
	for v := range store.IterVariables() {
		if v.DType() == dtypes.Float32 && v.Name() != "frozen_rank" && v.Name() != "U" {
			_, err := single.Scope(v.Scope()).CreateVariable(v.Name(),
				tensors.FromFlatDataAndDimensions(tensors.MustCopyFlatData[float32](v.MustValue()),
					v.Shape().Dimensions...))
			require.NoError(t, err)
		}
	}
	for i, l := range s.Levels {
		level, scope := levels[i], single.Scope(variables.Network+levelName(i))
		_, err = scope.CreateVariable("frozen_neighbourhood",
			tensors.FromFlatDataAndDimensions(slices.Concat(level.Neighbourhoods...), l.Clusters, l.Neighbours))
		require.NoError(t, err)
		_, err = scope.CreateVariable("frozen_rank", tensors.FromFlatDataAndDimensions(slices.Concat(level.Ranks...),
			l.Clusters, l.Neighbours))
		require.NoError(t, err)
	}
	return s, single
}

// objectiveOf is C of memberships in a graph.
func objectiveOf(graph *affinity.Matrix, m hierarchy.Memberships, clusters int) (c float64) {
	a := graph.Normalized().WithoutLoops()
	n, entries := a.N(), a.Dense()
	for k := range int32(clusters) {
		inside, volume := 0.0, 0.0
		for i := range n {
			for j := range n {
				inside += float64(m.Weight(i, k)) * entries[i*n+j] * float64(m.Weight(j, k))
				volume += float64(m.Weight(i, k)) * entries[i*n+j]
			}
		}
		c += inside / volume / 2
	}
	return c
}

// eachPlan runs a test on each backend for hierarchies that are prepared, learned, or random.
func eachPlan(t *testing.T, test func(t *testing.T, backend compute.Backend, plan ccp.Plan)) {
	for _, plan := range []ccp.Plan{ccp.Prepared, ccp.Learned, ccp.Random} {
		t.Run(string(plan), func(t *testing.T) {
			backendtest.Run(t, func(t *testing.T, backend compute.Backend) { test(t, backend, plan) })
		})
	}
}

// A prediction's logits are the mean of those by each hierarchy; a classifier tells of each of them.
func TestSeveralHierarchies(t *testing.T) {
	t.Run("last", func(t *testing.T) { severalHierarchies(t, Patch{}) })
	t.Run("levels", func(t *testing.T) { severalHierarchies(t, Patch{"ccp_readout": "levels", "ccp_stem": 5}) })
}

func severalHierarchies(t *testing.T, readout Patch) {
	eachPlan(t, func(t *testing.T, backend compute.Backend, plan ccp.Plan) {
		m, graph := three(t, plan)
		for name, value := range readout {
			require.NoError(t, m.Spec.Put(name, value))
		}
		require.NoError(t, m.Spec.Check())
		store := drawn(t, backend, m.Spec, graph)
		c, err := NewClassifier(backend, m, graph)
		require.NoError(t, err)
		require.NoError(t, c.Update(store))
		batch := tensors.FromFlatDataAndDimensions(slices.Concat(signals(m.Spec, 5, 2)...), 5, 12, 2)
		out, err := c.Run(batch)
		require.NoError(t, err)
		sum := make([]float64, 5*3)
		var each [][]float32
		for which := range 3 {
			s, single := alone(t, m.Spec, c, which)
			out, err := model.CallOnce(backend, single, func(scope *model.Scope, x *Node) *Node {
				return s.Build(scope, Topology{Matrix: graph, Hierarchy: new(ccp.Hierarchy)}, x)
			}, batch)
			require.NoError(t, err)
			each = append(each, tensors.MustCopyFlatData[float32](out))
			for i, v := range each[which] {
				sum[i] += float64(v) / 3
			}
			levels, err := c.ClusterLevels(which)
			require.NoError(t, err)
			own := tensors.MustCopyFlatData[int32](single.GetVariable("/model/level_1/frozen_neighbourhood").MustValue())
			assert.Equal(t, own, slices.Concat(levels[0].Neighbourhoods...))
			assert.Len(t, levels[0].Memberships.Hard(), 12)
		}
		assert.InDeltaSlice(t, sum, tensors.MustCopyFlatData[float32](out), 1e-5)
		assert.NotEqual(t, each[0], each[1], "the hierarchies differ")
		assert.NotEqual(t, each[1], each[2], "the hierarchies differ")
		_, err = c.ClusterLevels(3)
		assert.EqualError(t, err, "hierarchy 3: the model has hierarchies 0 to 2")
		_, err = c.ClusterLevels(-1)
		assert.EqualError(t, err, "hierarchy -1: the model has hierarchies 0 to 2")
		for which := range 3 {
			health, err := c.Health(which)
			require.NoError(t, err)
			require.Len(t, health, 2)
			levels, err := c.ClusterLevels(which)
			require.NoError(t, err)
			assert.InDelta(t, objectiveOf(graph, levels[0].Memberships, 4), health[0].Objective, 1e-5)
		}
	})
}

// A training step uses one hierarchy, each about as often, and which one depends on the seed and the step alone.
func TestHierarchiesAreDrawn(t *testing.T) {
	const steps = 150
	eachPlan(t, func(t *testing.T, backend compute.Backend, plan ccp.Plan) {
		m, graph := three(t, plan)
		store := drawn(t, backend, m.Spec, graph)
		c, err := NewClassifier(backend, m, graph)
		require.NoError(t, err)
		require.NoError(t, c.Update(store))
		batch := tensors.FromFlatDataAndDimensions(slices.Concat(signals(m.Spec, 5, 2)...), 5, 12, 2)
		training := func(s Spec, store *model.Store) *model.Exec {
			exec, err := model.NewExec(backend, store, func(scope *model.Scope, x *Node) *Node {
				store.SetTraining(x.Graph(), true)
				return s.Build(scope, Topology{Matrix: graph}, x)
			})
			require.NoError(t, err)
			return exec
		}
		call := func(exec *model.Exec) []float32 {
			out, err := exec.Call(batch)
			require.NoError(t, err)
			return tensors.MustCopyFlatData[float32](out[0])
		}
		var each [][]float32
		for which := range 3 {
			s, single := alone(t, m.Spec, c, which)
			each = append(each, call(training(s, single)))
		}
		exec := training(m.Spec, store)
		at := func(step int) int { // which hierarchy the step used
			require.NoError(t, optimizer.GetGlobalStepVar(store).SetValue(tensors.FromScalar(int64(step))))
			logits := call(exec)
			which := slices.IndexFunc(each, func(other []float32) bool {
				for i, v := range other {
					if d := v - logits[i]; d > 1e-4 || d < -1e-4 {
						return false
					}
				}
				return true
			})
			require.GreaterOrEqual(t, which, 0, "step %d: %v is none of %v", step, logits, each)
			return which
		}
		drawn, count := make([]int, steps), make([]int, 3)
		for step := range steps {
			drawn[step] = at(step)
			count[drawn[step]]++
		}
		for _, n := range count {
			assert.InDelta(t, steps/3, n, 20, "%v", count) // 3.5 standard deviations
		}
		for _, step := range []int{149, 3, 77, 0, 20, 21, 22, 23, 24} {
			assert.Equal(t, drawn[step], at(step), "step %d again", step)
		}
	})
}

func TestCheckHierarchies(t *testing.T) {
	m, _ := tiny(t)
	several := func(levels string, values map[string]any) error {
		s := m.Spec
		s.Levels = nil
		if levels != "" {
			s.Levels = mustLevels(levels)
		}
		all := Patch{"ccp_hierarchy": ccp.Prepared, "ccp_hierarchies": 3}
		maps.Copy(all, values)
		s.Options = settings(all)
		return s.Check()
	}
	require.NoError(t, several("4x6/4,1x8/3", nil))
	require.NoError(t, several("4x6/4,2x8/3", map[string]any{"ccp_hierarchies": "1"}))
	require.NoError(t, several("", map[string]any{"ccp_hierarchy": "learned"}),
		"without levels there is nothing to cluster")
	for _, plan := range ccp.Plans() {
		if plan != "prepared" {
			require.NoError(t, several("4x6/4,1x8/3", map[string]any{"ccp_hierarchy": plan}))
			assert.EqualError(t, several("4x6/4:candidates=2,1x8/3", map[string]any{"ccp_hierarchy": plan}),
				"ccp_hierarchies=3: the candidates of level 1 are of one hierarchy; use ccp_candidates=0, or "+
					"ccp_hierarchies=1")
		}
	}
	assert.EqualError(t, several("4x6/4,2x8/3", nil),
		"ccp_hierarchies=3: the last level has 2 clusters, whose weights belong to one hierarchy; end with a level "+
			"of 1 cluster, or use ccp_hierarchies=1")
	assert.ErrorContains(t, several("4x6/4,1x8/3", map[string]any{"ccp_hierarchies": "-1"}), "ccp_hierarchies=-1")
}

// The seed of the search is its own: 0 gives what the search gave before there was one, and each gives hierarchies of
// its own.
func TestHierarchySeed(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	backend := backendtest.Go(t)
	m, graph := three(t, ccp.Prepared)
	searched := func(seed int) *ccp.Hierarchy {
		s := m.Spec
		require.NoError(t, s.Put("ccp_hierarchy_seed", seed))
		h, err := s.Prepare(t.Context(), backend, s.NewStore(1), graph, nil, nil)
		require.NoError(t, err)
		return h
	}
	p := ccp.Prepare(graph).Hierarchies(3)
	for _, l := range m.Spec.Levels {
		p.Level(l.Clusters, l.Neighbours)
	}
	before, err := p.Done(t.Context())
	require.NoError(t, err)
	next, err := p.Seed(3).Done(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before.Levels[0].Clusters, searched(0).Levels[0].Clusters)
	assert.Equal(t, next.Levels[0].Clusters, searched(1).Levels[0].Clusters)
	assert.NotEqual(t, before.Levels[0].Clusters, next.Levels[0].Clusters)
}

// A network that forgets Affinity.Mean, or Clusters, is told so.
func TestForgottenMean(t *testing.T) {
	backend := backendtest.Go(t)
	m, graph := three(t, ccp.Prepared)
	registry["forgets"] = Network{Clusters: true, Build: func(scope *model.Scope, s Spec, graph Topology,
		x *Node) *Node {
		x, _ = ccp.New(scope.In("level_1"), x, graph.Affinity(scope, x), 1, 3).Neighbours(4).Done()
		return Reshape(x, -1, 3)
	}}
	defer delete(registry, "forgets")
	m.Spec.Model, m.Spec.Levels, m.Spec.Hidden = "forgets", nil, nil
	store := m.Spec.NewStore(1)
	h, err := m.Spec.Prepare(t.Context(), backend, store, graph, nil, nil)
	require.NoError(t, err)
	require.NotNil(t, h)
	batch := tensors.FromFlatDataAndDimensions(slices.Concat(signals(m.Spec, 5, 2)...), 5, 12, 2)
	_, err = model.CallOnce(backend, store, func(scope *model.Scope, x *Node) *Node {
		return m.Spec.Build(scope, Topology{Matrix: graph, Hierarchy: new(ccp.Hierarchy)}, x)
	}, batch)
	require.ErrorContains(t, err, "model forgets: logits (Float32)[15, 3] for 5 signals; Affinity.Mean takes those "+
		"of all hierarchies together")
	own := registry["forgets"]
	own.Clusters = false
	registry["forgets"] = own
	_, err = model.CallOnce(backend, store,
		func(scope *model.Scope, x *Node) *Node { return m.Spec.Build(scope, Topology{Matrix: graph}, x) }, batch)
	require.ErrorContains(t, err, "model forgets is registered without Clusters, so that nothing prepares its "+
		"levels: set Clusters, or read the edges by ccp.FromMatrix")
}
