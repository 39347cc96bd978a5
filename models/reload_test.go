package models

import (
	"bytes"
	"context"
	"errors"
	"github.com/clusterpool/ccp/internal/variables"
	"os"
	"path/filepath"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// saveConstant writes a best snapshot of a classifier that predicts one class for everything.
func saveConstant(t *testing.T, backend compute.Backend, dir string, step, class int) {
	t.Helper()
	m, graph := tiny(t)
	store := drawn(t, backend, m.Spec, graph)
	require.NoError(t, store.GetVariable("/model/classes/W").SetValue(tensors.FromScalarAndDimensions(float32(0), 8,
		3)))
	b := make([]float32, 3)
	b[class] = 5
	require.NoError(t, store.GetVariable("/model/classes/b").SetValue(tensors.FromFlatDataAndDimensions(b, 3)))
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	require.NoError(t, checkpoint.Start(dir, m, graph.WriteFile))
	require.NoError(t, checkpoint.Save(dir, checkpoint.Best, step, 1, c.Store(), nil,
		func(v *model.Variable) bool { return !variables.IsWeight(v) }))
}

func TestReloader(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		dir := filepath.Join(t.TempDir(), "a [strange] name*")
		saveConstant(t, backend, dir, 8, 0)
		r, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
		require.NoError(t, err)
		one := signals(Spec{Info: signal.Info{Nodes: 12, Channels: 2}}, 1, 1)
		answer := func() int {
			p, err := newest(t, r, one)
			require.NoError(t, err)
			return p[0].Class
		}
		assert.Equal(t, 0, answer())
		changed, err := r.Reload(t.Context())
		require.NoError(t, err)
		assert.False(t, changed)

		old, release, err := r.Acquire()
		require.NoError(t, err)
		assert.Equal(t, []any{"best-00000008", 8}, []any{old.Snapshot, old.Step})
		for _, c := range []struct{ step, class int }{{9, 1}, {9, 2}} { // the same step trained anew is another, too
			saveConstant(t, backend, dir, c.step, c.class)
			changed, err = r.Reload(t.Context())
			require.NoError(t, err)
			assert.True(t, changed)
			assert.Equal(t, c.class, answer())
		}
		p, err := old.Classify(t.Context(), one)
		require.NoError(t, err, "who has the old one keeps it")
		assert.Equal(t, 0, p[0].Class)
		require.NoError(t, release())
		_, err = old.Classify(t.Context(), one)
		require.ErrorIs(t, err, ErrClosed, "its last user has released it")

		last, release, err := r.Acquire()
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.NoError(t, r.Close(), "again")
		_, err = r.Reload(t.Context())
		require.ErrorIs(t, err, ErrClosed, "also if nothing has changed")
		r.Watch(t.Context(), time.Millisecond, func(err error) {
			t.Error("a closed Reloader has nothing to report:",
				err)
		})
		_, err = last.Classify(t.Context(), one)
		require.NoError(t, err)
		require.NoError(t, release())
		_, err = last.Classify(t.Context(), one)
		require.ErrorIs(t, err, ErrClosed)
		_, err = newest(t, r, one)
		require.ErrorIs(t, err, ErrClosed)
		saveConstant(t, backend, dir, 10, 0)
		_, err = r.Reload(t.Context())
		require.ErrorIs(t, err, ErrClosed)
	})
}

