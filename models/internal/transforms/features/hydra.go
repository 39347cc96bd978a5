package features

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
	"gonum.org/v1/gonum/stat"
)

const (
	kernelsPerGroup = 8
	hydraTaps       = 9 // time points of a kernel
)

var hydraTransform = Transform{
	Name:          "hydra",
	Option:        "hydra",
	Lacks:         lacksTimepoints(hydraTaps),
	New:           newHydra,
	InCompact:     true,
	Prior:         3,
	Counts:        true,
	AlsoStretched: true,
}

// hydra is the map of HYDRA (Dempster et al. 2023). The kernels of a group compete at each time point. The greatest
// response is added to its kernel's soft count, and the least adds 1 to its kernel's hard count. The second half of
// the groups reads the differences of successive time points.
type hydra struct {
	columnSums
	groups    int // of a dilation
	dilations []int
	weights   []float32 // `[dilations, groups, kernelsPerGroup, hydraTaps]`
}

// newHydra makes groups for recordings of this median length. Nothing is drawn yet.
func newHydra(s Shape) Map {
	m := &hydra{groups: s.Groups}
	for dilation := 1; (hydraTaps-1)*dilation < s.Length; dilation *= 2 {
		m.dilations = append(m.dilations, dilation)
	}
	all := len(m.dilations) * m.groups
	m.weights = make([]float32, all*kernelsPerGroup*hydraTaps)
	m.columnSums = newColumnSums(s, all)
	return m
}

// Width implements Map.
func (m *hydra) Width() int { return len(m.dilations) * m.groups * kernelsPerGroup * 2 }

// Arrays implements DrawnMap.
func (m *hydra) Arrays() map[string][]float32 {
	return map[string][]float32{"taps": m.weights, "columns": m.drawn}
}

// CArguments implements MapInC.
func (m *hydra) CArguments(int) []any {
	return []any{
		len(m.dilations),
		CArray{"int32_t", "steps", loop.Convert[float32](m.dilations)},
		m.groups,
		m.summed,
		CArray{"int32_t", "columns", m.drawn},
		CArray{"float", "taps", m.weights},
	}
}

// Draw draws normal kernels of mean 0 whose magnitudes add up to 1, and each group's columns.
func (m *hydra) Draw(_ context.Context, _ Training, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0x6879647261))
	normal := make([]float64, hydraTaps)
	for kernel := range slices.Chunk(m.weights, hydraTaps) {
		for i := range normal {
			normal[i] = rng.NormFloat64()
		}
		mean, size := stat.Mean(normal, nil), 0.0
		for _, x := range normal {
			size += math.Abs(x - mean)
		}
		for i, x := range normal {
			kernel[i] = float32((x - mean) / size)
		}
	}
	m.draw(rng)
	return nil
}

// readsDifferences reports whether a group reads the differences of successive time points.
func (m *hydra) readsDifferences(group int) bool { return group%m.groups >= m.groups/2 }

// Features writes the square roots of the counts by time point, `[dilations, groups, kernelsPerGroup, {soft, hard}]`.
func (m *hydra) Features(r *Recording, out []float32) {
	for group := range len(m.dilations) * m.groups {
		input := r.Columns
		if m.readsDifferences(group) {
			input = r.differences
		}
		n, step := len(input[0]), m.dilations[group/m.groups]
		reach := hydraTaps / 2 * step
		r.sum = sized(r.sum, n+2*reach)
		m.add(r.sum[reach:][:n], input, group)
		for k := range kernelsPerGroup {
			r.responses[k] = sized(r.responses[k], n)
			filter(r.responses[k], r.sum, m.weights[(group*kernelsPerGroup+k)*hydraTaps:][:hydraTaps], step)
		}
		counts := compete(&r.responses, n)
		for i, c := range counts {
			out[group*2*kernelsPerGroup+i] = float32(math.Sqrt(max(0, float64(c)) / float64(max(1, n))))
		}
	}
}

