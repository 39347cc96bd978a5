package models

import (
	"archive/zip"
	"bytes"
	"fmt"
	"github.com/clusterpool/ccp/internal/variables"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// saveTiny writes a checkpoint as a training does: the store's weights as Last, the frozen classifier's as Best.
func saveTiny(t *testing.T, backend compute.Backend) (dir string, c *Classifier) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	m, graph := tiny(t)
	require.NoError(t, checkpoint.Start(dir, m, graph.WriteFile))
	store := drawn(t, backend, m.Spec, graph)
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	skip := func(v *model.Variable) bool { return !variables.IsWeight(v) }
	require.NoError(t, checkpoint.Save(dir, checkpoint.Best, 8, 1, c.Store(), nil, skip))
	require.NoError(t, checkpoint.Save(dir, checkpoint.Last, 9, 1, store, nil, skip))
	return dir, c
}

func TestLoad(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		dir, saved := saveTiny(t, backend)
		loaded, err := Load(dir, LoadOptions{Backend: backend, Notice: func(line string) { t.Error(line) }})
		require.NoError(t, err)
		assert.Equal(t, saved.Metadata, loaded.Metadata)
		assert.Equal(t, saved.Graph, loaded.Graph)
		assert.Equal(t, saved.Parameters(), loaded.Parameters())
		want, err := saved.Classify(t.Context(), signals(saved.Spec, 5, 1))
		require.NoError(t, err)
		got, err := loaded.Classify(t.Context(), signals(saved.Spec, 5, 1))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

// Weights are of the description that they were saved with. A link that changes while files are read changes nothing.
func TestLoadOfAnothersSnapshot(t *testing.T) {
	backend := backendtest.Go(t)
	dir, saved := saveTiny(t, backend)
	other := filepath.Join(t.TempDir(), "other")
	saved.ClassNames = slices.Clone(saved.ClassNames)
	slices.Reverse(saved.ClassNames)
	require.NoError(t, saved.Save(other))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "best-00000008")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "last-00000009")))
	foreign := fmt.Sprintf("best-%08d", saved.Step)
	require.NoError(t, os.CopyFS(filepath.Join(dir, foreign), os.DirFS(filepath.Join(other, foreign))))
	_, err := Load(dir, LoadOptions{Backend: backend})
	require.ErrorContains(t, err, filepath.Join(dir, foreign)+
		" is damaged: it belongs to another model.json: copy a checkpoint whole, to a folder of its own")

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(other, link))
	loaded, err := Load(link, LoadOptions{Backend: backend})
	require.NoError(t, err)
	assert.Equal(t, saved.ClassNames, loaded.ClassNames)
}

// A classifier saved on one backend is the same on another.
func TestLoadOnAnotherBackend(t *testing.T) {
	dir, saved := saveTiny(t, backendtest.Go(t))
	want, err := saved.Classify(t.Context(), signals(saved.Spec, 5, 1))
	require.NoError(t, err)
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		loaded, err := Load(dir, LoadOptions{Backend: backend})
		require.NoError(t, err)
		got, err := loaded.Classify(t.Context(), signals(saved.Spec, 5, 1))
		require.NoError(t, err)
		for i := range got {
			assert.InDeltaSlice(t, want[i].Probabilities, got[i].Probabilities, 1e-5)
		}
	})
}

// Without a usable best snapshot the newest one serves: frozen now, and with averaged weights where there are.
func TestLoadFallsBackToTheLast(t *testing.T) {
	backend := backendtest.Go(t)
	dir, saved := saveTiny(t, backend)
	want, err := saved.Classify(t.Context(), signals(saved.Spec, 5, 1))
	require.NoError(t, err)

	best := filepath.Join(dir, "best-00000008")
	require.NoError(t, os.Truncate(filepath.Join(best, "state.json"), 2))
	var notices []string
	loaded, err := Load(dir, LoadOptions{Backend: backend,
		Notice: func(line string) { notices = append(notices, line) }})
	require.NoError(t, err)
	require.Len(t, notices, 1)
	assert.Contains(t, notices[0], best+" is damaged: state.json has 2 bytes")
	got, err := loaded.Classify(t.Context(), signals(saved.Spec, 5, 1))
	require.NoError(t, err)
	assert.Equal(t, want, got)

	require.NoError(t, os.RemoveAll(best))
	store := drawn(t, backend, saved.Spec, saved.Graph)
	_, err = store.CreateVariable("/average/model/classes/W", tensors.FromScalarAndDimensions(float32(0), 8, 3))
	require.NoError(t, err)
	require.NoError(t, checkpoint.Save(dir, checkpoint.Last, 10, 1, store, nil, nil))
	loaded, err = Load(dir, LoadOptions{Backend: backend, Notice: func(line string) { t.Error(line) }})
	require.NoError(t, err)
	got, err = loaded.Classify(t.Context(), signals(saved.Spec, 1, 1))
	require.NoError(t, err)
	assert.InDelta(t, 1./3, got[0].Probability, 1e-6)
}

