package transforms

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/models/internal/kernels"
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
func newMiniRocket(columns, length, features int) *miniRocket {
	steps, parts := kernels.Steps(length)
	m := &miniRocket{columns: columns, steps: steps, weights: kernels.SlotWeights()}
	total := 0
	for _, part := range parts {
		n := max(1, int(math.Round(part*float64(features)/kernels.Count)))
		m.each, total = append(m.each, n), total+n
	}
	m.signs = make([]float32, len(steps)*columns*kernels.Count)
	m.thresholds = make([]float32, total*kernels.Count)
	return m
}

func (m *miniRocket) width() int { return len(m.thresholds) }

func (m *miniRocket) arrays() map[string][]float32 {
	return map[string][]float32{"signs": m.signs, "thresholds": m.thresholds}
}

// draw draws the signs, and takes thresholds from the response of each kernel to a sample of its own. The quantiles are
// the fractional parts of multiples of the golden ratio. The error is the context's.
func (m *miniRocket) draw(ctx context.Context, u units, samples []Sample, seed uint64) error {
	copy(m.signs, slices.Concat(kernels.Signs(len(m.steps), m.columns, seed)...))
	rng := rand.New(rand.NewPCG(seed, 0x7175616e74))
	chosen, from := make([]int, len(m.steps)*kernels.Count), []int{}
	at := 0
	for i := range chosen {
		chosen[i], from = rng.IntN(len(samples)), append(from, at)
		at += m.each[i/kernels.Count]
	}
	return inParallel(ctx, len(chosen), func(w *work, i int) {
		u.read(w, samples[chosen[i]].Values)
		sorted := make([]float64, w.timepoints)
		for p, r := range m.response(w, i/kernels.Count, i%kernels.Count) {
			sorted[p] = float64(r)
		}
		slices.Sort(sorted)
		for j := range m.each[i/kernels.Count] {
			_, share := math.Modf(float64(from[i]+j+1) * math.Phi)
			m.thresholds[from[i]+j] = float32(kernels.Threshold(sorted, share))
		}
	})
}

// response returns the response of a kernel at a dilation, `[timepoints]`. It holds until the next call.
func (m *miniRocket) response(w *work, dilation, kernel int) []float32 {
	if w.sum = sized(w.sum, w.timepoints); len(w.responses) == 0 { // HYDRA's are of more kernels
		w.responses = make([][]float32, 1)
	}
	w.responses[0] = sized(w.responses[0], w.timepoints)
	x := w.sum
	for c, column := range w.columns {
		if sign := m.signs[(dilation*m.columns+c)*kernels.Count+kernel]; sign != 0 {
			shiftAdd(x, sign, column, 0)
		}
	}
	for slot := range kernels.Slots {
		weight := m.weights[slot*kernels.Count+kernel]
		shiftAdd(w.responses[0], weight, x, (slot-kernels.Slots/2)*m.steps[dilation])
	}
	return w.responses[0]
}

// features counts over the recording's own positions. Every second kernel leaves out the positions that lack a slot, if
// there are others.
func (m *miniRocket) features(w *work, out []float32) {
	for i, q := range m.each {
		beyond := kernels.Slots / 2 * m.steps[i]
		for k := range kernels.Count {
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
