package export

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/require"
)

// inBFloat16 names a network that predicts by products of bfloat16, where its export has those of float32.
const inBFloat16 = "bfloat16"

// TestPython has ONNX Runtime, OpenVINO, the reference of onnx and, where CCP_NODE_MODULES names a folder that has it,
// onnxruntime-web classify with exported classifiers: each must say what the classifier says. It runs where CCP_PYTHON
// names a Python that has numpy, onnx, onnxruntime and openvino. CCP_CHECKPOINTS can name checkpoints to try as well,
// separated as in PATH.
func TestPython(t *testing.T) {
	python := os.Getenv("CCP_PYTHON")
	if python == "" {
		t.Skip("CCP_PYTHON names no Python with numpy, onnx, onnxruntime and openvino")
	}
	folder := t.TempDir()
	arguments := []string{"testdata/check.py"}
	add := func(name string, c *models.Classifier) {
		path := filepath.Join(folder, strings.ReplaceAll(name, " ", "-"))
		require.NoError(t, os.Mkdir(path, 0o755))
		write(t, path, c, signals(c, 9))
		arguments = append(arguments, path)
	}
	addSeries := func(name string, c *models.Classifier, timepoints int, offset float32) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.Mkdir(path, 0o755))
		var series [][]float32
		for i := range 8 {
			one := drawn(i, timepoints, len(c.Form.Sensors))
			for at := range one {
				one[at] += offset
			}
			series = append(series, one)
		}
		write(t, path, c, series)
		arguments = append(arguments, path)
	}
	for name, v := range variants {
		add(name, classifier(t, v))
	}
	sensors := classifier(t, variants["norms"])
	sensors.Mean, sensors.Std = []float32{1, -2, 3, 4, 0, 0.5}, []float32{2, 0.5, 1, 3, 0.25, 1}
	sensors.Calibration = &models.Calibration{Temperature: 0.5}
	add("scaled by sensor, sharpened", sensors)
	add("digits learned", trainedDigits(t, "ccp_hierarchy=learned"))
	add(inBFloat16, trainedDigits(t, "ccp_hierarchy=learned", "dtype=bfloat16"))
	add("digits prepared", trainedDigits(t, "ccp_hierarchy=prepared", "ccp_hierarchies=2", "ccp_stem=8", "ccp_blocks=1",
		"ccp_slots=directed"))
	for name, c := range ensembles(t) {
		for _, timepoints := range []int{30, 60, 10, 3, 2, 1} { // of the training; and with no place for most kernels
			addSeries(fmt.Sprintf("%s of %d", name, timepoints), c, timepoints, 0)
		}
		addSeries(name+" far from zero", c, 50, 100)
	}
	for _, dir := range filepath.SplitList(os.Getenv("CCP_CHECKPOINTS")) {
		c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.XLA(t)})
		require.NoError(t, err)
		add(filepath.Base(dir), c)
	}
	if modules := os.Getenv("CCP_NODE_MODULES"); modules != "" {
		web := slices.Concat([]string{"testdata/web.mjs", modules}, arguments[1:])
		out, err := exec.CommandContext(t.Context(), "node", web...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	out, err := exec.CommandContext(t.Context(), python, arguments...).CombinedOutput()
	require.NoError(t, err, string(out))
	t.Log("\n" + string(out))
}

// trainedDigits trains a small network for two epochs, so that its running means and variances come from a training.
func trainedDigits(t *testing.T, settings ...string) *models.Classifier {
	t.Helper()
	config := training.Patch{"levels": "8x8/9,1x16/8", "hidden": 16, "epochs": 2}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		config[name] = value
	}
	dir := filepath.Join(t.TempDir(), "run")
	_, err := training.Train(t.Context(), backendtest.Go(t), config, training.Options{Dir: dir})
	require.NoError(t, err)
	c, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	return c
}

// write puts the model, signals and their probabilities into a folder.
func write(t *testing.T, folder string, c *models.Classifier, all [][]float32) {
	t.Helper()
	require.NoError(t, Write(filepath.Join(folder, "model.onnx"), c))
	_, dims := Input(c)
	shape := []int{len(all), -1, dims[2].(int)}
	shape[1] = len(all[0]) / shape[2]
	for name, array := range map[string]*npz.Array{
		"inputs.npy":        {Shape: shape, Data: slices.Concat(all...)},
		"probabilities.npy": {Shape: []int{len(all), c.Spec.Classes()}, Data: predicted(t, c, all)},
	} {
		var file bytes.Buffer
		require.NoError(t, npz.WriteNPY(&file, array))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), file.Bytes(), 0o644))
	}
}
