package datasets

import (
	"fmt"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func count(labels []int32, indices []int) map[int32]int {
	counts := map[int32]int{}
	for _, i := range indices {
		counts[labels[i]]++
	}
	return counts
}

func TestHoldOut(t *testing.T) {
	repeat := func(sizes ...int) (labels []int32) {
		for class, size := range sizes {
			labels = append(labels, slices.Repeat([]int32{int32(class)}, size)...)
		}
		return labels
	}
	for _, c := range []struct {
		name   string
		labels []int32
		count  int
		want   map[int32]int
	}{
		{"even", repeat(10, 10), 4, map[int32]int{0: 2, 1: 2}},
		{"proportional", repeat(30, 10), 8, map[int32]int{0: 6, 1: 2}},
		{"largest remainder", repeat(11, 9), 5, map[int32]int{0: 3, 1: 2}}, // 2.75 and 2.25
		{"tie goes to the lower class", repeat(5, 5), 3, map[int32]int{0: 2, 1: 1}},
		{"a class keeps its last sample", repeat(1, 19), 10, map[int32]int{1: 10}},
		{"more than there are", repeat(2, 3), 50, map[int32]int{0: 1, 1: 2}},
		{"none", repeat(2, 3), 0, map[int32]int{}},
		{"no samples", nil, 3, map[int32]int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := loop.Indices(len(c.labels))
			rest, held := holdOut(all, c.labels, c.count, 7, 1)
			assert.Equal(t, c.want, count(c.labels, held))
			assert.True(t, slices.IsSorted(rest) && slices.IsSorted(held))
			assert.ElementsMatch(t, all, slices.Concat(rest, held))
		})
	}
}

func TestHoldOutDependsOnSeedOnly(t *testing.T) {
	labels := make([]int32, 100)
	_, a := holdOut(loop.Indices(100), labels, 20, 1, 1)
	_, again := holdOut(loop.Indices(100), labels, 20, 1, 1)
	_, b := holdOut(loop.Indices(100), labels, 20, 2, 1)
	_, c := holdOut(loop.Indices(100), labels, 20, 1, 2)
	assert.Equal(t, a, again)
	assert.NotEqual(t, a, b)
	assert.NotEqual(t, a, c)
}

// TestTestSetStaysTheSame changes the share of the validation set: the test set must not move.
func TestTestSetStaysTheSame(t *testing.T) {
	a, err := Load(t.Context(), "digits", Options{HoldOut: true})
	require.NoError(t, err)
	b, err := Load(t.Context(), "digits", Options{Validation: 0.3})
	require.NoError(t, err)
	assert.Equal(t, a.Test, b.Test)
	assert.Len(t, b.Validation, 431) // 0.3 x 1438
	c, err := Load(t.Context(), "digits", Options{HoldOut: true, Seed: 1})
	require.NoError(t, err)
	assert.NotEqual(t, a.Test, c.Test)
}

// Without validation samples asked for, all that is outside the test is trained on, and the test is the same.
func TestValidationIsAskedFor(t *testing.T) {
	for name, opts := range map[string]Options{"usual": {HoldOut: true}, "a share": {Validation: 0.3},
		"a fold": {HoldOut: true, Fold: Fold{Number: 2, Of: 5}}} {
		a, err := Load(t.Context(), "digits", opts)
		require.NoError(t, err)
		opts.HoldOut, opts.Validation = false, 0
		b, err := Load(t.Context(), "digits", opts)
		require.NoError(t, err)
		assert.NotEmpty(t, a.Validation, name)
		assert.Empty(t, b.Validation, name)
		assert.Equal(t, a.Test, b.Test, name)
		assert.ElementsMatch(t, slices.Concat(a.Train, a.Validation), b.Train, name)
		assert.Empty(t, b.Warnings, name)
	}
	drawn := path4()
	a, b := drawn.load(t, Options{HoldOut: true}), drawn.load(t, Options{})
	assert.Empty(t, b.Validation)
	assert.ElementsMatch(t, slices.Concat(a.Train, a.Validation), b.Train)
	assert.Equal(t, a.Test, b.Test)
}

// Validation samples that are held out of a loaded data set are those that it is loaded with, and so is the
// normalisation.
func TestHoldOutOfALoadedSet(t *testing.T) {
	for _, opts := range []Options{{HoldOut: true}, {Validation: 0.3, Seed: 5}} {
		want, err := Load(t.Context(), "digits", opts)
		require.NoError(t, err)
		plain, err := Load(t.Context(), "digits", Options{Seed: opts.Seed})
		require.NoError(t, err)
		got := heldOut(t, plain, opts.Validation, opts.Seed)
		require.NotEmpty(t, got.Validation)
		assert.Equal(t, want.Train, got.Train)
		assert.Equal(t, want.Validation, got.Validation)
		assert.Equal(t, want.Mean, got.Mean)
		assert.Equal(t, want.Std, got.Std)
		assert.Empty(t, plain.Validation, "the data set itself stays as it was")
		assert.Equal(t, got.Split, got.Raw.HoldOut(got.Split, 0.5, 1), "it has validation samples")
	}
}

// A training sample that is of one family with a test sample alone is drawn as if the test were not there.
func TestTrialDoesNotDependOnTheTest(t *testing.T) {
	labels, units := make([]int32, 40), make([]string, 40)
	for i := range labels {
		labels[i], units[i] = int32(i%2), fmt.Sprintf("sample %d", i)
	}
	units[35] = units[3] // of the test, and of the training
	split := Split{Train: loop.Indices(30), Test: loop.Indices(40)[30:]}
	assert.Equal(t, split.Trial(labels, nil, 0.25, 1), split.Trial(labels, units, 0.25, 1))
	units[4] = units[3]
	together := split.Trial(labels, units, 0.25, 1)
	assert.Equal(t, slices.Contains(together.Test, 3), slices.Contains(together.Test, 4))
}
