package training

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run, ended or interrupted, is of the data that it began on: a data set of the same name that differs in anything
// is refused, in memory as in a file, and nothing is trained.
func TestOtherDataInTheSameDirectory(t *testing.T) {
	backend := backendtest.Go(t)
	path := writeRing(t, 200)
	c := ringConfig(path)
	c["epochs"], c["model"] = 1, "fc"
	delete(c, "levels")
	load := func() *datasets.Dataset {
		d, err := datasets.Load(t.Context(), path, datasets.Options{HoldOut: true})
		require.NoError(t, err)
		signals := *d.Signals.(*datasets.Floats)
		signals.Values = slices.Clone(signals.Values)
		d.Signals = &signals
		return d
	}
	ended, interrupted := t.TempDir(), t.TempDir()
	result, err := Train(t.Context(), backend, c, Options{Dir: ended, Data: load()})
	require.NoError(t, err)
	trainUntil(t, backend, c, interrupted, 2)
	for want, change := range map[string]func(d *datasets.Dataset){
		"features": func(d *datasets.Dataset) {
			for i, v := range d.Signals.(*datasets.Floats).Values {
				d.Signals.(*datasets.Floats).Values[i] = -v
			}
		},
		"labels": func(d *datasets.Dataset) { slices.Reverse(d.Labels) },
		"graph": func(d *datasets.Dataset) {
			d.Affinity, err = affinity.New(12, []affinity.Edge{{I: 0, J: 5, Weight: 1}, {I: 5, J: 7, Weight: 1}})
			require.NoError(t, err)
		},
		"split": func(d *datasets.Dataset) { d.Train[0], d.Test[0] = d.Test[0], d.Train[0] },
	} {
		d := load()
		change(d)
		for _, dir := range []string{ended, interrupted} {
			observer := Observer{Step: func(Progress) { t.Error("a step") }}
			_, err := Train(context.Background(), backend, c, Options{Dir: dir, Data: d, Observer: observer})
			assert.ErrorContains(t, err, dir+" holds a run on data that differs in "+want)
			assert.ErrorContains(t, err, "another checkpoint")
		}
	}
	again, err := Train(t.Context(), backend, c, Options{Dir: ended, Data: load()})
	require.NoError(t, err)
	result.Resumed = true
	assert.Equal(t, result, again, "the file has what the memory has")
	_, err = Train(t.Context(), backend, c, Options{Dir: interrupted})
	require.NoError(t, err)

	// A run that began before runs kept a fingerprint.
	require.NoError(t, os.Remove(filepath.Join(ended, dataFile)))
	_, err = Train(t.Context(), backend, c, Options{Dir: ended, Data: load()})
	require.ErrorContains(t, err, dataFile)
}

// Twice the samples change the number of steps, too: the error says where that comes from.
func TestTwiceTheSamples(t *testing.T) {
	backend := backendtest.Go(t)
	path := writeRing(t, 80)
	c := Patch{"data": path, "model": "softmax", "epochs": 1}
	dir := t.TempDir()
	trainIn(t, backend, c, dir)
	raw, err := os.ReadFile(writeRing(t, 160))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	_, err = Train(t.Context(), backend, c, Options{Dir: dir})
	require.ErrorContains(t, err, dir+" holds a run on data that differs in features (was 80 x 12 x 3, is 160 x 12 "+
		"x 3), labels, split (was 64/0/16, is 128/0/32) and with other settings (steps was 4, is 8)")
}

// A run that was copied names the copy.
func TestCopiedRun(t *testing.T) {
	backend := backendtest.Go(t)
	c := Patch{"data": writeRing(t, 80), "model": "softmax", "epochs": 1}
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	trainIn(t, backend, c, dir)
	require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
	assert.Equal(t, copied, trainIn(t, backend, c, copied).Checkpoint)
}

