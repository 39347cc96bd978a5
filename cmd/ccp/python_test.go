package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// python runs a Python program of the examples, or "-c" and its text, in a folder, and returns what it printed and its exit code.
// Without CCP_PYTHON it skips the test.
func python(t *testing.T, folder string, args ...string) (output string, code int) {
	t.Helper()
	interpreter := os.Getenv("CCP_PYTHON")
	if interpreter == "" {
		t.Skip("CCP_PYTHON names no Python with numpy, onnxruntime, optuna and scikit-learn")
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
	command.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join(examples, "python"),
		"PATH="+filepath.Dir(ccp)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, _ := command.CombinedOutput()
	return string(out), command.ProcessState.ExitCode()
}

// Optuna searches with ccp train: its trials are kept, failed ones count as pruned, and wrong settings end the search.
func TestPythonSearch(t *testing.T) {
	folder := t.TempDir()
	line := append([]string{"search/optuna_search.py", "2"}, "--backend", "go", "--levels", "4x8/4,1x8/4", "--fc", "8", "--steps", "20")
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
			assert.Equal(t, map[bool]int{true: 2, false: 0}[setting != "l2=1e39"], code, out)
			assert.Equal(t, setting == "l2=1e39", strings.Contains(out, " pruned."), out)
		})
	}
}
