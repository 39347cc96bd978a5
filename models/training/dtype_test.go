package training

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A training in bfloat16 learns the ring, keeps float32 in its snapshots, and its checkpoint classifies, in bfloat16
// as its spec says, after it was loaded again.
func TestTrainInBFloat16(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := ringConfig(writeRing(t, 200))
		c["dtype"] = nn.BFloat16
		dir := t.TempDir()
		result := trainIn(t, backend, c, dir)
		assert.Greater(t, result.Test.Accuracy, 0.7, "the baseline is 0.25")
		variables, _ := snapshotOf(t, dir, "last")
		require.NotEmpty(t, weightPaths(variables))
		for path, value := range variables {
			assert.NotContains(t, value[:12], "BFloat16", path)
		}
		classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
		require.NoError(t, err)
		assert.Equal(t, nn.BFloat16, classifier.Spec.Options.DType)
		d, err := LoadFor(t.Context(), classifier.Metadata, previewed(c), datasets.Options{})
		require.NoError(t, err)
		again, err := Evaluate(classifier, d, d.Test, 64)
		require.NoError(t, err)
		assert.InDelta(t, result.Test.Loss, again.Loss, 1e-6)
	})
}

// Left open, the type is bfloat16 where the processor multiplies it and a step's products are large. A run goes on as
// another machine began it.
func TestAutoDType(t *testing.T) {
	d, err := datasets.Load(t.Context(), writeRing(t, 200), datasets.Options{})
	require.NoError(t, err)
	dtype := func(levels string) string {
		asked := Patch{"levels": levels, "batch": 64, "dtype": Auto}
		return resolved(t, asked, d).Options.DType
	}
	assert.Equal(t, "float32", dtype("4x6/4,1x8/3"))
	large := "float32"
	if backend.MultipliesBFloat16() {
		large = nn.BFloat16
	}
	assert.Equal(t, large, dtype("8x1024/8,1x1100/8")) // 2²³ multiply-adds a sample

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, resultFile), []byte("{}"), 0o600)) // a run has been there
	for _, kept := range []string{"float32", nn.BFloat16} {
		c := ringConfig(writeRing(t, 200))
		c["dtype"] = kept
		before := resolved(t, c, d)
		spec, err := before.spec(d)
		require.NoError(t, err)
		require.NoError(t, writeConfig(dir, before, models.Metadata{}))
		require.NoError(t, checkpoint.Start(dir, MetadataOf(spec, d), d.Affinity.WriteFile))
		c["dtype"] = Auto
		p, err := draft(c, nil)
		require.NoError(t, err)
		p.inheritDType(dir)
		assert.False(t, p.open["dtype"])
		assert.Equal(t, kept, p.Options.DType)
	}
}
