package experiment

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/stretchr/testify/require"
)

func lossesOn(t *testing.T, backend compute.Backend, c Config, devices, steps int) (out [][]float64) {
	d, err := datasets.Load(c.Data, c.dataOptions(datasets.Options{}))
	require.NoError(t, err)
	spec, err := c.spec(d)
	require.NoError(t, err)
	store := spec.NewStore(c.Seed)
	if spec.PreparedBefore() {
		_, err := spec.Prepare(t.Context(), backend, store, d.Affinity, nil)
		require.NoError(t, err)
	}
	loop := train.NewLoop(NewTrainer(backend, store, c, spec, d.Affinity, steps))
	loop.OnStep("losses", 0, func(_ *train.Loop, metrics []*tensors.Tensor) error {
		var row []float64
		for _, m := range metrics {
			row = append(row, float64(m.Value().(float32)))
		}
		out = append(out, row)
		return nil
	})
	batches := d.Batches(d.Train, datasets.BatchOptions{Size: c.Batch, Shuffle: true, Seed: 1, Steps: datasets.Endless, DropLast: true})
	on, err := onDevices(refreshing{batches, 0, selectEvery(spec)}, devices)
	require.NoError(t, err)
	_, err = loop.RunSteps(on, steps)
	require.NoError(t, err)
	return out
}

func TestDevicesTrial(t *testing.T) {
	backend := backendtest.XLA(t)
	c := ringConfig(writeRing(t, 192))
	c.Average = 0.9
	one, four := lossesOn(t, backend, c, 1, 50), lossesOn(t, backend, c, 4, 50)
	worst := 0.0
	for i := range one {
		for j := range one[i] {
			worst = math.Max(worst, math.Abs(one[i][j]-four[i][j]))
		}
	}
	t.Log(backend.NumDevices(), worst, one[49], four[49])
}