// What cannot be read leaves the classifier in use as it is, and is reported once.
func TestReloaderKeepsWhatWorks(t *testing.T) {
	backend := backendtest.Go(t)
	dir := filepath.Join(t.TempDir(), "run")
	_, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
	require.ErrorIs(t, err, os.ErrNotExist)
	saveConstant(t, backend, dir, 8, 1)
	r, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
	require.NoError(t, err)
	reports := make(chan error, 10)
	ctx, cancel := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() { r.Watch(ctx, 2*time.Millisecond, func(err error) { reports <- err }) })

	saveConstant(t, backend, filepath.Join(dir, "elsewhere"), 9, 2)
	damaged := filepath.Join(dir, "best-00000009")
	require.NoError(t, os.Truncate(filepath.Join(dir, "elsewhere", "best-00000009", "state.json"), 1))
	require.NoError(t, os.Rename(filepath.Join(dir, "elsewhere", "best-00000009"), damaged))
	err = <-reports
	require.ErrorContains(t, err, "snapshot best-00000009 could not be read; keeping the classifier loaded before")
	p, err := newest(t, r, signals(Spec{Info: signal.Info{Nodes: 12, Channels: 2}}, 1, 1))
	require.NoError(t, err)
	assert.Equal(t, 1, p[0].Class)

	_, first := r.Reload(t.Context())
	_, second := r.Reload(t.Context())
	assert.Same(t, first, second, "the snapshot is not read again")

	require.NoError(t, os.RemoveAll(damaged))
	saveConstant(t, backend, dir, 9, 0)
	require.Eventually(t, func() bool { // replacing a snapshot shows briefly as none, or as the one before
		t.Log(<-reports)
		p, err = newest(t, r, signals(Spec{Info: signal.Info{Nodes: 12, Channels: 2}}, 1, 1))
		return err == nil && p[0].Class == 0
	}, 20*time.Second, time.Millisecond)
	cancel()
	watch.Wait()
	require.NoError(t, r.Close())
}

// A folder or file that only begins like a snapshot hinders no reload.
func TestReloaderPassesOverOtherNames(t *testing.T) {
	backend := backendtest.Go(t)
	dir := t.TempDir()
	saveConstant(t, backend, dir, 8, 1)
	r, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
	require.NoError(t, err)
	for _, name := range []string{"best-of-all", "best-9", "best-00000099.old"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "best-00000098"), nil, 0o644))
	changed, err := r.Reload(t.Context())
	require.NoError(t, err)
	assert.False(t, changed)
	saveConstant(t, backend, dir, 9, 2)
	changed, err = r.Reload(t.Context())
	require.NoError(t, err)
	assert.True(t, changed)
	require.NoError(t, r.Close())
}

// A batch on the old classifier that never ends keeps nobody from the new one.
func TestReloaderWithAStuckBatch(t *testing.T) {
	backend := backendtest.Go(t)
	dir := t.TempDir()
	saveConstant(t, backend, dir, 8, 1)
	r, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
	require.NoError(t, err)
	old := r.current.Classifier
	old.mu.RLock() // as a batch does
	saveConstant(t, backend, dir, 9, 2)
	reloaded := make(chan error, 1)
	go func() {
		_, err := r.Reload(t.Context())
		reloaded <- err
	}()
	require.Eventually(t, func() bool { // a Classify that began before would be the one to close the old classifier
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.current.Classifier != old
	}, 20*time.Second, time.Millisecond)
	p, err := newest(t, r, signals(Spec{Info: signal.Info{Nodes: 12, Channels: 2}}, 1, 1))
	require.NoError(t, err)
	assert.Equal(t, 2, p[0].Class)
	assert.Empty(t, reloaded, "the old classifier is still to be closed")
	old.mu.RUnlock()
	require.NoError(t, <-reloaded)
	require.NoError(t, r.Close())
}

// While a training in the directory has not ended, its weights are taken only where that is asked for.
func TestReloaderWaitsForTheEndOfATraining(t *testing.T) {
	backend := backendtest.Go(t)
	dir := t.TempDir()
	answer := func(r *Reloader) int {
		p, err := newest(t, r, signals(Spec{Info: signal.Info{Nodes: 12, Channels: 2}}, 1, 1))
		require.NoError(t, err)
		return p[0].Class
	}
	saveConstant(t, backend, dir, 8, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, checkpoint.ConfigFile), []byte("{}"), 0o644))
	_, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
	require.EqualError(t, err, dir+" holds a training that has not ended; end it with its command, or give "+
		"unfinished, which takes its weights so far")
	early, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend, Unfinished: true})
	require.NoError(t, err)
	assert.Equal(t, 1, answer(early))

	require.NoError(t, os.WriteFile(filepath.Join(dir, checkpoint.ResultFile), []byte("{}"), 0o644))
	r, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, checkpoint.ResultFile))) // it is trained again
	saveConstant(t, backend, dir, 9, 2)
	changed, err := r.Reload(t.Context())
	require.ErrorContains(t, err, "holds a training that has not ended")
	assert.False(t, changed)
	assert.Equal(t, 1, answer(r))
	_, err = early.Reload(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, answer(early))
	require.NoError(t, os.WriteFile(filepath.Join(dir, checkpoint.ResultFile), []byte("{}"), 0o644))
	_, err = r.Reload(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, answer(r))
	require.NoError(t, r.Close())
	require.NoError(t, early.Close())
}

