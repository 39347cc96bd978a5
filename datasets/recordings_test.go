package datasets

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/npz"
)

// writeCSVs writes recordings of three sensors on two axes: two classes, people anna and ben, five takes each, of 6 to 10 moments.
// Sensor s is at (moment + s, class) in every moment, shifted by 10.
func writeCSVs(t *testing.T, dir string) {
	t.Helper()
	for class, name := range []string{"still", "wave"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		for _, person := range []string{"anna", "ben"} {
			for take := range 5 {
				text := "hip.x,hip.y,hand.x,hand.y,head.x,head.y\n"
				for moment := range 6 + take {
					for sensor := range 3 {
						text += fmt.Sprintf("%d,%d,", 10+moment+sensor, 10+class)
					}
					text = text[:len(text)-1] + "\n"
				}
				if take == 1 {
					text += ",,,,,\n" // a moment without values
				}
				require.NoError(t, os.WriteFile(filepath.Join(dir, name, fmt.Sprintf("%s_%d.csv", person, take)), []byte(text), 0o644))
			}
		}
	}
}

// runRecordings runs the example script in a folder; where there is no python3 with numpy, it skips the test.
func runRecordings(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	if err := exec.Command("python3", "-c", "import numpy").Run(); err != nil {
		t.Skip("needs python3 with numpy")
	}
	script, err := filepath.Abs("../examples/recordings.py")
	require.NoError(t, err)
	cmd := exec.Command("python3", append([]string{script}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestRecordingsScript follows docs/own-data.md from CSV files to a data set.
func TestRecordingsScript(t *testing.T) {
	dir := t.TempDir()
	writeCSVs(t, filepath.Join(dir, "recordings"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "links.csv"), []byte("hip,hand\nhand, head\n"), 0o644))
	out, err := runRecordings(t, dir, "recordings", "--frames", "4", "--links", "links.csv", "--origin", "hip", "--test", "ben_*")
	require.NoError(t, err, out)
	assert.Equal(t, "mine.npz: 20 recordings of 3 sensors, 2 classes, 17 edges\n", out)
	d, err := Load(filepath.Join(dir, "mine.npz"), Options{})
	require.NoError(t, err)
	assert.Equal(t, []int{20, 12, 2, 17}, []int{d.Signals.Len(), d.Nodes, d.Channels, d.Affinity.Edges()})
	assert.Equal(t, []string{"still", "wave"}, d.ClassNames)
	assert.Equal(t, []string{"hip@0", "hand@0", "head@0", "hip@1"}, d.NodeNames[:4])
	assert.Len(t, d.Test, 10)
	sample := make([]float32, 24)
	d.Signals.Read(0, sample) // anna, 6 moments: 5 steps over 4 frames
	for frame := range 4 {
		for sensor := range 3 {
			assert.InDelta(t, 5*float64(frame)/3+float64(sensor), sample[6*frame+2*sensor], 1e-5)
			assert.Zero(t, sample[6*frame+2*sensor+1], "the hip is the origin")
		}
	}

	// Arrays do as well, and without links all sensors of a frame are joined.
	features := make([]float32, 7*3*2)
	for i := range features {
		features[i] = float32(math.Sin(float64(i)))
	}
	for name, files := range map[string]int{"a": 8, "b": 9} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "arrays", name), 0o755))
		for i := range files {
			path := filepath.Join(dir, "arrays", name, fmt.Sprintf("%d.npy", i))
			file, err := os.Create(path)
			require.NoError(t, err)
			require.NoError(t, npz.WriteNPY(file, &npz.Array{Shape: []int{7, 3, 2}, Data: features}))
			require.NoError(t, file.Close())
		}
	}
	out, err = runRecordings(t, dir, "arrays", "--out", "arrays.npz")
	require.NoError(t, err, out)
	assert.Equal(t, "arrays.npz: 17 recordings of 3 sensors, 2 classes, 237 edges\n", out)
	_, err = Load(filepath.Join(dir, "arrays.npz"), Options{})
	require.NoError(t, err)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "recordings", "wave", "zed.csv"), []byte("hip.x,hand.x\n1,2\n"), 0o644))
	out, err = runRecordings(t, dir, "recordings")
	assert.Error(t, err)
	assert.Contains(t, out, "zed.csv: (['hip', 'hand'], 1) are other sensors or axes than")
	assert.Equal(t, 1, strings.Count(out, "\n"), "no traceback")
}
