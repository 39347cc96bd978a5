package speed

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/stretchr/testify/require"
)

// The memory that a dry run tells of is what two steps then take. The test needs the data's folder and Linux.
// CCP_FOOTPRINT picks one row by its name.
func TestFootprintIsMeasured(t *testing.T) {
	folder, row := os.Getenv("CCP_DATA"), os.Getenv("CCP_FOOTPRINT")
	if folder == "" || row == "" {
		t.Skip("CCP_DATA and CCP_FOOTPRINT are not set")
	}
	levels, _ := training.PresetOf("", "20news", training.DefaultRecipe, 10000)
	asked, known := map[string]training.Patch{
		"digits": {}, "nw-ucla": {"data": "nw-ucla", "recipe": training.PaperRecipe}, "20news": {"data": "20news"},
		"cifar10":      {"data": "cifar10"},
		"cifar10-deep": {"data": "cifar10", "recipe": "deep"},
		"20news-paper": {"data": "20news", "levels": levels, "hidden": 256, "ccp_hierarchy": nil,
			"readout_dropout": nil, "input_dropout": nil},
	}[row]
	require.True(t, known, row)
	backend := backendtest.XLA(t)
	estimate, err := training.DryRun(t.Context(), backend, asked, training.Options{DataDir: folder})
	require.NoError(t, err)
	c := estimate.Config
	d, err := c.LoadData(t.Context(), backend, training.Options{DataDir: folder})
	require.NoError(t, err)
	spec := models.Spec{Model: c.Model, Levels: c.Levels, Hidden: c.Hidden, Info: d.Info, Options: c.Options}
	store := spec.NewStore(1)
	_, err = spec.Prepare(t.Context(), backend, store, d.Affinity, nil, nil)
	require.NoError(t, err)
	trainer, before := training.NewTrainer(backend, store, c, spec, d.Affinity, 2), int64(0)
	trainer.OnExecCreation(func(exec *model.Exec, _ train.GraphType) {
		_, err := exec.Compile(shapes.Make(dtypes.Float32, c.Batch, d.Nodes, d.Channels),
			shapes.Make(dtypes.Int32, c.Batch, 1))
		require.NoError(t, err)
		debug.FreeOSMemory()
		require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600)) // VmHWM begins anew
		before = kilobytes(t, "VmRSS")
	})
	step := 0
	loop := train.NewLoop(trainer)
	loop.OnStep("count", 0, func(*train.Loop, []*tensors.Tensor) error { step++; return nil })
	_, err = loop.RunSteps(d.Batches(d.Train, datasets.BatchOptions{Size: c.Batch, Steps: 2, DropLast: true}), 2)
	require.NoError(t, err)
	measured := 1024 * (kilobytes(t, "VmHWM") - before)
	total := estimate.Weights + estimate.Activations + estimate.Input
	t.Logf("%s: told %.0f MB (weights %d, activations %d, input %d), measured %.0f MB, ratio %.2f", row,
		float64(total)/1e6, estimate.Weights, estimate.Activations, estimate.Input, float64(measured)/1e6,
		float64(total)/float64(measured))
}

func kilobytes(t *testing.T, field string) int64 {
	raw, err := os.ReadFile(filepath.Join("/proc", "self", "status"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(raw), field+":")
	require.True(t, found)
	value, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	require.NoError(t, err)
	return value
}
