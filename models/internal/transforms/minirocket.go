package transforms

import (
	"context"
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

// miniRocket is the map of MiniRocket (Dempster et al. 2021). A kernel adds some columns with signs, and weighs nine time points.
// Its features are, for each threshold, the share of the positions where its response is above.
type miniRocket struct {
	columns    int
	steps      []int // the dilations
	each       []int // thresholds of a kernel at each dilation
	signs      []float32
	thresholds []float32
	weights    []float32
}

// newMiniRocket makes about so many features for recordings of this median length. Nothing is drawn yet.
func newMiniRocket(h header) featureMap {
	steps, parts := dilationsOf(h.Length)
	m := &miniRocket{columns: h.Columns, steps: steps, weights: slotWeights()}
	total := 0
	for _, part := range parts {
		n := max(1, int(math.Round(part*float64(h.Features)/kernelCount)))
		m.each, total = append(m.each, n), total+n
	}
	m.signs = make([]float32, len(steps)*h.Columns*kernelCount)
	m.thresholds = make([]float32, total*kernelCount)
	return m
}

func (m *miniRocket) width() int { return len(m.thresholds) }

func (m *miniRocket) arrays() map[string][]float32 {
	return map[string][]float32{"signs": m.signs, "thresholds": m.thresholds}
}

// draw draws which columns each kernel adds at each dilation, and with which sign: -1, 0 or 1. Half of the kernels add no more columns
// than the square root of all. It takes thresholds from the response of each kernel to a sample of its own. The quantiles are the
// fractional parts of multiples of the golden ratio. The error is the context's.
func (m *miniRocket) draw(ctx context.Context, u units, samples []Sample, seed uint64) error {
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
	chosen, from := make([]int, len(m.steps)*kernelCount), []int{}
	at := 0
	for i := range chosen {
		chosen[i], from = rng.IntN(len(samples)), append(from, at)
		at += m.each[i/kernelCount]
	}
	return inParallel(ctx, len(chosen), func(w *work, i int) {
		u.read(w, samples[chosen[i]].Values)
		sorted := loop.Convert[float64](m.response(w, i/kernelCount, i%kernelCount))
		slices.Sort(sorted)
		for j := range m.each[i/kernelCount] {
			_, share := math.Modf(float64(from[i]+j+1) * math.Phi)
			m.thresholds[from[i]+j] = float32(threshold(sorted, share))
		}
	})
}

// response returns the response of a kernel at a dilation, `[timepoints]`. It holds until the next call.
func (m *miniRocket) response(w *work, dilation, kernel int) []float32 {
	w.sum, w.responses[0] = sized(w.sum, w.timepoints), sized(w.responses[0], w.timepoints)
	x := w.sum
	for c, column := range w.columns {
		if sign := m.signs[(dilation*m.columns+c)*kernelCount+kernel]; sign != 0 {
			shiftAdd(x, sign, column, 0)
		}
	}
	for slot := range slots {
		weight := m.weights[slot*kernelCount+kernel]
		shiftAdd(w.responses[0], weight, x, (slot-slots/2)*m.steps[dilation])
	}
	return w.responses[0]
}

// features counts over the recording's own positions. Every second kernel leaves out the positions that lack a slot, if
// there are others.
func (m *miniRocket) features(w *work, out []float32) {
	for i, q := range m.each {
		beyond := slots / 2 * m.steps[i]
		for k := range kernelCount {
			response := m.response(w, i, k)
			if (k+i)%2 == 1 && w.timepoints > 2*beyond {
				response = response[beyond : w.timepoints-beyond]
			}
			from := len(m.thresholds) - len(out)
			above(response, m.thresholds[from:from+q], out[:q])
			out = out[q:]
		}
	}
}

// above sets the share of the responses that are above each threshold. Four thresholds at a time, without branches, are
// faster than a search among sorted ones.
func above(responses, thresholds, shares []float32) {
	for len(thresholds) > 0 {
		t := [4]float32{}
		some := copy(t[:], thresholds)
		t0, t1, t2, t3 := t[0], t[1], t[2], t[3]
		n0, n1, n2, n3 := 0, 0, 0, 0
		for _, r := range responses {
			n0 += one(r > t0)
			n1 += one(r > t1)
			n2 += one(r > t2)
			n3 += one(r > t3)
		}
		for j, n := range [4]int{n0, n1, n2, n3} {
			if j < some {
				shares[j] = float32(n) / float32(len(responses))
			}
		}
		thresholds, shares = thresholds[some:], shares[some:]
	}
}

func one(yes bool) (n int) {
	if yes {
		n = 1
	}
	return n
}

// slotWeights returns the weight of each slot in each kernel, `[slots, kernels]`.
func slotWeights() []float32 {
	weights, k := slices.Repeat([]float32{-1}, slots*kernelCount), 0
	for a := range slots {
		for b := a + 1; b < slots; b++ {
			for c := b + 1; c < slots; c++ {
				weights[a*kernelCount+k], weights[b*kernelCount+k], weights[c*kernelCount+k] = 2, 2, 2
				k++
			}
		}
	}
	return weights
}

// dilationsOf returns the dilations of a series of so many frames, and the share of the thresholds that each has. They are
// MiniRocket's 32 dilations, many of them equal, spaced exponentially up to the length of the series.
func dilationsOf(frames int) (steps []int, shares []float64) {
	most := math.Log2(float64(max(1, frames-1)) / (slots - 1))
	const spaced = 32
	for i := range spaced {
		step := int(math.Pow(2, max(0, most)*float64(i)/(spaced-1)))
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps, shares = append(steps, step), append(shares, 0)
		}
		shares[len(shares)-1] += 1.0 / spaced
	}
	return steps, shares
}

// threshold returns a quantile of sorted responses. If the responses around it are equal but for rounding, it lies
// halfway to the next ones above: otherwise rounding, which differs between backends, would decide on which side of the
// threshold a response is. Pixels have few values, and many responses are equal.
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

func (m *miniRocket) export(g *onnx.Graph, x string) string {
	t, from, everywhere, shares := g.Length(x), 0, make([]bool, kernelCount), []any{onnx.Axis(1)}
	at := g.Until(t)
	kernels := g.Op("Unsqueeze", g.Op("Transpose", g.Constant(m.weights, slots, kernelCount)), []int{1})
	for i, q := range m.each {
		for k := range everywhere {
			everywhere[k] = (k+i)%2 == 0
		}
		signs := g.Op("Transpose", g.Constant(m.signs[i*m.columns*kernelCount:(i+1)*m.columns*kernelCount], m.columns, kernelCount))
		response := g.Filter(g.Op("MatMul", signs, x), kernels, slots, m.steps[i])
		beyond := float64(slots / 2 * m.steps[i])
		inside := g.Op("And", g.Op("GreaterOrEqual", at, beyond), g.Op("Less", at, g.Op("Sub", t, beyond)))
		all := g.Op("Or", g.Constant(everywhere, kernelCount, 1, 1), g.Op("LessOrEqual", t, 2*beyond))
		counted := g.Op("Or", inside, all) // `[kernels, 1, timepoints]`
		response = g.Op("Where", counted, response, float32(math.Inf(-1)))
		above := g.Op("Greater", response, g.Constant(m.thresholds[from:from+q*kernelCount], kernelCount, q, 1))
		share := g.Op("Div", g.Sum(g.To(onnx.Float, above), 3), g.Sum(g.To(onnx.Float, counted), 2))
		from, shares = from+q*kernelCount, append(shares, g.Op("Flatten", share))
	}
	return g.Op("Concat", shares...)
}
