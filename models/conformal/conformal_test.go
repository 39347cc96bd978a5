package conformal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The p-values are those of crepes 0.9.1 without smoothing, and the sets those of MAPIE 1.6.0's lac, of 19 held-out
// samples with ties. All values are in 64ths, so that no rounding decides.
func TestAsOthers(t *testing.T) {
	labels := []int32{2, 2, 2, 0, 1, 1, 2, 1, 0, 0, 2, 0, 2, 2, 0, 2, 1, 0, 2}
	var scores []float64
	for _, s := range []float64{46, 17, 46, 11, 18, 5, 32, 31, 10, 30, 8, 6, 32, 19, 30, 39, 56, 45, 33} {
		scores = append(scores, s/64)
	}
	c := New(scores, labels, 3)
	assert.Equal(t, []int{6, 4, 9}, c.PerClass)
	assert.Equal(t, 46./64, scores[0], "the scores stay as they were given")
	for _, sample := range []struct {
		probabilities, pValues [3]float64 // in 64ths, in 20ths
		half, most             []int      // classes at a coverage of 0.5, and at 0.8 and 0.9
	}{
		{[3]float64{6, 37, 21}, [3]float64{1, 12, 5}, []int{1}, []int{1, 2}},
		{[3]float64{14, 42, 8}, [3]float64{2, 12, 2}, []int{1}, []int{1}},
		{[3]float64{17, 22, 25}, [3]float64{2, 5, 6}, nil, []int{1, 2}},
		{[3]float64{29, 11, 24}, [3]float64{6, 2, 5}, nil, []int{0, 2}},
		{[3]float64{8, 27, 29}, [3]float64{2, 6, 6}, nil, []int{1, 2}},
		{[3]float64{40, 11, 13}, [3]float64{12, 2, 2}, []int{0}, []int{0}},
	} {
		var probabilities, want []float64
		for k := range 3 {
			probabilities, want = append(probabilities, sample.probabilities[k]/64), append(want, sample.pValues[k]/20)
		}
		p := c.PValues(probabilities)
		assert.InDeltaSlice(t, want, p, 1e-12)
		assert.Equal(t, sample.half, c.Set(p, 0.5))
		assert.Equal(t, sample.most, c.Set(p, 0.8))
		assert.Equal(t, sample.most, c.Set(p, 0.9))
	}
	require.NoError(t, c.Allows(0.95), "19 of 20")
	messagetest.Names(t, c.Allows(0.951).Error(), "0.951 … 20 held-out samples … 19 … 19/20 = 0.95")
	messagetest.EachNames(t, c.Remarks([]string{"a", "b", "c"}), "3 of the 19 … score of another … more or less often")
}

// A set holds the classes whose score is at most the ceil((n+1)c)-th of the held-out ones, for any n and c.
func TestSetIsAQuantile(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 60; n++ {
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = draw.Float64()
		}
		c := New(scores, make([]int32, n), 1)
		for percent := 1; percent < 100; percent++ {
			coverage, rank := float64(percent)/100, ((n+1)*percent+99)/100
			if rank > n {
				require.Error(t, c.Allows(coverage), "%d %d", n, percent)
				continue
			}
			require.NoError(t, c.Allows(coverage), "%d %d", n, percent)
			at := c.Scores[rank-1]
			assert.Len(t, c.Set(c.PValues([]float64{1 - at}), coverage), 1, "%d %d", n, percent)
			assert.Empty(t, c.Set(c.PValues([]float64{1 - at - 1e-6}), coverage), "%d %d", n, percent)
		}
	}
}

// Whatever is drawn, sets of drawn scores hold a drawn score as often as asked.
func TestCoverage(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	held := 0
	const trials = 20_000
	for range trials {
		scores := make([]float64, 39)
		for i := range scores {
			scores[i] = draw.Float64()
		}
		c := New(scores, make([]int32, 39), 1)
		held += len(c.Set(c.PValues([]float64{1 - draw.Float64()}), 0.9))
	}
	assert.InDelta(t, 0.9, float64(held)/trials, 0.01)
}

// A sample like held-out ones has their score, whatever the order in which its probability was added up.
func TestEqualButForRounding(t *testing.T) {
	const score = 0.0049019607399
	c := New([]float64{score, score, score, 0.2}, []int32{0, 0, 1, 1}, 2)
	assert.InDeltaSlice(t, []float64{1, 0.2}, c.PValues([]float64{1 - score - 2e-12, score}), 1e-12)
	assert.InDeltaSlice(t, []float64{0.4, 0.2}, c.PValues([]float64{1 - score - 1e-6, score}), 1e-12)
	assert.NotEmpty(t, c.Remarks([]string{"a", "b"}))
}

