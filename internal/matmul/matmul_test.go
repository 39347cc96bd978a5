package matmul

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

func drawn(rng *rand.Rand, rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	return m
}

// Products are gonum's, of sizes that fill tiles and blocks and of those that do not, of parts of matrices, and of
// transposed ones.
func TestAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, size := range [][3]int{{1, 1, 1}, {4, 256, 12}, {5, 3, 13}, {63, 257, 25}, {130, 300, 140}, {200, 600, 7}} {
		rows, k, columns := size[0], size[1], size[2]
		a := drawn(rng, rows+2, k+3).Slice(1, rows+1, 2, k+2).(*mat.Dense)
		b := drawn(rng, k+1, columns+5).Slice(1, k+1, 3, columns+3).(*mat.Dense)
		start := drawn(rng, rows, columns)
		want := new(mat.Dense)
		want.Mul(a, b)
		want.Scale(-2, want)
		want.Add(want, start)
		for name, factors := range map[string][2]mat.Matrix{
			"plain":      {a, b},
			"transposed": {mat.DenseCopyOf(a.T()).T(), mat.DenseCopyOf(b.T()).T()},
		} {
			c := mat.DenseCopyOf(start)
			Add(c, -2, factors[0], factors[1])
			assert.True(t, mat.EqualApprox(want, c, 1e-9), "%s %v", name, size)
		}
		square, found := new(mat.SymDense), mat.NewSymDense(rows, nil)
		square.SymOuterK(1, a)
		AddSquare(found, a)
		assert.True(t, mat.EqualApprox(square, found, 1e-9), "square %v", size)
	}
}

func BenchmarkAdd(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, n := range []int{50, 100, 200, 400, 1_000} {
		x, y, c := drawn(rng, n, n), drawn(rng, n, n), mat.NewDense(n, n, nil)
		b.Run(fmt.Sprint("here/", n), func(b *testing.B) {
			for b.Loop() {
				Add(c, 1, x, y)
			}
		})
		b.Run(fmt.Sprint("gonum/", n), func(b *testing.B) {
			for b.Loop() {
				c.Mul(x, y)
			}
		})
	}
}