// A result is reported as long as its weights are there. Without them it is made again: from the last snapshot, or,
// if that is damaged too, by a training from the beginning.
func TestResultWithoutWeights(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 2
	dir := t.TempDir()
	result := trainIn(t, backend, c, dir)
	damage := func(pattern string) {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, snapshot := range found {
			truncateWeights(t, snapshot)
		}
	}
	again := func() (Result, []string, int) {
		var notices []string
		steps := 0
		r, err := Train(t.Context(), backend, c, Options{Dir: dir, Observer: Observer{Step: func(Progress) { steps++ },
			Notice: func(n Notice) { notices = append(notices, n.String()) }}})
		require.NoError(t, err)
		r.Seconds, r.PrepareSeconds, r.CompileSeconds = result.Seconds, result.PrepareSeconds, result.CompileSeconds
		return r, notices, steps
	}
	damage("best-*")
	second, notices, steps := again()
	assert.Zero(t, steps)
	assert.False(t, second.Resumed)
	assert.Contains(t, notices[0], "the result is not that of the weights, and is made again")
	damage("last-*")
	third, notices, steps := again()
	assert.Equal(t, 2*ringSteps, steps)
	assert.Contains(t, notices, "no snapshot is usable: training starts again")
	assert.Equal(t, result, third)
	fourth, _, steps := again()
	assert.Zero(t, steps)
	assert.True(t, fourth.Resumed)
}

// What somebody adds to a config.json by hand is not passed over.
func TestUnknownKeysOfAConfiguration(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]string{
		`{"data": {}, "training": {"epoch": 3}}`:      `there is no option "epoch"; did you mean epochs?`,
		`{"data": {"epochs": 3}, "training": {}}`:     `there is no option "epochs"`,
		`{"data": {}, "training": {"ccp_stem": 1}}`:   `there is no option "ccp_stem"`,
		`{"data": {}, "training": {"epochs": 0}}`:     "epochs=0: it must be a whole number from 1",
		`{"data": {}, "training": {}, "network": {}}`: "an earlier version of ccp",
		`{"recipe": "default"}`:                       "an earlier version of ccp"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, configFile), []byte(text), 0o600))
		_, err := ReadConfig(dir)
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, filepath.Join(dir, configFile))
	}
}

// A test of one class, as of one person in a fold, is not compared with a baseline that is always right there.
func TestATestOfOneClassHasNoBaseline(t *testing.T) {
	assert.Empty(t, notBetter(Result{Test: Score{Accuracy: 1}, TestSamples: 8, MajorityBaseline: 1}, 2))
	assert.Empty(t, notBetter(Result{Test: Score{Accuracy: 0.5}, TestSamples: 8, MajorityBaseline: 1}, 2))
	assert.NotEmpty(t, notBetter(Result{Test: Score{Accuracy: 0.75}, TestSamples: 8, MajorityBaseline: 0.75}, 2))
	few := &datasets.Dataset{Labels: []int32{0, 1, 2, 0}}
	assert.Equal(t, 2, classesOf(few, []int{0, 1, 3}), "a test of few samples may lack classes")
}

// A result that the majority-class baseline reaches is said to be one, when it is made and when it is shown again.
func TestNoBetterThanTheBaseline(t *testing.T) {
	backend := backendtest.Go(t)
	d, err := datasets.Load(t.Context(), writeRing(t, 200), datasets.Options{})
	require.NoError(t, err)
	c := Patch{"model": "softmax", "epochs": 10, "learning_rate": 0.05}
	said := func(d *datasets.Dataset, dir string) (r Result, lines []string) {
		r, err := Train(t.Context(), backend, c, Options{Dir: dir, Data: d,
			Observer: Observer{Notice: func(n Notice) {
				if strings.Contains(n.String(), "majority-class baseline") {
					lines = append(lines, n.String())
				}
			}}})
		require.NoError(t, err)
		return r, lines
	}
	r, lines := said(d, t.TempDir())
	assert.Empty(t, lines)
	assert.Equal(t, 0.25, r.MajorityBaseline)
	assert.Equal(t, 40, r.TestSamples)

	untested := *d
	untested.Test = nil
	r, lines = said(&untested, t.TempDir())
	assert.Empty(t, lines, "there is nothing to say")
	assert.Zero(t, r.TestSamples)

	zeros := *d
	zeros.Signals = &datasets.Floats{Values: make([]float32, 200*36), Size: 36}
	dir := t.TempDir()
	r, lines = said(&zeros, dir)
	assert.Equal(t, []string{"warning: test accuracy 25.0% of 40 samples is not clearly better than the " +
		"majority-class baseline, 25.0%: check labels and features, train for longer, or take more samples"}, lines)
	_, again := said(&zeros, dir)
	assert.Equal(t, lines, again)

	uneven := zeros
	uneven.Labels = make([]int32, 200) // class 0, but for a tenth
	for i := range uneven.Labels {
		uneven.Labels[i] = int32(i % 10 / 9)
	}
	r, lines = said(&uneven, t.TempDir())
	assert.Greater(t, r.MajorityBaseline, 0.8)
	assert.Equal(t, r.MajorityBaseline, r.Test.Accuracy, "always the commonest class")
	require.Len(t, lines, 1)
	assert.Contains(t, lines[0], "unequal sizes, so look at the recall of each")
}

