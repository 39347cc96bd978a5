package training

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func init() {
	models.Register("test broken", models.Network{Build: func(scope *model.Scope, _ models.Spec, _ models.Topology,
		_ *Node) *Node {
		exceptions.Panicf("%s: broken", scope.Scope())
		return nil
	}})
}

// constantSeries writes recordings that are all alike.
func constantSeries(t *testing.T) string {
	t.Helper()
	const n, timepoints = 32, 10
	series, labels := make([]float32, n*timepoints), make([]int64, n)
	for i := range series {
		series[i], labels[i/timepoints] = 1, int64(i/timepoints%2)
	}
	path := filepath.Join(t.TempDir(), "constant.npz")
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "labels", Array: &npz.Array{Shape: []int{n}, Data: labels}},
		{Name: "series", Array: &npz.Array{Shape: []int{n, 1, timepoints}, Data: series}}}))
	return path
}

// replaced trains a run that is to be overwritten, and returns its folder, what it predicts, and its files.
func replaced(t *testing.T, backend compute.Backend, c Patch) (dir string, answer []models.Prediction,
	files map[string]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	trainIn(t, backend, c, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644))
	return dir, answerOf(t, backend, dir), contents(t, dir)
}

// answerOf is what the checkpoint in dir predicts for a signal of the ring.
func answerOf(t *testing.T, backend compute.Backend, dir string) []models.Prediction {
	t.Helper()
	c, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	p, err := c.Classify(t.Context(), backendtest.Signals(3, ringNodes*ringChannels, 1))
	require.NoError(t, err)
	return p
}

// without returns the files that are not below a folder.
func without(files map[string]string, folder string) map[string]string {
	left := map[string]string{}
	for path, content := range files {
		if !strings.HasPrefix(path, folder+string(filepath.Separator)) {
			left[path] = content
		}
	}
	return left
}

// cancelledAt returns a context and an observer that cancels it after so many steps; 0: before the first.
func cancelledAt(t *testing.T, steps int) (context.Context, Observer) {
	ctx, cancel := context.WithCancel(t.Context())
	if steps == 0 {
		cancel()
	}
	return ctx, Observer{Step: func(Progress) {
		steps--
		if steps == 0 {
			cancel()
		}
	}}
}

// A run that is to be overwritten is whole and loadable until the new one has its first snapshot, whatever ends the
// new one before. The same command then goes on, and leaves what it leaves in an empty folder.
func TestOverwriteSparesTheRunBefore(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	backend := backendtest.Go(t)
	before := ringConfig(writeRing(t, 80))
	before["epochs"] = 2
	after := with(before, "seed", 5)
	fresh := filepath.Join(t.TempDir(), "run")
	trainIn(t, backend, after, fresh)
	oneClass, err := datasets.Load(t.Context(), after["data"].(string), datasets.Options{})
	require.NoError(t, err)
	for i := range oneClass.Labels {
		oneClass.Labels[i] = 0
	}
	for name, c := range map[string]struct {
		asked   Patch
		data    *datasets.Dataset
		steps   int // after which it is cancelled; -1: never
		devices int
		says    string
	}{
		"bad model for the data": {asked: Patch{"data": after["data"], "model": "bayes"}, steps: -1,
			says: "naive Bayes needs counts"},
		"data all alike": {asked: Patch{"data": constantSeries(t), "model": "transforms"}, steps: -1,
			says: "have the same features"},
		"data of one class": {asked: with(after, "data", oneClass.Name), data: oneClass, steps: -1,
			says: "all training samples are of class"},
		"data that is not there": {asked: with(after, "data", "nowhere.npz"), steps: -1, says: "nowhere.npz"},
		"bad option": {asked: with(after, "levels", "4x6/99"), steps: -1,
			says: "exceeds its 12 nodes"},
		"unknown option":   {asked: with(after, "nonsense", 1), steps: -1, says: "nonsense"},
		"too many devices": {asked: after, steps: -1, devices: 99, says: "devices"},
		"search refused": {asked: with(with(after, "levels", "13x6/4,1x8/3"), "ccp_hierarchy",
			"prepared"), steps: -1, says: "13 clusters of 12 nodes"},
		"network that cannot be built": {asked: Patch{"data": after["data"], "model": "test broken"}, steps: -1,
			says: "/model: broken"},
		"diverged": {asked: with(after, "learning_rate", 1e30), steps: -1,
			says: "the loss became"},
		"cancelled in the search": {asked: with(after, "ccp_hierarchy", "prepared"), steps: 0,
			says: "interrupted before the first step"},
		"cancelled after a step": {asked: after, steps: 1,
			says: "/.ccp-next, and the run before is whole: give the same command to go on"},
		"cancelled before the snapshot": {asked: after, steps: 2, says: "interrupted after step 2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, answer, files := replaced(t, backend, before)
			ctx, observer := cancelledAt(t, c.steps)
			_, err := Train(ctx, backend, c.asked, Options{Dir: dir, Overwrite: true, Observer: observer,
				Data: c.data, Devices: c.devices})
			require.ErrorContains(t, err, c.says)
			next := filepath.Join(dir, checkpoint.NextFolder)
			assert.Equal(t, files, without(contents(t, dir), next))
			assert.Equal(t, answer, answerOf(t, backend, dir))
			if c.steps < 1 {
				assert.NoDirExists(t, next, "there is nothing to go on from")
			} else {
				assert.DirExists(t, next)
			}
			var resumed []string
			result, err := Train(t.Context(), backend, after,
				Options{Dir: dir, Overwrite: true, Observer: Observer{Notice: func(n Notice) {
					if strings.HasPrefix(n.String(), "resuming after step ") {
						resumed = append(resumed, n.String())
					}
				}}})
			require.NoError(t, err)
			assert.Equal(t, c.steps > 0, len(resumed) > 0)
			assert.Equal(t, dir, result.Checkpoint)
			requireSameRun(t, fresh, dir)
			assert.ElementsMatch(t, append(listDir(t, fresh), "notes.txt"), listDir(t, dir))
		})
	}
}

