package training

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/augment"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pictures is a small set in CIFAR-10's format: class k has a bright column k in noise. It is cropped and flipped.
func pictures(t testing.TB, samples int) *datasets.Dataset {
	const height, width, channels, classes = 6, 5, 3, 4
	const record = 1 + height*width*channels
	graph, err := affinity.Grid(height, width, 8)
	require.NoError(t, err)
	records, state := make([]byte, samples*record), uint32(1)
	d := &datasets.Dataset{
		Name: "pictures", Nodes: height * width, Channels: channels, Affinity: graph, Grid: []int{height, width},
		Signals:    &datasets.Bytes{Records: records, Record: record, Skip: 1, Nodes: height * width, Channels: channels, Planar: true, Scale: 255},
		ClassNames: []string{"first", "second", "third", "fourth"}, Mean: []float32{0.49, 0.48, 0.447}, Std: []float32{0.247, 0.243, 0.262},
		Moves: &augment.CropAndFlip{Height: height, Width: width, Channels: channels, Pad: 2},
	}
	d.Augment = d.Moves.Apply
	for i := range records {
		state = state*1664525 + 1013904223
		records[i] = byte(state >> 24)
		sample, at := i/record, i%record-1
		if at >= 0 && at%width == sample%classes {
			records[i] |= 0xc0
		}
	}
	for i := range samples {
		d.Labels = append(d.Labels, int32(i%classes))
		switch i % 8 { // the training samples are not in one piece
		case 2:
			d.Validation = append(d.Validation, i)
		case 5:
			d.Test = append(d.Test, i)
		default:
			d.Train = append(d.Train, i)
		}
	}
	require.NoError(t, d.Validate())
	return d
}

func picturesConfig() Config {
	c := Defaults("pictures", "ccp")
	c.Levels, c.Hidden, c.Batch, c.Epochs, c.Augment = "8x6/6,1x8/4", []int{8}, 16, 4, true
	c.LearningRate, c.Schedule, c.Keep, c.LabelSmoothing = 1e-3, "cosine", "best", 0
	c.Settings = settings(map[string]any{"readout_dropout": 0.2})
	return c
}

func digits(t testing.TB) *datasets.Dataset {
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	return d
}

// The inputs made on the device are the host's, bit for bit.
func TestResidentInputs(t *testing.T) {
	floats := noisyData(pictures(t, 32).Affinity, 3) // no bytes
	floats.Train, floats.Mean, floats.Std = floats.Train[7:], []float32{0.1, -0.2, 0.3}, []float32{1.1, 0.9, 0.7}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, c := range []struct {
			name    string
			data    *datasets.Dataset
			augment bool
			dtype   dtypes.DType
			columns int
		}{
			{"moved", pictures(t, 64), true, dtypes.Uint8, 4},
			{"not moved", pictures(t, 64), false, dtypes.Uint8, 1},
			{"digits", digits(t), true, dtypes.Uint8, 1},
			{"floats", floats, false, dtypes.Float32, 1},
		} {
			t.Run(c.name, func(t *testing.T) {
				store := model.NewStore()
				kept, err := keepOnDevice(store, c.data, c.augment)
				require.NoError(t, err)
				samples := store.GetVariable(residentSamples)
				require.Equal(t, c.dtype, samples.DType())
				require.Equal(t, []int{len(c.data.Train), c.data.Nodes, c.data.Channels}, samples.Shape().Dimensions)
				for v := range store.IterVariables() {
					require.False(t, v.Trainable || resumable(v), v.Path())
				}
				exec, err := model.NewExec(backend, store, func(scope *model.Scope, indices *graph.Node) *graph.Node {
					return kept.inputs(scope.Store(), indices)
				})
				require.NoError(t, err)
				o := datasets.BatchOptions{Size: 11, Shuffle: true, Seed: 3, StartStep: 2, Steps: 12, DropLast: true, Augment: c.augment}
				var want []train.Batch
				for batch, err := range c.data.Batches(c.data.Train, o).Iter() {
					require.NoError(t, err)
					want = append(want, batch)
				}
				o.Indices = true
				step := 0
				for batch, err := range c.data.Batches(c.data.Train, o).Iter() {
					require.NoError(t, err)
					require.Equal(t, []int{11, c.columns}, batch.Inputs[0].Shape().Dimensions)
					got, err := exec.Call1(batch.Inputs[0])
					require.NoError(t, err)
					require.Equal(t, tensors.MustCopyFlatData[float32](want[step].Inputs[0]), tensors.MustCopyFlatData[float32](got), "step %d", step)
					require.Equal(t, tensors.MustCopyFlatData[int32](want[step].Labels[0]), tensors.MustCopyFlatData[int32](batch.Labels[0]))
					step++
				}
				require.Equal(t, 12, step)
			})
		}
	})
}

// lossesOf trains on a data set until ctx ends and returns the mean loss of the epoch so far after each step.
func lossesOf(t *testing.T, ctx context.Context, backend compute.Backend, c Config, d *datasets.Dataset, o Options, step func(n int)) (losses []float64, err error) {
	t.Helper()
	o.Observer.Step = func(p Progress) {
		losses = append(losses, p.Loss)
		step(len(losses))
	}
	_, err = trainOn(ctx, backend, c, d, o)
	return losses, err
}

