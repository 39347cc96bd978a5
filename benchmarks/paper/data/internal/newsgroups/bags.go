package newsgroups

import (
	"math"
	"slices"
)

// Bags holds a value for some of the words of each document and 0 for the other words: sparse rows `[documents,
// words]`. It is a datasets.Signals with one channel and a node for each word.
type Bags struct {
	// Starts, `[documents+1]`, says where each row begins in the other two.
	Starts []int32
	// Words are the columns of each row, ascending.
	Words []int32
	// Values are the counts or weights of Words.
	Values []float32
}

// Count makes bags of counts from documents, which are lists of word numbers. A word number has its column in
// columns; if that is negative, the word is not counted.
func Count(documents [][]int32, columns []int32) *Bags {
	b := &Bags{Starts: make([]int32, 1, len(documents)+1)}
	var row []int32
	for _, document := range documents {
		row = row[:0]
		for _, number := range document {
			if column := columns[number]; column >= 0 {
				row = append(row, column)
			}
		}
		slices.Sort(row)
		for i, column := range row {
			if i > 0 && column == row[i-1] {
				b.Values[len(b.Values)-1]++
				continue
			}
			b.Words = append(b.Words, column)
			b.Values = append(b.Values, 1)
		}
		b.Starts = append(b.Starts, int32(len(b.Words)))
	}
	return b
}

// Len returns the number of documents.
func (b *Bags) Len() int { return len(b.Starts) - 1 }

// Read writes all values of document i, zeros included, to dst, `[words]`. It is safe for concurrent use.
func (b *Bags) Read(i int, dst []float32) {
	clear(dst)
	words, values := b.Row(i)
	for k, word := range words {
		dst[word] = values[k]
	}
}

// Row returns the words of document i and their values, as views.
func (b *Bags) Row(i int) (words []int32, values []float32) {
	start, end := b.Starts[i], b.Starts[i+1]
	return b.Words[start:end], b.Values[start:end]
}

// Shares divides each row, in place, by its sum. A row of zeros stays.
func (b *Bags) Shares() {
	for i := range b.Len() {
		total := 0.0
		_, values := b.Row(i)
		for _, value := range values {
			total += float64(value)
		}
		b.divide(i, total)
	}
}

// TFIDF turns counts, in place, into tf-idf as scikit-learn's TfidfTransformer does by default. It multiplies each
// count by ln((1 + n) / (1 + df)) + 1, then divides each row by its Euclidean length. Here df is the number of
// documents that hold the word, among the first n. There are `words` columns.
func (b *Bags) TFIDF(words, n int) {
	frequency := make([]int, words)
	for i := range n {
		columns, _ := b.Row(i)
		for _, word := range columns {
			frequency[word]++
		}
	}
	for i := range b.Len() {
		squares := 0.0
		columns, values := b.Row(i)
		for k, word := range columns {
			values[k] *= float32(math.Log(float64(1+n)/float64(1+frequency[word])) + 1)
			squares += float64(values[k]) * float64(values[k])
		}
		b.divide(i, math.Sqrt(squares))
	}
}

// divide divides row i by a number, unless that is 0.
func (b *Bags) divide(i int, by float64) {
	if by == 0 {
		return
	}
	_, values := b.Row(i)
	for k := range values {
		values[k] = float32(float64(values[k]) / by)
	}
}
