package datasets

import (
	"testing"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Make depends on the raw samples and the split alone: neither is changed, and what was made before does not count.
func TestMake(t *testing.T) {
	for name, a := range map[string]arrays{"recordings": ward(""), "a joined graph": path4().with("edges", nil)} {
		opts := map[string]Options{"a joined graph": {KNN: 2}}[name]
		d := a.load(t, opts)
		notes, warnings := len(d.Raw.Notes), len(d.Raw.Warnings)
		other := Drawn(d.Labels, d.Groups, 7)
		require.NotEqual(t, d.Train, other.Train, "the test needs samples that matter")
		made, err := Make(&d.Raw, other)
		require.NoError(t, err)
		assert.NotEqual(t, d.Mean, made.Mean)
		back, err := Make(&made.Raw, d.Split)
		require.NoError(t, err)
		assert.Equal(t, d.Fingerprint(), back.Fingerprint(), name)
		assert.Equal(t, d.Notes, back.Notes, name)
		assert.Equal(t, d.Warnings, back.Warnings, name)
		assert.Equal(t, []int{notes, warnings}, []int{len(back.Raw.Notes), len(back.Raw.Warnings)}, name)
	}
}

// Recordings are cut and stretched by the frames of the split at hand, also if they had other frames in a split before.
func TestMakeOfAugmentedRecordings(t *testing.T) {
	const sensors, short, long = 3, 40, 100
	var series [][]float32
	var labels []int32
	for i := range 12 {
		length := short
		if i >= 6 {
			length = long
		}
		sample := make([]float32, 0, sensors*length)
		for range length {
			sample = append(sample, 0, 1, 2) // a sensor has one value, so that a mixture shows
		}
		series, labels = append(series, sample), append(labels, int32(i%2))
	}
	form := &recording.Form{Sensors: []string{"a", "b", "c"}, Channels: 1}
	raw := &Raw{Name: "mixed", Info: signal.Info{ClassNames: []string{"x", "y"}}, Recorded: form, Series: series,
		Labels: labels}
	shorter := Split{Train: []int{0, 1, 2, 3, 4, 5}, Test: []int{6, 7, 8, 9, 10, 11}}
	longer := Split{Train: shorter.Test, Test: shorter.Train}
	before, err := Make(raw, shorter)
	require.NoError(t, err)
	assert.Nil(t, raw.Augment)
	again, err := Make(&before.Raw, longer)
	require.NoError(t, err)
	anew, err := Make(raw, longer)
	require.NoError(t, err)
	require.NotEqual(t, before.Form.Frames, anew.Form.Frames)
	assert.Empty(t, again.Fingerprint().Differences(anew.Fingerprint()))
	augmented := func(d *Dataset) (values []float32) {
		for b, err := range d.Batches(d.Train, BatchOptions{Size: 6, Augment: true, Seed: 3, Steps: 4}).Iter() {
			require.NoError(t, err)
			values = append(values, tensors.MustCopyFlatData[float32](b.Inputs[0])...)
		}
		return values
	}
	assert.Equal(t, augmented(anew), augmented(again))
}

// A trial has the training samples of a split alone, in two parts.
func TestTrial(t *testing.T) {
	labels := []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	trial := Split{Train: []int{0, 1, 2, 3, 6, 7, 8, 9}, Validation: []int{4}, Test: []int{5}}.Trial(labels, nil, 0.25, 1)
	assert.Len(t, trial.Test, 2)
	assert.Empty(t, trial.Validation)
	assert.ElementsMatch(t, []int{0, 1, 2, 3, 6, 7, 8, 9}, append(trial.Train, trial.Test...))
}

func TestMakeErrors(t *testing.T) {
	raw := small(t).Raw
	raw.Graph = small(t).Affinity
	for want, s := range map[string]Split{
		"small … train[1] … sample 6 … outside 0 to 5": {Train: []int{0, 6}, Test: []int{1}},
		"small … test[0] … sample 0 … train":           {Train: []int{0, 1}, Test: []int{0}},
		"small … train split … empty":                  {Test: []int{0}},
	} {
		_, err := Make(&raw, s)
		messagetest.Names(t, err, want)
	}
	raw.Signals = nil
	_, err := Make(&raw, Split{Train: []int{0}, Test: []int{1}})
	assert.ErrorContains(t, err, "no samples")
	_, err = Make(&Raw{Name: "nothing"}, Split{})
	assert.ErrorContains(t, err, "data set nothing: ")
}
