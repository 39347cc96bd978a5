package images

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCIFAR reads files of two records.
func FuzzCIFAR(f *testing.F) {
	two := make([]byte, 2*cifarRecord)
	two[0], two[cifarRecord] = 3, 9
	f.Add(two)
	f.Add(two[:6000])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, file []byte) {
		if err := checkCIFAR(file, 2); err != nil {
			return
		}
		set := ofCIFAR(slices.Repeat(file, 6), 2, "here")
		require.Len(t, set.Labels, 12)
		require.LessOrEqual(t, slices.Max(set.Labels), byte(9))
		require.Equal(t, 10, set.Train)
		sample := make([]float32, cifarNodes*3)
		for i := range set.Pixels.Len() {
			set.Pixels.Read(i, sample)
			require.GreaterOrEqual(t, slices.Min(sample), float32(0))
			require.LessOrEqual(t, slices.Max(sample), float32(1))
		}
	})
}
