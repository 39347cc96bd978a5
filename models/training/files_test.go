package training

import (
	"github.com/clusterpool/ccp/datasets"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemoveDeletesOnlyTheRun(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 1
	dir := filepath.Join(t.TempDir(), "run")
	trainIn(t, backend, c, dir)
	read, err := ReadConfig(dir)
	require.NoError(t, err)
	d, err := datasets.Load(t.Context(), read.Data, read.dataOptions(datasets.Options{}))
	require.NoError(t, err)
	assert.Empty(t, differ(resolved(t, c, d).Values(), read.Values()))

	for _, name := range []string{"notes.txt", "last-of-all", "model.json.bak"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "best-pictures"), 0o755))
	require.NoError(t, removeFiles(dir))
	assert.Equal(t, []string{".lock", "best-pictures", "last-of-all", "model.json.bak", "notes.txt"}, listDir(t, dir))
}

func TestDamagedFilesAreNamed(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	for _, name := range []string{configFile, "model.json", "graph.npz", dataFile} {
		dir := t.TempDir()
		trainUntil(t, backend, c, dir, 1)
		require.NoError(t, os.Truncate(filepath.Join(dir, name), 20))
		_, err := Train(t.Context(), backend, c, Options{Dir: dir})
		assert.ErrorContains(t, err, filepath.Join(dir, name))
	}
}
