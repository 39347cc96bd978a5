package models

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// soft makes memberships out of rows that sum to 1; zeros are left out.
func soft(rows ...[]float64) Memberships {
	m := Memberships{clusters: len(rows[0])}
	for _, row := range rows {
		for k, w := range row {
			if w > 0 {
				m.add(int32(k), w)
			}
		}
		m.end()
	}
	return m
}

// twoLevels are 4 nodes, 3 clusters, of which the last is empty, and 2 clusters of these.
func twoLevels() ClusterLevels {
	return ClusterLevels{
		{Level: Level{Clusters: 3, Neighbours: 2}, Choices: 3, Memberships: soft([]float64{0.75, 0.25, 0}, []float64{0.5, 0.5, 0}, []float64{0, 1, 0}, []float64{0.25, 0.75, 0}),
			Neighbourhoods: [][]int32{{0, 1}, {2, 1}, {0, 1}}, Gates: [][]float32{{0.5, 0.25}, {0.75, 0.5}, {0.5, 0.5}}},
		{Level: Level{Clusters: 2, Neighbours: 1}, Choices: 1, Memberships: HardMemberships([]int32{1, 0, 0}, 2),
			Neighbourhoods: [][]int32{{1}, {0}}, Gates: [][]float32{{0.5}, {0.5}}},
	}
}

func TestMembershipsByHand(t *testing.T) {
	h := twoLevels()
	assert.Equal(t, []int32{0, 0, 1, 1}, h[0].Memberships.Hard(), "the first among equals")
	assert.Equal(t, []int32{0, 1, 2, 3}, h.Path(0))
	assert.Equal(t, []int32{0, 0, 1, 1}, h.Path(1))
	assert.Equal(t, []int32{1, 1, 0, 0}, h.Path(2))

	inputs := h.Inputs()
	require.Len(t, inputs, 2)
	assert.Equal(t, soft([]float64{0.25, 0.75}, []float64{0.5, 0.5}, []float64{1, 0}, []float64{0.75, 0.25}), inputs[1])
	assert.Equal(t, 4, inputs[1].Nodes())
	assert.Equal(t, 2, inputs[1].Clusters())
	assert.InDelta(t, 0.75, inputs[1].Weight(0, 1), 1e-7)
	assert.Zero(t, inputs[1].Weight(2, 1))

	assert.Equal(t, []float64{1.5, 2.5, 0}, h.Mass(1))
	assert.Equal(t, []float64{2.5, 1.5}, h.Mass(2))
}

func TestSpread(t *testing.T) {
	h := twoLevels()
	for _, c := range []struct {
		name   string
		level  int
		values []float32
		want   []float64
	}{
		{"first level", 1, []float32{4, 8, 100}, []float64{5, 6, 8, 7}},
		{"second level", 2, []float32{8, 4}, []float64{5, 6, 8, 7}},
		{"two channels", 2, []float32{8, 0, 4, -4}, []float64{5, -3, 6, -2, 8, 0, 7, -1}},
		{"what is constant stays so", 2, []float32{3, 3}, []float64{3, 3, 3, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := h.Spread(c.level, c.values)
			require.NoError(t, err)
			assert.InDeltaSlice(t, c.want, got, 1e-6)
		})
	}
	amounts := []float32{10, 30}
	for k, mass := range h.Mass(2) {
		amounts[k] /= float32(mass)
	}
	spread, err := h.Spread(2, amounts)
	require.NoError(t, err)
	sum := 0.0
	for _, v := range spread {
		sum += v
	}
	assert.InDelta(t, 40, sum, 1e-5, "amounts divided by the mass keep their sum")

	for level, want := range map[int]string{0: "there is no level 0; levels go from 1 to 2", 3: "there is no level 3", 1: "level 1 has 3 clusters, there are 2 values"} {
		_, err := h.Spread(level, []float32{1, 2})
		require.ErrorContains(t, err, want)
	}
	_, err = h.Spread(1, nil)
	require.ErrorContains(t, err, "there are 0 values")
}

func TestCentral(t *testing.T) {
	a, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 1, J: 3, Weight: 5}, {I: 0, J: 0, Weight: 9}})
	require.NoError(t, err)
	h := ClusterLevels{{Level: Level{Clusters: 3}, Memberships: HardMemberships([]int32{0, 0, 0, 2}, 3)}}
	assert.Equal(t, [][]int32{{1, 0, 2}, nil, {3}}, h.Central(1, h.Inputs()[0], a), "links to other clusters and loops do not count")
}

func TestHealthByHand(t *testing.T) {
	health := twoLevels().Health()
	entropy := func(ps ...float64) (sum float64) {
		for _, p := range ps {
			sum -= p * math.Log(p)
		}
		return sum
	}
	first := health[0]
	assert.InDelta(t, (2*entropy(0.75, 0.25)+entropy(0.5, 0.5))/4/math.Log(3), first.Entropy, 1e-6)
	first.Entropy = 0
	assert.Equal(t, LevelHealth{Level: 1, Nodes: 4, Clusters: 3, Neighbours: 2, InUse: 2, Unselected: 0.25, Overlap: (1 + 0.5 + 1) / 3.0, GateLow: 0.25, GateHigh: 0.75,
		Warnings: []string{"level 1: no neighbourhood holds 25% of its nodes, whose signals are lost; " + remedy}}, first)
	assert.Equal(t, 2, health[1].Level)
	assert.Zero(t, health[1].Entropy)
	assert.Contains(t, health[1].Warnings[0], "its 2 clusters of L=1 have 2 places only: give it more clusters or a larger L")
}

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
		{"all nodes to one cluster", func(_, k int) float32 { return []float32{0, 0, 2, 0}[k] }, "level 1: collapsed: nodes use 1 of its 4 clusters only; " + remedy},
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
			health, err := collapsed(t, backend, c.u).Health()
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

