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

// The embedded checkpoint knows the test samples.
func TestCheckpoint(t *testing.T) {
	classifier, err := models.Read(digits.Checkpoint, models.LoadOptions{})
	require.NoError(t, err)
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	result, err := training.Evaluate(classifier, d, d.Test, 64)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, result.Accuracy, 0.985)
}

// The folder is one of a training that has ended, which ccp serve asks for.
func TestServes(t *testing.T) {
	r, err := models.NewReloader(t.Context(), ".", models.LoadOptions{})
	require.NoError(t, err)
	require.NoError(t, r.Close())
}