// What only loading can do is refused for data in memory: it would be recorded, but not done.
func TestOptionsOfLoadingForDataInMemory(t *testing.T) {
	backend := backendtest.Go(t)
	d, err := datasets.Load(t.Context(), writeRing(t, 80), datasets.Options{})
	require.NoError(t, err)
	d.Name = leaves
	for _, c := range []struct {
		option string
		value  any
	}{
		{"fold", "2/5"}, {"knn", 4}, {"side", "lower"}, {"tfidf", true}, {"fold", datasets.Fold{Number: 1, Of: 2}},
	} {
		asked := Patch{c.option: c.value, "model": "fc", "epochs": 1}
		dir := filepath.Join(t.TempDir(), "run")
		_, err := Train(t.Context(), backend, asked, Options{Dir: dir, Data: d})
		messagetest.Option(t, err, c.option, c.value, "in memory … give it there")
		_, err = DryRun(t.Context(), backend, asked, Options{Dir: dir, Data: d})
		messagetest.Option(t, err, c.option, c.value, "in memory … give it there")
		assert.NoDirExists(t, dir)
	}
}

// A recipe's options of loading do not count for data in memory that has the name of its data set.
func TestNamesOfDataInMemory(t *testing.T) {
	backend := backendtest.Go(t)
	d, err := datasets.Load(t.Context(), writeRing(t, 80), datasets.Options{})
	require.NoError(t, err)
	named := *d
	named.Name = leaves
	asked := Patch{"model": "fc", "hidden": 4, "epochs": 1, "batch": 16, "augment": false}
	dir := filepath.Join(t.TempDir(), "run")
	_, err = Train(t.Context(), backend, asked, Options{Dir: dir, Data: &named})
	require.NoError(t, err)
	kept, err := ReadConfig(dir)
	require.NoError(t, err)
	assert.Empty(t, kept.More, "nobody did it")
	resolved, err := Resolve(asked, &named)
	require.NoError(t, err)
	assert.Equal(t, kept, resolved)
	known, err := Preview(Patch{"data": leaves})
	require.NoError(t, err)
	assert.Equal(t, Patch{"tfidf": true}, known.More)
}

// What the search for a hierarchy refuses does not cost the run that is to be overwritten.
func TestOverwriteWaitsForTheSearch(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 80))
	c["epochs"], c["ccp_hierarchy"] = 1, "prepared"
	dir := t.TempDir()
	result := trainIn(t, backend, c, dir)
	other := with(c, "levels", "13x6/4,1x8/3")
	_, err := Train(t.Context(), backend, other, Options{Dir: dir, Overwrite: true})
	require.ErrorContains(t, err, "level 1: 13 clusters of 12 nodes")
	again := trainIn(t, backend, c, dir)
	assert.True(t, again.Resumed)
	again.Resumed = false
	assert.Equal(t, result, again)
	_, err = Train(t.Context(), backend, with(c, "levels", "5x6/4,1x8/3"), Options{Dir: dir, Overwrite: true})
	require.NoError(t, err)
}

// A training that fails before its first snapshot leaves nothing that refuses the corrected one, or one on other
// data.
func TestFailedTrainingRefusesNothing(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 80))
	c["epochs"], c["ccp_hierarchy"] = 1, "prepared"
	dir := t.TempDir()
	d, err := datasets.Load(t.Context(), writeRing(t, 80), datasets.Options{})
	require.NoError(t, err)
	d.Raw.Coordinates = make([]float64, 5)
	other := with(c, "data", d.Name)
	_, err = Train(t.Context(), backend, other, Options{Dir: dir, Data: d})
	require.ErrorContains(t, err, "5 coordinates of 12 nodes")
	assert.FileExists(t, filepath.Join(dir, configFile), "the search fails after the run has begun")
	result := trainIn(t, backend, with(c, "data", writeRing(t, 120)), dir)
	assert.Equal(t, 24, result.TestSamples)
	kept, err := ReadConfig(dir)
	require.NoError(t, err)
	assert.Equal(t, 4, kept.Levels[0].Clusters)
	_, err = Train(t.Context(), backend, c, Options{Dir: dir})
	require.ErrorContains(t, err, dir+" holds a run on data that differs in features")
}
