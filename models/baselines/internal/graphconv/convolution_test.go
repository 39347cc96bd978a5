package graphconv

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var convolutions = map[string]Filter{"chebyshev": Chebyshev, "gcn": GCN, "gat": GAT}

// convolved is what a convolution gave: the result, and the gradients of the sum of result times probe.
type convolved struct {
	out, gradient []float64            // gradient is with respect to x
	parameters    map[string][]float64 // by name
	gradients     map[string][]float64 // with respect to them
}

// convolveWith runs a convolution of x `[nodes, batch, channels]` in float64, without decay, with the parameters given
// by name, or drawn.
func convolveWith(t testing.TB, backend compute.Backend, kind string, graph *affinity.Matrix, batch, channels, filters,
	order int, x, probe []float64, parameters map[string][]float64) convolved {
	t.Helper()
	store := model.NewStore()
	store.SetParams(map[string]any{"l2": 0.0})
	shapes := map[string][]int{"b": {filters}, "W": {channels, filters}, "a_source": {filters, 1},
		"a_target": {filters, 1}}
	if kind == "chebyshev" {
		shapes["W"] = []int{order, channels, filters}
	}
	for name, values := range parameters {
		_, err := store.CreateVariable("/convolution/"+name, tensors.FromFlatDataAndDimensions(append([]float64{}, values...),
			shapes[name]...))
		require.NoError(t, err)
	}
	var names []string
	out, err := model.CallOnceN(backend, store, func(scope *model.Scope, x, probe *Node) []*Node {
		y := convolutions[kind](scope, graph, x, filters, order)
		names = nil
		var of []*Node
		for v := range store.IterVariables() {
			if v.Trainable {
				names, of = append(names, v.Name()), append(of, v.NodeValue(x.Graph()))
			}
		}
		return append(append([]*Node{y}, of...), Gradient(ReduceAllSum(Mul(y, probe)), append(of, x)...)...)
	}, tensors.FromFlatDataAndDimensions(x, graph.N(), batch, channels),
		tensors.FromFlatDataAndDimensions(probe, graph.N(), batch, filters))
	require.NoError(t, err)
	require.Equal(t, []int{graph.N(), batch, filters}, out[0].Shape().Dimensions)
	flat := tensors.MustCopyFlatData[float64]
	c := convolved{flat(out[0]), flat(out[len(out)-1]), map[string][]float64{}, map[string][]float64{}}
	for i, name := range names {
		c.parameters[name], c.gradients[name] = flat(out[1+i]), flat(out[1+len(names)+i])
	}
	return c
}

// Values and gradients of PyTorch Geometric's layers, see testdata/convolutions.py. Its attention layers of several
// heads are as many layers side by side.
func TestConvolutionsReference(t *testing.T) {
	raw, err := os.ReadFile("testdata/convolutions.json")
	require.NoError(t, err)
	var cases []struct {
		Graph                                         string
		Nodes, Batch, Channels, Filters, Order, Heads int
		Edges                                         [][3]float64
		Convolution                                   string
		X, Probe, Out, Gradient                       []float64
		Parameters, Gradients                         map[string][]float64
	}
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.Len(t, cases, 33)
	for _, c := range cases {
		var edges []affinity.Edge
		for _, e := range c.Edges {
			edges = append(edges, affinity.Edge{I: int(e[0]), J: int(e[1]), Weight: e[2]})
		}
		graph, err := affinity.New(c.Nodes, edges)
		require.NoError(t, err)
		name := fmt.Sprintf("%s/%s/%d-%d/%d/%d", c.Graph, c.Convolution, c.Channels, c.Filters, c.Order, c.Heads)
		t.Run(name, func(t *testing.T) {
			backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
				gradient := make([]float64, len(c.Gradient)) // with respect to x: the sum of those of all heads
				for head := range c.Heads {
					part := func(x []float64) []float64 { return columns(x, c.Filters, head, c.Heads) }
					parameters := map[string][]float64{}
					for name, values := range c.Parameters {
						parameters[name] = part(values)
					}
					got := convolveWith(t, backend, c.Convolution, graph, c.Batch, c.Channels, c.Filters/c.Heads, c.Order, c.X,
						part(c.Probe), parameters)
					assert.InDeltaSlice(t, part(c.Out), got.out, 1e-8)
					require.Len(t, got.gradients, len(c.Gradients))
					for name, want := range c.Gradients {
						assert.InDeltaSlice(t, part(want), got.gradients[name], 1e-7, name)
					}
					for i, v := range got.gradient {
						gradient[i] += v
					}
				}
				assert.InDeltaSlice(t, c.Gradient, gradient, 1e-8)
			})
		})
	}
}

