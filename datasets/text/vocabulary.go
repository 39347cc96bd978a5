package text

import (
	"cmp"
	"slices"
	"strings"
)

// Vocabulary numbers words from 0 in the order in which they are first seen. The zero value is empty and ready for use.
type Vocabulary struct {
	// Words holds the word of each number.
	Words   []string
	numbers map[string]int32
}

// Number returns the number of each word, and gives the next one to a word that is new.
func (v *Vocabulary) Number(words []string) []int32 {
	if v.numbers == nil {
		v.numbers = map[string]int32{}
	}
	numbers := make([]int32, len(words))
	for i, word := range words {
		number, known := v.numbers[word]
		if !known {
			word = strings.Clone(word) // a word of Words would keep its whole text in memory
			number = int32(len(v.Words))
			v.numbers[word] = number
			v.Words = append(v.Words, word)
		}
		numbers[i] = number
	}
	return numbers
}

// Count returns how often each word of the vocabulary occurs in the documents.
func (v *Vocabulary) Count(documents [][]int32) []int {
	counts := make([]int, len(v.Words))
	for _, document := range documents {
		for _, number := range document {
			counts[number]++
		}
	}
	return counts
}

// Commonest picks the limit numbers of the highest counts, or all if they are fewer, highest first. Of words equally
// common the one that comes first in the alphabet goes first.
func (v *Vocabulary) Commonest(numbers []int32, counts []int, limit int) []int32 {
	sorted := slices.Clone(numbers)
	slices.SortFunc(sorted, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(v.Words[a], v.Words[b]))
	})
	return sorted[:min(limit, len(sorted))]
}
