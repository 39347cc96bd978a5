package text

import "strings"

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
