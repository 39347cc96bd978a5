package training

import (
	"slices"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Voices hear mirror images after the samples. Each is left out with its sample, and the samples stay as they are.
func TestHeardOfMirrorImages(t *testing.T) {
	d, err := datasets.Load(t.Context(), writeRing(t, 12), datasets.Options{})
	require.NoError(t, err)
	before := heardOf(d)
	d.Mirror = slices.Reverse[[]float32]
	after, n := heardOf(d), len(d.Train)
	require.Len(t, after, 2*n)
	for i := range n {
		mirrored := slices.Clone(before[i].Values)
		slices.Reverse(mirrored)
		assert.Equal(t, before[i].Values, after[i].Values)
		assert.Equal(t, mirrored, after[n+i].Values)
		assert.Equal(t, before[i].Label, after[n+i].Label)
		assert.Equal(t, after[i].Group, after[n+i].Group)
		assert.NotEmpty(t, after[i].Group)
	}
	assert.NotEqual(t, after[0].Group, after[1].Group)
	r := &run{data: d}
	assert.Equal(t, []int{2, 5, 2 + n, 5 + n}, r.withImages([]int{2, 5}))
}