// What somebody keeps where the new run would be is not deleted: the training is refused, and the run before stays
// whole.
func TestOverwriteSparesWhatIsNotOfARun(t *testing.T) {
	backend := backendtest.Go(t)
	before := ringConfig(writeRing(t, 80))
	before["epochs"] = 2
	after := with(before, "seed", 5)
	for name, c := range map[string]struct {
		file string // in the folder of the run; its content is no run's
		says string
	}{
		"a file in the folder of the next run": {file: ".ccp-next/thesis.txt",
			says: ".ccp-next/thesis.txt is not of a training"},
		"a folder in it": {file: ".ccp-next/mine/thesis.txt",
			says: ".ccp-next/mine is not of a training"},
		"a file with the name of one of a run": {file: ".ccp-next/config.json",
			says: "shows no training that wrote it"},
		"a file that begins like a snapshot":            {file: ".ccp-next/best-friends.txt", says: ".ccp-next"},
		"a file with the name of the next run's folder": {file: ".ccp-next", says: "move it away"},
		"a run that was trained there":                  {file: ".ccp-next/.lock", says: ".lock is not of a training"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, answer, _ := replaced(t, backend, before)
			path := filepath.Join(dir, filepath.FromSlash(c.file))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte("{}"), 0o644))
			files := contents(t, dir)
			_, err := Train(t.Context(), backend, after, Options{Dir: dir, Overwrite: true})
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, files, contents(t, dir))
			assert.Equal(t, answer, answerOf(t, backend, dir))
			empty := filepath.Join(t.TempDir(), "run")
			path = filepath.Join(empty, filepath.FromSlash(c.file))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte("{}"), 0o644))
			_, err = Train(t.Context(), backend, after, Options{Dir: empty})
			require.ErrorContains(t, err, c.says)
			assert.FileExists(t, path)
		})
	}
}

// What was interrupted in the new run's folder goes on without overwrite, too, unless the run before is meant.
func TestOverwriteGoesOnByEitherCommand(t *testing.T) {
	backend := backendtest.Go(t)
	before := ringConfig(writeRing(t, 80))
	before["epochs"] = 2
	after := with(before, "seed", 5)
	dir, answer, _ := replaced(t, backend, before)
	ctx, observer := cancelledAt(t, 2)
	_, err := Train(ctx, backend, after, Options{Dir: dir, Overwrite: true, Observer: observer})
	require.ErrorIs(t, err, ErrInterrupted)
	assert.True(t, trainIn(t, backend, before, dir).Resumed)
	assert.Equal(t, answer, answerOf(t, backend, dir))
	_, err = Train(t.Context(), backend, with(before, "seed", 6), Options{Dir: dir})
	require.ErrorContains(t, err, "holds a run with other settings")
	assert.False(t, trainIn(t, backend, after, dir).Resumed)
	assert.NotEqual(t, answer, answerOf(t, backend, dir))
	assert.NoDirExists(t, filepath.Join(dir, checkpoint.NextFolder))
}

// After the first snapshot the new run is in its place. An interrupted one goes on there, also if the command says
// overwrite again.
func TestOverwriteGoesOnAfterTheFirstSnapshot(t *testing.T) {
	backend := backendtest.Go(t)
	before := ringConfig(writeRing(t, 80))
	before["epochs"] = 2
	after := with(before, "seed", 5)
	dir, _, _ := replaced(t, backend, before)
	ctx, observer := cancelledAt(t, 3)
	_, err := Train(ctx, backend, after, Options{Dir: dir, Overwrite: true, Observer: observer,
		SaveEvery: time.Nanosecond})
	require.ErrorIs(t, err, ErrInterrupted)
	assert.NoDirExists(t, filepath.Join(dir, checkpoint.NextFolder))
	assert.NoFileExists(t, filepath.Join(dir, resultFile), "it is the new run that is here")
	var notices []string
	_, err = Train(t.Context(), backend, after, Options{Dir: dir, Overwrite: true,
		Observer: Observer{Notice: func(n Notice) {
			notices = append(notices, n.String())
		}}})
	require.NoError(t, err)
	assert.Contains(t, notices, "resuming after step 3")
	result, err := Train(t.Context(), backend, after, Options{Dir: dir, Overwrite: true})
	require.NoError(t, err)
	assert.False(t, result.Resumed, "one that has ended is trained anew")
}

