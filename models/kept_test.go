package models_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A checkpoint that version 0.1.0 wrote is read, and predicts what it predicted then. Its ensemble has each kind of
// member: a network with two hierarchies, a stem and a hidden layer, the forest, and the ridge classifier on
// minirocket, hydra, power, lags, scattering, averages and values, on stretched recordings, too; weights,
// temperatures and a calibration. answers.json has recordings of four lengths and their probabilities.
//
// Never write these files anew while versions of the same promise have to read them (CHANGELOG.md): who has a
// checkpoint of 0.1.0 cannot do that either. If this test fails, make the reader right: let it take what is missing
// as 0.1.0 had it. If another form is worth a break, the version says so, the reader refuses this one in a sentence,
// which the test then asks for, and a checkpoint of the new form is kept beside it, in a folder of its own.
//
// It was trained for one epoch on 24 made-up recordings of 16 sensors, by a build with 84 features a transform and 4
// trees, to be small.
func TestCheckpointOfVersion010(t *testing.T) {
	dir := filepath.Join("testdata", "kept-0.1.0")
	raw, err := os.ReadFile(filepath.Join(dir, "answers.json"))
	require.NoError(t, err)
	var answers struct {
		Recordings    []recording.Recording
		Probabilities [][]float64
	}
	require.NoError(t, json.Unmarshal(raw, &answers))
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
		require.NoError(t, err)
		defer func() { require.NoError(t, classifier.Close()) }()
		assert.Equal(t, []string{"calm", "storm", "wind"}, classifier.ClassNames)
		assert.Equal(t, "forest, minirocket-stretched, minirocket, values, lags, averages, power, scattering, "+
			"power-stretched and hydra (60%), with the network (40%)", classifier.PredictedBy())
		predictions, err := classifier.ClassifyRecording(t.Context(), answers.Recordings...)
		require.NoError(t, err)
		require.Len(t, predictions, 4)
		for i, p := range predictions {
			assert.InDeltaSlice(t, answers.Probabilities[i], p.Probabilities, 1e-5, answers.Recordings[i].Name)
		}
	})
}
