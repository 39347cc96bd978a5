package wordvec

import "fmt"

// Config says how Train trains. Two equal configurations give equal vectors on the same backend and corpus, so that its
// text (%+v) is good for a cache's key.
type Config struct {
	Dim          int     // values in a vector
	Epochs       int     // times that the corpus is read
	Window       int     // furthest distance of the words of a pair; each word draws its own from 1 to Window, so that near words count more
	Negatives    int     // noise words that each pair counts
	Shared       int     // noise words that are drawn for a batch; see [Train]
	Batch        int     // pairs in a step of gradient descent
	Subsample    float64 // t: of a word with frequency f, a part min(1, √(t/f)) is kept; 0 keeps all
	LearningRate float64 // at the start; it falls linearly to nearly 0
	Seed         uint64
}

// Defaults are settings that suit corpora of some million words, such as 20NEWS.
func Defaults() Config {
	return Config{Dim: 100, Epochs: 10, Window: 5, Negatives: 5, Shared: 64, Batch: 1024, Subsample: 1e-4, LearningRate: 0.025, Seed: 1}
}

// check says which setting cannot be.
func (c Config) check() error {
	for _, count := range []struct {
		name  string
		value int
	}{
		{"dim", c.Dim}, {"epochs", c.Epochs}, {"window", c.Window}, {"negatives", c.Negatives}, {"shared", c.Shared}, {"batch", c.Batch},
	} {
		if count.value < 1 {
			return fmt.Errorf("%s is %d; it must be 1 or more", count.name, count.value)
		}
	}
	if !(c.Subsample >= 0) {
		return fmt.Errorf("subsample is %v; it must be 0 (keep every word) or more", c.Subsample)
	}
	if !(c.LearningRate > 0) {
		return fmt.Errorf("learning rate is %v; it must be above 0", c.LearningRate)
	}
	return nil
}
