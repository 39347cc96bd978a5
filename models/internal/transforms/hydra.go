package transforms

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/models/onnx"
	"gonum.org/v1/gonum/stat"
)

const (
	rivals = 8 // kernels of a group
	taps   = 9
)

// hydra is the map of HYDRA (Dempster et al. 2023). The kernels of a group compete at each time point. The greatest
// response is added to its kernel's soft count, and the least adds 1 to its kernel's hard count. Half of the groups see
// the differences of successive time points.
type hydra struct {
	sums
	groups  int       // of a dilation
	steps   []int     // the dilations
	weights []float32 // `[dilations, groups, rivals, taps]`
}

// newHydra makes groups for recordings of this median length. Nothing is drawn yet.
func newHydra(h header) featureMap {
	m := &hydra{groups: h.Groups}
	for step := 1; (taps-1)*step < h.Length; step *= 2 {
		m.steps = append(m.steps, step)
	}
	m.weights = make([]float32, len(m.steps)*m.groups*rivals*taps)
	m.sums = newSums(h, len(m.steps)*m.groups)
	return m
}

func (m *hydra) width() int { return len(m.steps) * m.groups * rivals * 2 }

func (m *hydra) arrays() map[string][]float32 {
	return map[string][]float32{"taps": m.weights, "columns": m.columns}
}

// draw draws normal kernels of mean 0 whose magnitudes add up to 1, and each group's columns.
func (m *hydra) draw(_ context.Context, _ units, _ []Sample, seed uint64) error {
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
	m.sums.draw(rng)
	return nil
}

// features writes the roots of the counts by time point, `[dilations, groups, rivals, {soft, hard}]`.
func (m *hydra) features(w *work, out []float32) {
	for group := range len(m.steps) * m.groups {
		input := w.columns
		if group%m.groups >= m.groups/2 {
			input = w.steps
		}
		n := len(input[0])
		x := sized(w.sum, n)
		w.sum = x
		m.add(x, input, group)
		for k := range rivals {
			r := sized(w.responses[k], n)
			w.responses[k] = r
			for tap, weight := range m.weights[(group*rivals+k)*taps:][:taps] {
				shiftAdd(r, weight, x, (tap-taps/2)*m.steps[group/m.groups])
			}
		}
		counts := compete(&w.responses, n)
		for i, c := range counts {
			out[group*2*rivals+i] = float32(math.Sqrt(max(0, float64(c)) / float64(max(1, n))))
		}
	}
}

// compete returns the soft and the hard count of each kernel over n positions. Branches that depend on responses are
// mostly mispredicted. So it compares integers, whose lowest bits are the kernel, by arithmetic.
func compete(responses *[rivals][]float32, n int) (counts [2 * rivals]float32) {
	a, b, c, d := responses[0][:n], responses[1][:n], responses[2][:n], responses[3][:n]
	e, f, g, h := responses[4][:n], responses[5][:n], responses[6][:n], responses[7][:n]
	for p := range n {
		most, least := both(ordered(a[p], 0), ordered(b[p], 1))
		most1, least1 := both(ordered(c[p], 2), ordered(d[p], 3))
		most2, least2 := both(ordered(e[p], 4), ordered(f[p], 5))
		most3, least3 := both(ordered(g[p], 6), ordered(h[p], 7))
		winner := greater(greater(most, most1), greater(most2, most3)) & (rivals - 1)
		loser := lesser(lesser(least, least1), lesser(least2, least3)) & (rivals - 1)
		counts[2*winner] += responses[winner][p]
		counts[2*loser+1]++
	}
	return counts
}

// ordered returns an integer that is greater for a greater response, but for its three lowest bits, the kernel.
func ordered(response float32, kernel int64) int64 {
	x := int64(int32(math.Float32bits(response)))
	return (x^x>>63&math.MaxInt32)&^(rivals-1) | kernel
}

// both returns the greater and the lesser of two integers of 32 bits.
func both(a, b int64) (high, low int64) {
	less := (a - b) & ((a - b) >> 63)
	return a - less, b + less
}

func greater(a, b int64) int64 { high, _ := both(a, b); return high }

func lesser(a, b int64) int64 { _, low := both(a, b); return low }

func (m *hydra) export(g *onnx.Graph, x string) string {
	counts := []any{onnx.Axis(1)}
	for i, step := range m.steps {
		for half, input := range []string{x, g.Steps(x)} {
			from, to := i*m.groups+half*(m.groups/2), i*m.groups+m.groups/2
			if half == 1 {
				to = (i + 1) * m.groups
			}
			sum := m.sums.export(g, input, from, to)
			kernels := g.Constant(m.weights[from*rivals*taps:to*rivals*taps], to-from, rivals, taps)
			responses := g.Filter(sum, kernels, taps, step)
			each := g.Constant([]int64{0, 1, 2, 3, 4, 5, 6, 7}, rivals, 1)
			wins := g.Op("Equal", g.Op("ArgMax", responses, onnx.Axis(2), onnx.Attribute{Name: "select_last_index", Value: 1}), each)
			soft := g.Sum(g.Op("Where", wins, responses, float32(0)), 3)
			hard := g.Sum(g.To(onnx.Float, g.Op("Equal", g.Op("ArgMin", responses, onnx.Axis(2)), each)), 3)
			both := g.Op("Concat", g.Op("Unsqueeze", soft, []int{3}), g.Op("Unsqueeze", hard, []int{3}), onnx.Axis(3))
			n := g.To(onnx.Float, g.Op("Max", g.Count(sum), 1)) // a series of one time point has no differences
			counts = append(counts, g.Op("Flatten", g.Op("Div", g.Op("Max", both, float32(0)), n)))
		}
	}
	return g.Op("Sqrt", g.Op("Concat", counts...))
}
