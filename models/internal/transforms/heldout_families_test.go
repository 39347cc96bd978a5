package transforms

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repeats draws recordings in families: those of one family are one recording with noise of their own, and of one class
// by lot.
func repeats(rng *rand.Rand, families, size int) (samples []Sample) {
	const timepoints = 40
	for family := range families {
		own := make([]float32, timepoints)
		for at := range own {
			own[at] = float32(rng.NormFloat64())
		}
		label := int32(rng.IntN(2))
		for range size {
			s := Sample{Label: label, Families: []string{fmt.Sprint(family)}}
			for _, value := range own {
				s.Values = append(s.Values, value+0.3*float32(rng.NormFloat64()))
			}
			samples = append(samples, s)
		}
	}
	return samples
}

// share returns the share of right predictions.
func share(right []bool) float64 {
	count := 0
	for _, is := range right {
		count += asInt(is)
	}
	return float64(count) / float64(len(right))
}

// The class of a family by lot is known only from its other samples.
func TestWholeFamilies(t *testing.T) {
	samples := repeats(rand.New(rand.NewPCG(1, 2)), 24, 5)
	c := Config{Columns: 1, Classes: 2, Only: []string{"values"}}
	for i := range samples { // and in another way, by which a family has one sample of each
		samples[i].Families = append(samples[i].Families, fmt.Sprint(i%5))
	}
	held := fitted(t, c, samples).HeldOut
	require.Len(t, held.Ways, 2)
	assert.Equal(t, 24, held.Ways[0].Families)
	assert.Equal(t, 5, held.Ways[1].Families)
	assert.Len(t, held.Samples, len(samples))
	assert.Greater(t, share(held.Right), 0.95)
	assert.Greater(t, share(held.Ways[0].Random), 0.9)
	assert.Less(t, share(held.Ways[0].Whole), 0.75)
	assert.InDelta(t, share(held.Ways[1].Random), share(held.Ways[1].Whole), 0.05)

	for i := range samples { // the same as groups
		samples[i].Group = samples[i].Families[0]
	}
	held = fitted(t, c, samples).HeldOut
	assert.Equal(t, held.Right, held.Ways[0].Whole, "families are held out as groups are")

	for i := range samples {
		samples[i].Group, samples[i].Families = "", []string{""}
	}
	held = fitted(t, c, samples).HeldOut
	assert.Equal(t, []Way{{}}, held.Ways, "samples that are alone")
}
