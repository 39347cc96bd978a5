package grids

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The 3x4 image's windows, by hand: rows 0-2 and 2-3, columns 0-2 and 2-4.
func TestStochasticPool(t *testing.T) {
	const copies = 4096
	image := []float64{
		1, 2, 0, 0,
		0, 0, 3, 0,
		0, 0, 4, 6}
	means := []float64{(1 + 4 + 9 + 16) / 10.0, (9 + 16 + 36) / 13.0, 4, (16 + 36) / 10.0}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		pool := func(training bool, copies int) (out, gradient []float64) {
			store := model.NewStore()
			results, err := model.CallOnceN(backend, store, func(scope *model.Scope, g *Graph) []*Node {
				store.SetTraining(g, training)
				x := BroadcastToDims(Const(g, tensors.FromFlatDataAndDimensions(image, 1, 3, 4, 1)), copies, 3, 4, 1)
				y := stochasticPool(scope, x)
				return []*Node{y, ReduceSum(Gradient(ReduceAllSum(y), x)[0], 0), stochasticPool(scope.In("zeros"), ZerosLike(x))}
			})
			require.NoError(t, err)
			assert.Equal(t, []int{copies, 2, 2, 1}, results[0].Shape().Dimensions)
			assert.Equal(t, make([]float64, 4*copies), tensors.MustCopyFlatData[float64](results[2]),
				"a window of zeros gives 0")
			return tensors.MustCopyFlatData[float64](results[0]), tensors.MustCopyFlatData[float64](results[1])
		}
		out, _ := pool(false, 1)
		assert.InDeltaSlice(t, means, out, 1e-12)
		out, gradient := pool(true, copies)
		counts := make([]map[float64]float64, 4)
		for i, v := range out {
			if counts[i%4] == nil {
				counts[i%4] = map[float64]float64{}
			}
			counts[i%4][v]++
		}
		for window, chances := range []map[float64]float64{{1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4},
			{3: 3 / 13.0, 4: 4 / 13.0, 6: 6 / 13.0}, {4: 1}, {4: 0.4, 6: 0.6}} {
			require.Len(t, counts[window], len(chances), "window %d", window)
			for value, chance := range chances {
				assert.InDelta(t, chance, counts[window][value]/copies, 4*math.Sqrt(chance*(1-chance)/copies)+1e-12,
					"four standard deviations")
			}
		}
		// Each value's gradient is how often it was drawn.
		drawn := func(value float64) (n float64) {
			for _, window := range counts {
				n += window[value]
			}
			return n
		}
		assert.Equal(t, []float64{drawn(1), drawn(2), 0, 0, 0, 0, drawn(3), 0, 0, 0, drawn(4), drawn(6)}, gradient)
	})
}