// A class without held-out samples has no p-value, is in no set and is named. Without any, there is no predictor.
func TestOfFewSamples(t *testing.T) {
	c := New([]float64{0.2, 0.1}, []int32{0, 2}, 3)
	p := c.PValues([]float64{0.05, 0.85, 0.8})
	assert.Equal(t, 1./3, p[0])
	assert.True(t, math.IsNaN(p[1]))
	assert.Equal(t, 2./3, p[2], "a score as great as a held-out one counts it")
	assert.Equal(t, []int{2}, c.Set(p, 0.5))
	messagetest.EachNames(t, c.Remarks([]string{"a", "b", "c"}), "no sample of b … train with more")
	assert.Nil(t, New(nil, nil, 3))
	messagetest.Names(t, (*Predictor)(nil).Allows(0.9).Error(), "no scores … earlier version … train anew")
	many := make([]float64, 15_000)
	assert.Len(t, New(many, make([]int32, len(many)), 1).Scores, 5000)
}

// A checkpoint whose scores no training wrote is refused.
func TestOfADamagedCheckpoint(t *testing.T) {
	for _, c := range []*Predictor{{PerClass: []int{1, 1}}, {Scores: []float64{0.1}, PerClass: []int{1}},
		{Scores: []float64{0.2, 0.1}, PerClass: []int{1, 1}}} {
		messagetest.Names(t, c.Check(2).Error(), "scores … damaged … order … 2")
	}
	require.NoError(t, (&Predictor{Scores: []float64{0.1, 0.1}, PerClass: []int{2, 0}}).Check(2))
	require.NoError(t, (*Predictor)(nil).Check(2))
}

func ExamplePredictor() {
	held := []float64{0.05, 0.1, 0.3, 0.02} // 1 - the probability of the class of each held-out sample
	c := New(held, []int32{0, 1, 0, 1}, 2)
	p := c.PValues([]float64{0.96, 0.04})
	fmt.Println(p, c.Set(p, 0.75))
	fmt.Println(c.Allows(0.9) != nil)
	// Output:
	// [0.8 0.2] [0]
	// true
}

// By chance the share of held truths lies between the quantiles of a beta-binomial distribution: by SciPy's
// betabinom(samples, ranks - out, out).ppf([0.05, 0.95]), and as drawn.
func TestChance(t *testing.T) {
	scores := func(n int) *Predictor {
		c := &Predictor{}
		for i := range n {
			c.Scores = append(c.Scores, float64(i)/float64(n))
		}
		return c
	}
	for _, c := range []struct {
		scores, samples int
		coverage        float64
		least, largest  float64
	}{{19, 30, 0.9, 22. / 30, 30. / 30}, {25, 20, 0.9, 15. / 20, 20. / 20}, {180, 359, 0.1, 22. / 359, 55. / 359},
		{102, 316, 0.95, 286. / 316, 311. / 316}, {1000, 1000, 0.9, 877. / 1000, 921. / 1000}, {19, 30, 0.99, 1, 1}} {
		least, largest, ok := scores(c.scores).Chance(c.coverage, c.samples)
		assert.True(t, ok)
		assert.InDeltaSlice(t, []float64{c.least, c.largest}, []float64{least, largest}, 1e-9, "%v", c)
	}
	_, _, ok := (&Predictor{Scores: []float64{0.1, 0.2}, Groups: 2}).Chance(0.5, 10)
	assert.False(t, ok)
	_, _, ok = scores(9).Chance(0.5, 0)
	assert.False(t, ok)

	rng := rand.New(rand.NewPCG(1, 1))
	least, largest, _ := scores(19).Chance(0.9, 30)
	within, draws := 0, 4000
	for range draws {
		c := &Predictor{PerClass: []int{19}}
		for range 19 {
			c.Scores = append(c.Scores, rng.Float64())
		}
		slices.Sort(c.Scores)
		held := 0
		for range 30 {
			held += len(c.Set(c.PValues([]float64{1 - rng.Float64()}), 0.9))
		}
		if share := float64(held) / 30; share > least-1e-9 && share < largest+1e-9 {
			within++
		}
	}
	assert.Greater(t, float64(within)/float64(draws), 0.89)
}