// columns are those of one of several heads, of rows of that width.
func columns(x []float64, width, head, heads int) (own []float64) {
	for row := range slices.Chunk(x, width) {
		own = append(own, row[head*width/heads:(head+1)*width/heads]...)
	}
	return own
}

// By hand on two nodes joined by an edge and one alone: L̃ and D̂^−½(A+I)D̂^−½ swap and average the two.
func TestConvolutionsByHand(t *testing.T) {
	graph, err := affinity.New(3, []affinity.Edge{{I: 0, J: 1, Weight: 1}})
	require.NoError(t, err)
	loops, err := affinity.New(3, []affinity.Edge{{I: 0, J: 1, Weight: 2}, {I: 0, J: 0, Weight: 1},
		{I: 2, J: 2, Weight: 5}})
	require.NoError(t, err)
	x, ones := []float64{1, 10, 100}, []float64{1, 1, 1}
	for name, c := range map[string]struct {
		kind       string
		graph      *affinity.Matrix
		order      int
		parameters map[string][]float64
		want       []float64
	}{
		"chebyshev, first term": {"chebyshev", graph, 1, map[string][]float64{"W": {2}, "b": {0.5}},
			[]float64{2.5, 20.5, 200.5}},
		"chebyshev, second term": {"chebyshev", graph, 2, map[string][]float64{"W": {0, 1}, "b": {0}}, []float64{-10, -1, 0}},
		"chebyshev, third term": {"chebyshev", graph, 3, map[string][]float64{"W": {0, 0, 1}, "b": {0}},
			[]float64{1, 10, -100}},
		"chebyshev, self-loops": {"chebyshev", loops, 2, map[string][]float64{"W": {0, 1}, "b": {0}}, []float64{-10, -1, 0}},
		"gcn":                   {"gcn", graph, 1, map[string][]float64{"W": {2}, "b": {1}}, []float64{12, 12, 201}},
		"gcn, self-loops": {"gcn", loops, 1, map[string][]float64{"W": {1}, "b": {0}},
			[]float64{0.5 + 20/math.Sqrt(12), 2/math.Sqrt(12) + 10.0/3, 100}},
		"gat, equal attentions": {"gat", loops, 1, map[string][]float64{"W": {2}, "b": {1}, "a_source": {0},
			"a_target": {3}}, []float64{12, 12, 201}},
		"gat": {"gat", graph, 1, map[string][]float64{"W": {1}, "b": {0}, "a_source": {math.Log(2) / 9},
			"a_target": {0}}, []float64{7, 7, 100}},
		"gat, negative": {"gat", graph, 1, map[string][]float64{"W": {1}, "b": {0}, "a_source": {-5 * math.Log(2) / 9},
			"a_target": {0}},
			[]float64{4, 4, 100}},
	} {
		t.Run(name, func(t *testing.T) {
			backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
				got := convolveWith(t, backend, c.kind, c.graph, 1, 1, 1, c.order, x, ones, c.parameters)
				assert.InDeltaSlice(t, c.want, got.out, 1e-12)
			})
		})
	}
}

