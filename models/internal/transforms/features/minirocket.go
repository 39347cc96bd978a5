package features

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	slots       = 9  // time points of a kernel
	kernelCount = 84 // the ways to choose the three slots that weigh 2
)

var miniRocketTransform = Transform{
	Name:          "minirocket",
	Option:        "minirocket",
	Lacks:         lacksTimepoints(slots),
	New:           newMiniRocket,
	InCompact:     true,
	Prior:         3,
	AlsoStretched: true,
}

// miniRocket is the map of MiniRocket (Dempster et al. 2021). A kernel adds some columns with signs, and weighs nine
// time points. Its features are, for each threshold, the share of the positions where its response is above.
type miniRocket struct {
	columns    int
	dilations  []int
	perKernel  []int     // thresholds of a kernel at each dilation
	signs      []float32 // -1, 0 or 1, `[dilations, columns, kernels]`
	thresholds []float32 // `[dilations, kernels, perKernel]`
	weights    []float32 // see slotWeights
}

// lacksTimepoints returns a function of what samples lack for kernels of so many time points.
func lacksTimepoints(least int) func(s Shape) string {
	return func(s Shape) string {
		lacks := LacksSeries(s)
		if lacks != "" || s.Length >= least {
			return lacks
		}
		return fmt.Sprintf("%d time points, and the median recording has %d", least, s.Length)
	}
}

// newMiniRocket makes about as many features as the shape asks for. Nothing is drawn yet.
func newMiniRocket(s Shape) Map {
	dilations, shares := dilationsOf(s.Length)
	m := &miniRocket{columns: s.Columns, dilations: dilations, weights: slotWeights()}
	total := 0
	for _, share := range shares {
		n := max(1, int(math.Round(share*float64(s.Features)/kernelCount)))
		m.perKernel = append(m.perKernel, n)
		total += n
	}
	m.signs = make([]float32, len(dilations)*s.Columns*kernelCount)
	m.thresholds = make([]float32, total*kernelCount)
	return m
}

// Width implements Map.
func (m *miniRocket) Width() int { return len(m.thresholds) }

// Arrays implements DrawnMap.
func (m *miniRocket) Arrays() map[string][]float32 {
	return map[string][]float32{"signs": m.signs, "thresholds": m.thresholds}
}

// Check finds nothing wrong: any number can be a sign or a threshold.
func (m *miniRocket) Check() (array string, err error) { return "", nil }

// CArguments implements MapInC.
func (m *miniRocket) CArguments(int) []any {
	return []any{
		len(m.dilations),
		CArray{"int32_t", "steps", loop.Convert[float32](m.dilations)},
		CArray{"int32_t", "each", loop.Convert[float32](m.perKernel)},
		CArray{"int8_t", "signs", m.signs},
		CArray{"float", "thresholds", m.thresholds},
	}
}

// Draw draws which columns each kernel adds at each dilation, and with which sign. Half of the kernels add no more
// columns than the square root of all. It takes thresholds from the response of each kernel to a sample of its own.
// The quantiles are the fractional parts of multiples of the golden ratio.
func (m *miniRocket) Draw(ctx context.Context, t Training, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0x6b65726e656c73))
	for signs := range slices.Chunk(m.signs, m.columns*kernelCount) {
		for k := range kernelCount {
			n := int(math.Pow(2, rng.Float64()*math.Log2(float64(m.columns+1))))
			for _, c := range rng.Perm(m.columns)[:n] {
				signs[c*kernelCount+k] = float32(1 - 2*rng.IntN(2))
			}
		}
	}
	rng = rand.New(rand.NewPCG(seed, 0x7175616e74))
	all := len(m.dilations) * kernelCount
	samples, first := make([]int, all), make([]int, all) // the sample and the first threshold of each kernel
	thresholds := 0
	for i := range all {
		samples[i], first[i] = rng.IntN(len(t.Values)), thresholds
		thresholds += m.perKernel[i/kernelCount]
	}
	return inParallel(ctx, all, func(r *Recording, i int) {
		t.Scaling.Read(r, t.Values[samples[i]])
		sorted := loop.Convert[float64](m.response(r, i/kernelCount, i%kernelCount))
		slices.Sort(sorted)
		for j := range m.perKernel[i/kernelCount] {
			_, share := math.Modf(float64(first[i]+j+1) * math.Phi)
			m.thresholds[first[i]+j] = float32(threshold(sorted, share))
		}
	})
}

// response returns the response of a kernel at a dilation, `[timepoints]`. It holds until the next call.
func (m *miniRocket) response(r *Recording, dilation, kernel int) []float32 {
	reach := slots / 2 * m.dilations[dilation]
	r.sum = sized(r.sum, r.Timepoints+2*reach)
	r.responses[0] = sized(r.responses[0], r.Timepoints)
	sum := r.sum[reach:][:r.Timepoints]
	for c, column := range r.Columns {
		sign := m.signs[(dilation*m.columns+c)*kernelCount+kernel]
		if sign != 0 {
			shiftAdd(sum, sign, column, 0)
		}
	}
	var weights [slots]float32
	for slot := range weights {
		weights[slot] = m.weights[slot*kernelCount+kernel]
	}
	filter(r.responses[0], r.sum, weights[:], m.dilations[dilation])
	return r.responses[0]
}

