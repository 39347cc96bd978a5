package training

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	_ "github.com/clusterpool/ccp/benchmarks/paper/data" // for TestFootprintIsMeasured
	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a step of the ring's network has as arguments and results are its variables, Adam's and the batch, by hand; the
// temporary memory holds at least the gathered neighbourhoods. On two devices each has half a batch.
func TestDryRun(t *testing.T) {
	backend := backendtest.XLA(t)
	c := ringConfig(writeRing(t, 200))
	f, err := DryRun(t.Context(), backend, c, Options{Backend: "xla:cpu"})
	require.NoError(t, err)
	// U, W, b, gates, batch norm: level 1, level 2; hidden layer; classes.
	level1, level2 := 12*4+6*4*3+6+2+12, 4*1+8*3*6+8+2+16
	assert.Equal(t, level1+level2+(8*8+8+16)+(8*4+4), f.Parameters)
	assert.Equal(t, int64(4*(3*f.Parameters+16*12*3)), f.Weights, "weights and Adam's two averages, the batch")
	assert.Equal(t, int64(2*4*(16*4*4*3+12*4+16*1*3*6+4*1)), f.Activations, "gathered neighbourhoods and memberships")
	assert.Equal(t, Sized{"level_1's gathered neighbourhoods", "(Float32)[16, 4, 4, 3]", 4 * 16 * 4 * 4 * 3}, f.Largest[0])

	c["dtype"] = nn.BFloat16
	c["ccp_hierarchy"] = ccp.Prepared
	two, err := DryRun(t.Context(), backend, c, Options{Devices: 2})
	require.NoError(t, err)
	assert.Less(t, two.Parameters, f.Parameters, "no U")
	assert.Contains(t, two.Largest, Sized{"level_1's gathered neighbourhoods", "(BFloat16)[8, 4, 4, 3]", 2 * 8 * 4 * 4 * 3})
	assert.Less(t, two.Weights, f.Weights)

	t.Setenv("GOMLX_BACKEND", "go") // what a nil backend then means
	estimate, err := DryRun(t.Context(), nil, ringConfig(c["data"].(string)), Options{})
	require.NoError(t, err)
	assert.Equal(t, []int64{f.Weights, f.Activations}, []int64{estimate.Weights, estimate.Activations})

	fitted, err := DryRun(t.Context(), backend, Patch{"data": c["data"], "model": "bayes"}, Options{})
	require.NoError(t, err)
	assert.True(t, fitted.Fitted)
	assert.Equal(t, "bayes", fitted.Config.Model)
	c["batch"] = 15
	_, err = DryRun(t.Context(), backend, c, Options{Devices: 2})
	require.EqualError(t, err, "batch 15 is not a multiple of 2 devices; use 14 or 16")
}

// small is a backend whose device has too little memory for a training step, which it says when that is compiled.
type small struct{ compute.Backend }

type smallBuilder struct {
	compute.Builder
	name string
}

func (b small) Builder(name string) compute.Builder {
	return smallBuilder{b.Backend.Builder(name), name}
}

func (b smallBuilder) Compile() (compute.Executable, error) {
	if strings.HasPrefix(b.name, "Trainer") {
		return nil, errors.New("PJRT error (code=8): RESOURCE_EXHAUSTED: Out of memory while trying to allocate 123 bytes.\nmore")
	}
	return b.Builder.Compile()
}

func TestOutOfMemory(t *testing.T) {
	c := ringConfig(writeRing(t, 200))
	backend, dir := backendtest.Go(t), t.TempDir()
	trainUntil(t, backend, c, dir, 1) // memberships drawn on small would belong to the backend inside
	_, err := Train(t.Context(), small{backend}, c, Options{Dir: dir})
	require.ErrorContains(t, err, "the device has not enough memory for a training step; its largest tensors: level_1's gathered neighbourhoods (Float32)[16, 4, 4, 3], 0 MB; ")
	for _, flag := range []string{"smaller batch", "more devices", "dtype=bfloat16", "ccp_hierarchy=prepared", "ccp_candidates=4", "levels", "a dry run", "code=8"} {
		require.ErrorContains(t, err, flag)
	}
	assert.NotContains(t, err.Error(), "\n")
	assert.Equal(t, 5, strings.Count(err.Error(), " MB"))
}

// The memory that a dry run tells of is what two steps then take. The test needs the data's folder and Linux.
// CCP_FOOTPRINT picks one row by its name.
func TestFootprintIsMeasured(t *testing.T) {
	folder, row := os.Getenv("CCP_DATA"), os.Getenv("CCP_FOOTPRINT")
	if folder == "" || row == "" {
		t.Skip("CCP_DATA and CCP_FOOTPRINT are not set")
	}
	c, known := map[string]Patch{
		"digits": {}, "nw-ucla": {"data": "nw-ucla", "recipe": PaperRecipe}, "20news": {"data": "20news"}, "cifar10": {"data": "cifar10"},
		"cifar10-deep": {"data": "cifar10", "recipe": "deep"},
		"20news-paper": {"data": "20news", "levels": textOf("20news", 10000), "hidden": 256, "ccp_hierarchy": nil,
			"readout_dropout": nil, "input_dropout": nil},
	}[row]
	require.True(t, known, row)
	backend := backendtest.XLA(t)
	told, err := DryRun(t.Context(), backend, c, Options{DataDir: folder})
	require.NoError(t, err)
	p, err := draft(c, "")
	require.NoError(t, err)
	d, err := p.LoadData(t.Context(), backend, Options{DataDir: folder})
	require.NoError(t, err)
	whole, spec, err := p.resolve(d)
	require.NoError(t, err)
	store := spec.NewStore(1)
	_, err = spec.Prepare(t.Context(), backend, store, d.Affinity, nil, nil)
	require.NoError(t, err)
	trainer, before := NewTrainer(backend, store, whole, spec, d.Affinity, 2), int64(0)
	trainer.OnExecCreation(func(exec *model.Exec, _ train.GraphType) {
		_, err := exec.Compile(shapes.Make(dtypes.Float32, whole.Batch, d.Nodes, d.Channels), shapes.Make(dtypes.Int32, whole.Batch, 1))
		require.NoError(t, err)
		debug.FreeOSMemory()
		require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600)) // VmHWM begins anew
		before = kilobytes(t, "VmRSS")
	})
	step := 0
	loop := train.NewLoop(trainer)
	loop.OnStep("count", 0, func(*train.Loop, []*tensors.Tensor) error { step++; return nil })
	_, err = loop.RunSteps(d.Batches(d.Train, datasets.BatchOptions{Size: whole.Batch, Steps: 2, DropLast: true}), 2)
	require.NoError(t, err)
	measured := 1024 * (kilobytes(t, "VmHWM") - before)
	total := told.Weights + told.Activations + told.Input
	t.Logf("%s: told %.0f MB (weights %d, activations %d, input %d), measured %.0f MB, ratio %.2f", row, float64(total)/1e6, told.Weights, told.Activations, told.Input, float64(measured)/1e6, float64(total)/float64(measured))
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
