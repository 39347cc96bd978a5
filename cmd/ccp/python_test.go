package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// python runs a Python program of the examples, or "-c" and its text, in a folder, and returns what it printed and its
// exit code. Without CCP_PYTHON it skips the test.
func python(t *testing.T, folder string, args ...string) (output string, code int) {
	t.Helper()
	interpreter := os.Getenv("CCP_PYTHON")
	if interpreter == "" {
		t.Skip("CCP_PYTHON names no Python with numpy, onnxruntime, optuna, scikit-learn and tensorboard")
	}
	examples, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	ccp, err := program()
	require.NoError(t, err)
	if args[0] != "-c" {
		args[0] = filepath.Join(examples, args[0])
	}
	command := exec.Command(interpreter, args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "CLUSTERPOOL_PROGRAM="+ccp,
		"PYTHONPATH="+filepath.Join(filepath.Dir(examples), "python", "src"),
		"PATH="+filepath.Dir(ccp)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, _ := command.CombinedOutput()
	return string(out), command.ProcessState.ExitCode()
}

// Optuna searches with ccp train: its trials are kept, failed ones count as pruned, and wrong settings end the search.
func TestPythonSearch(t *testing.T) {
	folder := t.TempDir()
	line := append([]string{"search/optuna_search.py", "2"}, "--backend", "go", "--levels", "4x8/4,1x8/4", "--fc", "8",
		"--steps", "20")
	out, code := python(t, folder, line...)
	require.Zero(t, code, out)
	assert.Equal(t, 2, strings.Count(out, " finished with value: "), out)
	assert.Regexp(t, `\nbest: \d\.\d+ learning_rate=\S+ ccp_dropout=\S+ readout_dropout=\S+ batch=(16|32|64)\n$`, out)

	for setting, want := range map[string]string{"schedule=linear": "ccp: --set schedule=linear: it must be one of",
		"l2=1e39": "ccp: diverged: "} {
		t.Run(setting, func(t *testing.T) {
			line := append(slices.Clone(line), setting)
			line[0], line[1] = "search/optuna_search.py", "1"
			out, code := python(t, folder, line...)
			assert.Contains(t, out, want)
			if setting == "l2=1e39" {
				assert.Zero(t, code, out)
				assert.Contains(t, out, " pruned.")
			} else {
				assert.Equal(t, 2, code, out)
				assert.NotContains(t, out, " pruned.")
			}
		})
	}
}

// What Python gets by ONNX and from the server is the same.
func TestPythonDoors(t *testing.T) {
	folder := t.TempDir()
	_, _ = python(t, folder, "-c", "") // skips
	dir, onnx := trained(t), filepath.Join(folder, "digits.onnx")
	succeed(t, "export", "--backend", "go", "--checkpoint", dir, "--out", onnx)
	ccp, err := program()
	require.NoError(t, err)
	server := exec.Command(ccp, "serve", "--backend", "go", "--checkpoint", dir, "--addr", "127.0.0.1:0", "--json")
	stdout, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	defer func() {
		require.NoError(t, server.Process.Signal(syscall.SIGTERM))
		require.NoError(t, server.Wait())
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	var serving servingJSON
	decode(t, line, &serving)
	signals, err := filepath.Abs(digitsFile)
	require.NoError(t, err)

	out, code := python(t, folder, "python/probabilities.py", onnx, serving.Address+"/v2/models/digits", signals)
	require.Zero(t, code, out)
	difference := regexp.MustCompile(`^\['\d', .*] the greatest difference is (\S+)\n$`).FindStringSubmatch(out)
	require.NotNil(t, difference, out)
	greatest, err := strconv.ParseFloat(difference[1], 64)
	require.NoError(t, err)
	assert.Less(t, greatest, 1e-5)
}

// The estimator does in scikit-learn's tools what the page says. The step wheel of .ci/run tests the package.
func TestPythonEstimator(t *testing.T) {
	folder := t.TempDir()
	_, _ = python(t, folder, "-c", "") // skips
	page, err := os.ReadFile("../../docs/ecosystem.md")
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(page), "```python\nimport numpy as np\n")
	block, _, _ = strings.Cut(block, "```")
	out, code := python(t, folder, "-c", "import numpy as np\n"+block)
	require.Zero(t, code, out)
	assert.Contains(t, out, "[1. 1.]\n")
}

// TensorBoard reads the curves that ccp train writes, also of a run that went on.
func TestPythonTensorBoard(t *testing.T) {
	folder := t.TempDir()
	_, _ = python(t, folder, "-c", "") // skips
	line := append([]string{"train", "--checkpoint", filepath.Join(folder, "run"), "--tensorboard",
		filepath.Join(folder, "board")}, tiny...)
	for range 2 {
		succeed(t, append(line, "--epochs", "3")...)
		history, err := training.ReadHistory(filepath.Join(folder, "run"))
		require.NoError(t, err)
		result, err := training.ReadResult(filepath.Join(folder, "run"))
		require.NoError(t, err)
		out, code := python(t, folder, "-c", `
import json
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
board = EventAccumulator("board").Reload()
print(json.dumps({tag: [[e.step, e.value] for e in board.Scalars(tag)] for tag in board.Tags()["scalars"]}))
`)
		require.Zero(t, code, out)
		var curves map[string][][2]float64
		require.NoError(t, json.Unmarshal([]byte(out[strings.LastIndex(out, "{"):]), &curves), out)
		assert.Len(t, curves, 6)
		for i, e := range history {
			for tag, want := range map[string]float64{"loss/train": e.Train.Loss, "accuracy/train": e.Train.Accuracy,
				"loss/validation": e.Validation.Loss, "accuracy/validation": e.Validation.Accuracy} {
				require.Len(t, curves[tag], 3)
				assert.InDeltaSlice(t, []float64{float64(i + 1), want}, curves[tag][i][:], 1e-6)
			}
		}
		assert.InDeltaSlice(t, []float64{float64(result.BestEpoch), result.Test.Accuracy},
			curves["accuracy/test"][0][:], 1e-6)
	}
}
