package messagetest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFactsAreWholeWordsInAnyOrder(t *testing.T) {
	const text = `mine.npz: features[3,2,1] is NaN in 12 of 120 values; give "knn" or –knn=8`
	for facts, missing := range map[string][]string{
		"NaN … features[3,2,1] … mine.npz": nil,
		`12 … 120 … "knn" … knn=8`:         nil,
		"[3,2,1]":                          nil,
		"2 of 120":                         {"2 of 120"},
		"12 … feature … Inf":               {"feature", "Inf"},
		"knn=":                             nil,
		"":                                 {""},
	} {
		assert.Equal(t, missing, missingFrom(text, facts), facts)
	}
}