// eachConvolution runs a test for every convolution, with few channels and with many, on both backends.
func eachConvolution(t *testing.T, test func(t *testing.T, backend compute.Backend, kind string, channels,
	filters int)) {
	for kind := range convolutions {
		for _, size := range [][2]int{{2, 4}, {4, 2}} {
			t.Run(fmt.Sprintf("%s/%d-%d", kind, size[0], size[1]), func(t *testing.T) {
				backendtest.Run(t, func(t *testing.T, backend compute.Backend) { test(t, backend, kind, size[0], size[1]) })
			})
		}
	}
}

func normal(n int, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	return x
}

// randomGraph is one of few edges, with weights, a node without neighbours and a self-loop.
func randomGraph(t testing.TB, n int) *affinity.Matrix {
	random := rand.New(rand.NewPCG(3, 3))
	edges := []affinity.Edge{{I: 1, J: 1, Weight: 0.5}}
	for i := range n - 1 {
		for j := range i {
			if random.IntN(3) == 0 {
				edges = append(edges, affinity.Edge{I: i, J: j, Weight: 0.1 + random.Float64()})
			}
		}
	}
	graph, err := affinity.New(n, edges)
	require.NoError(t, err)
	return graph
}

// A sample's result does not depend on the others, nor on how the nodes are numbered.
func TestConvolutionsSamplesAndNumbering(t *testing.T) {
	const n, batch, order = 9, 2, 4
	graph := randomGraph(t, n)
	renumbered := []int{4, 2, 8, 0, 6, 1, 7, 5, 3} // node i of the new graph is node renumbered[i]
	permuted, err := graph.Permuted(renumbered)
	require.NoError(t, err)
	eachConvolution(t, func(t *testing.T, backend compute.Backend, kind string, channels, filters int) {
		x, probe := normal(n*batch*channels, 1), normal(n*batch*filters, 2)
		all := convolveWith(t, backend, kind, graph, batch, channels, filters, order, x, probe, nil)
		for b := range batch {
			pick := func(x []float64, width int) (own []float64) {
				for i := range n {
					own = append(own, x[(i*batch+b)*width:(i*batch+b+1)*width]...)
				}
				return own
			}
			alone := convolveWith(t, backend, kind, graph, 1, channels, filters, order, pick(x, channels), pick(probe, filters),
				all.parameters)
			assert.InDeltaSlice(t, pick(all.out, filters), alone.out, 1e-12)
			assert.InDeltaSlice(t, pick(all.gradient, channels), alone.gradient, 1e-12)
		}
		move := func(x []float64, width int) (moved []float64) {
			for _, i := range renumbered {
				moved = append(moved, x[i*batch*width:(i+1)*batch*width]...)
			}
			return moved
		}
		other := convolveWith(t, backend, kind, permuted, batch, channels, filters, order, move(x, channels),
			move(probe, filters), all.parameters)
		assert.InDeltaSlice(t, move(all.out, filters), other.out, 1e-12)
		assert.InDeltaSlice(t, move(all.gradient, channels), other.gradient, 1e-12)
		for name, want := range all.gradients {
			assert.InDeltaSlice(t, want, other.gradients[name], 1e-11, name)
		}
	})
}

