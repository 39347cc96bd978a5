package place

import "github.com/clusterpool/ccp/ccp/affinity"

const (
	leastAxes = 2
	mostAxes  = 6
	worthIt   = 0.75 // a further axis leaves less than this share of the edges' error
)

// Embed places the nodes of a graph like Positions. It takes as many axes, from 2 to 6, as bring the edges nearer to
// a length of one hop. A flat graph stays flat: a further axis folds it, and lengths get worse. Sensors that are all
// linked need more axes.
func Embed(m *affinity.Matrix) [][]float64 {
	best := Positions(m, leastAxes)
	least := lengthError(m, best)
	for axes := leastAxes + 1; axes <= mostAxes; axes++ {
		positions := Positions(m, axes)
		wrong := lengthError(m, positions)
		if wrong >= worthIt*least {
			break
		}
		best, least = positions, wrong
	}
	return best
}

// lengthError sums the squared differences of the edges' lengths from 1.
func lengthError(m *affinity.Matrix, positions [][]float64) (sum float64) {
	for i, from := range positions {
		neighbours, _ := m.Row(i)
		for _, j := range neighbours {
			if int(j) > i {
				d := distance(from, positions[j]) - 1
				sum += d * d
			}
		}
	}
	return sum
}
