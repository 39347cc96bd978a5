package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// noise replaces the features of n samples of ring.
func noise(n int) []npz.Named {
	rng := rand.New(rand.NewPCG(9, 9))
	features := make([]float32, n*36)
	for i := range features {
		features[i] = float32(rng.NormFloat64())
	}
	return with(ring(n), "features", features, n, 12, 3)
}

// A result is of the data that its file has now, or it is not shown.
func TestNoResultOfOtherData(t *testing.T) {
	path, dir := ringFile(t, ring(80)), filepath.Join(t.TempDir(), "run")
	train := []string{"train", "--backend", "go", "--data", path, "--model", "softmax", "--epochs", "1",
		"--checkpoint", dir}
	eval := []string{"eval", "--backend", "go", "--checkpoint", dir}
	first := succeed(t, train...)
	for want, arrays := range map[string][]npz.Named{
		"features": noise(80),
		"graph":    with(ring(80), "edges", []int64{0, 5, 5, 7}, 2, 2),
		"labels":   changed(ring(80), "labels", 0, int64(2)),
		"split":    changed(ring(80), "split", 0, int64(2)),
		"features (was 80 x 12 x 3, is 160 x 12 x 3)": ring(160),
	} {
		require.NoError(t, npz.Write(path, arrays))
		code, stdout, stderr := execute(t, train...)
		assert.Equal(t, 1, code, want)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "ccp: "+dir+" holds a run on data that differs in "+want)
		assert.Contains(t, stderr,
			": give what began it to go on with it, choose another --checkpoint, or pass --overwrite\n")
		code, _, stderr = execute(t, eval...)
		assert.Zero(t, code)
		assert.Contains(t, stderr, "warning: "+path+" differs from what the model was trained on in "+want)
	}
	t.Chdir(filepath.Dir(path))
	_, _, stderr := execute(t, append(eval, "--data", "ring.npz")...)
	assert.Contains(t, stderr, "warning: "+path+" differs from what", "it is the same file")
	require.NoError(t, npz.Write(path, ring(80)))
	assert.Equal(t, first, succeed(t, train...))
	code, stdout, stderr := execute(t, eval...)
	assert.Zero(t, code)
	assert.NotContains(t, stdout+stderr, "warning")
}

// eval says how many of its samples were trained on, wherever they are.
func TestEvalOfTrainingSamples(t *testing.T) {
	path, dir := ringFile(t, ring(80)), filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--backend", "go", "--data", path, "--model", "softmax", "--epochs", "1", "--checkpoint", dir)
	eval := func(args ...string) (e evalJSON, text string) {
		args = append([]string{"eval", "--backend", "go", "--checkpoint", dir}, args...)
		decode(t, succeed(t, append(args, "--json")...), &e)
		return e, succeed(t, args...)
	}
	e, text := eval()
	assert.Zero(t, *e.TrainedOn)
	assert.NotContains(t, text, "warning")
	e, text = eval("--split", "train")
	assert.Equal(t, e.Samples, *e.TrainedOn)
	assert.Contains(t, text,
		"warning: 56 of 56 samples were trained on, so that this accuracy says little about new samples\n")

	tests := make([]int64, 80) // all but two are for the test
	for i := range tests {
		tests[i] = 2
	}
	tests[0], tests[79] = 0, 0
	other := filepath.Join(t.TempDir(), "other.npz")
	require.NoError(t, npz.Write(other, with(ring(80), "split", tests, 80)))
	e, text = eval("--data", other)
	assert.Equal(t, 78, e.Samples)
	assert.Equal(t, 55, *e.TrainedOn)
	assert.Contains(t, text, "warning: 55 of 78 samples were trained on")

	require.NoError(t, os.Remove(filepath.Join(dir, "data.json")))
	e, text = eval("--data", other)
	assert.Nil(t, e.TrainedOn, "a run of before tells nothing")
	assert.NotContains(t, text, "trained on")
}

