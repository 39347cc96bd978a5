package training_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is asked of a network that is not trained is named, and a result claims nothing of it.
func TestSettingsWithoutEffect(t *testing.T) {
	dir, path := filepath.Join(t.TempDir(), "run"), tones(t, 176)
	notices := []string{}
	var last training.Notice
	train := func(dir string, asked training.Patch) training.Result {
		notices = nil
		result, err := training.Train(t.Context(), backendtest.Go(t), asked, training.Options{Dir: dir,
			Observer: training.Observer{Notice: func(n training.Notice) {
				last = n
				notices = append(notices, n.String())
			}}})
		require.NoError(t, err)
		return result
	}
	asked := training.Patch{"data": path, "epochs": 3, "learning_rate": 0.1, "readout_dropout": 0.2, "seed": 1,
		"steps": training.Auto}
	without := "without effect: epochs=3, learning_rate=0.1, readout_dropout=0.2; the transforms predict without a " +
		"network; give transforms=none to train the network"
	result := train(dir, asked)
	assert.Equal(t, without, notices[len(notices)-1])
	assert.Equal(t, training.SettingsNotice, last.Kind)
	assert.Equal(t, training.Patch{"epochs": 3, "learning_rate": 0.1, "readout_dropout": 0.2}, last.Settings)
	assert.NotContains(t, last.WithoutAdvice().String(), "transforms=none")
	spelled := last.Spell(func(option string, value any) string { return fmt.Sprint("-", option, " ", value) })
	assert.Contains(t, spelled, "-epochs 3, -learning_rate 0.1, -readout_dropout 0.2")
	assert.Contains(t, spelled, "-transforms none")
	raw, err := json.Marshal(result)
	require.NoError(t, err)
	for _, name := range []string{"epochs", "steps", "best_epoch", "objective", "compile_seconds"} {
		assert.NotContains(t, string(raw), `"`+name+`"`)
	}
	assert.True(t, train(dir, asked).Resumed)
	assert.Equal(t, []string{without}, notices, "again, of a run that had ended")

	// which links the sensors
	train(filepath.Join(t.TempDir(), "plain"), training.Patch{"data": path, "seed": 2, "knn": 1})
	assert.NotContains(t, notices[len(notices)-1], "without effect")
	train(filepath.Join(t.TempDir(), "fitted"), training.Patch{"data": "digits", "model": "bayes",
		"learning_rate": 0.1, "bayes_alpha": 1})
	assert.Contains(t, notices, "without effect: learning_rate=0.1; model bayes is fitted in one pass")

	d, err := datasets.Load(t.Context(), path, datasets.Options{})
	require.NoError(t, err)
	d.Groups = slices.Repeat([]string{"one"}, len(d.Labels)) // which tell nothing: samples are held out
	c, err := training.Resolve(training.Patch{"model": "transforms"}, d)
	require.NoError(t, err)
	assert.Equal(t, "all", c.Transforms)
	_, err = training.Resolve(training.Patch{"model": "transforms", "transforms": "none"}, d)
	messagetest.Option(t, err, "transforms", "none", "model transforms … predicts nothing")
}