// A training whose samples are on the device has the losses of the host's, also where it goes on with them or without them, and on
// four devices; snapshots do not hold the samples.
func TestResidentTrainsAlike(t *testing.T) {
	// The training is interrupted in the middle; residents says how each half is done.
	alike := func(t *testing.T, backend compute.Backend, c Config, d *datasets.Dataset, steps, devices int, residents [2]bool) {
		plain, mixed := t.TempDir(), t.TempDir()
		want, err := lossesOf(t, t.Context(), backend, c, d, Options{Dir: plain}, func(int) {})
		require.NoError(t, err)
		require.Len(t, want, steps)
		var got []float64
		for half, resident := range residents {
			o := Options{Dir: mixed, Resident: resident}
			if resident {
				o.Devices = devices
			}
			ctx, cancel := context.WithCancel(t.Context())
			losses, err := lossesOf(t, ctx, backend, c, d, o, func(n int) {
				if half == 0 && n == steps/2+1 {
					cancel()
				}
			})
			cancel()
			if half == 0 {
				require.ErrorIs(t, err, ErrInterrupted)
			} else {
				require.NoError(t, err)
			}
			got = append(got, losses...)
		}
		require.InDeltaSlice(t, want, got, 1e-6)
		for _, kind := range []string{checkpoint.Last, checkpoint.Best} {
			wanted, _ := snapshotOf(t, plain, kind)
			found, _ := snapshotOf(t, mixed, kind)
			assert.Len(t, found, len(wanted), kind)
			assert.NotContains(t, found, residentSamples)
			assert.NotContains(t, found, residentTable)
		}
	}
	t.Run("digits", func(t *testing.T) {
		backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
			c := Defaults("digits", "ccp")
			c.Levels, c.Hidden, c.Epochs, c.Steps, c.Batch = "9x4/6,1x6/4", []int{8}, 3, 0, 125
			c.Settings = settings(map[string]any{"readout_dropout": 0.2})
			alike(t, backend, c, digits(t), 30, 1, [2]bool{true, true})
		})
	})
	t.Run("pictures", func(t *testing.T) { // 132 training samples
		for _, residents := range [][2]bool{{true, true}, {true, false}, {false, true}} {
			alike(t, backendtest.Go(t), picturesConfig(), pictures(t, 176), 32, 1, residents)
		}
	})
	t.Run("pictures on four devices", func(t *testing.T) {
		alike(t, backendtest.XLA(t), picturesConfig(), pictures(t, 176), 32, 4, [2]bool{false, true})
	})
}

// What cannot be kept on the device is said before anything is written.
func TestResidentRefuses(t *testing.T) {
	backend := backendtest.Go(t)
	host := pictures(t, 64)
	host.Moves = nil
	dir := filepath.Join(t.TempDir(), "run")
	c := picturesConfig()
	_, err := trainOn(t.Context(), backend, c, host, Options{Dir: dir, Resident: true})
	require.EqualError(t, err, "--resident: pictures augments its samples on the host; leave --resident out, or give --augment=false")
	c.Model, c.Levels, c.Hidden, c.Settings, c.Epochs, c.Augment = "bayes", "", nil, models.Settings{}, 1, false
	_, err = trainOn(t.Context(), backend, c, host, Options{Dir: dir, Resident: true})
	require.EqualError(t, err, "--resident: model bayes is not trained step by step; leave --resident out")
	require.NoDirExists(t, dir)
}

// Where the samples are what takes the memory, it is said that they can stay on the host.
func TestResidentOutOfMemory(t *testing.T) {
	_, err := trainOn(t.Context(), small{backendtest.Go(t)}, picturesConfig(), pictures(t, 176), Options{Dir: t.TempDir(), Resident: true})
	require.ErrorContains(t, err, "/resident/samples (Uint8)[132, 30, 3], 0 MB; ")
	require.ErrorContains(t, err, "What helps: no --resident, a smaller --batch, ")
	_, err = trainOn(t.Context(), small{backendtest.Go(t)}, picturesConfig(), pictures(t, 176), Options{Dir: t.TempDir()})
	require.ErrorContains(t, err, "What helps: a smaller --batch, ")
}

// A dry run counts the samples among a step's arguments, once for each device.
func TestResidentFootprint(t *testing.T) {
	for name, backend := range map[string]compute.Backend{"xla": backendtest.XLA(t), "go": backendtest.Go(t)} {
		t.Run(name, func(t *testing.T) {
			c := ringConfig(writeRing(t, 200))
			plain, err := DryRun(t.Context(), backend, c, Options{})
			require.NoError(t, err)
			assert.Zero(t, plain.Resident)
			devices := min(2, backend.NumDevices())
			kept, err := DryRun(t.Context(), backend, c, Options{Resident: true, Devices: devices})
			require.NoError(t, err)
			assert.Equal(t, int64(140*12*3*4), kept.Resident)
			assert.Equal(t, int64(4*ahead*16), kept.Input)
			more := kept.Memory.Arguments - plain.Memory.Arguments
			batch := int64(16 * (12*3*4 + 4)) // without the signals; with the indices, and with several devices a part of the labels
			assert.InDelta(t, kept.Resident, more, float64(batch))
			assert.Contains(t, kept.Largest, Sized{residentSamples, "(Float32)[140, 12, 3]", kept.Resident})
		})
	}
}
