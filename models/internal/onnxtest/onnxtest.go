// Package onnxtest has tests compare what exported models compute with what the host does.
package onnxtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models/onnx"
	"github.com/stretchr/testify/require"
)

// Comparison has ONNX Runtime and the reference of onnx compute what exported models compute, and compares.
type Comparison struct{ python, folder string }

// New begins a comparison. It skips the test where CCP_PYTHON names no Python that has numpy, onnx and onnxruntime.
func New(t *testing.T) Comparison {
	t.Helper()
	python := os.Getenv("CCP_PYTHON")
	if python == "" {
		t.Skip("CCP_PYTHON names no Python with numpy, onnx and onnxruntime")
	}
	return Comparison{python, t.TempDir()}
}

// Add puts a model, its input x of this shape and what it must compute into a folder of this name.
func (c Comparison) Add(t *testing.T, name string, g *onnx.Graph, x, want []float32, shape ...int) {
	t.Helper()
	dir := filepath.Join(c.folder, name)
	require.NoError(t, os.Mkdir(dir, 0o755))
	model, err := g.Model("test", "")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "model.onnx"), model, 0o644))
	for file, a := range map[string]*npz.Array{
		"x.npy":    {Shape: shape, Data: x},
		"want.npy": {Shape: []int{shape[0], len(want) / shape[0]}, Data: want},
	} {
		var raw bytes.Buffer
		require.NoError(t, npz.WriteNPY(&raw, a))
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), raw.Bytes(), 0o644))
	}
}

// Run compares all that was added.
func (c Comparison) Run(t *testing.T) {
	t.Helper()
	const script = `
import pathlib, sys, warnings
import numpy as np, onnx, onnxruntime
from onnx.reference import ReferenceEvaluator
warnings.simplefilter("ignore", RuntimeWarning) # of the reference: infinity less infinity, which nothing reads
for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    model = str(folder / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    x, want = np.load(folder / "x.npy"), np.load(folder / "want.npy")
    for how, run in {"runtime": session.run, "reference": ReferenceEvaluator(model).run}.items():
        got = run(None, {"x": x})[0]
        print(folder.name, how, got.shape, "at most", np.abs(got - want).max(), "off")
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5, err_msg=f"{folder.name}, {how}")
`
	out, err := exec.Command(c.python, "-c", script, c.folder).CombinedOutput()
	require.NoError(t, err, string(out))
	t.Log("\n" + string(out))
}