// What is read of a classifier fits what its layers see, whichever way its hierarchy came about, fresh or loaded.
func TestClusterLevels(t *testing.T) {
	for _, way := range append(ccp.Hierarchies(), "candidates") {
		t.Run(way, func(t *testing.T) {
			onBackends(t, way == ccp.Learned, func(t *testing.T, backend compute.Backend) {
				m, graph := tiny(t)
				m.Spec.Params = map[string]any{ccp.ParamHierarchy: way, ccp.ParamGates: "cluster", ccp.ParamMembershipRate: 5.0}
				choices := 4
				switch way {
				case "candidates":
					m.Spec.Params[ccp.ParamHierarchy], m.Spec.Params["level_1/"+ParamCandidates] = ccp.Learned, 2.0
					choices = 2
				case ccp.Prepared:
					choices = 1
				}
				store := drawn(t, backend, m.Spec, graph)
				c, err := NewClassifier(backend, m, graph)
				require.NoError(t, err)
				require.NoError(t, c.Update(store))
				levels, err := c.ClusterLevels()
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
							assert.InDelta(t, 1/(1+math.Exp(-float64(alpha[k]*rank+beta[k]))), l.Gates[k][s], 1e-6)
						}
					}
				}
				if way != "candidates" { // whose ranks at nodes that are none are zero
					a, h := graph.Normalized(), levels[0]
					for k, nodes := range h.Neighbourhoods {
						for s, node := range nodes {
							links := 0.0
							neighbours, weights := a.Row(int(node))
							for e, j := range neighbours {
								links += weights[e] * float64(h.Memberships.Weight(int(j), int32(k)))
							}
							assert.InDelta(t, (1+float64(h.Memberships.Weight(int(node), int32(k))))*links, h.Ranks[k][s], 1e-5, "the paper's rank")
						}
					}
				}
				if u := store.GetVariable("/model/level_1/U"); u != nil && choices == 4 {
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
				}

				health, err := c.Health()
				require.NoError(t, err)
				for i := range health {
					assert.InDelta(t, ccp.Coverage(tensors.MustCopyFlatData[int32](c.store.GetVariable(fmt.Sprintf("/model/level_%d/frozen_neighbourhood", i+1)).MustValue()), health[i].Nodes), 1-health[i].Unselected, 1e-9)
					assert.Positive(t, health[i].Objective)
					assert.LessOrEqual(t, health[i].Objective, float64(health[i].Clusters)/2+1e-6)
				}
				c.Hierarchy = Hierarchy{} // as after loading
				again, err := c.Health()
				require.NoError(t, err)
				for i := range again {
					assert.InDelta(t, health[i].Objective, again[i].Objective, 1e-5)
				}
			})
		})
	}
}

func floatsOf(t *testing.T, scope *model.Scope, name string) []float32 {
	t.Helper()
	return tensors.MustCopyFlatData[float32](scope.GetVariable(name).MustValue())
}

// C of a prepared hierarchy, which is computed on the host, is that which the search has found.
func TestPreparedObjective(t *testing.T) {
	backend := backendtest.Go(t)
	m, graph := tiny(t)
	m.Spec.Params = map[string]any{ccp.ParamHierarchy: ccp.Prepared}
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	store := m.Spec.NewStore(1)
	found, err := m.Spec.Prepare(t.Context(), backend, store, graph, nil)
	require.NoError(t, err)
	require.NoError(t, c.Update(drawn(t, backend, m.Spec, graph)))
	health, err := c.Health()
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
	_, err = c.ClusterLevels()
	require.ErrorContains(t, err, `/model/level_1: it has no "U": the classifier has no weights yet`)

	c = tinyClassifier(t, backend)
	u := make([]float32, 12*4)
	u[5] = float32(math.NaN())
	require.NoError(t, c.store.GetVariable("/model/level_1/U").SetValue(tensors.FromFlatDataAndDimensions(u, 12, 4)))
	_, err = c.ClusterLevels()
	require.ErrorContains(t, err, "/model/level_1/U: the memberships of node 1 are not numbers")

	m.Spec.Levels = nil
	c, err = NewClassifier(backend, m, graph)
	require.NoError(t, err)
	_, err = c.Health()
	require.EqualError(t, err, "the model has no levels, and so no clusters")

	m.Spec.Model = "fc"
	c, err = NewClassifier(backend, m, graph)
	require.NoError(t, err)
	_, err = c.ClusterLevels()
	require.EqualError(t, err, "model fc has no clusters; only ccp has")
	require.NoError(t, c.Close())
	_, err = c.ClusterLevels()
	require.ErrorIs(t, err, ErrClosed)
}

func ExampleClusterLevels_Spread() {
	h := ClusterLevels{
		{Level: Level{Clusters: 3}, Memberships: HardMemberships([]int32{0, 0, 1, 2}, 3)},
		{Level: Level{Clusters: 2}, Memberships: HardMemberships([]int32{0, 0, 1}, 2)},
	}
	nodes, err := h.Spread(2, []float32{0.25, -1}) // a value for each cluster of level 2
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	fmt.Println(nodes)
	// Output: [0.25 0.25 0.25 -1]
}