// Of classifiers that are saved in one directory at once one is there, whole. Save returns an error for all others.
func TestSaveAtOnce(t *testing.T) {
	backend := backendtest.Go(t)
	m, graph := tiny(t)
	classifiers := make([]*Classifier, 8)
	for i := range classifiers {
		m.Data = strconv.Itoa(i)
		c, err := NewClassifier(backend, m, graph)
		require.NoError(t, err)
		require.NoError(t, c.Update(drawn(t, backend, m.Spec, graph)))
		classifiers[i] = c
	}
	for range 20 {
		start := make(chan struct{})
		dir, errs := filepath.Join(t.TempDir(), "saved"), make([]error, len(classifiers))
		var group sync.WaitGroup
		for i, c := range classifiers {
			group.Go(func() {
				<-start
				errs[i] = c.Save(dir)
			})
		}
		close(start)
		group.Wait()
		loaded, err := Load(dir, LoadOptions{Backend: backend, Notice: func(line string) { t.Error(line) }})
		require.NoError(t, err)
		for i, err := range errs {
			if classifiers[i].Data == loaded.Data {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "choose another directory for the classifier")
			}
		}
		assert.NoFileExists(t, filepath.Join(dir, checkpoint.LockFile))
	}
}

func TestLoadErrors(t *testing.T) {
	backend := backendtest.Go(t)
	absent := filepath.Join(t.TempDir(), "absent")
	for _, dir := range []string{absent, t.TempDir()} {
		_, err := Load(dir, LoadOptions{Backend: backend})
		require.ErrorIs(t, err, os.ErrNotExist)
		assert.ErrorContains(t, err, dir+" is not a checkpoint")
	}
	for want, damage := range map[string]func(dir string) error{
		"graph.npz: no such file": func(dir string) error {
			return os.Remove(filepath.Join(dir,
				checkpoint.GraphFile))
		},
		"graph.npz: it is damaged": func(dir string) error {
			return os.Truncate(filepath.Join(dir,
				checkpoint.GraphFile), 50)
		},
		"model.json: it is damaged (unexpected end": func(dir string) error {
			return os.Truncate(filepath.Join(dir, checkpoint.MetadataFile), 50)
		},
		"model.json: an earlier version of ccp wrote this checkpoint": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, checkpoint.MetadataFile), []byte("{}"), 0o644)
		},
		"graph.npz: it is damaged, or belongs to another model.json: copy a checkpoint whole": func(dir string) error {
			return grid(t, 2, 2).WriteFile(filepath.Join(dir, checkpoint.GraphFile))
		},
		`no usable snapshot of kind "last"`: func(dir string) error { return checkpoint.Remove(dir) },
		"best-00000008 is damaged":          func(dir string) error { return breakSnapshots(dir) },
		"last-00000009 is damaged":          func(dir string) error { return breakSnapshots(dir) },
	} {
		dir, _ := saveTiny(t, backend)
		require.NoError(t, damage(dir))
		_, err := Load(dir, LoadOptions{Backend: backend})
		require.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, dir)
	}
}

// Loading again and again opens one backend, which closing a classifier leaves to the others.
func TestLoadsShareABackend(t *testing.T) {
	dir, _ := saveTiny(t, backendtest.Go(t))
	t.Setenv(compute.ConfigEnvVar, "go")
	var loaded []*Classifier
	for range 2 {
		c, err := Load(dir, LoadOptions{})
		require.NoError(t, err)
		loaded = append(loaded, c)
	}
	assert.Same(t, loaded[0].backend, loaded[1].backend)
	require.NoError(t, loaded[0].Close())
	_, err := loaded[1].Classify(t.Context(), signals(loaded[1].Spec, 1, 1))
	require.NoError(t, err)
	require.NoError(t, loaded[1].Close())
}

