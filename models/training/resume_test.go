package training

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However often a run is interrupted, in the middle of epochs or at their ends, it ends as one that never was: every
// variable bit for bit, optimizer and averages included, history and result.
func TestResume(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 3
	whole := t.TempDir()
	trainIn(t, backend, c, whole)
	for name, stops := range map[string][]int{ // steps run in each process
		"within an epoch":      {11},
		"at an epoch's end":    {ringSteps},
		"after the first step": {1},
		"at the last step":     {3 * ringSteps},
		"often":                {3, 1, 9, 2},
	} {
		t.Run(name, func(t *testing.T) { resume(t, backend, c, whole, stops) })
	}
}

// The same with what a run may have beside its weights: averages of them, dropout, a schedule that differs, directed
// slots of several learned hierarchies.
func TestResumeWithOptions(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := ringConfig(writeRing(t, 200))
		c["epochs"], c["average"], c["schedule"] = 3, 0.9, "constant"
		c["ccp_dropout"], c["ccp_hierarchies"], c["ccp_slots"] = 0.1, 2, "directed"
		whole := t.TempDir()
		trainIn(t, backend, c, whole)
		resume(t, backend, c, whole, []int{5, ringSteps})
	})
}

// A hierarchy made before the training stays what it was, and constant.
func TestResumeWithAPreparedHierarchy(t *testing.T) {
	backend := backendtest.Go(t)
	for _, way := range []ccp.Plan{ccp.Random, ccp.Prepared} {
		t.Run(string(way), func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			c := ringConfig(writeRing(t, 200))
			c["epochs"], c["average"] = 2, 0.9
			c["ccp_hierarchy"] = way
			whole := t.TempDir()
			result := trainIn(t, backend, c, whole)
			assert.Greater(t, result.Test.Accuracy, 0.6)
			resume(t, backend, c, whole, []int{5, 4})
			resume(t, backend, c, whole, []int{2 * ringSteps})
		})
	}
}

// Which of several hierarchies a step draws depends on the seed and the step alone.
func TestResumeWithSeveralHierarchies(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		c := ringConfig(writeRing(t, 200))
		c["epochs"], c["keep"], c["schedule"] = 2, KeepLast, oneCycle
		c["ccp_hierarchy"] = ccp.Prepared
		c["ccp_hierarchies"] = 3
		c["ccp_padding"] = "zeros"
		whole := t.TempDir()
		result := trainIn(t, backend, c, whole)
		assert.Greater(t, result.Test.Accuracy, 0.6)
		resume(t, backend, c, whole, []int{5, 4})
	})
}

// Candidates are part of what a snapshot holds.
func TestResumeWithCandidates(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		c := ringConfig(writeRing(t, 200))
		c["epochs"] = 2
		c["levels"] = "4x6/4:candidates=2,1x8/3"
		whole := t.TempDir()
		result := trainIn(t, backend, c, whole)
		assert.Greater(t, result.Test.Accuracy, 0.6)
		resume(t, backend, c, whole, []int{5, 4})
	})
}

func resume(t *testing.T, backend compute.Backend, c Patch, whole string, stops []int) {
	t.Helper()
	parts := t.TempDir()
	for _, steps := range stops {
		trainUntil(t, backend, c, parts, steps)
	}
	trainIn(t, backend, c, parts)
	requireSameRun(t, whole, parts)
}

// Augmentation is drawn anew in each epoch, and the same in a resumed one.
func TestResumeWithAugmentation(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["augment"] = true
	noise := func(rng *rand.Rand, sample []float32) {
		for i := range sample {
			sample[i] += float32(0.1 * rng.NormFloat64())
		}
	}
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	for i, stop := range []int{0, 11, 0} {
		d, err := datasets.Load(t.Context(), c["data"].(string), datasets.Options{})
		require.NoError(t, err)
		if i < 2 {
			d.Augment = noise
		}
		if stop > 0 {
			ctx, cancel := context.WithCancel(context.Background())
			_, err = Train(ctx, backend, c, Options{Data: d, Dir: dirs[i], Observer: Observer{Step: func(Progress) {
				stop--
				if stop == 0 {
					cancel()
				}
			}}})
			require.ErrorIs(t, err, ErrInterrupted)
		}
		_, err = Train(context.Background(), backend, c, Options{Data: d, Dir: dirs[i]})
		require.NoError(t, err)
	}
	requireSameRun(t, dirs[0], dirs[1])
	augmented, _ := snapshotOf(t, dirs[0], checkpoint.Last)
	plain, _ := snapshotOf(t, dirs[2], checkpoint.Last)
	assert.NotEqual(t, augmented["/model/level_1/W"], plain["/model/level_1/W"], "it was used")
}

func TestInterruptedSaysHowToGoOn(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Train(ctx, backend, c, Options{Dir: dir})
	require.ErrorIs(t, err, ErrInterrupted)
	require.EqualError(t, err, "interrupted after step 1 of 64; its state is saved in "+dir+": give the same "+
		"command to go on")
	notices := trainUntil(t, backend, c, dir, 2)
	assert.Equal(t, []string{"data: no array split: drew stratified splits of 140 training, 20 validation and 40 " +
		"test samples from seed 0",
		"resuming after step 1"}, notices)
}