// leavesOutEnds reports whether a kernel counts only positions that have all its slots inside the recording.
func leavesOutEnds(dilation, kernel int) bool { return (kernel+dilation)%2 == 1 }

// Features counts over the recording's own positions. Kernels that leave out its ends take all positions of a
// recording that is too short to have others.
func (m *miniRocket) Features(r *Recording, out []float32) {
	thresholds := m.thresholds
	for i, n := range m.perKernel {
		reach := slots / 2 * m.dilations[i]
		for k := range kernelCount {
			response := m.response(r, i, k)
			if leavesOutEnds(i, k) && r.Timepoints > 2*reach {
				response = response[reach : r.Timepoints-reach]
			}
			sharesAbove(response, thresholds[:n], out[:n])
			thresholds, out = thresholds[n:], out[n:]
		}
	}
}

// sharesAbove writes the share of the responses that are above each threshold.
func sharesAbove(responses, thresholds, shares []float32) {
	for len(thresholds) > 0 {
		t := [4]float32{}
		compared := copy(t[:], thresholds)
		counts := countAbove(responses, t)
		for j := range compared {
			shares[j] = float32(counts[j]) / float32(len(responses))
		}
		thresholds, shares = thresholds[compared:], shares[compared:]
	}
}

// slotWeights returns the weight of each slot in each kernel, `[slots, kernels]`: 2 for three of the nine slots, and
// -1 for the others.
func slotWeights() []float32 {
	weights, k := slices.Repeat([]float32{-1}, slots*kernelCount), 0
	for a := range slots {
		for b := a + 1; b < slots; b++ {
			for c := b + 1; c < slots; c++ {
				for _, slot := range []int{a, b, c} {
					weights[slot*kernelCount+k] = 2
				}
				k++
			}
		}
	}
	return weights
}

// dilationsOf returns the dilations of a series of so many time points, and the share of the thresholds that each
// has. They are MiniRocket's 32 dilations, many of them equal, spaced exponentially up to the length of the series.
func dilationsOf(timepoints int) (dilations []int, shares []float64) {
	const spaced = 32
	exponent := math.Log2(float64(max(1, timepoints-1)) / (slots - 1)) // of the greatest dilation
	for i := range spaced {
		dilation := int(math.Pow(2, max(0, exponent)*float64(i)/(spaced-1)))
		if len(dilations) == 0 || dilations[len(dilations)-1] != dilation {
			dilations, shares = append(dilations, dilation), append(shares, 0)
		}
		shares[len(shares)-1] += 1.0 / spaced
	}
	return dilations, shares
}

// threshold returns a quantile of sorted responses. If the responses around it are equal but for rounding, it lies
// halfway to the next ones above: otherwise rounding, which differs between backends, would decide on which side of the
// threshold a response is. Recordings of few different values, such as pixels, have many equal responses.
func threshold(sorted []float64, share float64) float64 {
	last := len(sorted) - 1
	low, part := math.Modf(share * float64(last))
	from, to := sorted[int(low)], sorted[min(int(low)+1, last)]
	near := 1e-5 * (sorted[last] - sorted[0])
	if to-from > near {
		return from + part*(to-from)
	}
	above, _ := slices.BinarySearch(sorted, to+near)
	if above > last {
		return to + near
	}
	return (to + sorted[above]) / 2
}

// Export implements Map. Positions that a kernel leaves out have the response -∞, which is above no threshold.
func (m *miniRocket) Export(g *onnx.Graph, x string) string {
	t, from, shares := g.Length(x), 0, []any{onnx.Axis(1)}
	at := g.Until(t)
	kernels := g.Op("Unsqueeze", g.Op("Transpose", g.Constant(m.weights, slots, kernelCount)), []int{1})
	for i, n := range m.perKernel {
		everywhere := make([]bool, kernelCount)
		for k := range everywhere {
			everywhere[k] = !leavesOutEnds(i, k)
		}
		size := m.columns * kernelCount
		signs := g.Op("Transpose", g.Constant(m.signs[i*size:(i+1)*size], m.columns, kernelCount))
		response := g.Filter(g.Op("MatMul", signs, x), kernels, slots, m.dilations[i])
		reach := float64(slots / 2 * m.dilations[i])
		inside := g.Op("And", g.Op("GreaterOrEqual", at, reach), g.Op("Less", at, g.Op("Sub", t, reach)))
		all := g.Op("Or", g.Constant(everywhere, kernelCount, 1, 1), g.Op("LessOrEqual", t, 2*reach))
		counted := g.Op("Or", inside, all) // `[kernels, 1, timepoints]`
		response = g.Op("Where", counted, response, float32(math.Inf(-1)))
		above := g.Op("Greater", response, g.Constant(m.thresholds[from:from+n*kernelCount], kernelCount, n, 1))
		share := g.Op("Div", g.Sum(g.To(onnx.Float, above), 3), g.Sum(g.To(onnx.Float, counted), 2))
		shares = append(shares, g.Op("Flatten", share))
		from += n * kernelCount
	}
	return g.Op("Concat", shares...)
}
