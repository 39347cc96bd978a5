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

// gramOf is the Gram matrix of n draws of so many features, and a penalty on its diagonal.
func gramOf(n, features int, penalty float64) *mat.SymDense {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x, k := mat.NewDense(n, features, nil), new(mat.SymDense)
	x.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, x)
	k.SymOuterK(1, x)
	for i := range n {
		k.SetSym(i, i, k.At(i, i)+penalty)
	}
	return k
}

// Sizes that one decomposition inverts, that are halved once with a row of the identity behind, and that are halved
// twice.
func TestInvert(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		multiply, free, err := timesOn(backend)
		require.NoError(t, err)
		defer free()
		for _, n := range []int{1, 40, mostFactored + 1, 2*mostFactored + 2} {
			k := gramOf(n, 50, 0.5)
			inverse, err := invert(t.Context(), multiply, k)
			require.NoError(t, err)
			want, found := mat.NewVecDense(n, nil), new(mat.VecDense)
			for i := range n {
				want.SetVec(i, float64(i%7-3))
			}
			found.MulVec(k, want)
			found.MulVec(inverse, found)
			assert.InDeltaSlice(t, want.RawVector().Data, found.RawVector().Data, 1e-8, fmt.Sprint(n))
		}
		for _, n := range []int{40, mostFactored + 1} {
			_, err := invert(t.Context(), multiply, gramOf(n, 5, -1e-3))
			assert.ErrorIs(t, err, errSingular)
		}
	})
}

func BenchmarkInvert(b *testing.B) {
	multiply, free, err := timesOn(backendtest.XLA(b))
	require.NoError(b, err)
	defer free()
	for _, n := range []int{1_500, 3_600, 7_200} {
		k := gramOf(n, 50, 0.5)
		b.Run(fmt.Sprint("quarters/", n), func(b *testing.B) {
			for b.Loop() {
				_, err := invert(b.Context(), multiply, k)
				require.NoError(b, err)
			}
		})
		b.Run(fmt.Sprint("gonum/", n), func(b *testing.B) {
			for b.Loop() {
				factor, inverse := new(mat.Cholesky), new(mat.SymDense)
				require.True(b, factor.Factorize(k))
				require.NoError(b, factor.InverseTo(inverse))
			}
		})
	}
}
