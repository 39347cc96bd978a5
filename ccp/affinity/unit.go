package affinity

import (
	"math"
	"slices"
)

// relativeBits is how many binary digits of a weight Relative keeps. A weight in another unit differs from the one
// before in the last of its 53 digits.
const relativeBits = 40

// Relative returns A0, the matrix without its diagonal, in a unit of its own: each weight is divided by the heaviest,
// and rounded to 40 binary digits. So the same graph with weights in another unit gives the same bits, and whoever
// compares sums of them decides ties alike. A weight that is too small for this is the smallest that a float64 holds
// in full, so that no edge is lost.
//
// If weights differ from each other by rounding alone, as a mean of equal weights does, they stay as they are: such a
// graph has a unit already.
func (m *Matrix) Relative() *Matrix {
	a0 := m.WithoutLoops()
	if len(a0.data) == 0 {
		return a0
	}
	heaviest, lightest := slices.Max(a0.data), slices.Min(a0.data)
	if lightest < heaviest && rounded(lightest/heaviest) == 1 {
		return a0
	}
	return a0.offDiagonal(func(_, _ int, weight float64) float64 { return max(rounded(weight/heaviest), 0x1p-1022) })
}

// rounded returns x, which is not negative, to relativeBits binary digits.
func rounded(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	return math.Ldexp(math.RoundToEven(math.Ldexp(fraction, relativeBits)), exponent-relativeBits)
}
