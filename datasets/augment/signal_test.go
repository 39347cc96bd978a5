package augment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ramp is 5 frames of 2 values: 1 to 5, and ten times the negative.
func ramp() []float32 { return []float32{1, -10, 2, -20, 3, -30, 4, -40, 5, -50} }

func TestWarp(t *testing.T) {
	for name, c := range map[string]struct {
		centre, factor float64
		want           []float32 // of the first value
	}{
		"as it was":               {1.7, 1, []float32{1, 2, 3, 4, 5}},
		"slower about the middle": {2, 2, []float32{2, 2.5, 3, 3.5, 4}},
		"slower about the start":  {0, 2, []float32{1, 1.5, 2, 2.5, 3}},
		"slower about the end":    {4, 2, []float32{3, 3.5, 4, 4.5, 5}},
		"faster about the middle": {2, 0.5, []float32{1, 1, 3, 5, 5}}, // places -2, 0, 2, 4, 6
		"faster about the start":  {0, 0.8, []float32{1, 2.25, 3.5, 4.75, 5}},
		"between frames":          {1.5, 0.5, []float32{1, 1.5, 3.5, 5, 5}},
	} {
		sample := ramp()
		warp(sample, ramp(), 5, c.centre, c.factor)
		for at, want := range c.want {
			assert.InDelta(t, want, sample[2*at], 1e-6, name)
			assert.InDelta(t, -10*want, sample[2*at+1], 1e-5, name)
		}
	}
	one := []float32{7, 8}
	warp(one, []float32{7, 8}, 1, 0, 0.7)
	assert.Equal(t, []float32{7, 8}, one, "a single frame")
}

// A ramp stays a ramp inside, whose slope is 1/factor, and holds its ends; factors fill their range.
func TestStretch(t *testing.T) {
	const frames = 40
	rng := rand.New(rand.NewPCG(5, 6))
	var slopes []float32
	for range 2000 {
		sample := make([]float32, frames)
		for at := range sample {
			sample[at] = float32(at)
		}
		Stretch(frames, 0.2)(rng, sample)
		slope := float32(0)
		for at := 1; at < frames; at++ {
			before, now := sample[at-1], sample[at]
			require.GreaterOrEqual(t, now, before)
			if before == 0 || now == frames-1 {
				continue // the ramp begins or ends between these frames
			}
			if slope == 0 {
				slope = now - before
			}
			require.InDelta(t, slope, now-before, 1e-4)
		}
		require.GreaterOrEqual(t, sample[0], float32(0))
		require.LessOrEqual(t, sample[frames-1], float32(frames-1))
		slopes = append(slopes, slope)
	}
	assert.InDelta(t, 1/1.2, slices.Min(slopes), 0.002)
	assert.InDelta(t, 1/0.8, slices.Max(slopes), 0.002)
}

// The same generator draws the same, another one something else.
func TestStretchDraws(t *testing.T) {
	twice := func(seed uint64) []float32 {
		sample := ramp()
		Stretch(5, 0.1)(rand.New(rand.NewPCG(seed, 0)), sample)
		return sample
	}
	assert.Equal(t, twice(1), twice(1))
	assert.NotEqual(t, twice(1), twice(2))
}

func ExampleStretch() {
	sample := []float32{0, 10, 20, 30} // 4 frames of one sensor
	Stretch(4, 0.5)(rand.New(rand.NewPCG(1, 0)), sample)
	fmt.Printf("%.1f\n", sample)
	// Output: [0.0 8.2 21.8 30.0]
}
