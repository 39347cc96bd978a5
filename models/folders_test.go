package models

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

// saveBiased writes a checkpoint with a best and a last snapshot, whose weights differ from those of other biases.
func saveBiased(t *testing.T, backend compute.Backend, dir string, m Metadata, graph *affinity.Matrix, bias float32) {
	t.Helper()
	require.NoError(t, checkpoint.Start(dir, m, graph.WriteFile))
	for i, kind := range []string{checkpoint.Best, checkpoint.Last} {
		store := drawn(t, backend, m.Spec, graph)
		values := []float32{bias, bias / 3, float32(i)}
		require.NoError(t, store.GetVariable("/model/classes/b").SetValue(tensors.FromFlatDataAndDimensions(values, 3)))
		c, err := NewClassifier(backend, m, graph)
		require.NoError(t, err)
		require.NoError(t, c.Update(store))
		require.NoError(t, checkpoint.Save(dir, kind, 8+i, 1, c.Store(), held{},
			func(v *model.Variable) bool { return !variables.IsWeight(v) }))
	}
}

// savedRuns writes four runs, which differ in their weights, graph or names of classes, and returns their folders
// with the answers of what may be loaded from each: the best snapshot, and the last if the best is lost.
func savedRuns(t *testing.T, backend compute.Backend) (runs []string, answers map[string]bool) {
	t.Helper()
	m, graph := tiny(t)
	other := m
	other.ClassNames = slices.Clone(m.ClassNames)
	slices.Reverse(other.ClassNames)
	answers = map[string]bool{}
	for i, of := range []struct {
		Metadata
		*affinity.Matrix
	}{{m, graph}, {m, graph}, {m, grid(t, 12, 1)}, {other, graph}} {
		dir := filepath.Join(t.TempDir(), "run")
		saveBiased(t, backend, dir, of.Metadata, of.Matrix, float32(i))
		runs = append(runs, dir)
		for _, lost := range []string{"none", "best-00000008"} {
			part := t.TempDir()
			require.NoError(t, os.CopyFS(part, os.DirFS(dir)))
			require.NoError(t, os.RemoveAll(filepath.Join(part, lost)))
			c, err := Load(part, LoadOptions{Backend: backend})
			require.NoError(t, err)
			answers[answer(t, c)] = true
			require.NoError(t, c.Close())
		}
	}
	require.Len(t, answers, 2*len(runs))
	return runs, answers
}

// answer is what a classifier of tiny says of three signals. An error is an answer, too: forged weights may be no
// numbers.
func answer(t *testing.T, c *Classifier) string {
	m, _ := tiny(t)
	p, err := c.Classify(t.Context(), signals(m.Spec, 3, 1))
	return fmt.Sprint(p, err, c.ClassNames)
}

// spoil changes one of the paths in dir, in one of eight ways, some of which take from the folders of runs. It
// returns what it did, and whether it made the manifest fit.
func spoil(t *testing.T, r *rand.Rand, dir string, paths, runs []string) (done string, forged bool) {
	t.Helper()
	path := paths[r.IntN(len(paths))]
	raw, err := os.ReadFile(filepath.Join(dir, path))
	require.NoError(t, err)
	from := runs[r.IntN(len(runs))]
	kind := r.IntN(8)
	done = fmt.Sprint(kind, " ", path)
	switch {
	case kind == 0: // missing
		require.NoError(t, os.Remove(filepath.Join(dir, path)))
		return done, false
	case kind == 1: // of another run, a file
		theirs := filesOf(t, from)
		path = theirs[r.IntN(len(theirs))]
		raw, err = os.ReadFile(filepath.Join(from, path))
		require.NoError(t, err)
	case kind == 2: // of another run, a snapshot or a half of one
		mixSnapshots(t, r, dir, from)
		return done, false
	case kind == 3: // the names of two files exchanged
		with := paths[r.IntN(len(paths))]
		text, err := os.ReadFile(filepath.Join(dir, with))
		require.NoError(t, err)
		write(t, filepath.Join(dir, with), raw)
		raw = text
	case len(raw) == 0:
	case kind == 4: // half copied
		raw = raw[:r.IntN(len(raw))]
	case kind == 5 && strings.HasPrefix(filepath.Base(path), "checkpoint-"): // with a sum that fits
		raw[r.IntN(len(raw))] = "0123456789-\"]}"[r.IntN(14)]
		forge(t, filepath.Join(dir, filepath.Dir(path), "manifest.json"), filepath.Base(path), raw)
		forged = true
	case kind == 6:
		raw = append(raw, raw[:r.IntN(len(raw))]...)
	default:
		raw[r.IntN(len(raw))] ^= byte(1 << r.IntN(8))
	}
	write(t, filepath.Join(dir, path), raw)
	return done, forged
}

