package newsgroups

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRow(t *testing.T) {
	v := &wordVectors{Dim: 2, Words: []string{"a", "b"}, Values: []float32{1, 2, 3, 4}}
	assert.Equal(t, []float32{3, 4}, v.Row(1))
	_ = append(v.Row(0), 9) // does not reach into the next row
	assert.Equal(t, []float32{1, 2, 3, 4}, v.Values)
}

// nearest lists the n words other than word i whose vectors have the largest cosine with its vector. The score is
// dot·|dot| / |v|², which orders words as the cosine does.
func nearest(v *wordVectors, i, n int) []string {
	score := func(word string) float64 {
		var dot, squares float64
		for j, value := range v.Row(slices.Index(v.Words, word)) {
			dot += float64(value) * float64(v.Row(i)[j])
			squares += float64(value) * float64(value)
		}
		return dot / max(squares, 1e-30) * max(dot, -dot)
	}
	words := slices.Delete(slices.Clone(v.Words), i, i+1)
	slices.SortStableFunc(words, func(a, b string) int {
		if score(a) > score(b) {
			return -1
		}
		return 1
	})
	return words[:n]
}
