package training

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/augment"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckAugmentation(t *testing.T) {
	c := Defaults("digits", "ccp")
	c.Signal, c.Mixup = augment.Signal{Noise: 0.1, Scale: 0.1, Stretch: 0.1}, 0.2
	require.NoError(t, c.Check())
	for want, change := range map[string]func(c *Config){
		"noise: deviation -1; it must be finite and not negative":                                                   func(c *Config) { c.Signal.Noise = -1 },
		"scale: share 1 is outside [0, 1)":                                                                          func(c *Config) { c.Signal.Scale = 1 },
		"stretch: share 1.5 is outside [0, 1)":                                                                      func(c *Config) { c.Signal.Stretch = 1.5 },
		"mixup: -0.2; it must be 0, for none, or positive and finite":                                               func(c *Config) { c.Mixup = -0.2 },
		"mixup: NaN; it must be 0, for none, or positive and finite":                                                func(c *Config) { c.Mixup = math.NaN() },
		"mixup: +Inf; it must be 0, for none, or positive and finite":                                               func(c *Config) { c.Mixup = math.Inf(1) },
		"mixup: 0.2; model svm is trained by its margins, whose labels cannot be mixed: it must be 0":               func(c *Config) { *c = Defaults("digits", "svm"); c.Mixup = 0.2 },
		"mixup: 0.2; the weights of model bayes are computed in one pass, not trained: it must be 0":                func(c *Config) { *c = Defaults("digits", "bayes"); c.Mixup = 0.2 },
		"noise, scale, stretch: 0.1, 0, 0; the weights of model bayes are computed in one pass, not trained: they ": func(c *Config) { *c = Defaults("digits", "bayes"); c.Signal.Noise = 0.1 },
	} {
		c := Defaults("digits", "ccp")
		change(&c)
		assert.ErrorContains(t, c.Check(), want)
	}
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

// Batches depend on the seed and the step alone; the data set's own augmentation comes first, and draws what it draws alone.
func TestAugmented(t *testing.T) {
	d, c := pictures(t, 64), picturesConfig()
	c.Signal = augment.Signal{Noise: 0.1, Scale: 0.2, Stretch: 0.3}
	augmented, err := c.augmented(d)
	require.NoError(t, err)
	require.Nil(t, augmented.Moves)
	require.NotNil(t, d.Moves, "the data set itself stays as it was")
	whole := inputsOf(t, c, augmented, 0, 9)
	assert.Equal(t, whole[4:], inputsOf(t, c, augmented, 4, 5), "resumed")
	other := c
	other.Seed = 2
	assert.NotEqual(t, whole, inputsOf(t, other, augmented, 0, 9))

	// With next to no noise and nothing else the samples are those of the data set's own augmentation, or without it as they are.
	c.Signal = augment.Signal{Noise: 1e-7}
	for _, own := range []bool{true, false} {
		c.Augment = own
		augmented, err := c.augmented(d)
		require.NoError(t, err)
		plain := c
		plain.Signal = augment.Signal{}
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
		c := Defaults(writeRing(t, 200), "fc") // compiles fast
		c.Hidden, c.Batch = []int{8}, 16
		c.Epochs, c.Signal.Noise, c.Signal.Scale, c.Mixup, c.LabelSmoothing = 2, 0.2, 0.1, 0.3, 0.1
		whole := t.TempDir()
		want := trainIn(t, backend, c, whole)
		resume(t, backend, c, whole, []int{5})
		assert.Equal(t, want.Test.Loss, trainIn(t, backend, c, t.TempDir()).Test.Loss)
		changed := c
		changed.Signal.Noise = 0.3
		assert.NotEqual(t, want.Test.Loss, trainIn(t, backend, changed, t.TempDir()).Test.Loss)
		_, err := Train(t.Context(), backend, changed, Options{Dir: whole})
		require.ErrorContains(t, err, "signal was map[noise:0.2 scale:0.1], is map[noise:0.3 scale:0.1]")
	})
}

// What cannot be is said before anything is written.
func TestAugmentedRefuses(t *testing.T) {
	backend, dir := backendtest.Go(t), filepath.Join(t.TempDir(), "run")
	c := ringConfig(writeRing(t, 200))
	c.Signal.Stretch = 0.1
	_, err := Train(t.Context(), backend, c, Options{Dir: dir})
	require.ErrorContains(t, err, "stretch: 0.1 of nodes without time: ")
	c.Signal = augment.Signal{Scale: 0.1}
	_, err = Train(t.Context(), backend, c, Options{Dir: dir, Resident: true})
	require.EqualError(t, err, "--resident: noise, scale and stretch change the samples on the host; leave --resident out, or these")
	require.NoDirExists(t, dir)
}
