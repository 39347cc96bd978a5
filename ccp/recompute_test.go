package ccp

import (
	"fmt"
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Gathering again, by blocks of clusters, gives the values and the gradients of keeping what was gathered: with fewer clusters than
// blocks, as many, and more that the blocks do not divide; with gates of zero, and with nodes that several blocks have or none. In
// bfloat16 XLA leaves out roundings where it fuses, which is not in the same places.
func TestFilterAnew(t *testing.T) {
	const batch, nodes, channels, size, filters = 3, 7, 2, 3, 4
	wave := func(g *Graph, speed float64, dims ...int) *Node {
		return Sin(MulScalar(IotaFull(g, shapes.Make(dtypes.Float32, dims...)), speed))
	}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, c := range []struct {
			dtype dtypes.DType
			k     int
		}{{dtypes.Float32, 1}, {dtypes.Float32, blocks}, {dtypes.Float32, 2*blocks + 3}, {dtypes.BFloat16, 3}} {
			dtype, k := c.dtype, c.k
			t.Run(fmt.Sprintf("%s, %d clusters", dtype, k), func(t *testing.T) {
				results := func(filter func(dtype dtypes.DType, signal, neighbourhood, gate, w *Node) *Node) (all [][]float32) {
					out, err := CallOnceN(backend, func(g *Graph) []*Node {
						signal, w := wave(g, 1.7, batch, nodes, channels), wave(g, 0.9, filters, size, channels)
						gate := MaxScalar(wave(g, 2.3, k, size), 0)
						at := ModScalar(MulScalar(IotaFull(g, shapes.Make(dtypes.Int32, k, size)), 5), nodes-1) // never the last
						x := filter(dtype, signal, at, gate, w)
						loss := ReduceAllSum(Mul(Square(x), wave(g, 0.31, batch, k, filters)))
						return append([]*Node{x}, Gradient(loss, signal, gate, w)...)
					})
					require.NoError(t, err)
					for _, o := range out {
						all = append(all, tensors.MustCopyFlatData[float32](o))
					}
					return all
				}
				within := 1e-6
				if dtype == dtypes.BFloat16 {
					within = 1.0 / 128
				}
				want, got := results(filterIn), results(filterAnew)
				for i := range want {
					require.Len(t, got[i], len(want[i]))
					largest := 0.0
					for _, v := range want[i] {
						largest = math.Max(largest, math.Abs(float64(v)))
					}
					require.Positive(t, largest)
					assert.InDeltaSlice(t, want[i], got[i], within*math.Max(1, largest), "result %d", i)
				}
			})
		}
	})
}
