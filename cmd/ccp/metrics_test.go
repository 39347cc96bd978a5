package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// katib is the filter of Katib's collector, unless an experiment has its own (pkg/metricscollector/v1beta1/common).
var katib = regexp.MustCompile(`([\w|-]+)\s*=\s*([+-]?\d*(\.\d+)?([Ee][+-]?\d+)?)`)

// collected returns the values of a metric in a log, as Katib collects them.
func collected(t *testing.T, log, name string) (values []float64) {
	t.Helper()
	for _, m := range katib.FindAllStringSubmatch(log, -1) {
		if m[1] == name {
			v, err := strconv.ParseFloat(m[2], 64)
			require.NoError(t, err, log)
			values = append(values, v)
		}
	}
	return values
}

func TestMetrics(t *testing.T) {
	dir, file := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "scores")
	pairs := []string{"steps=12.0", "ccp_dropout=0.10000000000000001", "average=1e-05"} // as search tools write them
	line := append(append([]string{"train", "--checkpoint", dir}, tiny...), append(pairs, "--epochs", "3")...)
	code, stdout, stderr := execute(t, append(line, "--metrics", file)...)
	require.Zero(t, code, stderr)
	assert.NotContains(t, stdout, "=")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	config, err := training.ReadConfig(dir)
	require.NoError(t, err)
	assert.Equal(t, []any{12, 0.1, 1e-5}, []any{config.Steps, config.Options.Dropout, config.Average})

	written, result := string(raw), trainDocument{}
	history, err := training.ReadHistory(dir)
	require.NoError(t, err)
	require.Len(t, history, 3)
	out := lines(succeed(t, append(line, "--metrics", "-")...)) // of the run that has ended
	require.Len(t, out, 8)
	assert.Equal(t, written, strings.Join(out[:4], "\n")+"\n")
	decode(t, succeed(t, append(line, "--json")...), &result)
	code, stdout, stderr = execute(t, append(line, "--metrics", "-", "--json")...)
	assert.Equal(t, []any{2, ""}, []any{code, stdout})
	assert.Contains(t, stderr, "--metrics - and --json would share the standard output; give --metrics FILE")
	for name, want := range map[string][]float64{
		"epoch": {1, 2, 3, float64(result.BestEpoch)},
		"train_accuracy": {history[0].Train.Accuracy, history[1].Train.Accuracy, history[2].Train.Accuracy,
			result.Train.Accuracy},
		"validation_accuracy": {history[0].Validation.Accuracy, history[1].Validation.Accuracy,
			history[2].Validation.Accuracy, result.Validation.Accuracy},
		"validation_loss": {history[0].Validation.Loss, history[1].Validation.Loss, history[2].Validation.Loss,
			result.Validation.Loss},
		"test_accuracy": {result.Test.Accuracy},
		"test_loss":     {result.Test.Loss},
	} {
		assert.InDeltaSlice(t, want, collected(t, written, name), 1e-5, name)
	}

	last := append(append([]string{"train", "--checkpoint", dir, "--overwrite", "--metrics", "-"}, tiny...),
		"--set", "keep=last", "--validation", "0")
	code, stdout, stderr = execute(t, last...)
	require.Zero(t, code, stderr)
	assert.Contains(t, stderr, "warning: no samples are held out, so that --metrics has no validation_accuracy; give "+
		"--validation 0.2\n")
	assert.Len(t, collected(t, stdout, "train_accuracy"), 2)
	assert.Empty(t, collected(t, stdout, "validation_accuracy"))

	code, _, stderr = execute(t, append([]string{"train", "--checkpoint", dir, "--overwrite", "--tensorboard",
		filepath.Join(file, "board")}, tiny...)...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "--tensorboard "+filepath.Join(file, "board"))
	code, _, stderr = execute(t, append([]string{"train", "--checkpoint", dir, "--overwrite", "--metrics", file},
		append(tiny, "--levels", "4x8/999")...)...)
	assert.Equal(t, 2, code, stderr)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, written, string(kept), "a refused training leaves the scores of the one before")
	other := filepath.Join(t.TempDir(), "thesis.txt")
	require.NoError(t, os.WriteFile(other, []byte("Chapter 1\n"), 0o600))
	code, _, stderr = execute(t, append([]string{"train", "--checkpoint", dir, "--overwrite", "--metrics", other},
		tiny...)...)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "exists and was not written by --metrics; choose another")

	if _, err := os.Stat("/dev/full"); err == nil {
		code, _, stderr = execute(t, append([]string{"train", "--checkpoint", dir, "--overwrite", "--metrics", "/dev/full"},
			tiny...)...)
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr, "no space left")
	}
}

// TestExitCodes: what ends a trial of a search without a score has a code of its own. TestInterrupted has 130,
// TestFailures 2.
func TestExitCodes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := execute(t, append(append([]string{"train", "--checkpoint", dir}, tiny...), "--lr", "1e35",
		"--set", "schedule=constant")...)
	assert.Equal(t, 3, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "ccp: diverged: the loss became ")
	assert.Equal(t, 4, exitCode(fmt.Errorf("a step: %w",
		errors.New("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1 bytes"))))
	assert.Equal(t, 1, exitCode(errors.New("no route to host")))
}
