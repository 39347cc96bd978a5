package training

import (
	"math"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/stretchr/testify/assert"
)

// The weight is that of the least loss with a prior around equal parts, which many units outweigh and few do not. The
// members give the right class the probability first, and the one more member gives it the probability second.
func TestBestWeight(t *testing.T) {
	for _, c := range []struct {
		why           string
		samples, unit int // samples, and samples of a unit
		members       int
		first, second float64
		want          float64
	}{
		{"the same is told of both", 8, 1, 1, 0.9, 0.9, 0.5},
		{"of three members each has about a third", 8, 1, 2, 0.9, 0.9, 0.7},
		{"38 samples tell a little", 38, 1, 2, 0.85, 0.98, 0.5},
		{"1,000 tell more", 1000, 1, 2, 0.85, 0.98, 0.1},
		{"and less if they are of ten people", 1000, 100, 2, 0.85, 0.98, 0.6},
		{"the network makes it worse by more than a nat", 100, 1, 1, 0.9, 0.1, 1},
		{"only this weight makes it worse by less", 8, 1, 1, 0.9, 0.1, 0.9},
	} {
		t.Run(c.why, func(t *testing.T) {
			judge := func(weight float64) figures {
				loss := -float64(c.samples) * math.Log(weight*c.first+(1-weight)*c.second)
				return figures{loss: loss, unitLoss: loss / float64(c.unit)}
			}
			assert.Equal(t, c.want, bestWeight(judge(1), c.members, judge))
		})
	}
}

// binary holds out samples of two classes in turn. Each member gives the right class its probability; 0: there is no
// such member.
func binary(samples int, ridge, forest, network float64) heldOut {
	h := heldOut{shares: []float64{0.5, 0.5}}
	for i := range samples {
		label := int32(i % 2)
		of := func(right float64) []float64 {
			p := []float64{right, 1 - right}
			if label == 1 {
				slices.Reverse(p)
			}
			return p
		}
		logits := []float32{0, 0}
		if ridge > 0 {
			logits[label] = float32(math.Log(ridge / (1 - ridge)))
		}
		reading := transforms.Reading{Ridge: logits}
		if forest > 0 {
			reading.Forest = of(forest)
		}
		if network > 0 {
			h.network = append(h.network, of(network))
		}
		h.labels, h.units, h.readings = append(h.labels, label), append(h.units, i), append(h.readings, reading)
	}
	return h
}

var plain = transforms.Mixture{Weight: 1, Temperature: 1, ForestTemperature: 1, NetworkTemperature: 1}

// The figures are sums over samples and over units, and the accuracy is that of the most probable class.
func TestJudge(t *testing.T) {
	h := binary(4, 0.8, 0, 0)
	h.units = []int{0, 0, 0, 1}
	h.labels[3] = 0 // which is predicted as class 1
	got := h.judge(t.Context(), plain)
	right, wrong := -math.Log(0.8), -math.Log(0.2)
	assert.InDelta(t, 3*right+wrong, got.loss, 1e-6)
	assert.InDelta(t, right+wrong, got.unitLoss, 1e-6, "each unit counts with its mean")
	assert.InDelta(t, (2./3+1)/2, got.accuracy, 1e-6, "two of three samples of one class, and the one of the other")

	h = binary(2, 0.8, 0, 0.6)
	half := plain
	half.Weight = 0.5
	assert.InDelta(t, -2*math.Log(0.7), h.judge(t.Context(), half).loss, 1e-6)
	h.network = nil
	assert.InDelta(t, -2*math.Log(0.8), h.judge(t.Context(), half).loss, 1e-6,
		"without a network its weight has no effect")
}

// Temperatures and the weight of the forest follow from the held-out predictions, whatever they were before.
func TestWeighTransforms(t *testing.T) {
	for _, c := range []struct {
		why                 string
		ridge, forest       float64
		hasRidge, hasForest bool
		forestWeight        float64
	}{
		{"the ridge classifier alone", 0.8, 0, true, false, 0},
		{"the forest alone", 0, 0.8, false, true, 1},
		{"as good as each other, but the forest may become surer", 0.8, 0.8, true, true, 0.6},
		{"the forest knows nothing", 0.8, 0.5, true, true, 0},
		{"the ridge classifier knows nothing", 0.5, 0.8, true, true, 0.9},
	} {
		t.Run(c.why, func(t *testing.T) {
			h := binary(200, c.ridge, c.forest, 0)
			before := plain
			before.ForestWeight = 0.3
			m, ridge, forest := h.weighTransforms(t.Context(), before, c.hasRidge, c.hasForest)
			assert.InDelta(t, c.forestWeight, m.ForestWeight, 1e-9)
			assert.Equal(t, c.hasRidge, ridge != figures{})
			assert.Equal(t, c.hasForest, forest != figures{})
			assert.Equal(t, c.ridge > 0.5, m.Temperature < 1, "all predictions are right, so that they could be surer")
			assert.Equal(t, c.forest > 0.5, m.ForestTemperature < 1)
			assert.Equal(t, 1., m.NetworkTemperature)
			assert.Equal(t, 0.3, before.ForestWeight)
		})
	}
}

