package networks

import (
	"fmt"
	"math"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rows is a matrix of the reference, which computes one sample with plain loops.
type rows [][]float64

func zeroRows(n, columns int) rows {
	m := make(rows, n)
	for i := range m {
		m[i] = make([]float64, columns)
	}
	return m
}

func (a rows) times(b rows) rows {
	c := zeroRows(len(a), len(b[0]))
	for i := range a {
		for j, v := range a[i] {
			for k := range b[j] {
				c[i][k] += v * b[j][k]
			}
		}
	}
	return c
}

func (a rows) transposed() rows {
	c := zeroRows(len(a[0]), len(a))
	for i := range a {
		for j, v := range a[i] {
			c[j][i] = v
		}
	}
	return c
}

// savedValues are a variable's values.
func savedValues(store *model.Store, path string) []float64 {
	var wide []float64
	for _, v := range tensors.MustCopyFlatData[float32](store.GetVariable(path).MustValue()) {
		wide = append(wide, float64(v))
	}
	return wide
}

// filterOf is x·W₀ + A·x·W₁ + b.
func filterOf(store *model.Store, scope string, x, a rows) rows {
	w, b, ax := savedValues(store, scope+"/W"), savedValues(store, scope+"/b"), a.times(x)
	channels, out := len(x[0]), len(b)
	y := zeroRows(len(x), out)
	for n := range y {
		for f := range out {
			y[n][f] = b[f]
			for c := range channels {
				y[n][f] += x[n][c]*w[c*out+f] + ax[n][c]*w[(channels+c)*out+f]
			}
		}
	}
	return y
}

// normOf is ELU of batch norm by its running statistics.
func normOf(store *model.Store, scope string, x rows) rows {
	value := func(name string) []float64 { return savedValues(store, scope+"/batch_norm/"+name) }
	scale, offset, mean, variance := value("scale"), value("offset"), value("mean"), value("variance")
	y := zeroRows(len(x), len(x[0]))
	for n := range x {
		for f, v := range x[n] {
			y[n][f] = (v-mean[f])/math.Sqrt(variance[f]+1e-5)*scale[f] + offset[f]
			if y[n][f] <= 0 {
				y[n][f] = math.Expm1(y[n][f])
			}
		}
	}
	return y
}

// softmaxOverNodes of `[nodes, clusters]`: each cluster's column sums to 1.
func softmaxOverNodes(x rows) rows {
	y := zeroRows(len(x), len(x[0]))
	for k := range x[0] {
		sum := 0.0
		for n := range x {
			y[n][k] = math.Exp(x[n][k])
			sum += y[n][k]
		}
		for n := range x {
			y[n][k] /= sum
		}
	}
	return y
}

// graphCNNOf is what is left of one sample after the last level.
func graphCNNOf(store *model.Store, s models.Spec, graph *affinity.Matrix, signal []float32) []float32 {
	x, a := zeroRows(s.Nodes, s.Channels), zeroRows(s.Nodes, s.Nodes)
	for i, v := range signal {
		x[i/s.Channels][i%s.Channels] = float64(v)
	}
	for i, v := range graph.Normalized().WithoutLoops().Dense() {
		a[i/s.Nodes][i%s.Nodes] = v
	}
	for i := range s.Levels {
		scope := fmt.Sprintf("/model/level_%d", i+1)
		x = normOf(store, scope, filterOf(store, scope, x, a))
		v := softmaxOverNodes(filterOf(store, scope+"/embedding", x, a))
		a = v.transposed().times(a).times(v)
		x = normOf(store, scope+"/pool", v.transposed().times(x))
	}
	var flat []float32
	for _, row := range x {
		for _, v := range row {
			flat = append(flat, float32(v))
		}
	}
	return flat
}

// graphCNNs are networks on a dense and on a sparse affinity.
func graphCNNs(t testing.TB) map[string]struct {
	models.Spec
	graph *affinity.Matrix
} {
	sparse, err := affinity.RandomConnected(80, 100, 1)
	require.NoError(t, err)
	require.LessOrEqual(t, sparse.Density(), 0.05, "held as neighbour lists")
	loops, err := affinity.New(3, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 2},
		{I: 2, J: 2, Weight: 5}})
	require.NoError(t, err)
	one, err := affinity.New(1, nil)
	require.NoError(t, err)
	network := func(graph *affinity.Matrix, channels int, levels string, hidden ...int) (c struct {
		models.Spec
		graph *affinity.Matrix
	}) {
		c.Spec = models.Spec{Options: models.DefaultOptions(), Model: "graph-cnn", Hidden: hidden,
			Info: signal.Info{Nodes: graph.N(), Channels: channels, ClassNames: make([]string, 3)}}
		if levels != "" {
			c.Levels = mustLevels(levels)
		}
		c.graph = graph
		require.NoError(t, c.Check())
		return c
	}
	return map[string]struct {
		models.Spec
		graph *affinity.Matrix
	}{
		"dense":            network(grid(t, 3, 4), 2, "5x6/1,3x4/1", 7),
		"sparse":           network(sparse, 1, "6x5/1,4x3/1,2x4/1"),
		"one cluster":      network(grid(t, 3, 4), 2, "1x6/1,1x4/1"),
		"as many clusters": network(grid(t, 2, 2), 1, "4x3/1,4x3/1"),
		"more clusters":    network(grid(t, 2, 2), 1, "6x3/1,8x3/1"),
		"loops":            network(loops, 2, "2x3/1,2x3/1"),
		"one node":         network(one, 2, "1x3/1,1x2/1"),
		"without levels":   network(grid(t, 2, 2), 1, "", 4),
	}
}

