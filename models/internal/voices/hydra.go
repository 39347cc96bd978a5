package voices

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
)

const (
	rivals    = 8 // kernels of a group
	taps      = 9
	mostAdded = 8 // columns of a group
)

// competing is the map of HYDRA (Dempster et al. 2023). The kernels of a group compete at each moment. The greatest
// response is added to its kernel's soft count, and the least adds 1 to its kernel's hard count. Half of the groups see
// the differences of successive moments.
type competing struct {
	groups, added int
	steps         []int     // the dilations
	weights       []float32 // `[dilations, groups, rivals, taps]`
	columns       []int32   // `[dilations, groups, added]`
}

// newCompeting makes groups for recordings of this median length. Nothing is drawn yet.
func newCompeting(columns, length, groups int) *competing {
	m := &competing{groups: groups, added: max(1, min(columns/2, mostAdded))}
	for step := 1; (taps-1)*step < length; step *= 2 {
		m.steps = append(m.steps, step)
	}
	m.weights = make([]float32, len(m.steps)*groups*rivals*taps)
	m.columns = make([]int32, len(m.steps)*groups*m.added)
	return m
}

func (m *competing) width() int { return len(m.steps) * m.groups * rivals * 2 }

func (m *competing) arrays() []array {
	return []array{{path: "competing/taps", floats: m.weights}, {path: "competing/columns", integers: m.columns}}
}

// draw draws normal kernels of mean 0 whose magnitudes add up to 1, and each group's columns.
func (m *competing) draw(columns int, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x6879647261))
	one := make([]float64, taps)
	for kernel := range slices.Chunk(m.weights, taps) {
		for i := range one {
			one[i] = rng.NormFloat64()
		}
		mean, size := stat.Mean(one, nil), 0.0
		for _, x := range one {
			size += math.Abs(x - mean)
		}
		for i, x := range one {
			kernel[i] = float32((x - mean) / size)
		}
	}
	for group := range slices.Chunk(m.columns, m.added) {
		for i, c := range rng.Perm(columns)[:m.added] {
			group[i] = int32(c)
		}
	}
}

// features writes the roots of the counts by moment, `[dilations, groups, rivals, {soft, hard}]`.
func (m *competing) features(w *work, out []float32) {
	for len(w.responses) < rivals {
		w.responses = append(w.responses, nil)
	}
	for group := range len(m.steps) * m.groups {
		input := w.columns
		if group%m.groups >= m.groups/2 {
			input = w.steps
		}
		n := len(input[0])
		x := sized(w.sum, n)
		w.sum = x
		for _, c := range m.columns[group*m.added : (group+1)*m.added] {
			shiftAdd(x, 1, input[c], 0)
		}
		for k := range rivals {
			r := sized(w.responses[k], n)
			w.responses[k] = r
			for tap, weight := range m.weights[(group*rivals+k)*taps:][:taps] {
				shiftAdd(r, weight, x, (tap-taps/2)*m.steps[group/m.groups])
			}
		}
		counts := compete(w.responses[:rivals], n)
		for i, c := range counts {
			out[group*2*rivals+i] = float32(math.Sqrt(max(0, float64(c)) / float64(max(1, n))))
		}
	}
}

// compete returns the soft and the hard count of each kernel over n positions.
func compete(responses [][]float32, n int) (counts [2 * rivals]float32) {
	for p := range n {
		most, least := responses[0][p], responses[0][p]
		winner, loser := 0, 0
		for k := 1; k < rivals; k++ {
			switch r := responses[k][p]; {
			case r > most:
				most, winner = r, k
			case r < least:
				least, loser = r, k
			}
		}
		counts[2*winner] += most
		counts[2*loser+1]++
	}
	return counts
}