// The network has a weight if it beats the majority-class baseline, all weight if the transforms do not, and else
// what is best.
func TestBesideNetwork(t *testing.T) {
	for _, c := range []struct {
		why                    string
		ridge, forest, network float64
		forestWeight           float64
		want                   float64
	}{
		{"a network that knows nothing", 0.8, 0, 0.5, 0, 1},
		{"transforms that know nothing", 0.5, 0, 0.8, 0, 0},
		{"neither knows anything", 0.5, 0, 0.5, 0, 1},
		{"as good as each other, so that a mean gains nothing", 0.8, 0, 0.8, 0, 1},
		{"a little better", 0.8, 0, 0.801, 0, 0.5},
		{"two members and a network", 0.8, 0.8, 0.801, 0.5, 0.7},
		{"a forest without weight is no member", 0.8, 0.8, 0.801, 0, 0.5},
		{"the network is better", 0.7, 0, 0.9, 0, 0.1},
	} {
		t.Run(c.why, func(t *testing.T) {
			h := binary(200, c.ridge, c.forest, c.network)
			m := plain
			m.ForestWeight = c.forestWeight
			alone := h.judge(t.Context(), transforms.Mixture{Temperature: 1, ForestTemperature: 1,
				NetworkTemperature: 1})
			assert.Equal(t, c.want, h.besideNetwork(t.Context(), m, h.judge(t.Context(), m), alone))
		})
	}
}

// A forest that is worse than the frequencies of the classes has no weight, even where so few units are held out that
// they count for little beside the prior.
func TestForestThatLearnedNothing(t *testing.T) {
	for forest, want := range map[float64]bool{0.45: false, 0.6: true} {
		h := binary(24, 0.8, forest, 0)
		for i := range h.units {
			h.units[i] = i / 12
		}
		m, _, _ := h.weighTransforms(t.Context(), plain, true, true)
		assert.Equal(t, want, m.ForestWeight > 0, forest)
	}
}

// The majority-class baseline predicts the shares of all training samples, whatever classes the few held-out ones have.
func TestBaseline(t *testing.T) {
	h := heldOut{labels: []int32{0, 1}, shares: []float64{0.25, 0.25, 0.5}}
	assert.InDelta(t, math.Log(4), h.baseline(), 1e-8)
}

// Where units are families, a network that is as good as the transforms has no weight, and a better one has.
func TestBesideNetworkOfFamilies(t *testing.T) {
	for _, c := range []struct{ ridge, network, want float64 }{{0.8, 0.8, 1}, {0.7, 0.9, 0.1}} {
		h := binary(200, c.ridge, 0, c.network)
		h.families = true
		_, alone := h.networkAlone(t.Context(), plain)
		assert.Equal(t, c.want, h.besideNetwork(t.Context(), plain, h.judge(t.Context(), plain), alone))
	}
}

// The network is judged alone, at a temperature of its own.
func TestNetworkAlone(t *testing.T) {
	h := binary(200, 0.6, 0, 0.8)
	m, f := h.networkAlone(t.Context(), plain)
	assert.Zero(t, m.Weight)
	assert.Less(t, m.NetworkTemperature, 1., "all predictions are right, so that they could be surer")
	assert.Equal(t, f, h.judge(t.Context(), m))
	assert.Less(t, f.loss, h.judge(t.Context(), plain).loss)
}

// Where samples and classes are very many, those that are judged are spread evenly, and keep their units.
func TestThinned(t *testing.T) {
	h := binary(3000, 0.8, 0, 0.6)
	assert.Equal(t, h, h.thinned(), "of two classes that is not very many")
	for i := range h.units {
		h.units[i] = i / 3
	}
	h.shares = make([]float64, mostJudged/1500)
	few := h.thinned()
	assert.Len(t, few.labels, 1500)
	assert.Len(t, few.network, 1500)
	assert.Equal(t, []int{0, 0, 1, 2, 2, 3}, few.units[:6], "samples 0, 2, 4, 6, 8 and 10, numbered anew")
	assert.Equal(t, h.readings[2], few.readings[1])
	assert.Equal(t, 1000, few.unitCount())
}