// compete returns the soft and the hard count of each kernel over n positions. Branches that depend on responses are
// mostly mispredicted. So it compares integers, whose lowest bits are the kernel, by arithmetic.
func compete(responses *[kernelsPerGroup][]float32, n int) (counts [2 * kernelsPerGroup]float32) {
	counts, done := competeEights(responses, n)
	a, b, c, d := responses[0][:n], responses[1][:n], responses[2][:n], responses[3][:n]
	e, f, g, h := responses[4][:n], responses[5][:n], responses[6][:n], responses[7][:n]
	for p := done; p < n; p++ {
		high, low := sorted(ordered(a[p], 0), ordered(b[p], 1))
		high1, low1 := sorted(ordered(c[p], 2), ordered(d[p], 3))
		high2, low2 := sorted(ordered(e[p], 4), ordered(f[p], 5))
		high3, low3 := sorted(ordered(g[p], 6), ordered(h[p], 7))
		winner := greater(greater(high, high1), greater(high2, high3)) & (kernelsPerGroup - 1)
		loser := lesser(lesser(low, low1), lesser(low2, low3)) & (kernelsPerGroup - 1)
		counts[2*winner] += responses[winner][p]
		counts[2*loser+1]++
	}
	return counts
}

// ordered returns an integer that is greater for a greater response. Its three lowest bits, which hardly change the
// order, are the kernel.
func ordered(response float32, kernel int64) int64 {
	x := int64(int32(math.Float32bits(response)))
	return (x^x>>63&math.MaxInt32)&^(kernelsPerGroup-1) | kernel
}

// sorted returns the greater and the lesser of two integers of 32 bits.
func sorted(a, b int64) (high, low int64) {
	less := (a - b) & ((a - b) >> 63)
	return a - less, b + less
}

func greater(a, b int64) int64 { high, _ := sorted(a, b); return high }

func lesser(a, b int64) int64 { _, low := sorted(a, b); return low }

// Export implements Map. Each dilation has two halves of groups, which read the values and their differences.
func (m *hydra) Export(g *onnx.Graph, x string) string {
	counts := []any{onnx.Axis(1)}
	for i := range m.dilations {
		first, middle, end := i*m.groups, i*m.groups+m.groups/2, (i+1)*m.groups
		differences := g.Steps(x)
		counts = append(counts, m.exportGroups(g, x, first, middle), m.exportGroups(g, differences, middle, end))
	}
	return g.Op("Sqrt", g.Op("Concat", counts...))
}

// exportGroups adds nodes that compute the counts by time point of the groups from..to, which are of one dilation,
// from what they read.
func (m *hydra) exportGroups(g *onnx.Graph, input string, from, to int) string {
	sum := m.export(g, input, from, to)
	weights := m.weights[from*kernelsPerGroup*hydraTaps : to*kernelsPerGroup*hydraTaps]
	kernels := g.Constant(weights, to-from, kernelsPerGroup, hydraTaps)
	responses := g.Filter(sum, kernels, hydraTaps, m.dilations[from/m.groups])
	each := g.Constant(loop.Convert[int64](loop.Indices(kernelsPerGroup)), kernelsPerGroup, 1)
	// Of equal responses the last kernel wins and the first one loses, as the lowest bits decide in compete.
	last := onnx.Attribute{Name: "select_last_index", Value: 1}
	wins := g.Op("Equal", g.Op("ArgMax", responses, onnx.Axis(2), last), each)
	soft := g.Sum(g.Op("Where", wins, responses, float32(0)), 3)
	hard := g.Sum(g.To(onnx.Float, g.Op("Equal", g.Op("ArgMin", responses, onnx.Axis(2)), each)), 3)
	both := g.Op("Concat", g.Op("Unsqueeze", soft, []int{3}), g.Op("Unsqueeze", hard, []int{3}), onnx.Axis(3))
	n := g.To(onnx.Float, g.Op("Max", g.Count(sum), 1)) // a series of one time point has no differences
	return g.Op("Flatten", g.Op("Div", g.Op("Max", both, float32(0)), n))
}