// Gradients by central differences in pure Go, with the graph sparse; XLA has the same.
func TestConvolutionsGradients(t *testing.T) {
	const batch, order, h = 2, 4, 1e-5
	graph, err := affinity.Grid(9, 9, 4)
	require.NoError(t, err)
	require.LessOrEqual(t, graph.Density(), 0.05)
	n := graph.N()
	eachConvolution(t, func(t *testing.T, backend compute.Backend, kind string, channels, filters int) {
		x, probe := normal(n*batch*channels, 1), normal(n*batch*filters, 2)
		pure := backendtest.Go(t)
		at := convolveWith(t, pure, kind, graph, batch, channels, filters, order, x, probe, nil)
		if backend != pure {
			got := convolveWith(t, backend, kind, graph, batch, channels, filters, order, x, probe, at.parameters)
			assert.InDeltaSlice(t, at.out, got.out, 1e-12)
			assert.InDeltaSlice(t, at.gradient, got.gradient, 1e-12)
			for name, want := range at.gradients {
				assert.InDeltaSlice(t, want, got.gradients[name], 1e-11, name)
			}
			return
		}
		loss := func(x []float64, parameters map[string][]float64) (sum float64) {
			for i, y := range convolveWith(t, pure, kind, graph, batch, channels, filters, order, x, probe, parameters).out {
				sum += y * probe[i]
			}
			return sum
		}
		for _, i := range []int{0, len(x) / 2, len(x) - 1} {
			moved := func(delta float64) []float64 {
				y := append([]float64{}, x...)
				y[i] += delta
				return y
			}
			assert.InDelta(t, (loss(moved(h), at.parameters)-loss(moved(-h), at.parameters))/(2*h), at.gradient[i], 1e-6)
		}
		for name, values := range at.parameters {
			i := len(values) - 1
			moved := func(delta float64) map[string][]float64 {
				p := map[string][]float64{}
				for name, values := range at.parameters {
					p[name] = append([]float64{}, values...)
				}
				p[name][i] += delta
				return p
			}
			assert.InDelta(t, (loss(x, moved(h))-loss(x, moved(-h)))/(2*h), at.gradients[name][i], 1e-5, name)
		}
	})
}

// Graphs without edges, down to one node: nothing to propagate, and no NaN.
func TestConvolutionsWithoutEdges(t *testing.T) {
	for _, n := range []int{1, 50} {
		graph, err := affinity.New(n, nil)
		require.NoError(t, err)
		eachConvolution(t, func(t *testing.T, backend compute.Backend, kind string, channels, filters int) {
			x, probe := normal(n*channels, 1), normal(n*filters, 2)
			got := convolveWith(t, backend, kind, graph, 1, channels, filters, 3, x, probe, nil)
			w := got.parameters["W"]
			size := channels * filters
			for i := range n {
				for f := range filters {
					want := 0.0
					for c := range channels {
						weight := w[c*filters+f]
						if kind == "chebyshev" { // T_2 of 0 is -1
							weight -= w[2*size+c*filters+f]
						}
						want += x[i*channels+c] * weight
					}
					assert.InDelta(t, want, got.out[i*filters+f], 1e-12)
				}
			}
			for name, gradient := range got.gradients {
				for _, v := range gradient {
					assert.False(t, math.IsNaN(v) || math.IsInf(v, 0), name)
				}
			}
		})
	}
}

// Attentions of logits that differ by thousands are still a softmax.
func TestAttentionOfLargeLogits(t *testing.T) {
	graph, err := affinity.New(2, []affinity.Edge{{I: 0, J: 1, Weight: 1}})
	require.NoError(t, err)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		p := map[string][]float64{"W": {1}, "b": {0}, "a_source": {1}, "a_target": {1}}
		got := convolveWith(t, backend, "gat", graph, 1, 1, 1, 1, []float64{5e4, -5e4}, []float64{1, 1}, p)
		assert.InDeltaSlice(t, []float64{5e4, 5e4}, got.out, 1e-6)
		assert.InDeltaSlice(t, []float64{2, 0}, got.gradient, 1e-9)
	})
}

// What cannot be is said where the network is built.
func TestConvolutionsRefuse(t *testing.T) {
	graph := randomGraph(t, 4)
	for want, size := range map[string][]int{
		"a signal of shape (Float64)[3, 1, 2] is not [4 nodes, batch, channels]": {3, 2, 1},
		"a convolution needs at least 1 filter and order 1, not 0 and 1":         {4, 0, 1},
		"a convolution needs at least 1 filter and order 1, not 2 and 0":         {4, 2, 0},
	} {
		_, err := model.CallOnce(backendtest.Go(t), model.NewStore(), func(scope *model.Scope, x *Node) *Node {
			return GAT(scope, graph, x, size[1], size[2])
		}, tensors.FromFlatDataAndDimensions(make([]float64, size[0]*2), size[0], 1, 2))
		assert.ErrorContains(t, err, want)
	}
}
