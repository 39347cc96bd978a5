package training

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckDevices(t *testing.T) {
	for _, c := range []struct {
		devices, batch int
		message        string
	}{
		{0, 7, ""}, {1, 7, ""}, {2, 8, ""}, {4, 4, ""},
		{-1, 8, "devices=-1 … at least 1"},
		{3, 100, "batch=100 … 3 devices … 99 or 102"},
		{4, 3, "batch=3 … 4 devices … use 4"},
		{1000, 1000, "devices=1000 … backend"},
	} {
		err := checkDevices(backendtest.XLA(t), c.devices, c.batch)
		if c.message == "" {
			require.NoError(t, err)
		} else {
			messagetest.Names(t, err, c.message)
		}
	}
	messagetest.Option(t, checkDevices(backendtest.Go(t), 2, 8), "devices", 2, "at most 1")
}

// noisy are signals of one of three classes each: noise that rises along the nodes as much as the class says.
type noisy struct {
	nodes, channels int
}

func (noisy) Len() int { return 96 }

func (s noisy) Read(i int, dst []float32) {
	random := rand.New(rand.NewPCG(5, uint64(i)))
	for j := range dst {
		dst[j] = float32(random.NormFloat64() + float64(i%3)*float64(j/s.channels)/float64(s.nodes))
	}
}

func noisyData(graph *affinity.Matrix, channels int) *datasets.Dataset {
	s := noisy{graph.N(), channels}
	d := &datasets.Dataset{Name: "noise", Info: signal.Info{Nodes: graph.N(), Channels: channels,
		ClassNames: []string{"flat", "up", "steep"}}, Signals: s, Affinity: graph}
	for i := range s.Len() {
		d.Labels, d.Train = append(d.Labels, int32(i%3)), append(d.Train, i)
	}
	for range channels {
		d.Mean, d.Std = append(d.Mean, 0), append(d.Std, 1)
	}
	return d
}

// stepsOn trains for some steps on a number of devices and returns each step's metrics and the variables at the end.
func stepsOn(t *testing.T, backend compute.Backend, asked Patch, d *datasets.Dataset, devices,
	steps int) (metrics [][]float64, store *model.Store) {
	t.Helper()
	p, err := draft(asked, d)
	require.NoError(t, err)
	c, spec, d, err := p.resolve(d)
	require.NoError(t, err)
	store = spec.NewStore(c.Seed)
	_, err = spec.Prepare(t.Context(), backend, store, d.Affinity, nil, nil)
	require.NoError(t, err)
	loop := train.NewLoop(NewTrainer(backend, store, c, spec, d.Affinity, steps))
	loop.OnStep("metrics", 0, func(_ *train.Loop, values []*tensors.Tensor) error {
		var row []float64
		for _, m := range values {
			row = append(row, float64(m.Value().(float32)))
		}
		metrics = append(metrics, row)
		return nil
	})
	batches := d.Batches(d.Train, datasets.BatchOptions{Size: c.Batch, Shuffle: true, Seed: 1,
		Steps: datasets.Endless, DropLast: true})
	on, err := onDevices(batches, devices)
	require.NoError(t, err)
	_, err = loop.RunSteps(on, steps)
	require.NoError(t, err)
	return metrics, store
}

// Four devices that share each batch train as one does: losses, accuracies and objectives of 50 steps, and then all
// weights with batch norm's statistics. The architectures are the presets, scaled down; every place that can drop out
// does.
func TestDevicesTrainAsOne(t *testing.T) {
	backend := backendtest.XLA(t)
	grid := func(side int) *affinity.Matrix {
		a, err := affinity.Grid(side, side, 8)
		require.NoError(t, err)
		return a
	}
	words, err := affinity.RandomConnected(100, 600, 1)
	require.NoError(t, err)
	skeleton, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {2, 3}, {1, 4}}, 5, 8)
	require.NoError(t, err)
	for name, a := range map[string]struct {
		graph    *affinity.Matrix
		channels int
		levels   string
		params   map[string]any
	}{
		"two levels":    {grid(6), 1, "6x8/9,1x12/4", nil},
		"digits":        {grid(6), 1, "16x8/9,6x12/4,1x16/4", nil},
		"grey":          {grid(6), 1, "16x4/4,6x8/4,3x12/3,1x16/3", nil},
		"grey and wide": {grid(6), 1, "16x6/5,9x8/4,4x12/4,1x16/4", nil},
		"coloured":      {grid(8), 3, "25x8/4,9x12/4,5x16/3,4x24/3,1x32/3", nil},
		"words":         {words, 1, "50x4/4,25x6/4,12x8/3,6x12/3,4x16/3,1x16/3", nil},
		"words whole":   {words, 1, "1x12/100", nil},
		"skeleton":      {skeleton, 3, "30x6/4,12x8/4,5x12/4,1x16/4", nil},
		"two skeletons": {skeleton, 6, "20x8/4,10x12/4,6x16/4,4x24/3,1x32/4", nil},
		"candidates":    {words, 1, "20x4/4:candidates=3,6x8/4:candidates=2", map[string]any{}},
	} {
		for _, way := range []ccp.Plan{ccp.Learned, ccp.Prepared} {
			if a.params != nil && way != ccp.Learned {
				continue
			}
			t.Run(fmt.Sprintf("%s %s", name, way), func(t *testing.T) {
				if name != "two levels" && name != "candidates" && os.Getenv("CCP_EVERY_PRESET") != "1" {
					t.Skip("compiling takes minutes in all; CCP_EVERY_PRESET=1 has them too")
				}
				c := Patch{"data": "noise", "model": "ccp"}
				c["levels"], c["hidden"], c["batch"], c["average"] = a.levels, []int{12}, 16, 0.9
				only(c, map[string]any{"ccp_hierarchy": way, "ccp_dropout": 0.2, "input_dropout": 0.1})
				for name, value := range a.params {
					c[name] = value
				}
				d := noisyData(a.graph, a.channels)
				requireSameSteps(t, backend, c, d)
			})
		}
	}
}

