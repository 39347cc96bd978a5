package datasets

import (
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDigits(t *testing.T) {
	d, err := Load(t.Context(), "digits", Options{HoldOut: true, Augment: true})
	require.NoError(t, err)
	require.NoError(t, d.Validate())
	sample := make([]float32, 64)
	d.Signals.Read(0, sample)
	assert.Equal(t, []float32{0, 0, 5, 13, 9, 1, 0, 0}, sample[:8])
	assert.Equal(t, []int32{0, 1, 2, 3}, d.Labels[:4])
	// the whole file: each pixel times its place in the digit, each class times its place in the file
	pixels, classes := 0, 0
	for i, class := range d.Labels {
		d.Signals.Read(i, sample)
		for node, dark := range sample {
			require.LessOrEqual(t, dark, float32(16), "sample %d", i)
			pixels += (node + 1) * int(dark)
		}
		require.Less(t, class, int32(10), "sample %d", i)
		classes += (i + 1) * int(class)
	}
	assert.Equal(t, []int{1797, 18222371, 7272861}, []int{d.Signals.Len(), pixels, classes})

	// Each class has its proportion, within one sample, in each split.
	all := d.classCounts(loop.Indices(1797))
	for _, split := range d.named() {
		for class, n := range d.classCounts(split.indices) {
			exact := float64(all[class]) * float64(len(split.indices)) / 1797
			assert.InDelta(t, exact, n, 1.2, "%s class %d", split.name, class)
		}
	}

	// The normalised training samples have mean 0 and deviation 1.
	var sum, squares float64
	for _, i := range d.Train {
		d.Sample(i, sample)
		for _, value := range sample {
			sum += float64(value)
			squares += float64(value) * float64(value)
		}
	}
	values := float64(len(d.Train) * 64)
	assert.InDelta(t, 0, sum/values, 1e-5)
	assert.InDelta(t, 1, squares/values, 1e-5)

	messagetest.EachNames(t, d.Warnings, "no augmentation … digits")
	assert.Contains(t, d.Provenance, "CC BY 4.0")
}
