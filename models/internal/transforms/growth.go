package transforms

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/trees"
)

const (
	leastTrees    = 200
	mostTrees     = 500
	forestSamples = 2_500      // of a tree, at least, if there are as many
	treeValues    = 10_000_000 // of a tree's samples, at most, if these are more than forestSamples
	forestShare   = 0.1        // of the features, that a node chooses from
	mostGrowing   = 8          // trees at a time, each of which has its samples' features in memory
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

// triesOf returns how many of so many features a node looks at.
func triesOf(width int) int { return max(1, int(forestShare*float64(width))) }

// grow grows the trees on the samples' features.
func (m *forest) grow(ctx context.Context, features *table, labels []int32, seed uint64) error {
	n := len(labels)
	size, tries := samplesOf(n, m.width), triesOf(m.width)
	var all *trees.Samples // of which each tree reads all
	if size == n {
		columns, err := features.columns(loop.Indices(n))
		if err != nil {
			return err
		}
		all = trees.NewSamples(columns, labels, m.classes)
	}
	grown := make([]trees.Tree, treesOf(n))
	failed := make([]error, len(grown))
	atOnce := make(chan struct{}, mostGrowing)
	err := inParallel(ctx, len(grown), func(_ *work, i int) {
		rng := rand.New(rand.NewPCG(seed, 0x666f72657374<<8+uint64(i)))
		samples := rng.Perm(n)[:size]
		if all != nil {
			grown[i] = all.Grow(loop.Indices(n), tries, rng)
			return
		}
		atOnce <- struct{}{}
		defer func() { <-atOnce }()
		slices.Sort(samples)
		columns, err := features.columns(samples)
		if err != nil {
			failed[i] = err
			return
		}
		own := trees.NewSamples(columns, pick(labels, samples), m.classes)
		grown[i] = own.Grow(loop.Indices(size), tries, rng)
	})
	if err := errors.Join(failed...); err != nil {
		return err
	}
	m.nodes, m.roots = slices.Concat(grown...), nil
	first := 0
	for _, tree := range grown {
		m.roots = append(m.roots, float32(first/3))
		first += len(tree)
	}
	return err
}
