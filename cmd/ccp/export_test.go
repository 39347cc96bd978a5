package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/npz"
)

type exportDocument struct {
	File       string   `json:"file"`
	Format     string   `json:"format"`
	Bytes      int64    `json:"bytes"`
	Nodes      int      `json:"nodes"`
	Channels   int      `json:"channels"`
	ClassNames []string `json:"class_names"`
}

func TestExport(t *testing.T) {
	dir, folder := trained(t), t.TempDir()
	onnx, arrays := filepath.Join(folder, "digits.onnx"), filepath.Join(folder, "digits.npz")
	assert.Regexp(t, `/digits\.onnx: onnx, signals \[batch, 64, 1\], 10 classes, \d\.\d MB\n$`,
		succeed(t, "export", "--backend", "go", "--checkpoint", dir, "--out", onnx))
	var e exportDocument
	decode(t, succeed(t, "export", "--backend", "go", "--checkpoint", dir, "--out", arrays, "--json"), &e)
	info, err := os.Stat(arrays)
	require.NoError(t, err)
	assert.Equal(t, exportDocument{arrays, "npz", info.Size(), 64, 1, strings.Split("0123456789", "")}, e)
	file, err := npz.Open(arrays)
	require.NoError(t, err)
	defer file.Close()
	kernel, err := file.Array("level_1_kernel")
	require.NoError(t, err)
	assert.Equal(t, []int{4, 8}, kernel.Shape)

	// The same command refuses to replace the file, and with --overwrite makes the same again.
	before, err := os.ReadFile(onnx)
	require.NoError(t, err)
	code, stdout, stderr := execute(t, "export", "--backend", "go", "--checkpoint", dir, "--out", onnx)
	assert.Equal(t, 1, code)
	assert.Empty(t, stdout)
	assert.Equal(t, "ccp: "+onnx+" exists; --overwrite replaces it\n", stderr)
	succeed(t, "export", "--backend", "go", "--checkpoint", dir, "--out", onnx, "--overwrite")
	after, err := os.ReadFile(onnx)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(before, after))
}

// TestExamplePredict: numpy says of the exported arrays what ccp predict says of the checkpoint.
func TestExamplePredict(t *testing.T) {
	python := os.Getenv("CCP_PYTHON")
	if python == "" {
		python = "python3"
		if exec.Command(python, "-c", "import numpy").Run() != nil {
			t.Skip("no python3 with numpy; CCP_PYTHON can name one")
		}
	}
	dir, arrays := trained(t), filepath.Join(t.TempDir(), "net.npz")
	succeed(t, "export", "--backend", "go", "--checkpoint", dir, "--out", arrays)
	out, err := exec.Command(python, "../../examples/predict.py", arrays, digitsFile).CombinedOutput()
	require.NoError(t, err, string(out))
	got := lines(string(out))
	want := lines(succeed(t, "predict", "--backend", "go", "--checkpoint", dir, "--json", digitsFile))
	require.Len(t, got, len(want))
	for i, line := range got {
		var p predictDocument
		decode(t, want[i], &p)
		fields := strings.Split(line, "\t")
		require.Len(t, fields, 3)
		assert.Equal(t, []string{strconv.Itoa(i), p.Name}, fields[:2])
		probability, err := strconv.ParseFloat(fields[2], 64)
		require.NoError(t, err)
		assert.Less(t, math.Abs(probability-p.Probability), 1e-5)
	}
}
