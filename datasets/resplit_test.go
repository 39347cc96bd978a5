package datasets

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chance returns values by lot.
func chance(n int) []float32 {
	rng, values := rand.New(rand.NewPCG(1, 2)), make([]float32, n)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	return values
}

// A graph that was made of samples is made anew for a trial, and does not depend on what the trial holds out. Frames,
// scale and all graphs that were given stay.
func TestResplitMakesLearnedGraphsAnew(t *testing.T) {
	const n = 40
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	series := func(sensors int) arrays {
		return arrays{"series": {Shape: []int{n, sensors, 20}, Data: chance(n * sensors * 20)}, "labels": vectorOf(labels...)}
	}
	features := arrays{"features": {Shape: []int{n, 30}, Data: chance(n * 30)}, "labels": vectorOf(labels...)}
	for name, c := range map[string]struct {
		of      arrays
		knn     int
		learned bool
	}{
		"nodes that are alike": {features, 4, true}, "sensors that correlate": {series(12), 0, true},
		"as many as asked": {series(6), 2, true},
		"few sensors":      {series(6), 0, false}, "given": {path4(), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := c.of.load(t, Options{KNN: c.knn})
			assert.Equal(t, c.learned, d.GraphLearned())
			trial, notes := d.Trial(d.Labels, d.Groups, 0.25, 1), slices.Clone(d.Notes)
			require.NotEmpty(t, trial.Test)
			held, err := d.Resplit(trial)
			require.NoError(t, err)
			assert.Equal(t, trial, held.Split)
			assert.Equal(t, []any{d.Mean, d.Std, d.Nodes, d.Grid, d.Form},
				[]any{held.Mean, held.Std, held.Nodes, held.Grid, held.Form})
			assert.Equal(t, notes, d.Notes)
			assert.Empty(t, held.Warnings)
			require.NoError(t, held.Validate())
			if !c.learned {
				assert.Same(t, d.Affinity, held.Affinity)
				return
			}
			assert.True(t, held.GraphLearned())
			assert.NotEqual(t, d.Affinity.Hash(), held.Affinity.Hash())
			for _, i := range trial.Test { // other values of what is held out
				if d.Series != nil {
					slices.Reverse(d.Series[i])
				} else {
					slices.Reverse(d.Signals.(*Floats).Values[i*d.Nodes : (i+1)*d.Nodes])
				}
			}
			again, err := d.Resplit(trial)
			require.NoError(t, err)
			assert.Equal(t, held.Affinity.Hash(), again.Affinity.Hash(), "what is held out has no say")

			other := *d
			other.Affinity, err = affinity.RandomConnected(d.Nodes, d.Affinity.Edges(), 1)
			require.NoError(t, err)
			assert.False(t, other.GraphLearned(), "another graph was put in its place")
			kept, err := other.Resplit(trial)
			require.NoError(t, err)
			assert.Same(t, other.Affinity, kept.Affinity)
		})
	}
}

// All samples of a source that draws its splits are to train on, if that is asked for.
func TestNoTest(t *testing.T) {
	a := recordingsOf(40, 2, 20, noiseOf(rand.New(rand.NewPCG(7, 7))))
	d := a.load(t, Options{NoTest: true})
	assert.Equal(t, loop.Indices(40), d.Train)
	assert.Empty(t, d.Test)
	assert.NotContains(t, fmt.Sprint(d.Warnings), "split")
	d = a.load(t, Options{NoTest: true, Validation: 0.25})
	assert.Equal(t, []int{30, 10, 0}, []int{len(d.Train), len(d.Validation), len(d.Test)})
	d, err := Load(t.Context(), "digits", Options{NoTest: true})
	require.NoError(t, err)
	assert.Empty(t, d.Test)
	for name, c := range map[string]struct {
		file arrays
		Options
	}{
		"a split of its own": {maps.Clone(a).with("split", vectorOf(append(make([]int64, 39), 2)...)), Options{NoTest: true}},
		"is a test":          {a, Options{NoTest: true, Fold: Fold{Number: 1, Of: 2}}},
	} {
		_, err := Load(t.Context(), c.file.write(t), c.Options)
		require.ErrorContains(t, err, name)
	}
}
