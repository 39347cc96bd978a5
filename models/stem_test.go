package models

import (
	"math"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spot is where a node lies on the grid of the stem's test; the one beside the grid, which is linked to none, is at
// {-1, -1}.
type spot struct{ row, column int }

var beside = spot{-1, -1}

// image are values of the channels at some places.
type image map[spot][]float64

// lattice3x3 is norm(3x3 filter) of an image wherever all nine places have values, and at the place beside, which has
// no neighbours: it is tap 0, the others are absent. The variables are those of scope path.
func lattice3x3(store *model.Store, path string, x image) image {
	read := func(name string) (flat []float64) {
		for _, v := range tensors.MustCopyFlatData[float32](store.GetVariable(path + "/" + name).MustValue()) {
			flat = append(flat, float64(v))
		}
		return flat
	}
	w, b := read("W"), read("b")
	scale, offset, mean, variance := read("batch_norm/scale"), read("batch_norm/offset"), read("batch_norm/mean"),
		read("batch_norm/variance")
	y, channels := image{}, len(x[beside])
	for at := range x {
		taps := make([][]float64, 9)
		for tap := range taps {
			taps[tap] = x[spot{at.row + tap/3 - 1, at.column + tap%3 - 1}]
		}
		if at == beside {
			taps = [][]float64{x[at]}
		}
		out, inside := make([]float64, len(b)), true
		for f := range out {
			sum := b[f]
			for tap, values := range taps {
				inside = inside && values != nil
				for c, v := range values {
					sum += w[(f*9+tap)*channels+c] * v
				}
			}
			out[f] = (sum-mean[f])/math.Sqrt(variance[f]+1e-5)*scale[f] + offset[f]
		}
		if inside {
			y[at] = out
		}
	}
	return y
}

// activated is ELU of an image, plus another where that is given.
func activated(x, plus image) image {
	y := image{}
	for at, values := range x {
		for c, v := range values {
			if plus != nil {
				v += plus[at][c]
			}
			if v < 0 {
				v = math.Expm1(v)
			}
			y[at] = append(y[at], v)
		}
	}
	return y
}

// On a grid of 8 neighbours a stem that reaches 9 nodes is a 3x3 convolution, away from the edges, and its blocks are
// residual ones of two of these. A neighbour that is not there counts zero.
func TestStem(t *testing.T) {
	const height, width, channels, filters = 12, 11, 2, 3
	lattice, err := affinity.Grid(height, width, 8)
	require.NoError(t, err)
	var edges []affinity.Edge
	for i := range lattice.N() {
		neighbours, weights := lattice.Row(i)
		for e, j := range neighbours {
			if int(j) > i {
				edges = append(edges, affinity.Edge{I: i, J: int(j), Weight: weights[e]})
			}
		}
	}
	graph, err := affinity.New(height*width+1, edges)
	require.NoError(t, err)
	s := Spec{Model: "ccp", Info: signal.Info{Nodes: graph.N(), Channels: channels},
		Options: settings(Patch{"ccp_stem": filters, "ccp_blocks": 2, "ccp_dropout": 0.5})}
	sample := signals(s, 1, 4)[0]
	x := image{}
	for node := range graph.N() {
		at := spot{node / width, node % width}
		if node == height*width {
			at = beside
		}
		for c := range channels {
			x[at] = append(x[at], float64(sample[node*channels+c]))
		}
	}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		store := s.NewStore(1)
		exec, err := model.NewExec(backend, store, func(scope *model.Scope, x *Node) *Node {
			x = s.preparation(graph).Stem(scope.In("model"), x, filters, s.blocks(0))
			return x
		})
		require.NoError(t, err)
		input := tensors.FromFlatDataAndDimensions(sample, 1, s.Nodes, channels)
		_, err = exec.Call(input) // which makes the variables
		require.NoError(t, err)
		moveBiases(t, store)
		out, err := exec.Call(input)
		require.NoError(t, err)
		require.Equal(t, []int{1, s.Nodes, filters}, out[0].Shape().Dimensions)
		got := tensors.MustCopyFlatData[float32](out[0])

		y := activated(lattice3x3(store, "/model/stem", x), nil)
		for _, block := range []string{"/model/block_1", "/model/block_2"} {
			inner := activated(lattice3x3(store, block+"/1", y), nil)
			y = activated(lattice3x3(store, block+"/2", inner), y)
		}
		require.Len(t, y, (height-10)*(width-10)+1, "five convolutions take five places off each side")
		for at, values := range y {
			node := at.row*width + at.column
			if at == beside {
				node = height * width
			}
			for f, want := range values {
				assert.InDelta(t, want, got[node*filters+f], 1e-5, "%v, filter %d", at, f)
			}
		}
		assert.NotEqual(t, y[beside], make([]float64, filters))
	})
}

// moveBiases changes the variables of one axis in a network, biases and those of batch norm, which begin alike.
func moveBiases(t *testing.T, store *model.Store) {
	t.Helper()
	for v := range store.IterVariables() {
		if !strings.HasPrefix(v.Path(), "/model/") || v.Shape().Rank() != 1 {
			continue // what is no bias, and none of batch norm's
		}
		values := tensors.MustCopyFlatData[float32](v.MustValue())
		for i := range values {
			values[i] += 0.3 * float32(math.Sin(float64(len(v.Path())+i)))
		}
		require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
	}
}

// Without a stem there are no blocks before the first level.
func TestNoStem(t *testing.T) {
	graph, err := affinity.New(2, []affinity.Edge{{I: 0, J: 1, Weight: 1}})
	require.NoError(t, err)
	s := Spec{Model: "ccp", Info: signal.Info{Nodes: 2, Channels: 1, ClassNames: make([]string, 2)},
		Options: settings(Patch{"ccp_blocks": 3})}
	assert.Empty(t, s.Layers())
	assert.Equal(t, 2*2+2, parametersOf(s, backendtest.Go(t), graph), "the class layer's only")
}
