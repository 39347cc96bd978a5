package text

// Vocabulary numbers words from 0 in the order in which they are first seen. The zero value is empty and ready for use.
type Vocabulary struct {
	// Words holds the word of each number.
	Words   []string
	numbers map[string]int32
}

// Number returns the number of each word; a new word gets the next number.
func (v *Vocabulary) Number(words []string) []int32 {
	if v.numbers == nil {
		v.numbers = map[string]int32{}
	}
	numbers := make([]int32, len(words))
	for i, word := range words {
		number, known := v.numbers[word]
		if !known {
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
