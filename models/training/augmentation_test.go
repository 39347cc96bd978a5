package training

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/augment"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
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
	pixels := &datasets.Floats{Size: record - 1}
	d := &datasets.Dataset{
		Name: "pictures", Nodes: height * width, Channels: channels, Affinity: graph, Grid: []int{height, width},
		Signals:    pixels,
		ClassNames: []string{"first", "second", "third", "fourth"}, Mean: []float32{0.49, 0.48, 0.447}, Std: []float32{0.247, 0.243, 0.262},
	}
	moves := &augment.CropAndFlip{Height: height, Width: width, Channels: channels, Pad: 2}
	d.Augment = moves.Apply
	for i := range records {
		state = state*1664525 + 1013904223
		records[i] = byte(state >> 24)
		sample, at := i/record, i%record-1
		if at >= 0 && at%width == sample%classes {
			records[i] |= 0xc0
		}
	}
	for i := range samples {
		planes := records[i*record+1 : (i+1)*record]
		for j := range planes {
			pixels.Values = append(pixels.Values, float32(planes[j%channels*height*width+j/channels])/255)
		}
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

func picturesConfig() Asked {
	c := Asked{"data": "pictures", "model": "ccp"}
	c["levels"], c["hidden"], c["batch"], c["epochs"], c["augment"] = "8x6/6,1x8/4", []int{8}, 16, 4, true
	c["learning_rate"], c["schedule"], c["keep"], c["label_smoothing"] = 1e-3, "cosine", "best", 0
	only(c, map[string]any{"readout_dropout": 0.2})
	return c
}

// inputsOf are the inputs of some batches of a data set's training samples from a step on.
func inputsOf(t *testing.T, c Config, d *datasets.Dataset, from, steps int) (inputs [][]float32) {
	t.Helper()
	batches := d.Batches(d.Train, datasets.BatchOptions{Size: 16, Shuffle: true, Seed: uint64(c.Seed), StartStep: from, Steps: steps, Augment: c.augments(), DropLast: true})
	for batch, err := range batches.Iter() {
		require.NoError(t, err)
		inputs = append(inputs, tensors.MustCopyFlatData[float32](batch.Inputs[0]))
	}
	return inputs
}

// Batches depend on the seed and the step alone; the data set's own augmentation comes first, and draws what it draws
// alone.
func TestAugmented(t *testing.T) {
	d := pictures(t, 64)
	c := resolved(t, picturesConfig(), d)
	c.Stretch = 0.3
	augmented, err := c.augmented(d)
	require.NoError(t, err)
	whole := inputsOf(t, c, augmented, 0, 9)
	assert.Equal(t, whole[4:], inputsOf(t, c, augmented, 4, 5), "resumed")
	other := c
	other.Seed = 2
	assert.NotEqual(t, whole, inputsOf(t, other, augmented, 0, 9))

	// With next to no stretch the samples are those of the data set's own augmentation, or without it as they are.
	c.Stretch = 1e-7
	for _, own := range []bool{true, false} {
		c.Augment = own
		augmented, err := c.augmented(d)
		require.NoError(t, err)
		plain := c
		plain.Stretch = 0
		want, got := inputsOf(t, plain, d, 0, 6), inputsOf(t, c, augmented, 0, 6)
		require.NotEqual(t, want, got)
		for step := range want {
			require.InDeltaSlice(t, want[step], got[step], 1e-5)
		}
	}
}

// A run with all of it resumes bit for bit, validates on samples as they are, and is another run than one without.
func TestAugmentedRun(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := Asked{"data": writeBody(t, 200), "model": "fc"} // compiles fast
		c["hidden"], c["batch"] = []int{8}, 16
		c["epochs"], c["stretch"], c["label_smoothing"] = 2, 0.2, 0.1
		whole := t.TempDir()
		want := trainIn(t, backend, c, whole)
		resume(t, backend, c, whole, []int{5})
		assert.Equal(t, want.Test.Loss, trainIn(t, backend, c, t.TempDir()).Test.Loss)
		changed := maps.Clone(c)
		changed["stretch"] = 0.3
		assert.NotEqual(t, want.Test.Loss, trainIn(t, backend, changed, t.TempDir()).Test.Loss)
		_, err := Train(t.Context(), backend, changed, Options{Dir: whole})
		require.ErrorContains(t, err, "stretch was 0.2, is 0.3")
	})
}

// What cannot be is said before anything is written.
func TestAugmentedRefuses(t *testing.T) {
	backend, dir := backendtest.Go(t), filepath.Join(t.TempDir(), "run")
	c := ringConfig(writeRing(t, 200))
	c["stretch"] = 0.1
	_, err := Train(t.Context(), backend, c, Options{Dir: dir})
	require.ErrorContains(t, err, "stretch: 0.1 of nodes without time: ")
	require.NoDirExists(t, dir)
}
