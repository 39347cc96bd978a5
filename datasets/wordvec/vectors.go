package wordvec

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Vectors are words, each with a vector.
type Vectors struct {
	Dim    int       // values in a vector
	Words  []string  // no word twice
	Values []float32 // `[len(Words), Dim]`, row-major
}

// Row is the vector of word i, `[Dim]`. It is a part of Values, not a copy.
func (v *Vectors) Row(i int) []float32 { return v.Values[i*v.Dim : (i+1)*v.Dim : (i+1)*v.Dim] }

// Neighbour is a word near another.
type Neighbour struct {
	Word       string
	Similarity float64 // cosine of the angle between the two vectors, from -1 to 1
}

// Nearest returns the n words (fewer if there are fewer) most similar to a word, the word itself left out: by cosine
// similarity, highest first, words of equal similarity in the order of Words. A vector of zeros has similarity 0 to all.
// The error says that the word has no vector.
func (v *Vectors) Nearest(word string, n int) ([]Neighbour, error) {
	at := slices.Index(v.Words, word)
	if at < 0 {
		return nil, fmt.Errorf("word %q is not among the %d words with a vector; check its spelling and that it is in lower case", word, len(v.Words))
	}
	near := make([]Neighbour, 0, len(v.Words))
	for i, other := range v.Words {
		if i != at {
			near = append(near, Neighbour{other, cosine(v.Row(at), v.Row(i))})
		}
	}
	slices.SortStableFunc(near, func(a, b Neighbour) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return near[:min(max(n, 0), len(near))], nil
}

// cosine is a·b / (|a| |b|), 0 where a or b is zero.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / (math.Sqrt(aa) * math.Sqrt(bb))
}
