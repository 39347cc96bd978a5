package grids

import (
	"testing"

	"github.com/clusterpool/ccp/benchmarks/paper/networks/internal/valuestest"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// naiveConvolve is convolve by its definition, on one axis: x `[n][channels]`, w `[k][channels][filters]`.
func naiveConvolve(x [][]float64, w [][][]float64, stride int) [][]float64 {
	n, k, filters := len(x), len(w), len(w[0][0])
	var y [][]float64
	for at := 0; at < n; at += stride {
		row := make([]float64, filters)
		for tap := range w {
			from := at + tap - (k-1)/2
			if from < 0 || from >= n {
				continue
			}
			for c, v := range x[from] {
				for f := range row {
					row[f] += v * w[tap][c][f]
				}
			}
		}
		y = append(y, row)
	}
	return y
}

// Values and both gradients are the definition's for kernels of even and odd size, strides and lengths that they do not
// divide.
func TestConvolve(t *testing.T) {
	const channels, filters = 2, 3
	for _, c := range []struct{ n, k, stride int }{{7, 3, 1}, {7, 3, 2}, {8, 3, 2}, {9, 8, 1}, {9, 8, 2}, {10, 8, 2},
		{5, 4, 3}, {1, 8, 2}, {1, 1, 1}, {6, 1, 1}, {2, 5, 2}} {
		x, w := make([][]float64, c.n), make([][][]float64, c.k)
		flatX, flatW := valuestest.Named("x", c.n*channels), valuestest.Named("w", c.k*channels*filters)
		for i := range x {
			x[i] = flatX[i*channels : (i+1)*channels]
		}
		for i := range w {
			for j := range channels {
				at := (i*channels + j) * filters
				w[i] = append(w[i], flatW[at:at+filters])
			}
		}
		want := naiveConvolve(x, w, c.stride)
		v := valuestest.Named("v", len(want)*filters)
		product := func() (sum float64) { // what is differentiated; linear in x and in w
			for i, row := range naiveConvolve(x, w, c.stride) {
				for f, y := range row {
					sum += y * v[i*filters+f]
				}
			}
			return sum
		}
		slopes := func(values []float64) []float64 {
			d := make([]float64, len(values))
			for i, old := range values {
				values[i] = old + 1
				d[i] = product()
				values[i] = old
				d[i] -= product()
			}
			return d
		}
		dx, dw := slopes(flatX), slopes(flatW)
		backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
			e, err := NewExec(backend, func(x, w, v *Node) []*Node {
				y := convolve(x.DType(), x, w, c.stride)
				return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, v)), x, w)...)
			})
			require.NoError(t, err)
			out, err := e.Call(tensors.FromFlatDataAndDimensions(flatX, 1, c.n, channels),
				tensors.FromFlatDataAndDimensions(flatW, c.k, channels, filters),
				tensors.FromFlatDataAndDimensions(v, 1, len(want), filters))
			require.NoError(t, err, "%+v", c)
			for i, row := range out[0].Value().([][][]float64)[0] {
				assert.InDeltaSlice(t, want[i], row, 1e-12, "%+v", c)
			}
			assert.InDeltaSlice(t, dx, tensors.MustCopyFlatData[float64](out[1]), 1e-12, "%+v", c)
			assert.InDeltaSlice(t, dw, tensors.MustCopyFlatData[float64](out[2]), 1e-12, "%+v", c)
		})
	}
	_, err := NewExec(backendtest.Go(t), func(x *Node) *Node {
		return convolve(x.DType(), x, Ones(x.Graph(), x.Shape()),
			2)
	})
	require.NoError(t, err)
	_, err = MustNewExec(backendtest.Go(t), func(x *Node) *Node {
		return convolve(x.DType(), x, Reshape(x, 1, 1, 2),
			3)
	}).Call([][][]float64{{{1}, {2}}})
	messagetest.Names(t, err, "stride of 3 … kernel of size 1")
}
