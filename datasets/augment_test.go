package datasets

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Half of the samples stay. What distort makes of a ramp otherwise is a ramp: a window of it, times a factor, but for
// the cut.
func TestDistort(t *testing.T) {
	const frames = 50
	ramp := make([]float32, 2*frames) // of two sensors, of which the second has twice the first's values
	for i := range frames {
		ramp[2*i], ramp[2*i+1] = float32(100+i), float32(2*(100+i))
	}
	rng, slopes, kept := rand.New(rand.NewPCG(1, 2)), []float64{}, 0
	for range 400 {
		sample := slices.Clone(ramp)
		distort(frames)(rng, sample)
		if slices.Equal(sample, ramp) {
			kept++
			continue
		}
		cut := 0
		var first, last []float32 // frames that are not cut
		for at := range slices.Chunk(sample, 2) {
			if at[0] == 0 {
				cut++
				continue
			}
			if first == nil {
				first = at
			}
			last = at
			assert.InEpsilon(t, 2*at[0], at[1], 1e-5, "sensors keep together")
		}
		assert.True(t, cut >= 1 && cut <= frames/8, cut)
		assert.Less(t, first[0], last[0], "time has its direction")
		slopes = append(slopes, float64(last[0]/first[0]))
	}
	assert.InDelta(t, 200, kept, 40)
	assert.Greater(t, slices.Max(slopes), 1.4, "nearly all frames")
	assert.Less(t, slices.Min(slopes), 1.42)
	again := slices.Clone(ramp)
	distort(frames)(rand.New(rand.NewPCG(1, 2)), again)
	other := slices.Clone(ramp)
	distort(frames)(rand.New(rand.NewPCG(1, 2)), other)
	assert.Equal(t, again, other, "the generator decides alone")
	two := []float32{1, 2} // the fewest frames
	distort(2)(rng, two)
	assert.Len(t, two, 2)
}
