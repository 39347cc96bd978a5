package training

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// told is what the error of a divergence tells: the step, its epoch, and the loss before it.
func told(t *testing.T, err error) (step, epoch int, before float64) {
	t.Helper()
	require.Error(t, err)
	part := regexp.MustCompile(`^diverged: the loss became (?:NaN|[+-]Inf) at step (\d+), epoch (\d+) ` +
		`\(.* the epoch's mean was (\S+) at`).
		FindStringSubmatch(err.Error()) // without what GoMLX's loop adds
	require.NotNil(t, part, err)
	_, scanned := fmt.Sscan(strings.Join(part[1:], " "), &step, &epoch, &before)
	require.NoError(t, scanned)
	return step, epoch, before
}

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
			require.ErrorIs(t, err, ErrDiverged)
			step, epoch, before := told(t, err)
			assert.Contains(t, []int{1, 2, 3}, step)
			assert.Equal(t, (step-1)/(140/batch)+1, epoch)
			assert.True(t, isFinite(before))
			assert.NoFileExists(t, filepath.Join(dir, resultFile))
			assert.NotContains(t, err.Error(), "\n", "one line, without a stack trace")
			assert.Contains(t, err.Error(), "lower learning_rate")
			if epoch == 1 {
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
	require.NoError(t, writeConfig(dir, whole, models.Metadata{}))

	_, err = Train(context.Background(), backend, c, Options{Dir: dir})
	step, epoch, before := told(t, err)
	assert.GreaterOrEqual(t, step, 12)
	assert.Equal(t, 2, epoch)
	assert.Less(t, before, 1e6)
	assert.Contains(t, err.Error(), "The snapshots in "+dir+" are from before it.")
	after, _ := snapshotOf(t, dir, checkpoint.Best)
	assert.Equal(t, best, after)
	last, _ := snapshotOf(t, dir, checkpoint.Last)
	assert.Equal(t, resumed, last)
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	predictions, err := classifier.Classify(context.Background(), [][]float32{make([]float32, ringNodes*ringChannels)})
	require.NoError(t, err)
	assert.False(t, math.IsNaN(predictions[0].Probability))
}

// With a decay or a rate that no weight survives, a training ends well or says that it has diverged and which option
// to lower, whatever step is its last, and whether a hierarchy is learned. No figure that is not a number reaches a
// file of JSON.
func TestDivergedAtAnyStep(t *testing.T) {
	backend := backendtest.Go(t)
	data := writeRing(t, 200)
	decays, diverged := 0, 0
	for _, hierarchy := range []string{"prepared", "learned"} {
		for steps := 1; steps <= 8; steps++ {
			for _, keep := range []string{KeepLast, "best"} {
				c := ringConfig(data)
				c["steps"], c["epochs"], c["schedule"], c["ccp_hierarchy"], c["keep"] = steps, min(2, steps),
					"constant", hierarchy, keep
				c["weight_decay"] = 1e9
				_, err := Train(t.Context(), backend, c, Options{Dir: t.TempDir()})
				if err == nil {
					continue
				}
				diverged++
				require.ErrorIs(t, err, ErrDiverged, "%s, %d steps, keep %s", hierarchy, steps, keep)
				assert.NotContains(t, err.Error(), "json")
				decays += strings.Count(err.Error(), "lower weight_decay (1e+09) or learning_rate")
			}
		}
	}
	assert.Positive(t, diverged)
	assert.Equal(t, diverged, decays)
}

// An error of JSON that a value is no number becomes one of divergence, and another error stays.
func TestNoNumberIsDivergence(t *testing.T) {
	_, odd := json.Marshal(math.NaN())
	r := &run{classifier: &models.Classifier{}, store: model.NewStore()}
	r.spec.Model, r.config.LearningRate, r.state.Step = "ccp", 0.1, 7
	err := r.orDiverged(fmt.Errorf("result.json: %w", odd))
	require.ErrorIs(t, err, ErrDiverged)
	assert.ErrorContains(t, err, "after step 7")
	assert.ErrorContains(t, err, "lower learning_rate")
	other := errors.New("disk full")
	assert.Equal(t, other, r.orDiverged(other))
}
