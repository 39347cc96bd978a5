package transforms

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models/onnx"
	"github.com/stretchr/testify/require"
)

// compared has ONNX Runtime and the reference of onnx compute what exported models compute, and compares.
type compared struct{ python, folder string }

// comparing skips the test where CCP_PYTHON names no Python that has numpy, onnx and onnxruntime.
func comparing(t *testing.T) compared {
	t.Helper()
	python := os.Getenv("CCP_PYTHON")
	if python == "" {
		t.Skip("CCP_PYTHON names no Python with numpy, onnx and onnxruntime")
	}
	return compared{python, t.TempDir()}
}

// add puts a model, its input x and what it must compute into a folder of this name.
func (c compared) add(t *testing.T, name string, g *onnx.Graph, x, want []float32, shape ...int) {
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

// run compares all that was added.
func (c compared) run(t *testing.T) {
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

// The nodes of an ONNX model compute the features of each transform as the host does, for recordings of many lengths.
func TestExportTransforms(t *testing.T) {
	compare := comparing(t)
	const columns = 34
	rng := rand.New(rand.NewPCG(4, 4))
	edges := []affinity.Edge{{I: 0, J: 5, Weight: 3}} // of a path, a chord and a node apart
	for i := range columns/2 - 2 {
		edges = append(edges, affinity.Edge{I: i, J: i + 1, Weight: 1})
	}
	links, err := affinity.New(columns/2, edges)
	require.NoError(t, err)
	h := header{Columns: columns, Channels: 2, Length: 40, Longest: 90, Frames: 7, Features: 1000, Groups: 4, links: links}
	u := units{mean: make([]float32, columns), scale: slices.Repeat([]float32{1}, columns), channels: 2}
	sample := func(timepoints int) (s Sample) {
		for range timepoints * columns {
			s.Values = append(s.Values, float32(rng.NormFloat64()))
		}
		for at := range 5 { // a constant piece
			s.Values[(len(s.Values)/columns-1-min(at, timepoints-1))*columns] = 1
		}
		return s
	}
	for _, k := range kinds {
		require.Empty(t, k.lacks(h), k.name)
		m := k.open(h)
		if d, ok := m.(drawer); ok {
			require.NoError(t, d.draw(t.Context(), u, []Sample{sample(40), sample(31)}, 5))
		}
		for _, timepoints := range []int{40, 90, 300, 33, 12, 7, 3, 2, 1} {
			g, w, s, want := new(onnx.Graph), new(work), sample(timepoints), make([]float32, m.width())
			g.Named("features", "Identity", m.export(g, g.Input("x", "batch", columns, "timepoints")))
			g.Output("features", "batch", m.width())
			u.read(w, s.Values)
			m.features(w, want)
			compare.add(t, fmt.Sprintf("%s of %d", k.name, timepoints), g, slices.Concat(w.columns...), want, 1, columns, timepoints)
		}
	}
	compare.run(t)
}

// The nodes compute the probabilities of a classifier sensor by sensor: of the forest alone, of the ridge classifier alone, of both.
func TestExportProbabilities(t *testing.T) {
	compare := comparing(t)
	rng := rand.New(rand.NewPCG(4, 4))
	samples := noise(rng, 30, 2, always(40))
	for i := range samples[:8] { // so that nothing is sure
		samples[i].Label = int32(i / 2 % 2)
	}
	for _, only := range [][]string{{"forest"}, {"values", "power"}, {"hydra", "forest"}, {"hydra", "shapelets", "forest"}} {
		v := fitted(t, Config{Columns: 2, Channels: 1, Classes: 2, Turned: 40, Only: only}, samples)
		v.Temperature, v.ForestTemperature, v.ForestWeight = 0.8, 0.5, max(v.ForestWeight, 0.3)
		g, x, want := new(onnx.Graph), []float32{}, []float32{}
		g.Named("probabilities", "Identity", v.Export(g, g.Input("x", "batch", 80, 1), 80, ""))
		g.Output("probabilities", "batch", 2)
		for _, s := range samples[:7] {
			x = append(x, s.Values...)
			for _, p := range v.Probabilities(v.Read(s.Values), nil) {
				want = append(want, float32(p))
			}
		}
		compare.add(t, fmt.Sprint(only), g, x, want, 7, 80, 1)
	}
	compare.run(t)
}