// A change of a single digit of model.json is found, and so are a checksum that is missing and a name that is
// unknown.
func TestMetadataChecksum(t *testing.T) {
	dir := t.TempDir()
	m, graph := tiny(t)
	require.NoError(t, checkpoint.Start(dir, m, graph.WriteFile))
	path := filepath.Join(dir, checkpoint.MetadataFile)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for i, letter := range whole {
		if letter == '1' { // the file stays JSON
			changed := bytes.Clone(whole)
			changed[i] = '2'
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			_, _, err := ReadMetadata(dir)
			assert.ErrorContains(t, err, path+": it is damaged or was changed by hand", "digit %d", i)
		}
	}
	for _, sum := range []string{"graph_sha256", "sha256"} {
		stripped := regexp.MustCompile(`,\s*"`+sum+`": "[0-9a-f]*"`).ReplaceAll(whole, nil)
		require.Less(t, len(stripped), len(whole))
		require.NoError(t, os.WriteFile(path, stripped, 0o600))
		_, _, err := ReadMetadata(dir)
		assert.ErrorIs(t, err, checkpoint.ErrEarlier, sum)
	}
	require.NoError(t, checkpoint.Start(dir, struct {
		Metadata
		Later int `json:"later"`
	}{m, 1}, graph.WriteFile))
	_, _, err = ReadMetadata(dir)
	assert.ErrorContains(t, err, `unknown field "later"`)
}

func breakSnapshots(dir string) error {
	for _, name := range []string{"best-00000008", "last-00000009"} {
		if err := os.Remove(filepath.Join(dir, name, "manifest.json")); err != nil {
			return err
		}
	}
	return nil
}

func TestLoadOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err := Load(file, LoadOptions{})
	require.EqualError(t, err, file+" is not a directory; a checkpoint is a folder that ccp train made, such as "+
		"those in runs")
}

// A zip archive of a checkpoint is a checkpoint. So are its files in memory.
func TestRead(t *testing.T) {
	backend := backendtest.Go(t)
	dir, saved := saveTiny(t, backend)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	require.NoError(t, w.AddFS(os.DirFS(dir)))
	require.NoError(t, w.Close())
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	require.NoError(t, err)
	loaded, err := Read(archive, LoadOptions{Backend: backend})
	require.NoError(t, err)
	want, err := saved.Classify(t.Context(), signals(saved.Spec, 5, 1))
	require.NoError(t, err)
	got, err := loaded.Classify(t.Context(), signals(saved.Spec, 5, 1))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, "best-00000008", loaded.Snapshot)

	raw, err := os.ReadFile(filepath.Join(dir, "model.json"))
	require.NoError(t, err)
	for want, files := range map[string]fstest.MapFS{
		"it is not a checkpoint":   {},
		"graph.npz":                {"model.json": {Data: raw}},
		"graph.npz: it is damaged": {"model.json": {Data: raw}, "graph.npz": {Data: []byte("graph")}},
		"an earlier version of ccp wrote this checkpoint, or it was changed by hand; train anew": {
			"model.json": {Data: []byte(`{"spec":{"model":"ccp","params":{"l2":0}}}`)}},
		"damaged or": {"model.json": {Data: bytes.Replace(raw, []byte("class_names"), []byte("Class_names"), 1)}},
	} {
		_, err := Read(files, LoadOptions{Backend: backend})
		assert.ErrorContains(t, err, want)
	}
}

// Few signals need no XLA; many do, and an unknown number. Who names a backend gets it.
func TestLoadChoosesByWork(t *testing.T) {
	best := backendtest.Go(t) // stands for XLA
	dir, _ := saveTiny(t, best)
	for _, c := range []struct {
		signals int
		named   string
		want    bool
	}{{1, "", false}, {10, "", false}, {10_000, "", true}, {0, "", true}, {10, "go", true}} {
		t.Setenv(compute.ConfigEnvVar, c.named)
		o := LoadOptions{Signals: c.signals, Open: func() (compute.Backend, error) { return best, nil }}
		loaded, err := Load(dir, o)
		require.NoError(t, err)
		assert.Equal(t, c.want, loaded.backend == best, c)
		require.NoError(t, loaded.Close())
	}
	m, _ := tiny(t)
	for name, change := range map[string]func(o *Options){
		"rounding shows":  func(o *Options) { o.DType = nn.BFloat16 },
		"blocks are work": func(o *Options) { o.Stem, o.Blocks = 64, "100000" },
	} {
		s := m.Spec
		change(&s.Options)
		assert.False(t, s.isLittleWork(1), name)
	}
	assert.False(t, Spec{Model: "softmax", Options: DefaultOptions()}.isLittleWork(1), "its work is not known")
}