// mixSnapshots puts a snapshot of another run in the place of the one that is there, or some of its files among those
// of it.
func mixSnapshots(t *testing.T, r *rand.Rand, dir, from string) {
	t.Helper()
	name := []string{"best-00000008", "last-00000009"}[r.IntN(2)]
	theirs := slices.DeleteFunc(filesOf(t, from), func(p string) bool { return !strings.HasPrefix(p, name) })
	r.Shuffle(len(theirs), func(i, k int) { theirs[i], theirs[k] = theirs[k], theirs[i] })
	if r.IntN(2) == 0 {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
	} else {
		theirs = theirs[:1+r.IntN(len(theirs))]
	}
	for _, p := range theirs {
		text, err := os.ReadFile(filepath.Join(from, p))
		require.NoError(t, err)
		write(t, filepath.Join(dir, p), text)
	}
}

// Folders that no writer leaves: files of two runs, missing, half copied, with other bytes. Each loads as one of the
// classifiers that were saved, to the bit, or is an error, and never a panic. CCP_FOLDERS is the number of folders.
func TestFoldersOfChance(t *testing.T) {
	backend := backendtest.Go(t)
	count, err := strconv.Atoi(os.Getenv("CCP_FOLDERS"))
	if err != nil {
		count = 40
	}
	runs, answers := savedRuns(t, backend)
	loaded, refused := 0, 0
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 60))
		dir := filepath.Join(t.TempDir(), "folder")
		require.NoError(t, os.CopyFS(dir, os.DirFS(runs[r.IntN(len(runs))])))
		forged := false
		var all []string
		for range 1 + r.IntN(3) {
			paths := filesOf(t, dir)
			if len(paths) == 0 {
				break
			}
			done, fits := spoil(t, r, dir, paths, runs)
			all, forged = append(all, done), forged || fits
		}
		c, err := Load(dir, LoadOptions{Backend: backend})
		if err == nil {
			err = compile(t.Context(), c, batchSizes[:])
		}
		if err != nil {
			refused++
			continue
		}
		loaded++
		got := answer(t, c)
		require.NoError(t, c.Close())
		if !answers[got] && !forged {
			t.Errorf("seed %d: %v: an answer of none of the runs: %s", seed, all, got)
		}
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Logf("%d folders: %d loaded, %d refused", count, loaded, refused)
	require.Positive(t, loaded)
	require.Positive(t, refused)
}

// filesOf lists the files of a folder and of those in it.
func filesOf(t *testing.T, dir string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			relative, _ := filepath.Rel(dir, path)
			paths = append(paths, relative)
		}
		return err
	}))
	return paths
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, content, 0o600))
}

// forge makes a manifest fit a file's new content.
func forge(t *testing.T, path, name string, content []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	var m map[string]any
	if err != nil || json.Unmarshal(raw, &m) != nil {
		return // it is damaged already
	}
	if of, ok := m["files"].(map[string]any); ok {
		of[name] = map[string]any{"bytes": len(content), "sha256": fmt.Sprintf("%x", sha256.Sum256(content))}
	}
	raw, err = json.Marshal(m)
	require.NoError(t, err)
	write(t, path, raw)
}
