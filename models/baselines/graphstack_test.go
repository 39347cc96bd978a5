package baselines

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/baselines/internal/graphconv"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oneHop is a convolution for tests, (x + A·x)·W + bias.
func oneHop(bias float64) graphconv.Filter {
	return func(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, _ int) *Node {
		g, n := x.Graph(), x.Shape().Dim(0)
		a := make([]float32, n*n)
		for i, w := range graph.Dense() {
			a[i] = float32(w)
		}
		near := Dot(Const(g, tensors.FromFlatDataAndDimensions(a, n, n)), Reshape(x, n, x.Shape().Size()/n)).Product()
		x = Add(x, Reshape(near, x.Shape().Dimensions...))
		channels := x.Shape().Dim(2)
		w := ops.NormalVariable(scope, "W", 0, 1/math.Sqrt(float64(channels)), x.DType(), channels, filters).NodeValue(g)
		return AddScalar(EinsumAxes(x, w, [][2]int{{2, 0}}, nil), bias)
	}
}

// stackSpec is a spec for tests of a network that is not registered.
func stackSpec(nodes int, levels string, hidden ...int) models.Spec {
	return models.Spec{Options: models.DefaultOptions(), Model: "test", Levels: mustLevels(levels), Hidden: hidden,
		Info: signal.Info{Nodes: nodes, Channels: 2, ClassNames: make([]string, 3)}}
}

// logits computes the network's, for signals as `signals` draws them, `[batch, classes]`.
func logits(t *testing.T, backend compute.Backend, s models.Spec, graph *affinity.Matrix, filter graphconv.Filter,
	x [][]float32) ([][]float32, *model.Store) {
	t.Helper()
	store := s.NewStore(1)
	built := backendtest.Network(func(scope *model.Scope, x *Node) *Node {
		return pooling("", filter).Build(scope.In("model"), s, models.Topology{Matrix: graph}, x)
	})
	return built.Logits(t, backend, store, s.Channels, x...), store
}

// weights are a variable's values, by rows.
func weights(t *testing.T, store *model.Store, path string) [][]float32 {
	t.Helper()
	require.NotNil(t, store.GetVariable(path), path)
	return store.GetVariable(path).MustValue().Value().([][]float32)
}

// Two levels over the path 0-3-1-4-2, which Graclus halves to {0,3}, {1}, {2,4} and the second level pools to one,
// computed by loops. With a low bias a fake node's zero would win the maximum, with a high one its bias would.
func TestGraphStackByHand(t *testing.T) {
	path, err := affinity.New(5, []affinity.Edge{{I: 0, J: 3, Weight: 1}, {I: 3, J: 1, Weight: 1}, {I: 1, J: 4, Weight: 1},
		{I: 4, J: 2, Weight: 1}})
	require.NoError(t, err)
	coarse, err := affinity.New(3, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}})
	require.NoError(t, err)
	s := stackSpec(5, "3x4/1,1x3/1")
	x := signals(s, 2, 5)
	for _, bias := range []float64{-3, 50} {
		backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
			got, store := logits(t, backend, s, path, oneHop(bias), x)
			for b, signal := range x {
				level := levelByHand(path, rowsOf(signal, 2), weights(t, store, "/model/level_1/W"), bias,
					[][]int{{0, 3}, {1}, {2, 4}})
				level = levelByHand(coarse, level, weights(t, store, "/model/level_2/W"), bias, [][]int{{0, 1, 2}})
				classes := weights(t, store, "/model/classes/W")
				for class := range 3 {
					want := 0.0
					for i, v := range slices.Concat(level...) {
						want += v * float64(classes[i][class])
					}
					assert.InDelta(t, want, got[b][class], 1e-4*max(1, bias), "bias %g", bias)
				}
			}
		})
	}
}

func rowsOf(flat []float32, width int) (rows [][]float64) {
	for row := range slices.Chunk(flat, width) {
		rows = append(rows, nil)
		for _, v := range row {
			rows[len(rows)-1] = append(rows[len(rows)-1], float64(v))
		}
	}
	return rows
}

// levelByHand is oneHop, batch norm before any training, ELU and the maximum over the clusters.
func levelByHand(a *affinity.Matrix, x [][]float64, w [][]float32, bias float64,
	clusters [][]int) (pooled [][]float64) {
	for _, cluster := range clusters {
		row := make([]float64, len(w[0]))
		for f := range row {
			row[f] = math.Inf(-1)
			for _, i := range cluster {
				y := bias
				for c := range w {
					near := x[i][c]
					for j := range x {
						near += a.At(i, j) * x[j][c]
					}
					y += near * float64(w[c][f])
				}
				y /= math.Sqrt(1 + 1e-5)
				if y < 0 {
					y = math.Expm1(y)
				}
				row[f] = max(row[f], y)
			}
		}
		pooled = append(pooled, row)
	}
	return pooled
}

