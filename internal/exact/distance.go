package exact

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Squares of distances between these bounds have neither overflowed nor lost what counts to underflow.
const (
	leastSquare = 0x1p-900
	mostSquare  = 0x1p1000
)

// Distance is Euclidean, also where its square is beyond what a float64 holds, so that the unit of positions changes
// nothing.
func Distance(a, b []float64) float64 {
	square := squaredDistance(a, b)
	if leastSquare <= square && square <= mostSquare {
		return math.Sqrt(square)
	}
	_, unit := math.Frexp(floats.Distance(a, b, math.Inf(1))) // of the largest difference; powers of 2 round nothing
	square = 0
	for i, v := range a {
		difference := math.Ldexp(v-b[i], -unit)
		square += difference * difference
	}
	return math.Ldexp(math.Sqrt(square), unit)
}

func squaredDistance(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}
