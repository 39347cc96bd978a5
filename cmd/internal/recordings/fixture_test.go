package recordings

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
)

// put writes a file below a folder.
func put(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// imported imports and loads what was made, and checks that both agree.
func imported(t *testing.T, o Options, inputs ...string) (*Result, *datasets.Dataset) {
	t.Helper()
	return importedAt(t, 0, o, inputs...)
}

// importedAt is imported for a network that sees so many frames.
func importedAt(t *testing.T, frames int, o Options, inputs ...string) (*Result, *datasets.Dataset) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.npz")
	result, err := Import(context.Background(), inputs, path, o)
	require.NoError(t, err)
	d, err := datasets.Load(t.Context(), path, datasets.Options{Frames: frames})
	require.NoError(t, err)
	assert.Equal(t, []int{result.Samples, len(result.Sensors), result.Channels},
		[]int{len(d.Series), len(d.Form.Sensors), d.Channels})
	if result.SplitBy != "" {
		assert.Equal(t, []int{result.Training, result.Test}, []int{len(d.Train), len(d.Test)})
	}
	return result, d
}

// refused imports what cannot be, and returns the error. Nothing is left in the folder of the output.
func refused(t *testing.T, o Options, inputs ...string) string {
	t.Helper()
	folder := t.TempDir()
	_, err := Import(context.Background(), inputs, filepath.Join(folder, "made.npz"), o)
	require.Error(t, err)
	entries, failed := os.ReadDir(folder)
	require.NoError(t, failed)
	assert.Empty(t, entries)
	return err.Error()
}

// alike reads the input of an import as predict does, and checks that the series are those of the import, bit for bit.
func alike(t *testing.T, o Options, d *datasets.Dataset, inputs ...string) {
	t.Helper()
	all, _, err := ReadUnlabelled(t.Context(), inputs, d.Form)
	require.NoError(t, err)
	var got [][]float32
	for _, r := range all {
		parts := []recording.Recording{r}
		if o.Cut.Window.Length > 0 {
			ordered, windows, _, err := d.Form.Windows(r, o.Cut, math.MaxInt)
			if errors.Is(err, recording.ErrShort) {
				continue
			}
			require.NoError(t, err)
			parts = nil
			for _, w := range windows {
				parts = append(parts, ordered.Part(w))
			}
		}
		for _, part := range parts {
			series, _, err := d.Form.Series(part)
			if err != nil && o.Cut.Window.Length > 0 { // such windows are left out, by both
				continue
			}
			require.NoError(t, err)
			got = append(got, series)
		}
	}
	require.Len(t, got, len(d.Series))
	for i := range got {
		require.Equal(t, bits(d.Series[i]), bits(got[i]), "sample %d", i)
	}
}

func bits(values []float32) (all []uint32) {
	for _, v := range values {
		all = append(all, math.Float32bits(v))
	}
	return all
}

// signal is sample i of a data set.
func signal(d *datasets.Dataset, i int) []float32 {
	out := make([]float32, d.Nodes*d.Channels)
	d.Signals.Read(i, out)
	return out
}

// many repeats lines.
func many(n int, lines ...string) string { return strings.Repeat(strings.Join(lines, "\n")+"\n", n) }

// read reads recordings as an import does.
func read(t *testing.T, inputs []string, o Options) (*reading, error) {
	t.Helper()
	m, err := gather(t.Context(), inputs, o)
	if err != nil {
		return nil, err
	}
	return m.reading, nil
}

// readKnown reads recordings to classify, as the table of an import of these sensors says.
func readKnown(t *testing.T, inputs []string, table Table, sensors []string, channels int) (*reading, error) {
	t.Helper()
	raw, err := json.Marshal(table)
	require.NoError(t, err)
	return readAlike(t.Context(), inputs, &recording.Form{Sensors: sensors, Channels: channels, Reading: raw}, nil)
}
