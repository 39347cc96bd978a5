package models

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/recording"
)

// A signal far outside the training data, or much calmer than any of it, is told of.
func TestOutside(t *testing.T) {
	m := Metadata{Spec: Spec{Nodes: 2, Channels: 2}}
	assert.Empty(t, m.outside([]float32{1e9, 0, 0, 0}), "an earlier checkpoint has no range")
	samples := [][]float32{{0, 5, 1, 5}, {-1, 5, 1, 5}}
	m.Measure(func(yield func([]float32, int32) bool) {
		for _, s := range samples {
			if !yield(s, 0) {
				return
			}
		}
	})
	assert.Equal(t, &Range{[]float32{-1, 5}, []float32{1, 5}, []float32{1, 0}}, m.Range)
	for _, s := range append(samples, []float32{3, 5, -3, 10}, []float32{0.7, 0, 1, 5}) {
		assert.Empty(t, m.outside(s))
	}
	assert.Equal(t, []string{"channel 0 goes from 0 to 3.1, in the training data from -1 to 1; is it in another unit?"},
		m.outside([]float32{0, 5, 3.1, 5}))
	assert.Equal(t, []string{"channel 0 varies by 0.1, in each training sample by 1 or more; is it in another unit?"},
		m.outside([]float32{0.5, 5, 0.6, 5}))
	assert.Equal(t, []string{"channel 0 goes from 0 to 3000, in the training data from -1 to 1; is it in another unit?",
		"so do 1 other channels or sensors"}, m.outside([]float32{0, 5000, 3000, 5000}))

	m.Form = &recording.Form{Sensors: []string{"heat"}, Channels: 2, Frames: 2}
	assert.Contains(t, m.outside([]float32{0, 5, 3.1, 5})[0], `sensor "heat" channel 0 goes`)

	// What a broken file holds is refused when it is loaded.
	require.NoError(t, m.Range.check(m.columns()))
	assert.ErrorContains(t, m.Range.check(3), "range has 2, 2 and 2 values; want 3 each")
}