// A kill costs at most SaveEvery: there is a snapshot of within the epoch, from which the run ends the same.
func TestKilledBetweenSnapshots(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	whole, killed := t.TempDir(), t.TempDir()
	trainIn(t, backend, c, whole)

	copied := t.TempDir()
	step := 0
	_, err := Train(context.Background(), backend, c,
		Options{Dir: killed, SaveEvery: time.Nanosecond, Observer: Observer{Step: func(Progress) {
			step++
			if step == 13 { // the state of the disk at this point is all that a kill leaves
				require.NoError(t, os.CopyFS(filepath.Join(copied, "run"), os.DirFS(killed)))
			}
		}}})
	require.NoError(t, err)
	requireSameRun(t, whole, killed)
	dir := filepath.Join(copied, "run")
	left := []string{"last-00000013-1", "history.csv-A", "graph.npz-A", "hierarchy/0001.json-A"}
	others := []string{"report.html-A", "last-00000013.npz-A"}
	at := func(name string) string {
		return filepath.Join(dir, filepath.Dir(name), files.Unfinished+filepath.Base(name))
	}
	for _, name := range slices.Concat(left, others) {
		require.NoError(t, os.MkdirAll(at(name), 0o700))
	}
	lock, err := os.Stat(filepath.Join(dir, lockFile))
	require.NoError(t, err)
	assert.DirExists(t, filepath.Join(dir, "last-00000012"))
	trainIn(t, backend, c, dir)
	requireSameRun(t, whole, dir)
	for _, name := range left {
		assert.NoDirExists(t, at(name))
	}
	for _, name := range others {
		assert.DirExists(t, at(name), "another process may be writing it")
		require.NoError(t, os.Remove(at(name)))
	}
	c["epochs"] = 1
	_, err = Train(t.Context(), backend, c, Options{Dir: dir, Overwrite: true})
	require.NoError(t, err)
	now, err := os.Stat(filepath.Join(dir, lockFile))
	require.NoError(t, err)
	assert.True(t, os.SameFile(lock, now), "the lock is held from the removal to the training")
}

func TestResumeFromTheSnapshotBefore(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	whole, damaged := t.TempDir(), t.TempDir()
	trainIn(t, backend, c, whole)
	trainUntil(t, backend, c, damaged, 19)
	truncateWeights(t, filepath.Join(damaged, "last-00000019"))
	notices := trainUntil(t, backend, c, damaged, 1)
	require.Len(t, notices, 3)
	assert.Contains(t, notices[1], filepath.Join(damaged, "last-00000019")+" is damaged: ")
	assert.Contains(t, notices[1], "; using the one before it")
	assert.Equal(t, "resuming after step 16", notices[2])
	trainIn(t, backend, c, damaged)
	requireSameRun(t, whole, damaged)
}

// With every snapshot damaged the run starts again; the old ones must not get in the way of the new.
func TestResumeFromNothing(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	whole, damaged := t.TempDir(), t.TempDir()
	trainIn(t, backend, c, whole)
	trainUntil(t, backend, c, damaged, 27)
	truncateWeights(t, filepath.Join(damaged, "last-00000024"))
	truncateWeights(t, filepath.Join(damaged, "last-00000027"))
	notices := trainUntil(t, backend, c, damaged, 5)
	assert.Equal(t, "no snapshot is usable: training starts again", notices[len(notices)-1])
	notices = trainUntil(t, backend, c, damaged, 10)
	assert.Equal(t, "resuming after step 5", notices[len(notices)-1])
	trainIn(t, backend, c, damaged)
	requireSameRun(t, whole, damaged)
}

// If the best epoch's snapshot was damaged after the training, the newest weights are evaluated, and it is said.
func TestBestSnapshotDamaged(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	dir := t.TempDir()
	trainUntil(t, backend, c, dir, ringEpochs*ringSteps)
	best, err := filepath.Glob(filepath.Join(dir, "best-*"))
	require.NoError(t, err)
	require.Len(t, best, 1)
	truncateWeights(t, best[0])
	var notices []string
	result, err := Train(context.Background(), backend, c,
		Options{Dir: dir, Observer: Observer{Notice: func(n Notice) { notices = append(notices, n.String()) }}})
	require.NoError(t, err)
	assert.Contains(t, notices[len(notices)-1], best[0]+" is damaged: ")
	assert.Equal(t, ringEpochs, result.BestEpoch)
	_, history := snapshotOf(t, dir, checkpoint.Last)
	assert.Equal(t, history[ringEpochs-1].Validation, result.Validation)
	assert.Greater(t, result.Test.Accuracy, 0.8)
}

func TestOtherRunInTheDirectory(t *testing.T) {
	backend := backendtest.Go(t)
	data := writeRing(t, 200)
	c := ringConfig(data)
	dir := t.TempDir()
	trainUntil(t, backend, c, dir, 3)
	before, _ := snapshotOf(t, dir, checkpoint.Last)

	other := maps.Clone(c)
	other["batch"], other["learning_rate"] = 32, 0.5
	_, err := Train(context.Background(), backend, other, Options{Dir: dir})
	require.ErrorContains(t, err, dir+" holds a run with other settings (batch was 16, is 32; "+
		"learning_rate was 0.02, is 0.5; steps was 64, is 32)")

	raw, err := os.ReadFile(writeRing(t, 204))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(data, raw, 0o644))
	_, err = Train(context.Background(), backend, c, Options{Dir: dir})
	require.ErrorContains(t, err, dir+" holds a run on data that differs in features (was 200 x 12 x 3, is 204 x 12 "+
		"x 3), labels, split (")

	after, _ := snapshotOf(t, dir, checkpoint.Last)
	assert.Equal(t, before, after)
}

func truncateWeights(t *testing.T, snapshot string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(snapshot, "*.bin"))
	require.NoError(t, err)
	require.Len(t, found, 1, snapshot)
	require.NoError(t, os.Truncate(found[0], 5))
}
