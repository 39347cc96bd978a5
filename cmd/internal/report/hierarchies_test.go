package report

import (
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run of the last weights, without validation, of several hierarchies and a stem; its epochs are the usual number.
func TestBuildSeveralHierarchies(t *testing.T) {
	c := training.Patch{"levels": "12x4/8,1x4/8", "hidden": 4, "batch": 16, "keep": training.KeepLast, "steps": 20,
		"ccp_hierarchies": 2, "ccp_stem": 2, "ccp_blocks": 1, "ccp_dropout": nil, "ccp_padding": nil, "readout_dropout": nil}
	dir, backend := filepath.Join(t.TempDir(), "run"), backendtest.Go(t)
	result, err := training.Train(t.Context(), backend, c, training.Options{Dir: dir})
	require.NoError(t, err)
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	r, err := Build(t.Context(), dir, classifier, digits(t), 0, func(string, float64) {})
	require.NoError(t, err)

	assert.Equal(t, []string{"The model has 2 hierarchies, whose predictions are averaged. The first is shown."},
		r.Notices)
	assert.Equal(t, []int{result.Epochs, result.Epochs}, []int{r.Epochs, r.BestEpoch})
	assert.Nil(t, r.Result.Validation)
	for _, e := range r.History {
		assert.Nil(t, e.Validation)
	}
	levels, err := classifier.ClusterLevels(0)
	require.NoError(t, err)
	assert.Equal(t, levels[0].Memberships.Hard(), r.Hierarchy.Epochs[0].Clusters[0])
	assert.Equal(t, levels[0].Neighbourhoods, r.Hierarchy.Levels[0].Neighbourhoods, "of the first")
	assert.NotEmpty(t, r.Gallery[0].Pictures)

	// The contributions are the gradient of the mean of the logits: along the whole way they add up to what these
	// change by.
	signal := make([]float32, 64)
	digits(t).Signals.Read(0, signal)
	a, err := classifier.Attribute(t.Context(), [][]float32{signal},
		models.AttributionOptions{Method: models.IntegratedGradients, Steps: 100})
	require.NoError(t, err)
	assert.Less(t, a[0].Gap, 0.03)
}
