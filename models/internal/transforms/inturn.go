package transforms

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/trees"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// mostOutOfFold is how many samples forests are grown for that have not seen them. Of more, a quarter that a trial
	// holds out tells enough.
	mostOutOfFold = 1_000
	// outOfFoldTrees is how many trees vote on a sample that they have not seen. Where trees seldom err, 20 of them would
	// give nearly all samples the same votes, and of one new sample in ten the 500 trees of a forest are less sure. Four
	// parts of 80 are two thirds as many trees as a forest has, and grow fast where few err.
	outOfFoldTrees = 80
)

// readingsOf returns what ridge classifiers with these shares say of the samples that they are fitted to, each held out
// with its group. It is nil unless that is asked for. The classifier has the shares that are not 0.
func (v *Classifier) readingsOf(ridges []*ridge, shares []float64) []Reading {
	readings := make([]Reading, len(ridges[0].inTurn))
	for at := range readings {
		var logits []float32
		for i, r := range ridges {
			if shares[i] != 0 {
				logits = append(logits, r.inTurn[at]...)
			}
		}
		readings[at].Ridge = v.mean(logits)
	}
	return readings
}

// addVotes puts the forest's votes on all samples into the readings. If no ridge classifier was asked for, there are no
// readings yet, and all logits are 0. votes may be nil.
func (h *HeldOut) addVotes(votes [][]float64, classes int) {
	if votes == nil {
		return
	}
	if h.Samples == nil {
		h.Samples, h.Readings = loop.Indices(len(votes)), make([]Reading, len(votes))
		for at := range h.Readings {
			h.Readings[at].Ridge = make([]float32, classes)
		}
	}
	for at, sample := range h.Samples {
		h.Readings[at].Forest = votes[sample]
	}
}

// outOfFold returns the votes of trees for the samples that they have not seen, `[samples, classes]`: the samples are
// cut into parts, no group into two, and some trees grow without each part (cross-validation). Where few trees vote,
// the votes of samples differ by chance, too; see lessNoise.
func (e *extractor) outOfFold(ctx context.Context, features *table) ([][]float64, error) {
	partOf, others := e.cut()
	labels, votes := labelsOf(e.samples), make([][]float64, len(e.samples))
	for part := range others {
		var seen, held []int
		for i, of := range partOf {
			if of == part {
				held = append(held, i)
			} else {
				seen = append(seen, i)
			}
		}
		grown, err := e.growSome(ctx, features, seen, part)
		if err != nil {
			return nil, err
		}
		rows, err := features.pick(held)
		if err != nil {
			return nil, err
		}
		for at, i := range held {
			votes[i] = make([]float64, e.Classes)
			for _, tree := range grown {
				votes[i][tree.Class(rows[at])]++
			}
		}
	}
	lessNoise(votes, labels, outOfFoldTrees)
	return votes, ctx.Err()
}

// growSome grows the trees that have not seen a part of the samples, on those that are not in it.
func (e *extractor) growSome(ctx context.Context, features *table, seen []int, part int) ([]trees.Tree, error) {
	columns, err := features.columns(seen)
	if err != nil {
		return nil, err
	}
	all := trees.NewSamples(columns, pick(labelsOf(e.samples), seen), e.Classes)
	tries := triesOf(e.classifier.forest.width)
	grown := make([]trees.Tree, outOfFoldTrees)
	err = inParallel(ctx, len(grown), func(_ *work, i int) {
		rng := rand.New(rand.NewPCG(e.Seed, 0x6f75746f66<<16+uint64(part)<<8+uint64(i)))
		grown[i] = all.Grow(loop.Indices(len(seen)), tries, rng)
	})
	return grown, err
}

// lessNoise turns the votes of n trees on each sample into the shares of its classes. The share of the sample's own
// class is moved towards that of all samples, so that the shares vary as those of very many trees would: otherwise the
// least sure samples would be too unsure. Shares are taken as double arcsines (Freeman and Tukey 1950); shrunken to the
// variance without that of chance, they are constrained Bayes estimates (Louis 1984, "Estimating a population of
// parameter values using Bayes and empirical Bayes methods"). The variance is taken a standard error greater than it is
// of these samples: if too little is left, all have nearly one share, and many new samples are beyond it.
func lessNoise(votes [][]float64, labels []int32, n int) {
	angles, chance := make([]float64, len(votes)), 0.0
	ofChance := make([]float64, n+1) // by the votes for the own class
	for own := range ofChance {
		ofChance[own] = varianceByChance(n, (float64(own)+unseen)/(float64(n)+2*unseen))
	}
	for i, counts := range votes {
		own := counts[labels[i]]
		angles[i] = doubleArcsine(own, n)
		chance += ofChance[int(own)] / float64(len(votes))
	}
	mean, variance := stat.PopMeanVariance(angles, nil)
	largest := variance + varianceError(angles, variance)
	shrink := min(1, math.Sqrt(max(0, 1-chance/max(largest, math.SmallestNonzeroFloat64))))
	for i, counts := range votes {
		sine := math.Sin(mean + shrink*(angles[i]-mean))
		setShare(counts, int(labels[i]), sine*sine)
	}
}

// varianceError returns the standard error of the variance of values, the root of (mean fourth power of their
// deviations - variance²) / n.
func varianceError(values []float64, variance float64) float64 {
	fourth := stat.Moment(4, values, nil)
	return math.Sqrt(max(0, fourth-variance*variance) / float64(len(values)))
}

// unseen is added to the votes for and against a class, for the chance by which a tree votes so: all votes of few trees
// are no certainty. With 0 too much of chance is left; with 1/2 it is taken for more than there is, so that the samples
// of a set on which few trees err would all have the same share, and sets of classes hold the truth too seldom.
const unseen = 0.25

// doubleArcsine returns the angle of a share, that of some of n votes, whose variance by chance is about the same for
// all shares (Freeman and Tukey 1950).
func doubleArcsine(votes float64, n int) float64 {
	return (math.Asin(math.Sqrt(votes/float64(n+1))) + math.Asin(math.Sqrt((votes+1)/float64(n+1)))) / 2
}

// varianceByChance returns the variance of the double arcsine of the share that n trees give, each of which votes for a
// class by this chance. It is about 1/(4n+2), but for chances near 0 and 1, where there is next to none.
func varianceByChance(n int, chance float64) float64 {
	if chance == 0 || chance == 1 {
		return 0
	}
	counts, mean, square := distuv.Binomial{N: float64(n), P: chance}, 0.0, 0.0
	for k := range n + 1 {
		probability, angle := counts.Prob(float64(k)), doubleArcsine(float64(k), n)
		mean += probability * angle
		square += probability * angle * angle
	}
	return square - mean*mean
}

// setShare turns the votes for each class into shares. One class gets this share, and those of the others are
// proportional to their votes, or equal where they have none.
func setShare(votes []float64, class int, share float64) {
	votes[class] = 0
	others := floats.Sum(votes)
	if others > 0 {
		floats.Scale((1-share)/others, votes)
	} else {
		floats.AddConst((1-share)/float64(len(votes)-1), votes)
	}
	votes[class] = share
}
