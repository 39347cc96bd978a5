package explain

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	_ "github.com/clusterpool/ccp/models/baselines"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plant writes recordings of a bearing: 12 sensors, each in its unit, and a fault that the oil alone tells of.
func plant(t *testing.T) (folder string) {
	t.Helper()
	sensors := []struct {
		name           string
		usual, varying float64
	}{{"motor_1", 400, 5}, {"motor_2", 410, 5}, {"motor_3", 395, 5}, {"speed", 1500, 20}, {"oil", 60, 1}, {"air", 20, 1},
		{"inlet", 5, 0.3},
		{"outlet", 4, 0.3}, {"vibration_1", 0.01, 0.002}, {"vibration_2", 0.012, 0.002}, {"vibration_3", 0.011, 0.002},
		{"vibration_4", 0.009, 0.002}}
	folder = t.TempDir()
	random := rand.New(rand.NewPCG(4, 3))
	for sample := range 80 {
		class := []string{"sound", "worn"}[sample%2]
		var names, lines []string
		for _, s := range sensors {
			names = append(names, s.name)
		}
		for range 12 {
			var values []string
			for _, s := range sensors {
				value := s.usual + s.varying*random.NormFloat64()
				if s.name == "oil" && class == "worn" {
					value += 3
				}
				values = append(values, fmt.Sprintf("%g", value))
			}
			lines = append(lines, strings.Join(values, ","))
		}
		text := strings.Join(names, ",") + "\n" + strings.Join(lines, "\n") + "\n"
		path := filepath.Join(folder, class, fmt.Sprintf("%02d.csv", sample))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return folder
}

// Where sensors have different units, the sensor that tells of the fault is named: as imported by default, and where
// all are scaled alike.
func TestSensorsOfDifferentUnits(t *testing.T) {
	folder, backend, alike := plant(t), backendtest.Go(t), false
	for name, c := range map[string]struct {
		scale  *bool
		asked  training.Patch
		method string
	}{
		"by itself, kernels": {nil, training.Patch{"model": "transforms", "transforms": "minirocket"}, models.Occlusion},
		"alike, kernels":     {&alike, training.Patch{"model": "transforms", "transforms": "minirocket"}, models.Occlusion},
		"by itself, gradients": {nil, training.Patch{"model": "softmax", "epochs": 40, "learning_rate": 0.05,
			"keep": "last"}, models.IntegratedGradients},
	} {
		t.Run(name, func(t *testing.T) {
			file, dir := filepath.Join(t.TempDir(), "plant.npz"), filepath.Join(t.TempDir(), "run")
			_, err := recordings.Import(t.Context(), []string{folder}, file, recordings.Options{Scale: c.scale})
			require.NoError(t, err)
			c.asked["data"] = file
			result, err := training.Train(t.Context(), backend, c.asked, training.Options{Dir: dir})
			require.NoError(t, err)
			t.Logf("test accuracy %.2f", result.Test.Accuracy)
			classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
			require.NoError(t, err)
			config, err := training.ReadConfig(dir)
			require.NoError(t, err)
			d, err := training.LoadFor(t.Context(), classifier.Metadata, config, datasets.Options{})
			require.NoError(t, err)
			e := Explanation{Classifier: classifier, Data: d, Split: "test", Class: -1,
				Options: models.AttributionOptions{Method: c.method}}
			require.NoError(t, e.Prepare(0))
			s, err := e.Run(t.Context(), "")
			require.NoError(t, err)
			require.Len(t, s.Classes, 2)
			for _, class := range s.Classes {
				t.Log(class.Name, class.Sensors[:4])
				assert.Equal(t, "oil", class.Sensors[0].Name, class.Name)
			}
		})
	}
}
