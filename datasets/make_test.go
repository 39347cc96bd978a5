package datasets

import (
	"testing"

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
		"data set small: train[1] is sample 6, outside 0 to 5":           {Train: []int{0, 6}, Test: []int{1}},
		"data set small: test[0] is sample 0, which is already in train": {Train: []int{0, 1}, Test: []int{0}},
		"data set small: the train split is empty":                       {Test: []int{0}},
	} {
		_, err := Make(&raw, s)
		assert.ErrorContains(t, err, want)
	}
	raw.Signals = nil
	_, err := Make(&raw, Split{Train: []int{0}, Test: []int{1}})
	assert.ErrorContains(t, err, "no samples")
	_, err = Make(&Raw{Name: "nothing"}, Split{})
	assert.ErrorContains(t, err, "data set nothing: ")
}