// Under load no call fails while classifiers come and go, and all signals of a call get their answer from one of
// them.
func TestReloaderUnderLoad(t *testing.T) {
	backend := backendtest.Go(t)
	dir := filepath.Join(t.TempDir(), "run")
	saveConstant(t, backend, dir, 1, 0)
	r, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
	require.NoError(t, err)
	var done atomic.Bool
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for !done.Load() {
				p, err := newest(t, r, signals(Spec{Info: signal.Info{Nodes: 12, Channels: 2}}, 21, 1))
				if !assert.NoError(t, err) {
					return
				}
				for i := range p {
					assert.Equal(t, p[0].Class, p[i].Class)
				}
			}
		})
	}
	for step := 2; step < 12; step++ {
		saveConstant(t, backend, dir, step, step%3)
		changed, err := r.Reload(t.Context())
		require.NoError(t, err)
		assert.True(t, changed)
	}
	done.Store(true)
	group.Wait()
	require.NoError(t, r.Close())
}

// newest classifies with the newest classifier of a Reloader.
func newest(t *testing.T, r *Reloader, signals [][]float32) ([]Prediction, error) {
	t.Helper()
	c, release, err := r.Acquire()
	if err != nil {
		return nil, err
	}
	p, err := c.Classify(t.Context(), signals)
	return p, errors.Join(err, release())
}

// A checkpoint is one whole: weights on the graph of another are refused, by Load and by a Reloader, which takes the
// graph when it comes. What fails is read once for each state of the directory.
func TestGraphBelongsToTheWeights(t *testing.T) {
	backend := backendtest.Go(t)
	old, next, live := t.TempDir(), t.TempDir(), t.TempDir()
	saveConstant(t, backend, old, 8, 0)
	m, _ := tiny(t)
	path := grid(t, 12, 1) // as many nodes, other edges
	c, err := NewClassifier(backend, m, path)
	require.NoError(t, err)
	require.NoError(t, c.Update(drawn(t, backend, m.Spec, path)))
	require.NoError(t, checkpoint.Start(next, m, path.WriteFile))
	require.NoError(t, checkpoint.Save(next, checkpoint.Best, 9, 1, c.Store(), held{}, nil))
	require.NoError(t, os.CopyFS(live, os.DirFS(old)))
	lines := 0
	r, err := NewReloader(t.Context(), live, LoadOptions{Backend: backend, Notice: func(string) { lines++ }})
	require.NoError(t, err)

	for _, name := range []string{"model.json", "best-00000009/state.json"} {
		raw, err := os.ReadFile(filepath.Join(next, name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Join(live, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(live, name), raw, 0o644))
	}
	const want = "graph.npz: it is damaged, or belongs to another model.json: copy a checkpoint whole, to a folder " +
		"of its own"
	_, err = Load(live, LoadOptions{Backend: backend})
	require.EqualError(t, err, filepath.Join(live, want))
	_, first := r.Reload(t.Context())
	_, second := r.Reload(t.Context())
	require.EqualError(t, first, filepath.Join(live, want))
	assert.Same(t, first, second)

	copyFile := func(name string) {
		raw, err := os.ReadFile(filepath.Join(next, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(live, name), raw, 0o644))
	}
	copyFile("graph.npz") // the snapshot is still without its manifest, and the old one is of another description
	for range 3 {
		_, err = r.Reload(t.Context())
		require.ErrorContains(t, err, "best-00000008 is damaged: it belongs to another model.json")
	}
	assert.Equal(t, 2, lines, "a line for each snapshot, once")
	require.NoError(t, os.RemoveAll(live))
	require.NoError(t, os.CopyFS(live, os.DirFS(next)))
	changed, err := r.Reload(t.Context())
	require.NoError(t, err)
	assert.True(t, changed)
	require.NoError(t, r.Close())
}

// After watching, reloading and closing, no goroutine waits for what can never come; nor does one of the tests
// before.
func TestReloaderLeaksNothing(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		dir := t.TempDir()
		saveConstant(t, backend, dir, 1, 0)
		r, err := NewReloader(t.Context(), dir, LoadOptions{Backend: backend})
		require.NoError(t, err)
		ctx, end := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		seen := make(chan error, 8)
		watching.Go(func() { r.Watch(ctx, time.Millisecond, func(err error) { seen <- err }) })
		saveConstant(t, backend, dir, 2, 1)
		t.Log(<-seen)
		end()
		watching.Wait()
		require.NoError(t, r.Close())
		var leaked bytes.Buffer
		profile := pprof.Lookup("goroutineleak")
		require.NoError(t, profile.WriteTo(&leaked, 1))
		assert.Zero(t, profile.Count(), leaked.String())
	})
}

