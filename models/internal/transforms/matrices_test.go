package transforms

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Products by gonum, and on the backend in one block and in several, the last of which is not full.
func TestProducts(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, size := range [][2]int{{1, 1}, {3, 7}, {450, 700}, {350, blockSize + 100}} {
			rng, rows := rand.New(rand.NewPCG(1, 3)), make([][]float32, size[0])
			for i := range rows {
				for range size[1] {
					rows[i] = append(rows[i], float32(rng.NormFloat64()))
				}
			}
			found, err := products(t.Context(), backend, rows)
			require.NoError(t, err)
			require.Equal(t, size[0], found.SymmetricDim())
			for _, i := range []int{0, size[0] / 2, size[0] - 1} {
				for j, row := range rows {
					want := 0.0
					for at, x := range row {
						want += float64(x) * float64(rows[i][at])
					}
					assert.InDelta(t, want, found.At(i, j), 1e-8, fmt.Sprint(size, i, j))
				}
			}
		}
	})
}
