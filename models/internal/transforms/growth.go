package transforms

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/trees"
)

const (
	leastTrees    = 200
	mostTrees     = 500
	forestSamples = 2_500      // of a tree, at least, if there are as many
	treeValues    = 10_000_000 // of a tree's samples, at most, if these are more than forestSamples
	forestShare   = 0.1        // of the features, that a node chooses from
)

// treesOf returns how many trees a forest of so many samples has. More trees err less, and the fewer samples they
// have, the smaller they are: all together have half a million samples, within bounds.
func treesOf(samples int) int {
	return min(mostTrees, max(leastTrees, leastTrees*forestSamples/max(1, samples)))
}

// samplesOf returns how many samples a tree has: all, unless their values are so many that trees would take minutes
// to grow.
func samplesOf(samples, width int) int {
	return min(samples, max(forestSamples, treeValues/max(1, width)))
}

// grow grows the trees on the samples' features, `[features][samples]`.
func (m *forest) grow(ctx context.Context, columns []float32, labels []int32, seed uint64) error {
	n := len(labels)
	grown := make([]trees.Tree, treesOf(n))
	all, tries := trees.NewSamples(columns, labels, m.classes), max(1, int(forestShare*float64(m.width)))
	err := inParallel(ctx, len(grown), func(_ *work, i int) {
		rng := rand.New(rand.NewPCG(seed, 0x666f72657374<<8+uint64(i)))
		samples := rng.Perm(n)[:samplesOf(n, m.width)]
		slices.Sort(samples)
		grown[i] = all.Grow(samples, tries, rng)
	})
	m.nodes, m.roots = slices.Concat(grown...), nil
	first := 0
	for _, tree := range grown {
		m.roots = append(m.roots, float32(first/3))
		first += len(tree)
	}
	return err
}
