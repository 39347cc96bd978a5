package exact

import "math"

// Squared differences of coordinates of these sizes, 0 aside, neither overflow nor vanish: two unequal ones of at
// least 2^-400 differ by at least 2^-452, whose square is far above the least float64. One that must be scaled gets
// the size greatest, so that what is small beside it has most room.
const (
	least    = 0x1p-400
	greatest = 0x1p480
)

// Squarable returns points whose squared distances are those of the given ones in another unit, so that their
// neighbours and weights are the same, and neither overflow nor vanish. The unit is a power of 2, which rounds
// nothing. Points of usual sizes are returned as they are.
func Squarable(points []float64) []float64 {
	largest, smallest := 0.0, math.Inf(1)
	for _, v := range points {
		size := math.Abs(v)
		largest = max(largest, size)
		if size > 0 {
			smallest = min(smallest, size)
		}
	}
	if largest == 0 || smallest >= least && largest <= greatest {
		return points
	}
	_, from := math.Frexp(largest)
	_, to := math.Frexp(greatest)
	scaled := make([]float64, len(points))
	for at, v := range points {
		scaled[at] = math.Ldexp(v, to-from)
	}
	return scaled
}