// What a level sees and leaves, whatever the graph: isolated nodes, one node, no pooling, no level.
func TestGraphStackSizes(t *testing.T) {
	grid, err := affinity.Grid(8, 8, 8)
	require.NoError(t, err)
	isolated, err := affinity.New(9, []affinity.Edge{{I: 7, J: 2, Weight: 1}})
	require.NoError(t, err)
	one, err := affinity.New(1, nil)
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		graph  *affinity.Matrix
		levels string
		seen   []int // nodes that each level filters
		left   int   // nodes that are classified
	}{
		{"pools at every level", grid, "32x4/3,8x5/2,1x6/8", []int{64, 32, 9}, 1},
		{"no pooling", grid, "64x3/5", []int{64}, 64},
		{"pools late, then no more", grid, "64x3/5,16x4/5,16x2/3", []int{64, 64, 17}, 17},
		{"all at once, twice", grid, "1x3/5,1x4/1", []int{64, 1}, 1},
		{"isolated nodes", isolated, "5x3/2,2x4/3", []int{9, 5}, 3},
		{"one node", one, "1x2/1,1x3/1", []int{1, 1}, 1},
	} {
		s := stackSpec(c.graph.N(), c.levels, 4)
		require.NoError(t, checkShrinking(s, nil), c.name)
		t.Run(c.name, func(t *testing.T) {
			backend := backendtest.Go(t)
			var seen []int
			filter := func(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node {
				assert.Equal(t, s.Levels[len(seen)], models.Level{Clusters: s.Levels[len(seen)].Clusters, Filters: filters,
					Neighbours: order})
				assert.Equal(t, graph.N(), x.Shape().Dim(0))
				seen = append(seen, graph.N())
				return oneHop(0)(scope, graph, x, filters, order)
			}
			_, store := logits(t, backend, s, c.graph, filter, signals(s, 3, 2))
			assert.Equal(t, c.seen, seen)
			assert.Len(t, weights(t, store, "/model/fc_1/W"), c.left*s.Levels[len(s.Levels)-1].Filters)
			for v := range store.IterVariables() {
				assert.Equal(t, v.DType() == dtypes.Float32, variables.IsWeight(v), "%s: tables are not to be saved", v.Path())
			}
			checkGradients(t, backend, s, c.graph)
		})
		if c.graph == isolated {
			t.Run("XLA", func(t *testing.T) { checkGradients(t, backendtest.XLA(t), s, c.graph) })
		}
	}
}

// checkGradients asserts that all weights get finite gradients in training, and filters ones that are not zero.
func checkGradients(t *testing.T, backend compute.Backend, s models.Spec, graph *affinity.Matrix) {
	t.Helper()
	var names []string
	out, err := model.CallOnceN(backend, s.NewStore(1), func(scope *model.Scope, x *Node) []*Node {
		g := x.Graph()
		scope.Store().SetTraining(g, true)
		loss := ReduceAllSum(
			Square(AddScalar(pooling("", oneHop(0)).Build(scope.In("model"), s, models.Topology{Matrix: graph}, x), 1)))
		var nodes []*Node
		for v := range scope.IterVariables() {
			if v.Trainable && v.InUseByGraph(g) {
				names, nodes = append(names, v.Path()), append(nodes, v.NodeValue(g))
			}
		}
		return Gradient(loss, nodes...)
	}, tensors.FromFlatDataAndDimensions(slices.Concat(signals(s, 6, 3)...), 6, s.Nodes, s.Channels))
	require.NoError(t, err)
	require.Contains(t, names, "/model/level_1/W")
	for i, name := range names {
		size := 0.0
		for _, v := range tensors.MustCopyFlatData[float32](out[i]) {
			size += math.Abs(float64(v))
		}
		require.False(t, math.IsNaN(size) || math.IsInf(size, 0), "%s: %v", name, size)
		require.True(t, size > 0 || !strings.HasSuffix(name, "/W"), name)
	}
}

// A sample's scores do not depend on the others of its batch.
func TestGraphStackBatch(t *testing.T) {
	grid, err := affinity.Grid(5, 5, 4)
	require.NoError(t, err)
	s := stackSpec(25, "12x4/3,3x5/2,1x6/2", 7)
	x := signals(s, 3, 4)
	all, _ := logits(t, backendtest.Go(t), s, grid, oneHop(0.1), x)
	for i := range x {
		alone, _ := logits(t, backendtest.Go(t), s, grid, oneHop(0.1), x[i:i+1])
		for class := range alone[0] {
			assert.InEpsilon(t, all[i][class], alone[0][class], 1e-5)
		}
	}
}

func TestCheckShrinking(t *testing.T) {
	s := stackSpec(12, "12x4/3,3x5/2,3x5/3,1x2/1")
	require.NoError(t, checkShrinking(s, nil))
	s = stackSpec(12, "12x4/3,3x5/2,4x5/3")
	assert.EqualError(t, checkShrinking(s, nil),
		"level 3: 4 clusters of 3 nodes; model test pools, so that there can be no more clusters than nodes")
	assert.ErrorContains(t, checkShrinking(stackSpec(3, "4x5/3"), nil), "level 1: 4 clusters of 3 nodes")
}