// eval says by how many of its samples the temperature and the epoch were found.
func TestEvalOfSamplesThatChose(t *testing.T) {
	path, dir := ringFile(t, ring(80)), filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--backend", "go", "--data", path, "--model", "softmax", "--epochs", "1", "--checkpoint", dir)
	const says = "samples the training found the temperature"
	for _, c := range []struct {
		split, says string
		chosen      int
	}{{"test", "", 0}, {"train", "", 0}, {"validation", "warning: by 8 of 8 " + says, 8},
		{"all", "warning: by 8 of 80 " + says, 8}} {
		args := []string{"eval", "--backend", "go", "--checkpoint", dir, "--split", c.split}
		var e evalJSON
		decode(t, succeed(t, append(args, "--json")...), &e)
		assert.Equal(t, c.chosen, *e.ChosenBy, c.split)
		if text := succeed(t, args...); c.chosen > 0 {
			assert.Contains(t, text, c.says)
		} else {
			assert.NotContains(t, text, says, c.split)
		}
	}
	other := filepath.Join(t.TempDir(), "other.npz")
	arrays := ring(90)
	require.NoError(t, npz.Write(other, arrays))
	var e evalJSON
	decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--data", other, "--split", "validation",
		"--json"), &e)
	assert.Nil(t, e.ChosenBy, "who chose is not known of other data")
}

// A table has no cell of other data than its file has, of a comparison or of the paper.
func TestTablesOfOtherData(t *testing.T) {
	path, folder := ringFile(t, ring(80)), t.TempDir()
	for _, command := range [][]string{
		{"compare", "--models", "softmax,svm", "--folder", filepath.Join(folder, "compared")},
		{"reproduce", "order", "--folder", filepath.Join(folder, "reproduced")},
	} {
		command = append(command, "--backend", "go", "--data", path, "--seeds", "1", "--epochs", "1")
		require.NoError(t, npz.Write(path, ring(80)))
		code, table, stderr := execute(t, command...)
		require.Zero(t, code, stderr)
		assert.Regexp(t, `run 1 of 2: .*\n(  .*\n)*  test accuracy \d+\.\d\d% in \S+s; left: \w+ \?\nrun 2 of 2`, stderr)
		assert.Regexp(t, `  test accuracy \d+\.\d\d% in \S+s\n$`, stderr)
		assert.Equal(t, table, succeed(t, command...))

		require.NoError(t, npz.Write(path, noise(80)))
		code, stdout, stderr := execute(t, command...)
		assert.Equal(t, 1, code)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, " holds a run on data that differs from "+path+
			" in features: choose another --folder, or delete this one\n")
	}
}

// What no run can do without is looked for once, not by each run.
func TestCompareWithoutData(t *testing.T) {
	folder := t.TempDir()
	code, _, stderr := execute(t, "compare", "--data", "nosuch", "--folder", folder)
	assert.Equal(t, 2, code)
	assert.Contains(t, stderr, `--data: data set "nosuch" is not known`)
	code, _, stderr = execute(t, "compare", "--backend", "go", "--data", "letters", "--data-dir", folder,
		"--folder", folder)
	assert.Equal(t, 1, code)
	assert.NotContains(t, stderr, "run 1 of ")
	assert.NoDirExists(t, filepath.Join(folder, "letters-ccp-1"))
}

