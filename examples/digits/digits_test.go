package digits_test

import (
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/examples/digits"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The embedded checkpoint predicts the test samples as it did when it was trained: with the accuracy and the loss of
// result.json. Version 0.1.0 wrote it, so that this fails if a later one cannot read it, or reads it in another way. Do
// not train it anew then, but make the reader right (models/kept_test.go says more).
func TestCheckpoint(t *testing.T) {
	classifier, err := models.Read(digits.Checkpoint, models.LoadOptions{})
	require.NoError(t, err)
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	result, err := training.Evaluate(classifier, d, d.Test, 64)
	require.NoError(t, err)
	trained, err := training.ReadResult(".")
	require.NoError(t, err)
	assert.InDelta(t, trained.Test.Accuracy, result.Accuracy, 1e-12)
	assert.InDelta(t, trained.Test.Loss, result.Loss, 1e-5)
}

// The folder is one of a training that has ended, which ccp serve asks for.
func TestServes(t *testing.T) {
	r, err := models.NewReloader(t.Context(), ".", models.LoadOptions{})
	require.NoError(t, err)
	require.NoError(t, r.Close())
}