func TestGraphCNN(t *testing.T) {
	for name, c := range graphCNNs(t) {
		t.Run(name, func(t *testing.T) {
			onBackends(t, name == "dense" || name == "sparse", func(t *testing.T, backend compute.Backend) {
				store := drawn(t, backend, c.Spec, c.graph)
				batch := signals(c.Spec, 3, 5)
				got := logitsOf(t, backend, c.Spec, store, c.graph, batch)
				for i := range batch {
					x := graphCNNOf(store, c.Spec, c.graph, batch[i])
					if len(c.Hidden) > 0 {
						x = backendtest.Dense(store, x, "/model/fc_1", true)
					}
					for k, want := range backendtest.Dense(store, x, "/model/classes", false) {
						assert.InDelta(t, want, got[i][k], 1e-4, "sample %d", i)
					}
				}
				alone := logitsOf(t, backend, c.Spec, store, c.graph, batch[1:2])[0]
				assert.InDeltaSlice(t, got[1], alone, 1e-5, "a sample does not depend on its batch")
			})
		})
	}
}

// The gradient of each weight agrees with central differences along it; batch norm uses the batch's statistics.
func TestGraphCNNGradient(t *testing.T) {
	c := graphCNNs(t)["sparse"]
	c.Options = options("graph-cnn", models.Patch{"l2": 0.0, "readout_dropout": 0.0})
	paths := []string{"level_1/W", "level_1/embedding/W", "level_2/W", "level_2/embedding/W",
		"level_2/pool/batch_norm/scale", "level_3/W",
		"level_3/embedding/W", "classes/W", "level_1/embedding/b"}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		store := drawn(t, backend, c.Spec, c.graph)
		batch := tensors.FromFlatDataAndDimensions(append(signals(c.Spec, 1, 5)[0], signals(c.Spec, 1, 6)[0]...), 2, c.Nodes,
			c.Channels)
		exec, err := model.NewExec(backend, store, func(scope *model.Scope, x *Node) []*Node {
			g := x.Graph()
			store.SetTraining(g, true)
			loss := ReduceAllMean(Square(AddScalar(c.Build(scope, models.Topology{Matrix: c.graph}, x), -1)))
			weights := make([]*Node, len(paths))
			for i, path := range paths {
				weights[i] = store.GetVariable("/model/" + path).NodeValue(g)
			}
			return append([]*Node{loss}, Gradient(loss, weights...)...)
		})
		require.NoError(t, err)
		gradients, err := exec.Call(batch)
		require.NoError(t, err)
		for i, path := range paths {
			v := store.GetVariable("/model/" + path)
			flat := tensors.MustCopyFlatData[float32]
			values, gradient := flat(v.MustValue()), flat(gradients[1+i])
			length := 0.0
			for _, d := range gradient {
				length = math.Hypot(length, float64(d))
			}
			if path == "level_1/embedding/b" { // a softmax over the nodes does not see what is added to all of them
				assert.Less(t, length, 1e-5, path)
				continue
			}
			require.Positive(t, length, path)
			at := func(step float64) float64 { // along the gradient
				moved := make([]float32, len(values))
				for i := range moved {
					moved[i] = values[i] + float32(step*float64(gradient[i])/length)
				}
				require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(moved, v.Shape().Dimensions...)))
				out, err := exec.Call(batch)
				require.NoError(t, err)
				return float64(out[0].Value().(float32))
			}
			const h = 1e-2
			assert.InDelta(t, length, (at(h)-at(-h))/(2*h), 0.02*length+1e-3, path)
			at(0)
		}
	})
}

// The affinity is rebuilt from the graph, not a weight.
func TestGraphCNNKeepsNoAffinity(t *testing.T) {
	c := graphCNNs(t)["dense"]
	store := drawn(t, backendtest.Go(t), c.Spec, c.graph)
	kept := 0
	for v := range store.IterVariables() {
		if variables.IsWeight(v) {
			assert.NotContains(t, v.Path(), "affinity")
			kept++
		} else {
			assert.False(t, v.Trainable, v.Path())
		}
	}
	assert.Positive(t, kept)
	assert.NotNil(t, store.GetVariable("/model/tables/affinity"))
	// W, b of two filters and embeddings, scale and offset of four batch norms, the readout's
	want := 2*2*6 + 6 + 2*6*5 + 5 + 2*6*4 + 4 + 2*4*3 + 3 + 2*(6+6+4+4) + 3*4*7 + 7 + 2*7 + 7*3 + 3
	assert.Equal(t, want, parameters(t, c.Spec, c.graph))
}
