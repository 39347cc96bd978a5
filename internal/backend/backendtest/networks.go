package backendtest

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

// Signals are n random signals of so many values.
func Signals(n, values int, seed uint64) [][]float32 {
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([][]float32, n)
	for i := range all {
		all[i] = make([]float32, values)
		for j := range all[i] {
			all[i][j] = float32(random.NormFloat64())
		}
	}
	return all
}

// Network makes the logits of a batch of signals `[batch, nodes, channels]`.
type Network func(scope *model.Scope, batch *graph.Node) *graph.Node

// Logits are a network's logits `[batch][classes]` for signals, with the weights in store.
func (n Network) Logits(t testing.TB, backend compute.Backend, store *model.Store, channels int, batch ...[]float32) [][]float32 {
	t.Helper()
	out, err := model.CallOnce(backend, store, (func(*model.Scope, *graph.Node) *graph.Node)(n),
		tensors.FromFlatDataAndDimensions(slices.Concat(batch...), len(batch), len(batch[0])/channels, channels))
	require.NoError(t, err)
	return out.Value().([][]float32)
}

// Draw draws a network's weights into store, and moves batch norm's running means and variances away from 0 and 1.
func (n Network) Draw(t testing.TB, backend compute.Backend, store *model.Store, nodes, channels int) *model.Store {
	t.Helper()
	n.Logits(t, backend, store, channels, slices.Repeat([]float32{1}, nodes*channels))
	for v := range store.IterVariables() {
		if strings.HasSuffix(v.Path(), "/batch_norm/mean") || strings.HasSuffix(v.Path(), "/batch_norm/variance") {
			values := tensors.MustCopyFlatData[float32](v.MustValue())
			for i := range values {
				values[i] += 0.5 * float32(math.Abs(math.Sin(float64(i))))
			}
			require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
		}
	}
	return store
}

// Dense is a dense layer by a plain loop, with batch norm's running statistics and ELU where it is hidden.
func Dense(store *model.Store, x []float32, scope string, hidden bool) []float32 {
	value := func(name string) []float32 {
		return tensors.MustCopyFlatData[float32](store.GetVariable(scope + "/" + name).MustValue())
	}
	w, y := value("W"), value("b")
	for k := range y {
		for j, v := range x {
			y[k] += v * w[j*len(y)+k]
		}
	}
	if hidden {
		scale, offset, mean, variance := value("batch_norm/scale"), value("batch_norm/offset"), value("batch_norm/mean"), value("batch_norm/variance")
		for k := range y {
			z := float64(y[k]-mean[k])/math.Sqrt(float64(variance[k])+1e-5)*float64(scale[k]) + float64(offset[k])
			if z <= 0 {
				z = math.Expm1(z)
			}
			y[k] = float32(z)
		}
	}
	return y
}
