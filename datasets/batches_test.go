package datasets

import (
	"context"
	"fmt"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted is a data set of n samples of one node and one channel; sample i has the value i and the label i.
func counted(n int) *Dataset {
	d := &Dataset{Name: "counted", Info: signal.Info{Nodes: 1, Channels: 1, Mean: []float32{0}, Std: []float32{1}}}
	signals := &Floats{Size: 1}
	for i := range n {
		signals.Values = append(signals.Values, float32(i))
		d.Labels = append(d.Labels, int32(i))
	}
	d.Signals = signals
	d.Augment = func(rng *rand.Rand, sample []float32) { sample[0] += rng.Float32() }
	return d
}

// take returns the inputs and labels of the first n batches, all of them if n is negative.
func take(t *testing.T, b *Batches, n int) (inputs [][]float32, labels [][]int32) {
	t.Helper()
	if n == 0 {
		return nil, nil
	}
	for batch, err := range b.Iter() {
		require.NoError(t, err)
		require.Len(t, batch.Inputs, 1)
		require.Len(t, batch.Labels, 1)
		rows := batch.Inputs[0].Shape().Dimensions[0]
		require.Equal(t, []int{rows, 1}, batch.Labels[0].Shape().Dimensions)
		inputs = append(inputs, tensors.MustCopyFlatData[float32](batch.Inputs[0]))
		labels = append(labels, tensors.MustCopyFlatData[int32](batch.Labels[0]))
		require.NoError(t, batch.Finalize())
		if len(inputs) == n {
			break
		}
	}
	return inputs, labels
}

func TestEvaluationBatches(t *testing.T) {
	b := counted(10).Batches([]int{5, 6, 7, 8, 9}, BatchOptions{Size: 2})
	inputs, labels := take(t, b, -1)
	assert.Equal(t, [][]int32{{5, 6}, {7, 8}, {9, 5}}, labels, "in order, the last filled with the first sample")
	assert.Equal(t, [][]float32{{5, 6}, {7, 8}, {9, 5}}, inputs)
	assert.Equal(t, 3, b.StepsPerEpoch())
	assert.Equal(t, []int{2, 2, 1, 2, 2, 1}, []int{b.Valid(0), b.Valid(1), b.Valid(2), b.Valid(3), b.Valid(4), b.Valid(5)})

	_, again := take(t, b, -1)
	assert.Equal(t, labels, again, "Iter starts anew")
	assert.Equal(t, "counted", b.Name())
	assert.Positive(t, b.Waited())
}

func TestBatchCounts(t *testing.T) {
	for _, c := range []struct {
		samples, size, steps int
		drop                 bool
		perEpoch, batches    int
		lastRows, lastValid  int
	}{
		{10, 5, 0, false, 2, 2, 5, 5},
		{10, 5, 0, true, 2, 2, 5, 5},
		{11, 5, 0, false, 3, 3, 5, 1},
		{11, 5, 0, true, 2, 2, 5, 5},
		{3, 5, 0, false, 1, 1, 5, 3},
		{3, 5, 0, true, 1, 1, 3, 3}, // one batch of all samples
		{3, 5, 7, true, 1, 7, 3, 3},
		{11, 5, 4, false, 3, 4, 5, 5}, // into the second epoch
		{1, 1, 0, true, 1, 1, 1, 1},
	} {
		b := counted(c.samples).Batches(loop.Indices(c.samples), BatchOptions{Size: c.size, DropLast: c.drop, Steps: c.steps})
		_, labels := take(t, b, -1)
		assert.Equal(t, c.perEpoch, b.StepsPerEpoch(), "%+v", c)
		require.Len(t, labels, c.batches, "%+v", c)
		assert.Len(t, labels[c.batches-1], c.lastRows, "%+v", c)
		assert.Equal(t, c.lastValid, b.Valid(c.batches-1), "%+v", c)
	}
	assert.Zero(t, counted(1).Batches(nil, BatchOptions{Size: 3}).StepsPerEpoch())
	assert.Zero(t, counted(1).Batches(nil, BatchOptions{Size: 3}).Valid(0))
}

// TestResume compares the stream from each start with the tail of the uninterrupted one: the same bits.
func TestResume(t *testing.T) {
	for _, options := range []BatchOptions{
		{Size: 3, Shuffle: true, Seed: 9, Augment: true, DropLast: true, Steps: Endless},
		{Size: 3, Shuffle: true, Seed: 9, Augment: true, Steps: Endless},
		{Size: 20, Shuffle: true, Seed: 9, Augment: true, DropLast: true, Steps: Endless},
	} {
		const steps = 20
		d := counted(11)
		inputs, labels := take(t, d.Batches(loop.Indices(11), options), steps)
		for start := range steps {
			options.StartStep = start
			gotInputs, gotLabels := take(t, d.Batches(loop.Indices(11), options), steps-start)
			require.Equal(t, labels[start:], gotLabels, "from step %d", start)
			require.Equal(t, inputs[start:], gotInputs, "from step %d", start)
		}
	}
}

// TestWorkersDoNotMatter compares one worker with several.
func TestWorkersDoNotMatter(t *testing.T) {
	options := BatchOptions{Size: 3, Shuffle: true, Seed: 9, Augment: true, Steps: 50}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	inputs, labels := take(t, counted(11).Batches(loop.Indices(11), options), -1)
	runtime.GOMAXPROCS(6)
	many, manyLabels := take(t, counted(11).Batches(loop.Indices(11), options), -1)
	assert.Equal(t, labels, manyLabels)
	assert.Equal(t, inputs, many)
}

func TestEpochs(t *testing.T) {
	options := BatchOptions{Size: 10, Shuffle: true, Seed: 3, DropLast: true, Steps: 3}
	_, epochs := take(t, counted(10).Batches(loop.Indices(10), options), -1)
	for _, epoch := range epochs {
		assert.ElementsMatch(t, epochs[0], epoch, "an epoch holds each sample once")
	}
	assert.NotEqual(t, epochs[0], epochs[1])
	assert.NotEqual(t, epochs[1], epochs[2])

	options.Seed = 4
	_, other := take(t, counted(10).Batches(loop.Indices(10), options), -1)
	assert.NotEqual(t, epochs[0], other[0])
}

// TestAugmentationBelongsToTheSample checks that a sample's augmentation changes with the epoch and the sample, but not
// with its place in the batch.
func TestAugmentationBelongsToTheSample(t *testing.T) {
	d := counted(10)
	options := BatchOptions{Size: 10, Seed: 3, Augment: true, Steps: 2}
	inOrder, _ := take(t, d.Batches(loop.Indices(10), options), -1)
	options.Shuffle = true
	shuffled, _ := take(t, d.Batches(loop.Indices(10), options), -1)
	drawn := map[float32]bool{}
	for epoch := range 2 {
		assert.ElementsMatch(t, inOrder[epoch], shuffled[epoch])
		for i, value := range inOrder[epoch] {
			drawn[value-float32(i)] = true
		}
	}
	assert.Greater(t, len(drawn), 15, "20 draws, nearly all different")

	options.Augment = false
	plain, _ := take(t, d.Batches(loop.Indices(10), options), -1)
	assert.ElementsMatch(t, d.Signals.(*Floats).Values, plain[0])
	d.Augment, options.Augment = nil, true
	without, _ := take(t, d.Batches(loop.Indices(10), options), -1)
	assert.Equal(t, plain, without, "a data set without augmentation")
}

func TestBatchShapesAndTypes(t *testing.T) {
	d := small(t)
	for batch, err := range d.Batches(d.Test, BatchOptions{Size: 2}).Iter() {
		require.NoError(t, err)
		assert.Equal(t, []int{2, 2, 2}, batch.Inputs[0].Shape().Dimensions)
		assert.Equal(t, dtypes.Int32, batch.Labels[0].DType())
		assert.Equal(t, []int32{0, 1}, tensors.MustCopyFlatData[int32](batch.Labels[0]))
		assert.Equal(t, []float32{2.5, 4, 2.5, 4, 0, -2, -1, -4}, tensors.MustCopyFlatData[float32](batch.Inputs[0]))
	}
}

// TestTensorsAreFresh spoils each batch that it gets: the next ones must not notice.
func TestTensorsAreFresh(t *testing.T) {
	b := counted(2).Batches(loop.Indices(2), BatchOptions{Size: 2, Steps: 10})
	for batch, err := range b.Iter() {
		require.NoError(t, err)
		tensors.MustMutableFlatData(batch.Inputs[0], func(flat []float32) {
			require.Equal(t, []float32{0, 1}, flat)
			clear(flat)
			flat[0] = -7
		})
	}
}

// TestStopLeavesNoGoroutines stops at every possible batch, in several ways.
func TestStopLeavesNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	b := counted(50).Batches(loop.Indices(50), BatchOptions{Size: 2, Steps: Endless, Shuffle: true})
	for stop := 1; stop < 60; stop++ {
		take(t, b, stop)
	}
	take(t, counted(50).Batches(loop.Indices(50), BatchOptions{Size: 2}), -1)
	func() {
		defer func() { assert.Equal(t, "consumer", recover()) }()
		for _, err := range b.Iter() {
			require.NoError(t, err)
			panic("consumer")
		}
	}()
	// The goroutines have ended by then; the runtime may count a last one for an instant.
	for tries := 0; runtime.NumGoroutine() > before && tries < 5000; tries++ {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestBatchErrors(t *testing.T) {
	d := counted(3)
	for want, b := range map[string]*Batches{
		"batch size 0":       d.Batches(loop.Indices(3), BatchOptions{}),
		"batch size -2":      d.Batches(loop.Indices(3), BatchOptions{Size: -2}),
		"start step -1":      d.Batches(loop.Indices(3), BatchOptions{Size: 1, StartStep: -1}),
		"-2 steps":           d.Batches(loop.Indices(3), BatchOptions{Size: 1, Steps: -2}),
		"no samples":         d.Batches(nil, BatchOptions{Size: 1}),
		"entry 1 … sample 3": d.Batches([]int{0, 3}, BatchOptions{Size: 1}),
	} {
		seen := 0
		for _, err := range b.Iter() {
			messagetest.Names(t, err, want)
			seen++
		}
		assert.Equal(t, 1, seen)
	}
}

// TestRandomStreams checks that near seeds, epochs and samples, and the two streams, share no first draw.
func TestRandomStreams(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(6) {
		for stream := range uint64(3) {
			for a := range uint64(6) {
				for b := range uint64(6) {
					name := fmt.Sprint(seed, stream, a, b)
					draw := random(seed, stream, a, b).Uint64()
					require.Empty(t, seen[draw], name)
					seen[draw] = name
				}
			}
		}
	}
}

func ExampleDataset_Batches() {
	d, err := Load(context.Background(), "digits", Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var batches train.Dataset = d.Batches(d.Train, BatchOptions{
		Size: 64, Shuffle: true, Seed: 1, DropLast: true, Augment: true, Steps: Endless,
	})
	var shapes []string
	for batch, err := range batches.Iter() {
		if err != nil {
			fmt.Println(err)
			return
		}
		shapes = append(shapes, fmt.Sprint(batch.Inputs[0].Shape(), batch.Labels[0].Shape()))
		if len(shapes) == 100 {
			break
		}
	}
	fmt.Println(len(shapes), slices.Compact(shapes))
	// Output: 100 [(Float32)[64, 64, 1] (Int32)[64, 1]]
}
