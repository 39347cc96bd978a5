package transforms

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
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
			s := Sample{Label: label, Family: fmt.Sprint(family)}
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
	held := fitted(t, c, samples).HeldOut
	assert.Equal(t, 24, held.Families)
	assert.Len(t, held.Samples, len(samples))
	assert.Greater(t, share(held.Right), 0.95)
	assert.Greater(t, share(held.Random), 0.9)
	assert.Less(t, share(held.Whole), 0.75)

	for i := range samples { // the same as groups
		samples[i].Group = samples[i].Family
	}
	held = fitted(t, c, samples).HeldOut
	assert.Equal(t, held.Right, held.Whole, "families are held out as groups are")

	for i := range samples {
		samples[i].Group, samples[i].Family = "", ""
	}
	held = fitted(t, c, samples).HeldOut
	assert.Zero(t, held.Families)
	assert.Nil(t, held.Whole)
}
