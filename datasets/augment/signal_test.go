package augment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// moments are the mean and the standard deviation.
func moments(values []float32) (mean, deviation float64) {
	for _, v := range values {
		mean += float64(v) / float64(len(values))
	}
	for _, v := range values {
		deviation += (float64(v) - mean) * (float64(v) - mean) / float64(len(values))
	}
	return mean, math.Sqrt(deviation)
}

func TestJitter(t *testing.T) {
	const n = 40000
	sample := slices.Repeat([]float32{0, 3}, n/2)
	Jitter(0.25)(rand.New(rand.NewPCG(1, 2)), sample)
	for i := range sample {
		sample[i] -= []float32{0, 3}[i%2]
	}
	mean, deviation := moments(sample)
	assert.InDelta(t, 0, mean, 4*0.25/math.Sqrt(n), "four standard errors")
	assert.InDelta(t, 0.25, deviation, 4*0.25/math.Sqrt(2*n))
	assert.NotZero(t, sample[0], "zeros are values, too")
}

// All nodes of a channel have one factor, from 1 - share to 1 + share, and channels have their own.
func TestScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var factors []float32
	for range 2000 {
		sample := []float32{1, 1, 2, -4, 0, 8}
		Scale(2, 0.3)(rng, sample)
		a, b := sample[0], sample[1]
		require.Equal(t, []float32{a, b, 2 * a, -4 * b, 0, 8 * b}, sample)
		factors = append(factors, a, b)
	}
	mean, deviation := moments(factors)
	assert.InDelta(t, 1, mean, 0.02)
	assert.InDelta(t, 0.3/math.Sqrt(3), deviation, 0.01, "of the uniform distribution")
	assert.InDelta(t, 0.7, slices.Min(factors), 0.01)
	assert.InDelta(t, 1.3, slices.Max(factors), 0.01)
	assert.GreaterOrEqual(t, slices.Min(factors), float32(0.7))
	assert.LessOrEqual(t, slices.Max(factors), float32(1.3))
}

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

func TestSignalFunc(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	nothing, err := Signal{}.Func(1, nil)
	require.NoError(t, err)
	sample := ramp()
	nothing(rng, sample)
	assert.Equal(t, ramp(), sample)

	// The noise comes last: neither scaled nor smoothed by the stretch.
	all, err := Signal{Noise: 0.5, Scale: 0.9, Stretch: 0.5}.Func(1, []int{100, 100})
	require.NoError(t, err)
	still := make([]float32, 10000)
	all(rng, still)
	_, deviation := moments(still)
	assert.InDelta(t, 0.5, deviation, 4*0.5/math.Sqrt(20000))

	// The same generator draws the same, another one something else.
	twice := func(seed uint64) []float32 {
		sample := ramp()
		f, err := Signal{Noise: 0.1, Scale: 0.1, Stretch: 0.1}.Func(2, []int{5, 1})
		require.NoError(t, err)
		f(rand.New(rand.NewPCG(seed, 0)), sample)
		return sample
	}
	assert.Equal(t, twice(1), twice(1))
	assert.NotEqual(t, twice(1), twice(2))

	_, err = Signal{Stretch: 0.1}.Func(1, nil)
	require.EqualError(t, err, "stretch: 0.1 of nodes without time: it is not known which node is which moment; give the .npz a `grid` of frames and sensors, or leave stretch out")
	_, err = Signal{Stretch: 0.1}.Func(1, []int{1, 6})
	require.EqualError(t, err, "stretch: 0.1 of a grid of 1 x 6, which has one frame only; leave stretch out")
}

func TestSignalCheck(t *testing.T) {
	require.NoError(t, Signal{}.Check())
	require.NoError(t, Signal{Noise: 2, Scale: 0.99, Stretch: 0.99}.Check())
	for want, s := range map[string]Signal{
		"noise: deviation -0.1; it must be finite and not negative": {Noise: -0.1},
		"noise: deviation NaN; it must be finite and not negative":  {Noise: math.NaN()},
		"noise: deviation +Inf; it must be finite and not negative": {Noise: math.Inf(1)},
		"scale: share 1 is outside [0, 1)":                          {Scale: 1},
		"scale: share -0.5 is outside [0, 1)":                       {Scale: -0.5},
		"scale: share NaN is outside [0, 1)":                        {Scale: math.NaN()},
		"stretch: share 1 is outside [0, 1)":                        {Stretch: 1},
		"stretch: share -1 is outside [0, 1)":                       {Stretch: -1},
		"stretch: share NaN is outside [0, 1)":                      {Stretch: math.NaN()},
	} {
		assert.EqualError(t, s.Check(), want)
	}
}

func ExampleStretch() {
	sample := []float32{0, 10, 20, 30} // 4 frames of one sensor
	Stretch(4, 0.5)(rand.New(rand.NewPCG(1, 0)), sample)
	fmt.Printf("%.1f\n", sample)
	// Output: [0.0 8.2 21.8 30.0]
}

// BenchmarkSignal changes a sample of 40 frames of 20 sensors with 3 channels.
func BenchmarkSignal(b *testing.B) {
	sample, rng := make([]float32, 40*20*3), rand.New(rand.NewPCG(1, 0))
	whole := slices.Clone(sample)
	Jitter(1)(rng, whole)
	for name, s := range map[string]Signal{"noise": {Noise: 0.1}, "scale": {Scale: 0.1}, "stretch": {Stretch: 0.1}} {
		f, err := s.Func(3, []int{40, 20})
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				copy(sample, whole) // repeated changes would end in numbers that are slow to reckon with
				f(rng, sample)
			}
		})
	}
}
