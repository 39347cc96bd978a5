package training_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scored trains on a file, and returns the classifier with the scores of the samples of one split.
func scored(t *testing.T, asked training.Patch, split string) (*models.Classifier, []float64) {
	t.Helper()
	o := training.Options{Dir: filepath.Join(t.TempDir(), "run")}
	_, err := training.Train(t.Context(), backendtest.Go(t), asked, o)
	require.NoError(t, err)
	c, err := models.Load(o.Dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	config, err := training.ReadConfig(o.Dir)
	require.NoError(t, err)
	d, err := config.LoadData(t.Context(), backendtest.Go(t), o)
	require.NoError(t, err)
	samples, err := training.SplitOf(d, split)
	require.NoError(t, err)
	var scores []float64
	_, err = training.EvaluateEach(c, d, samples, 64, func(sample int, probabilities []float64) {
		scores = append(scores, 1-probabilities[d.Labels[sample]])
	})
	require.NoError(t, err)
	return c, scores
}

// overlapping are classes that no classifier tells apart wholly, in groups of four.
var overlapping = lot{samples: 160, tests: 400, columns: 3, timepoints: 12, label: even,
	group: func(i int) int { return i / 4 },
	shift: func(label, column int) float64 { return 0.3 * float64(label*column) }}

// Every training sample, held out with its group, has a score, and by these sets hold the class of test samples as
// often as asked, about.
func TestScoresOfTrainingSamples(t *testing.T) {
	c, scores := scored(t, training.Patch{"data": overlapping.write(t, 1), "model": "transforms",
		"transforms": "values,forest"}, "test")
	require.Len(t, c.Conformal.Scores, 160)
	assert.True(t, slices.IsSorted(c.Conformal.Scores))
	assert.Equal(t, []int{80, 80}, c.Conformal.PerClass)
	assert.Equal(t, 40, c.Conformal.Groups)
	held := 0
	for _, score := range scores {
		held += len(c.Conformal.Set(c.Conformal.PValues([]float64{1 - score, 0})[:1], 0.8))
	}
	assert.InDelta(t, 0.8, float64(held)/400, 0.1)
}

// Where trees seldom err, nearly all training samples have the votes of all trees that have not seen them; new samples
// are in their sets as often as asked nevertheless.
func TestScoresOfSureTrees(t *testing.T) {
	easy := lot{samples: 100, tests: 600, columns: 4, timepoints: 12, label: even,
		shift: func(label, column int) float64 { return 0.6 * float64(label) * float64(column%2) }}
	held, of := 0, 0
	for seed := range uint64(3) {
		c, scores := scored(t, training.Patch{"data": easy.write(t, seed), "model": "transforms",
			"transforms": "forest"}, "test")
		of += len(scores)
		for _, score := range scores {
			held += len(c.Conformal.Set(c.Conformal.PValues([]float64{1 - score, 0})[:1], 0.95))
		}
	}
	assert.Greater(t, float64(held)/float64(of), 0.94)
}

// Validation samples, which were not trained on, have the scores that the classifier gives them, at its temperature.
func TestScoresOfValidationSamples(t *testing.T) {
	path := overlapping.write(t, 2)
	for _, asked := range []training.Patch{
		{"transforms": "none", "steps": 60, "levels": "3x4/2", "hidden": "8", "validation": 0.25},
		{"model": "transforms", "transforms": "values", "validation": 0.25},
	} {
		asked["data"] = path
		c, scores := scored(t, asked, "validation")
		require.NotEmpty(t, scores)
		slices.Sort(scores)
		assert.InDeltaSlice(t, scores, c.Conformal.Scores, 1e-6)
	}
}