// A service begins in pure Go, which is ready at once. When many signals come within 10 s, the best backend takes
// over behind it; each call is answered meanwhile, and alike. If the best fails, pure Go stays, with newer weights,
// too.
func TestReloaderChoosesByWork(t *testing.T) {
	t.Setenv(compute.ConfigEnvVar, "")
	best := backendtest.Go(t) // stands for XLA
	dir := filepath.Join(t.TempDir(), "run")
	saveConstant(t, best, dir, 8, 1)
	broken := errors.New("no device")
	opened := 0
	var notices []string
	r, err := NewReloader(t.Context(), dir, LoadOptions{Notice: func(line string) { notices = append(notices, line) },
		Open: func() (compute.Backend, error) {
			opened++
			return best, broken
		}})
	require.NoError(t, err)
	on := func() compute.Backend {
		c, release, err := r.Acquire()
		require.NoError(t, err)
		defer func() { require.NoError(t, release()) }()
		return c.backend
	}
	of := func(n int) [][]float32 { return signals(Spec{Info: signal.Info{Nodes: 12, Channels: 2}}, n, 1) }
	before, err := newest(t, r, of(1))
	require.NoError(t, err)
	changed, err := r.Reload(t.Context())
	require.NoError(t, err)
	assert.False(t, changed)
	assert.NotSame(t, best, on())
	assert.Zero(t, opened)

	_, err = newest(t, r, of(600))
	require.NoError(t, err)
	_, err = r.reload(t.Context(), <-r.grown)
	require.ErrorIs(t, err, broken)
	saveConstant(t, best, dir, 9, 1)
	_, err = newest(t, r, of(600))
	require.NoError(t, err)
	changed, err = r.Reload(t.Context())
	require.NoError(t, err)
	assert.True(t, changed)
	assert.NotSame(t, best, on())
	assert.Equal(t, 1, opened, "not again within a minute")

	broken = nil
	r.since = time.Time{} // the next minute
	reports := make(chan error, 10)
	ctx, cancel := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() { r.Watch(ctx, 0, func(err error) { reports <- err }) })
	for range 4 { // users
		watch.Go(func() {
			for ctx.Err() == nil {
				p, err := newest(t, r, of(200))
				assert.NoError(t, err)
				assert.Equal(t, before[0], p[0])
			}
		})
	}
	require.NoError(t, <-reports)
	assert.Same(t, best, on())
	cancel()
	watch.Wait()
	changed, err = r.reload(t.Context(), true)
	require.NoError(t, err)
	assert.False(t, changed, "a classification that began on pure Go, and goes on for a minute, asks late")
	saveConstant(t, best, dir, 10, 2)
	changed, err = r.Reload(t.Context())
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Same(t, best, on())
	assert.Equal(t, 2, opened, "it is opened once")
	assert.Equal(t, []string{dir + ": many signals come, so that backend Go Backend computes them from now on"},
		notices)
	assert.Empty(t, reports)
	require.NoError(t, r.Close())
}
