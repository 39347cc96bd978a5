package signal

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// steps returns recordings of one sensor that rises and falls within so many units, each a little more than the one
// before.
func steps(samples int) (all [][]float32) {
	for i := range samples {
		one := make([]float32, 40)
		for at := range one {
			one[at] = float32(at%5) * (1 + float32(i)/100)
		}
		all = append(all, one)
	}
	return all
}

// measured returns what is known of samples.
func measured(samples [][]float32) (*Info, []Odd) {
	info := &Info{Nodes: 40, Channels: 1, Mean: []float32{1}, Std: []float32{1},
		Form: &recording.Form{Sensors: []string{"s"}, Channels: 1, Frames: 40}}
	odd := info.Measure(len(samples), slices.Values(samples))
	return info, odd
}

// One odd recording among a hundred switches no warning off: a dead sensor, another unit, or a stuck one. Where one in
// twenty is so, it is how the data is.
func TestFewOddSamplesSetNoLimits(t *testing.T) {
	flat := make([]float32, 40)
	inAnotherUnit := slices.Clone(steps(1)[0])
	for at := range inAnotherUnit {
		inAnotherUnit[at] *= 1000
	}
	halfStuck := slices.Clone(steps(1)[0])
	for at := range 30 {
		halfStuck[at] = 2
	}
	for name, c := range map[string]struct {
		odd  []float32
		what What
		says string
	}{
		"constant":        {flat, Calm, `sensor "s" varies … is it in another unit?`},
		"in another unit": {inAnotherUnit, Far, `sensor "s" goes … 4000 … is it in another unit?`},
		"stuck":           {halfStuck, Stuck, `sensor "s" repeats … 75% … 2% … stuck?`},
	} {
		samples := steps(100)
		samples[33] = c.odd
		info, odd := measured(samples)
		if assert.NotEmpty(t, odd, name) {
			assert.Equal(t, 33, odd[0].Sample, name)
			assert.True(t, slices.ContainsFunc(odd, func(o Odd) bool { return o.What == c.what }), name)
		}
		messagetest.EachNames(t, info.Outside(c.odd), c.says)
		for _, one := range steps(100) {
			assert.Empty(t, info.Outside(one), name)
		}

		for at := range 5 {
			samples[20*at] = c.odd
		}
		info, odd = measured(samples)
		assert.Empty(t, odd, name)
		assert.Empty(t, info.Outside(c.odd), name)
	}
	_, odd := measured(steps(100))
	assert.Empty(t, odd)
	few := steps(10)
	few[3] = flat
	_, odd = measured(few)
	assert.Empty(t, odd, "one of ten is more than one in twenty")
}
