package training

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A training in bfloat16 learns the ring, keeps float32 in its snapshots, and its checkpoint classifies, in bfloat16 as
// its spec says, after it was loaded again.
func TestTrainInBFloat16(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := ringConfig(writeRing(t, 200))
		c["dtype"] = nn.BFloat16
		dir := t.TempDir()
		result := trainIn(t, backend, c, dir)
		assert.Greater(t, result.Test.Accuracy, 0.9)
		variables, _ := snapshotOf(t, dir, "last")
		require.NotEmpty(t, weightPaths(variables))
		for path, value := range variables {
			assert.NotContains(t, value[:12], "BFloat16", path)
		}
		classifier, err := models.Load(dir, models.WithBackend(backend))
		require.NoError(t, err)
		assert.Equal(t, nn.BFloat16, classifier.Spec.Settings.Of("").DType)
		d, err := LoadFor(t.Context(), classifier.Metadata, c.known(), datasets.Options{})
		require.NoError(t, err)
		again, err := Evaluate(classifier, d, d.Test, 64)
		require.NoError(t, err)
		assert.InDelta(t, result.Test.Loss, again.Loss, 1e-6)
	})
}
