package training

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiverged(t *testing.T) {
	backend := backendtest.Go(t)
	data := writeRing(t, 200)
	for name, batch := range map[string]int{
		"within an epoch":              16,
		"in the last step of an epoch": 140, // its only one: the loss is still good, the weights after it are not
	} {
		t.Run(name, func(t *testing.T) {
			c := ringConfig(data)
			c["batch"], c["learning_rate"], c["schedule"] = batch, 1e35, "constant"
			dir := t.TempDir()
			_, err := Train(context.Background(), backend, c, Options{Dir: dir})
			var diverged *DivergedError
			require.ErrorAs(t, err, &diverged)
			require.False(t, isFinite(diverged.Loss), diverged.Loss)
			assert.Equal(t, dir, diverged.Dir)
			assert.Contains(t, []int{1, 2, 3}, diverged.Step)
			assert.Equal(t, (diverged.Step-1)/(140/batch)+1, diverged.Epoch)
			assert.True(t, isFinite(diverged.Before.Loss))
			assert.NoFileExists(t, filepath.Join(dir, resultFile))
			assert.NotContains(t, err.Error(), "\n", "one line, without a stack trace")
			assert.Contains(t, err.Error(), "lower learning_rate")
			assert.True(t, strings.HasPrefix(err.Error(), "the loss became "), "without what GoMLX's loop adds: %v", err)
			if diverged.Epoch == 1 {
				assert.Contains(t, err.Error(), "There is no snapshot yet.")
			}
		})
	}
}

// Snapshots from before a divergence stay usable: here the rate explodes in a second run of the same network.
func TestDivergenceHarmsNoSnapshot(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	dir := t.TempDir()
	trainUntil(t, backend, c, dir, 11)
	best, _ := snapshotOf(t, dir, checkpoint.Best)
	resumed, _ := snapshotOf(t, dir, checkpoint.Last)
	c["learning_rate"], c["schedule"] = 1e35, "constant"
	whole, err := ReadConfig(dir)
	require.NoError(t, err)
	whole.LearningRate, whole.Schedule = 1e35, "constant"
	require.NoError(t, files.WriteJSON(filepath.Join(dir, configFile), whole))

	_, err = Train(context.Background(), backend, c, Options{Dir: dir})
	var diverged *DivergedError
	require.ErrorAs(t, err, &diverged)
	assert.GreaterOrEqual(t, diverged.Step, 12)
	assert.Equal(t, 2, diverged.Epoch)
	assert.True(t, isFinite(diverged.Before.Loss), "the epoch's mean before it: %v", diverged.Before)
	assert.Less(t, diverged.Before.Loss, 1e6)
	assert.Contains(t, err.Error(), "The snapshots in "+dir+" are from before it.")
	after, _ := snapshotOf(t, dir, checkpoint.Best)
	assert.Equal(t, best, after)
	last, _ := snapshotOf(t, dir, checkpoint.Last)
	assert.Equal(t, resumed, last)
	classifier, err := models.Load(dir, models.WithBackend(backend))
	require.NoError(t, err)
	predictions, err := classifier.Classify(context.Background(), [][]float32{make([]float32, ringNodes*ringChannels)})
	require.NoError(t, err)
	assert.False(t, math.IsNaN(predictions[0].Probability))
}
