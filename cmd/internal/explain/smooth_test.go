package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/recordings"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Of smooth recordings whose classes differ by a narrow bump, the bump's part is named, and speaks for its class. A
// constant in its place would make steps, which no sample has.
func TestSmoothRecordings(t *testing.T) {
	folder, random, backend := t.TempDir(), rand.New(rand.NewPCG(2, 7)), backendtest.Go(t)
	const points, centre = 256, 152 // the middle of the tenth of 16 spans
	for sample := range 80 {
		class := []string{"plain", "bump"}[sample%2]
		var b strings.Builder
		b.WriteString("absorbance\n")
		level, slope, wave, phase := 5+2*random.NormFloat64(), 2*random.NormFloat64(), 1+random.Float64(), 6*random.Float64()
		for i := range points {
			x := float64(i) / points
			value := level + slope*x + wave*math.Sin(4*x+phase) + 0.002*random.NormFloat64()
			if class == "bump" {
				value += 0.3 * math.Exp(-math.Pow(float64(i-centre)/4, 2))
			}
			fmt.Fprintf(&b, "%g\n", value)
		}
		path := filepath.Join(folder, class, fmt.Sprintf("%02d.csv", sample))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	}
	file, dir := filepath.Join(t.TempDir(), "smooth.npz"), filepath.Join(t.TempDir(), "run")
	_, err := recordings.Import(t.Context(), []string{folder}, file, recordings.Options{})
	require.NoError(t, err)
	result, err := training.Train(t.Context(), backend,
		training.Patch{"data": file, "model": "transforms", "transforms": "minirocket"},
		training.Options{Dir: dir})
	require.NoError(t, err)
	require.Greater(t, result.Test.Accuracy, 0.9)
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	config, err := training.ReadConfig(dir)
	require.NoError(t, err)
	d, err := training.LoadFor(t.Context(), classifier.Metadata, config, datasets.Options{})
	require.NoError(t, err)
	e := Explanation{Classifier: classifier, Data: d, Split: "test", Class: 0} // of the classes "bump" is the first
	require.NoError(t, e.Prepare(0))
	s, err := e.Run(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, s.Classes, 1)
	frames := d.Nodes
	most := s.Classes[0].Frames[0]
	assert.Equal(t, "bump", s.Classes[0].Name)
	assert.Equal(t, 9, most.Index*16/frames, "the span of the bump")
	assert.Positive(t, most.Mean)
}
