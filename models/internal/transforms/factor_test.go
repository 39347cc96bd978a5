package transforms

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// A matrix of one tile, of two and of four with rows of the identity behind, solves equations as gonum does.
func TestTiled(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		const penalty = 0.5
		multiply, free, err := timesOn(backend)
		require.NoError(t, err)
		defer free()
		for _, n := range []int{1, 16, 17, 62} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			x := mat.NewDense(60, n, nil)
			x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
			m := newTiled(multiply, n, 16)
			require.NoError(t, m.addSquare(t.Context(), mat.DenseCopyOf(x.Slice(0, 30, 0, n))))
			require.NoError(t, m.addSquare(t.Context(), mat.DenseCopyOf(x.Slice(30, 60, 0, n))))
			require.NoError(t, m.factorise(t.Context(), penalty))
			// x·(xᵀ·x + p·I)⁻¹ = (x·xᵀ + p·I)⁻¹·x, and I - x·(xᵀ·x + p·I)⁻¹·xᵀ = p·(x·xᵀ + p·I)⁻¹
			small, inverse := new(mat.SymDense), new(mat.SymDense)
			small.SymOuterK(1, x)
			for i := range 60 {
				small.SetSym(i, i, small.At(i, i)+penalty)
			}
			factor := new(mat.Cholesky)
			require.True(t, factor.Factorize(small))
			require.NoError(t, factor.InverseTo(inverse))
			want := new(mat.Dense)
			want.Mul(inverse, x)
			found, err := m.solve(x)
			require.NoError(t, err)
			assert.True(t, mat.EqualApprox(want, found, 1e-9), fmt.Sprint(n))
			unexplained, err := m.unexplained(x)
			require.NoError(t, err)
			want = new(mat.Dense)
			want.Scale(penalty, inverse)
			assert.True(t, mat.EqualApprox(want, unexplained, 1e-9), fmt.Sprint(n))
		}
		m := newTiled(multiply, 40, 16)
		assert.ErrorIs(t, m.factorise(t.Context(), -1), errSingular)
	})
}
