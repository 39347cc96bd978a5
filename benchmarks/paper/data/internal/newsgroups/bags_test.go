package newsgroups

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// number numbers documents that are written as strings.
func number(v *vocabulary, documents ...string) [][]int32 {
	var numbers [][]int32
	for _, document := range documents {
		numbers = append(numbers, v.Number(strings.Fields(document)))
	}
	return numbers
}

func TestVocabulary(t *testing.T) {
	var v vocabulary
	documents := number(&v, "b a b", "", "c b a d")
	assert.Equal(t, [][]int32{{0, 1, 0}, {}, {2, 0, 1, 3}}, documents)
	assert.Equal(t, []string{"b", "a", "c", "d"}, v.Words)
	counts := v.Count(documents)
	assert.Equal(t, []int{3, 2, 1, 1}, counts)
	assert.Empty(t, new(vocabulary).Count(nil))
}

func TestCount(t *testing.T) {
	var v vocabulary
	documents := number(&v, "a b a c", "", "d", "c c c d a")
	bags := Count(documents, []int32{2, 0, 1, -1}) // d has no column
	assert.Equal(t, 4, bags.Len())
	dst := []float32{9, 9, 9}
	for i, want := range [][]float32{{1, 1, 2}, {0, 0, 0}, {0, 0, 0}, {0, 3, 1}} {
		bags.Read(i, dst)
		assert.Equal(t, want, dst, "document %d", i)
	}

	bags.Shares()
	for i, want := range [][]float32{{0.25, 0.25, 0.5}, {0, 0, 0}, {0, 0, 0}, {0, 0.75, 0.25}} {
		bags.Read(i, dst)
		assert.Equal(t, want, dst, "document %d", i)
	}
	none := Count(nil, nil)
	assert.Equal(t, 0, none.Len())
}

// TestTFIDF has counts [[2 1 0] [1 0 0] [0 0 0] [0 1 3]], of which the first two documents are the reference: the idf
// are ln(3/3)+1, ln(3/2)+1 and ln(3/1)+1.
func TestTFIDF(t *testing.T) {
	var v vocabulary
	bags := Count(number(&v, "a b a", "a", "", "b c c c"), []int32{0, 1, 2})
	bags.TFIDF(3, 2)
	second, third := math.Log(1.5)+1, math.Log(3)+1
	dst := make([]float32, 3)
	for i, row := range [][]float64{{2, second, 0}, {1, 0, 0}, {0, 0, 0}, {0, second, 3 * third}} {
		bags.Read(i, dst)
		length := math.Hypot(math.Hypot(row[0], row[1]), row[2])
		for k, value := range row {
			assert.InDelta(t, value/max(length, 1), dst[k], 1e-6, "document %d, word %d", i, k)
		}
	}
}