// What the checks show is what a training uses, and the command that they suggest.
func TestCheckedIsTrained(t *testing.T) {
	marked := make([]int64, 80)
	for i := range marked {
		marked[i] = int64(i % 10 / 5 * 2)
	}
	for name, c := range map[string]struct {
		arrays []npz.Named
		args   []string
		shown  string
	}{
		"no split":              {without(ring(80), "split"), nil, "64 training, 0 validation, 16 test samples"},
		"train and test marked": {with(ring(80), "split", marked, 80), nil, "40 training, 0 validation, 40 test samples"},
		"all marked":            {ring(80), nil, "56 training, 8 validation, 16 test samples"},
		"no graph": {without(ring(80), "edges"), []string{"--knn", "4"},
			"56 training, 8 validation, 16 test samples"},
		"no links": {without(ring(80), "split"), []string{"--knn", "0"},
			"64 training, 0 validation, 16 test samples"},
	} {
		t.Run(name, func(t *testing.T) {
			path, dir := ringFile(t, c.arrays), filepath.Join(t.TempDir(), "run")
			checked := succeed(t, append([]string{"data", "check", path}, c.args...)...)
			assert.NotContains(t, checked, "validation sample")
			_, command, found := strings.Cut(checked, "try: ")
			require.True(t, found)
			words := strings.Fields(command[strings.Index(command, " train "):])
			code, _, stderr := execute(t, append(words, "--backend", "go", "--model", "softmax", "--epochs", "1",
				"--checkpoint", dir)...)
			require.Zero(t, code, stderr)
			assert.Contains(t, stderr, "data   ring.npz: "+c.shown+" in 4 classes")
			var report checkJSON
			decode(t, succeed(t, append([]string{"data", "check", path, "--json"}, c.args...)...), &report)
			info := report.Data
			assert.Contains(t, c.shown, fmt.Sprintf("%d training, %d validation, %d test", info.Train, info.Validation,
				info.Test))
			var e evalJSON
			decode(t, succeed(t, "eval", "--backend", "go", "--checkpoint", dir, "--json"), &e)
			for class, count := range info.Counts {
				assert.Equal(t, count.Test, e.PerClass[class].Samples)
			}
		})
	}
}

// Another file without a split is tested whole, whatever fold, knn and seed the run was told, and says so; one with a
// split by that. The file that was trained on keeps its split, wherever it is.
func TestEvalOfAnotherFile(t *testing.T) {
	path, dir := ringFile(t, without(ring(80), "split", "edges")), filepath.Join(t.TempDir(), "run")
	succeed(t, "train", "--backend", "go", "--data", path, "--model", "softmax", "--epochs", "1", "--checkpoint", dir,
		"--knn", "3", "--fold", "2/5",
		"--set", "split_seed=7")
	eval := func(args ...string) (e evalJSON, text string) {
		args = append([]string{"eval", "--backend", "go", "--checkpoint", dir}, args...)
		decode(t, succeed(t, append(args, "--json")...), &e)
		return e, succeed(t, args...)
	}
	other := func(arrays []npz.Named) string {
		path := filepath.Join(t.TempDir(), "new.npz")
		require.NoError(t, npz.Write(path, arrays))
		return path
	}
	for name, arrays := range map[string][]npz.Named{"without a graph": without(noise(50), "split", "edges"),
		"with a graph": without(noise(50), "split")} {
		e, text := eval("--data", other(arrays))
		assert.Equal(t, 50, e.Samples, name)
		assert.Equal(t, "all", e.Split)
		assert.Zero(t, *e.TrainedOn)
		assert.Regexp(t, `^new\.npz, all samples: accuracy \d+\.\d\d% of 50 samples, loss`, text)
	}
	marks := make([]int64, 50)
	for i := range 20 {
		marks[i] = 2
	}
	marked := other(with(noise(50), "split", marks, 50))
	e, text := eval("--data", marked)
	assert.Equal(t, 20, e.Samples)
	assert.Contains(t, text, "new.npz, test split: accuracy")
	e, _ = eval("--data", marked, "--split", "all")
	assert.Equal(t, 50, e.Samples)

	e, _ = eval()
	assert.Equal(t, 16, e.Samples)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	moved := filepath.Join(t.TempDir(), "moved.npz")
	require.NoError(t, os.WriteFile(moved, raw, 0o600))
	again, text := eval("--data", moved)
	assert.Equal(t, e.Evaluation, again.Evaluation)
	assert.Contains(t, text, "moved.npz, test split: accuracy")
	e, text = eval("--split", "all")
	assert.Equal(t, 80, e.Samples)
	assert.Equal(t, 64, *e.TrainedOn)
	assert.Contains(t, text, "warning: 64 of 80 samples were trained on")
}
