package transforms

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// rightInTurn returns the shares of samples that the ridge classifiers and the forest predict right without them.
func rightInTurn(v *Classifier, samples []Sample) (ridge, forest float64) {
	for at, i := range v.HeldOut.Samples {
		r, label := v.HeldOut.Readings[at], int(samples[i].Label)
		ridge += float64(asInt(floats.MaxIdx(loop.Convert[float64](r.Ridge)) == label)) / float64(len(samples))
		forest += float64(asInt(floats.MaxIdx(r.Forest) == label)) / float64(len(samples))
	}
	return ridge, forest
}

// What members say of a sample in turn is said without its group: of families whose classes are by lot nothing is
// known, although each sample alone is told by its family.
func TestReadingsInTurn(t *testing.T) {
	samples := repeats(rand.New(rand.NewPCG(1, 2)), 40, 4)
	c := Config{Columns: 1, Classes: 2, Only: []string{"values", "shapelets", Forest}}
	assert.Empty(t, fitted(t, c, samples).HeldOut.Readings, "nobody asked")
	c.InTurn = true
	v := fitted(t, c, samples)
	require.Len(t, v.HeldOut.Readings, len(samples))
	ridge, forest := rightInTurn(v, samples)
	assert.Greater(t, ridge, 0.95)
	assert.Greater(t, forest, 0.8)
	for i := range samples {
		samples[i].Group = samples[i].Families[0]
	}
	ridge, forest = rightInTurn(fitted(t, c, samples), samples)
	assert.InDelta(t, 0.5, ridge, 0.2)
	assert.InDelta(t, 0.5, forest, 0.2)

	c.Only = []string{Forest}
	alone := fitted(t, c, samples)
	assert.Len(t, alone.HeldOut.Readings, len(samples))
	assert.Equal(t, []float32{0, 0}, alone.HeldOut.Readings[0].Ridge, "there is no ridge classifier")
}

// Of many samples no forest is grown to tell of them.
func TestReadingsInTurnOfManySamples(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(3, 4)), mostOutOfFold+1, 1, always(9))
	v := fitted(t, Config{Columns: 1, Classes: 2, Only: []string{"values", Forest}, InTurn: true}, samples)
	assert.Len(t, v.HeldOut.Readings, len(samples))
	assert.Nil(t, v.HeldOut.Readings[0].Forest)
}

// The shares of few votes have about as many unsure samples as those of very many, rather more than fewer.
func TestLessNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const samples, n = 4_000, 20
	var truth, own []float64
	votes, labels := make([][]float64, samples), make([]int32, samples)
	for i := range votes {
		truth = append(truth, 0.85+0.14*rng.Float64())
		labels[i] = int32(i % 3)
		votes[i] = make([]float64, 3)
		for range n {
			class := labels[i]
			if rng.Float64() > truth[i] {
				class = (class + 1 + int32(rng.IntN(2))) % 3
			}
			votes[i][class]++
		}
	}
	raw := make([]float64, samples)
	for i := range votes {
		raw[i] = votes[i][labels[i]] / n
	}
	lessNoise(votes, labels, n)
	for i, v := range votes {
		assert.InDelta(t, 1, floats.Sum(v), 1e-12)
		own = append(own, v[labels[i]])
	}
	for _, list := range [][]float64{truth, raw, own} {
		slices.Sort(list)
	}
	least := func(list []float64) float64 { return stat.Quantile(0.1, stat.Empirical, list, nil) }
	assert.Less(t, least(own), least(truth)+0.005, "not fewer")
	assert.Greater(t, least(own), least(truth)-0.03)
	assert.Less(t, least(raw), least(truth)-0.05, "as many more as there would be without")
}

// Where few trees err at all, shares differ nevertheless, as those of very many trees do: these are the votes of 20
// trees on the training samples of FreezerRegularTrain.
func TestLessNoiseOfSureVotes(t *testing.T) {
	var votes [][]float64
	for own, samples := range map[float64]int{20: 91, 19: 46, 18: 9, 17: 4} {
		for range samples {
			votes = append(votes, []float64{own, 20 - own})
		}
	}
	lessNoise(votes, make([]int32, len(votes)), 20)
	slices.SortFunc(votes, func(a, b []float64) int { return cmp.Compare(a[0], b[0]) })
	assert.Less(t, votes[len(votes)/11][0], 0.96)
	assert.Greater(t, votes[len(votes)-1][0], 0.97)
}

// The variance by chance of the double arcsine is about the same, but for chances that are next to certain. That of a
// single vote is worked out by hand: it is for the class by half, and its angle is asin(√½)/2 or (asin(√½) + π/2)/2.
func TestVarianceByChance(t *testing.T) {
	assert.InDelta(t, math.Pi*math.Pi/64, varianceByChance(1, 0.5), 1e-12)
	assert.InEpsilon(t, 1./82, varianceByChance(20, 0.7), 0.05)
	assert.Less(t, varianceByChance(20, 0.99), 0.5/82)
	assert.InDelta(t, varianceByChance(20, 0.9), varianceByChance(20, 0.1), 1e-12)
	assert.Zero(t, varianceByChance(20, 0))
	assert.Zero(t, varianceByChance(20, 1))
}

// Votes that are all equal say nothing of chance, and those for other classes keep their proportions.
func TestLessNoiseOfFewVotes(t *testing.T) {
	votes := [][]float64{{4, 0, 0}, {4, 0, 0}}
	lessNoise(votes, []int32{0, 0}, 4)
	assert.Equal(t, votes[0], votes[1])
	assert.Greater(t, votes[0][0], 0.9)
	assert.Equal(t, votes[0][1], votes[0][2])
	setShare(votes[0], 2, 1)
	assert.Equal(t, []float64{0, 0, 1}, votes[0])
	three := []float64{2, 6, 1}
	setShare(three, 0, 0.3)
	assert.InDeltaSlice(t, []float64{0.3, 0.6, 0.1}, three, 1e-12)
}
