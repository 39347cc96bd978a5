package models

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Signals are cut into batches of a few sizes, and predictions do not depend on the batch.
func TestBatches(t *testing.T) {
	alone := tinyClassifier(t, backendtest.Go(t))
	for n, want := range map[int][]int{0: nil, 1: {1}, 2: {1}, 3: {4}, 5: {1, 4}, 10: {4}, 12: {16}, 47: {16}, 48: {64},
		70: {16, 64}, 200: {64}} {
		c := tinyClassifier(t, backendtest.Go(t))
		all := signals(c.Spec, n, 1)
		got, err := c.Classify(t.Context(), all)
		require.NoError(t, err)
		assert.Equal(t, want, slices.Sorted(maps.Keys(c.logits.ready)), "%d signals", n)
		for i := range all {
			one, err := alone.Classify(t.Context(), all[i:i+1])
			require.NoError(t, err)
			assert.InDeltaSlice(t, one[0].Probabilities, got[i].Probabilities, 1e-6)
		}
	}
}

func TestCompile(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		all := signals(c.Spec, 70, 1)
		want, err := c.Classify(t.Context(), all)
		require.NoError(t, err)
		require.NoError(t, compile(t.Context(), c, batchSizes[:]))
		assert.ElementsMatch(t, batchSizes, slices.Collect(maps.Keys(c.logits.ready)))
		for _, n := range []int{1, 3, 17, 70} {
			got, err := c.Classify(t.Context(), all[:n])
			require.NoError(t, err)
			for i := range got {
				assert.InDeltaSlice(t, want[i].Probabilities, got[i].Probabilities, 1e-5)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, compile(ctx, c, batchSizes[:]), context.Canceled)
	})
}

// Unusable signals keep none of the others from its prediction.
func TestClassifyAmongUnusable(t *testing.T) {
	c := tinyClassifier(t, backendtest.Go(t))
	all := signals(c.Spec, 70, 1)
	want, err := c.Classify(t.Context(), all)
	require.NoError(t, err)
	all[3], all[66][3] = all[3][:2], 3e38
	got, err := c.Classify(t.Context(), all)
	require.EqualError(t, err, "unusable signal 3: it has 2 values; the model needs 12 nodes x 2 channels = 24")
	var first *SignalError
	require.ErrorAs(t, err, &first)
	require.Len(t, first.More, 1)
	assert.Equal(t, []int{3, 66}, []int{first.Index, first.More[0].Index})
	require.Len(t, got, 70)
	for i := range got {
		if i != 3 && i != 66 {
			assert.InDeltaSlice(t, want[i].Probabilities, got[i].Probabilities, 1e-5)
		}
	}
	got, err = c.Classify(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestClose(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for {
					_, err := c.Classify(t.Context(), signals(c.Spec, 3, 1))
					if err != nil {
						assert.ErrorIs(t, err, ErrClosed)
						return
					}
				}
			})
		}
		require.NoError(t, c.Close())
		require.NoError(t, c.Close(), "again")
		group.Wait()
		_, err := c.Classify(t.Context(), signals(c.Spec, 1, 1))
		require.ErrorIs(t, err, ErrClosed)
		require.NotErrorAs(t, err, new(*SignalError))
		require.ErrorIs(t, c.Update(c.Spec.NewStore(1)), ErrClosed)
	})
}

// Update waits for the predictions under way.
func TestUpdateAtTheSameTime(t *testing.T) {
	c := tinyClassifier(t, backendtest.Go(t))
	var group sync.WaitGroup
	group.Go(func() {
		for range 20 {
			_, err := c.Classify(t.Context(), signals(c.Spec, 1, 1))
			assert.NoError(t, err)
		}
	})
	for range 5 {
		require.NoError(t, c.Update(c.Store()))
	}
	group.Wait()
	require.NoError(t, c.Close())
	require.ErrorIs(t, c.Update(c.Store()), ErrClosed)
}

// A classifier runs batches of any number of sizes, and keeps programs of some only.
func TestManyBatchSizes(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		width := c.Spec.Nodes * c.Spec.Channels
		flat := make([]float32, 40*width)
		for i := range flat {
			flat[i] = float32(i%17)/8 - 1
		}
		var first []float32
		for n := 1; n <= 40; n++ {
			out, err := c.Run(tensors.FromFlatDataAndDimensions(flat[:n*width], n, c.Spec.Nodes, c.Spec.Channels))
			require.NoError(t, err, "%d signals", n)
			logits := tensors.MustCopyFlatData[float32](out)
			require.Len(t, logits, n*c.Spec.Classes())
			if n == 1 {
				first = logits
			}
			require.InDeltaSlice(t, first, logits[:c.Spec.Classes()], 1e-5, "%d signals", n)
			assert.LessOrEqual(t, len(c.logits.ready), mostSizes)
		}
		_, err := c.Classify(t.Context(), signals(c.Spec, 3, 1))
		require.NoError(t, err)
	})
}
