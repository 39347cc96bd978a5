package training

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models"
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
	d, err := datasets.Load(t.Context(), read.Name, read.dataOptions(datasets.Options{}))
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

// A training replaces nothing but a training: neither files of a foreign program, nor a classifier that was saved,
// nor its own data set, also with overwrite. What it does not write itself may lie there.
func TestTrainingSparesWhatIsNotItsOwn(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 80))
	c["epochs"] = 1
	run := t.TempDir()
	trainIn(t, backend, c, run)
	saved := filepath.Join(t.TempDir(), "saved")
	classifier, err := models.Load(run, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	require.NoError(t, classifier.Save(saved))

	refused := func(dir, name string, c Patch) {
		t.Helper()
		before := contents(t, dir)
		for _, overwrite := range []bool{false, true} {
			_, err := Train(t.Context(), backend, c, Options{Dir: dir, Overwrite: overwrite})
			require.ErrorContains(t, err, filepath.Join(dir, name))
			require.ErrorContains(t, err, "choose another checkpoint")
		}
		assert.Equal(t, before, contents(t, dir))
	}
	refused(saved, "best-", c)
	for _, name := range append(runFiles(), "best-00000001", hierarchyFolder) {
		dir := t.TempDir()
		if name == "best-00000001" {
			name += "/mine"
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(`{"my": 1, "model": "x", "data": "y"}`),
			0o644))
		refused(dir, strings.TrimSuffix(name, "/mine"), c)
	}
	alone := t.TempDir()
	own := filepath.Join(alone, "graph.npz")
	require.NoError(t, os.Rename(writeRing(t, 80), own))
	refused(alone, "graph.npz", with(c, "data", own))
	data, err := os.ReadFile(own)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(run, "graph.npz"), data, 0o644))
	refused(run, "graph.npz", with(c, "data", filepath.Join(run, "graph.npz")))

	for _, name := range []string{"notes.txt", "model.bin", lockFile} {
		require.NoError(t, os.WriteFile(filepath.Join(alone, name), nil, 0o644))
	}
	require.NoError(t, os.Remove(own))
	trainIn(t, backend, c, alone)
	require.NoError(t, removeFiles(alone))
	// A kill after the first file leaves a run that goes on.
	require.NoError(t, os.WriteFile(filepath.Join(alone, configFile),
		[]byte(`{"recipe": "default", "split_seed": 0}`), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(alone, "graph.npz"), nil, 0o644))
	trainIn(t, backend, c, alone)
}

// No value stands in two documents of a checkpoint, so that none can contradict another.
func TestNoValueInTwoDocuments(t *testing.T) {
	backend := backendtest.Go(t)
	path := writeRing(t, 80)
	d, err := datasets.Load(t.Context(), path, datasets.Options{})
	require.NoError(t, err)
	for _, o := range []Options{{}, {Data: d}} {
		c := ringConfig(path)
		c["epochs"] = 1
		if o.Data != nil {
			delete(c, "data")
		}
		o.Dir = t.TempDir()
		_, err := Train(t.Context(), backend, c, o)
		require.NoError(t, err)
		in := map[string]string{}
		for _, file := range []string{metadataFile, configFile} {
			var document map[string]any
			require.NoError(t, files.ReadJSON(filepath.Join(o.Dir, file), &document))
			for _, part := range []any{document, document["spec"], document["data"], document["training"]} {
				values, _ := part.(map[string]any)
				for name, value := range values {
					if _, section := value.(map[string]any); !section {
						assert.Empty(t, in[fmt.Sprint(name, value)], "%s=%v", name, value)
						in[fmt.Sprint(name, value)] = file
					}
				}
			}
			spec, _ := document["spec"].(map[string]any)
			options, _ := spec["options"].(map[string]any)
			for name := range options {
				assert.NotContains(t, params.Names(ownFields), name)
			}
		}
		read, err := ReadConfig(o.Dir)
		require.NoError(t, err)
		want := "ring.npz"
		if o.Data == nil {
			want = path
		}
		assert.Equal(t, want, read.Name)
	}
}

// contents are the files of a folder and of those in it.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		all[path] = string(raw)
		return err
	}))
	return all
}