// The run before is whole after a kill, too, and after a disk that is full. Both are of a process of their own.
func TestOverwriteIsKilled(t *testing.T) {
	const folder = "CCP_TEST_OVERWRITE"
	if dir := os.Getenv(folder); dir != "" {
		c := with(ringConfig(filepath.Join(dir, "ring.npz")), "epochs", 2)
		_, _ = Train(t.Context(), backendtest.Go(t), with(c, "seed", 5),
			Options{Dir: filepath.Join(dir, "run"), Overwrite: true,
				Observer: Observer{Step: func(p Progress) {
					if p.Step == 2 {
						self, err := os.FindProcess(os.Getpid())
						_ = errors.Join(err, self.Kill())
						select {}
					}
				}}})
		t.Fatal("it is still alive")
	}
	backend := backendtest.Go(t)
	outer := t.TempDir()
	raw, err := os.ReadFile(writeRing(t, 80))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(outer, "ring.npz"), raw, 0o644))
	c := with(ringConfig(filepath.Join(outer, "ring.npz")), "epochs", 2)
	dir := filepath.Join(outer, "run")
	trainIn(t, backend, c, dir)
	answer, files := answerOf(t, backend, dir), contents(t, dir)
	command := exec.Command(os.Args[0], "-test.run=^TestOverwriteIsKilled$")
	command.Env = append(os.Environ(), folder+"="+outer)
	out, err := command.CombinedOutput()
	require.Error(t, err)
	require.NotContains(t, string(out), "still alive")
	next := filepath.Join(dir, checkpoint.NextFolder)
	assert.DirExists(t, next)
	assert.Equal(t, files, without(contents(t, dir), next))
	assert.Equal(t, answer, answerOf(t, backend, dir))
	assert.True(t, trainIn(t, backend, c, dir).Resumed)
	result, err := Train(t.Context(), backend, with(c, "seed", 5), Options{Dir: dir, Overwrite: true})
	require.NoError(t, err)
	assert.False(t, result.Resumed)
	assert.NoDirExists(t, next)
}

// A folder that the new run cannot have its files in refuses the run, and keeps the one before.
func TestOverwriteCannotWrite(t *testing.T) {
	backend := backendtest.Go(t)
	before := ringConfig(writeRing(t, 80))
	before["epochs"] = 1
	dir, answer, files := replaced(t, backend, before)
	next := filepath.Join(dir, checkpoint.NextFolder)
	_, err := Train(t.Context(), backend, with(before, "seed", 5),
		Options{Dir: dir, Overwrite: true, Observer: Observer{
			Begin: func(Config, *datasets.Dataset, models.Spec, int, int) {
				require.NoError(t, os.RemoveAll(next)) // from now on nothing can be written there
				require.NoError(t, os.WriteFile(next, nil, 0o644))
			}}})
	require.Error(t, err)
	require.NoError(t, os.Remove(next), "it is nothing that a training wrote, so that it stays")
	assert.Equal(t, files, contents(t, dir))
	assert.Equal(t, answer, answerOf(t, backend, dir))
}

// While a new run takes the place of the one before, or after that was stopped, all that is read in the folder is of
// the new run: a test by the split of the run before would be of samples that the new weights have seen.
func TestReadersOfAStoppedTakeOverAgree(t *testing.T) {
	backend := backendtest.Go(t)
	before := ringConfig(writeRing(t, 80))
	before["epochs"] = 1
	dir, _, _ := replaced(t, backend, before)
	after := with(before, "seed", 5)
	next := filepath.Join(t.TempDir(), "next")
	trainIn(t, backend, after, next)
	want, err := ReadResult(next)
	require.NoError(t, err)
	answer := answerOf(t, backend, next)
	curves, err := ReadHistory(next)
	require.NoError(t, err)
	clusters, err := ReadHierarchies(next)
	require.NoError(t, err)

	require.NoError(t, os.Rename(next, filepath.Join(dir, ".ccp-taken")))
	for _, left := range []string{"the run before is whole", "its configuration is gone", "its data is gone"} {
		t.Run(left, func(t *testing.T) {
			switch left {
			case "its configuration is gone":
				require.NoError(t, os.Remove(filepath.Join(dir, configFile)))
			case "its data is gone":
				require.NoError(t, os.Remove(filepath.Join(dir, dataFile)))
			}
			config, err := ReadConfig(dir)
			require.NoError(t, err)
			assert.EqualValues(t, 5, config.Seed)
			result, err := ReadResult(dir)
			require.NoError(t, err)
			assert.Equal(t, want.Test, result.Test)
			_, err = ReadFingerprint(dir)
			require.NoError(t, err)
			history, err := ReadHistory(dir)
			require.NoError(t, err)
			assert.Equal(t, curves, history)
			hierarchies, err := ReadHierarchies(dir)
			require.NoError(t, err)
			assert.Equal(t, clusters, hierarchies)
			assert.Equal(t, answer, answerOf(t, backend, dir))
		})
	}
}