// requireSameSteps fails unless 50 steps on four devices have the metrics and the weights of those on one.
func requireSameSteps(t *testing.T, backend compute.Backend, c Patch, d *datasets.Dataset) {
	t.Helper()
	want, alone := stepsOn(t, backend, c, d, 1, 50)
	got, shared := stepsOn(t, backend, c, d, 4, 50)
	require.Len(t, got, 50)
	for step := range want {
		require.InDeltaSlice(t, want[step], got[step], 1e-5, "step %d", step+1)
	}
	weights := 0
	for v := range alone.IterVariables() {
		if !variables.IsWeight(v) || v.DType() != dtypes.Float32 {
			continue
		}
		other := shared.GetVariable(v.Path())
		require.NotNil(t, other, v.Path())
		weights++
		a, b := tensors.MustCopyFlatData[float32](v.MustValue()),
			tensors.MustCopyFlatData[float32](other.MustValue())
		assert.InDelta(t, 0, farthest(a, b), 1e-3, v.Path())
	}
	assert.Positive(t, weights)
}

func farthest(a, b []float32) (d float64) {
	for i := range a {
		d = math.Max(d, math.Abs(float64(a[i]-b[i])))
	}
	return d
}

// A whole training on four devices, interrupted and ended on two, is the training on one: each epoch's means, the
// validation and the test of all samples, also of the last few that make no whole batch.
func TestTrainOnDevices(t *testing.T) {
	backend := backendtest.XLA(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 3
	alone, shared := t.TempDir(), t.TempDir()
	want := trainIn(t, backend, c, alone)
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	_, err := Train(ctx, backend, c, Options{Dir: shared, Devices: 4, Observer: Observer{Step: func(Progress) {
		steps++
		if steps == 11 {
			cancel()
		}
	}}})
	require.ErrorIs(t, err, ErrInterrupted)
	got, err := Train(t.Context(), backend, c, Options{Dir: shared, Devices: 2})
	require.NoError(t, err)
	_, wantHistory := snapshotOf(t, alone, checkpoint.Last)
	_, gotHistory := snapshotOf(t, shared, checkpoint.Last)
	wantHistory, gotHistory = wantHistory[:3], gotHistory[:3] // without the best, which that snapshot has none of
	for i := range wantHistory {
		assert.InDelta(t, wantHistory[i].Train.Loss, gotHistory[i].Train.Loss, 1e-4)
		assert.InDelta(t, wantHistory[i].Train.Accuracy, gotHistory[i].Train.Accuracy, 1e-9)
		assert.InDelta(t, wantHistory[i].Validation.Loss, gotHistory[i].Validation.Loss, 1e-4)
		assert.InDeltaSlice(t, wantHistory[i].Objective, gotHistory[i].Objective, 1e-4)
	}
	assert.InDelta(t, want.Test.Loss, got.Test.Loss, 1e-4)
	assert.InDelta(t, want.Test.Accuracy, got.Test.Accuracy, 1e-9)
	assert.FileExists(t, filepath.Join(shared, resultFile))

	c["batch"] = 15
	_, err = Train(t.Context(), backend, c, Options{Dir: filepath.Join(t.TempDir(), "new"), Devices: 2})
	messagetest.Option(t, err, "batch", 15, "2 devices … 14 or 16")
}
