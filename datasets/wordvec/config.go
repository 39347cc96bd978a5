package wordvec

// Config holds the settings of Train; all counts are at least 1. Equal settings give equal vectors on the same backend and
// corpus, so that their text (%+v) can be part of a cache's key.
type Config struct {
	Dim          int     // values in a vector
	Epochs       int     // passes over the corpus
	Window       int     // largest distance of the words of a pair; each word draws its own from 1 to Window, so that near words count more
	Negatives    int     // noise words of each pair
	Shared       int     // noise words drawn for a batch; see [Train]
	Batch        int     // pairs in a step of gradient descent
	Subsample    float64 // t: a word of frequency f is kept with probability min(1, √(t/f)); 0 keeps all
	LearningRate float64 // at the start; it falls linearly to nearly 0
	Seed         uint64
}

// Defaults are settings that suit corpora of some million words, such as 20NEWS.
func Defaults() Config {
	return Config{Dim: 100, Epochs: 10, Window: 5, Negatives: 5, Shared: 64, Batch: 1024, Subsample: 1e-4, LearningRate: 0.025, Seed: 1}
}
