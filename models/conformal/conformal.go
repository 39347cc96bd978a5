// Package conformal says which classes a sample may be of, and whether it suits any, by samples that were held out of a
// training.
package conformal

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/loop"
)

// Predictor says of a new sample which classes it may be of, and whether it suits any, by samples that were held out:
// conformal prediction (Vovk, Gammerman and Shafer 2005), as Angelopoulos and Bates (2023, "Conformal prediction: a
// gentle introduction") describe it. The score of a sample for a class is 1 - the probability of the class. If held-out
// and new samples are drawn alike, and one classifier judges all, a set of classes holds the truth as often as its
// coverage says, however right or wrong the classifier is.
//
// Samples that were held out of all training, as those of a validation, are judged by the classifier itself (inductive
// conformal prediction, Papadopoulos et al. 2002). Training samples that were held out in turn are judged by one of the
// others, as in cross-conformal prediction (Vovk 2015) and the jackknife (Barber et al. 2021), while the classifier of
// all samples judges new ones: what holds then is measured, not proved.
//
// Where the training has groups, the held-out samples are of other groups than those that the classifier was fitted to.
type Predictor struct {
	// Scores are those of the held-out samples for their own class, ascending: 1 - its probability.
	Scores []float64 `json:"scores"`
	// PerClass counts the held-out samples of each class. A class without any has no p-value.
	PerClass []int `json:"per_class"`
	// Groups is of how many groups the held-out samples are; 0 without groups.
	Groups int `json:"groups,omitempty"`
}

// New returns what the scores of held-out samples say, which are in any order, see Predictor. labels are their
// classes. Of more than mostScores samples it takes some, evenly spaced. It returns nil if there are none.
func New(scores []float64, labels []int32, classes int) *Predictor {
	if len(scores) == 0 {
		return nil
	}
	c := &Predictor{PerClass: make([]int, classes)}
	for _, at := range loop.Spread(loop.Indices(len(scores)), mostScores) {
		c.Scores = append(c.Scores, scores[at])
		c.PerClass[labels[at]]++
	}
	slices.Sort(c.Scores)
	return c
}

// mostScores bounds the scores that a checkpoint holds: with that many, coverages of any two halves of them differ by
// half a percent.
const mostScores = 5000

// Check returns an error if the scores are not those of a classifier of so many classes, as only damage makes them. c
// may be nil, which no samples make.
func (c *Predictor) Check(classes int) error {
	if c == nil {
		return nil
	}
	if len(c.Scores) == 0 || len(c.PerClass) != classes || !slices.IsSorted(c.Scores) {
		return fmt.Errorf("the scores of held-out samples are damaged: the checkpoint has %d, which must be in order, and "+
			"counts of %d classes, of which there are %d", len(c.Scores), len(c.PerClass), classes)
	}
	return nil
}

// PValues returns the p-value of each class for a sample with these probabilities: the share of the held-out samples,
// with the sample itself, whose score is at least the sample's for the class,
//
//	p = (1 + number of scores >= 1 - probability) / (1 + number of scores).
//
// If the sample is of the class, and drawn as the held-out ones were, p is at most α in a share α of samples. The
// largest of all classes is the p-value of the hypothesis that the sample is of a class of the training at all. A class
// without held-out samples has NaN.
func (c *Predictor) PValues(probabilities []float64) []float64 {
	p := make([]float64, len(probabilities))
	for k, probability := range probabilities {
		p[k] = math.NaN()
		if c.PerClass[k] > 0 {
			below, _ := slices.BinarySearch(c.Scores, 1-probability-scoreSlack)
			p[k] = float64(1+len(c.Scores)-below) / float64(1+len(c.Scores))
		}
	}
	return p
}

// scoreSlack is by how much scores differ at least: less is what another order of additions does to a sample like
// another one, whose score would then be above all that are equal.
const scoreSlack = 1e-7

// Allows returns an error if sets of this coverage, between 0 and 1, would hold every class whatever the sample is,
// because too few samples were held out. Of n samples the largest coverage is n/(n+1). c may be nil, which no samples
// make.
func (c *Predictor) Allows(coverage float64) error {
	if c == nil {
		return errors.New("the checkpoint has no scores of held-out samples: it is of an earlier version, or no samples " +
			"could be held out of its training; train anew with this version, or with more samples of each class")
	}
	n := len(c.Scores)
	if most := float64(n) / float64(n+1); coverage > most+coverageSlack {
		return fmt.Errorf("a coverage of %g needs %d held-out samples, and this training held out %d: the largest possible "+
			"is %d/%d = %.4g; ask for less, or train with more samples", coverage,
			int(math.Ceil(coverage/(1-coverage)-coverageSlack)), n, n, n+1, most)
	}
	return nil
}

// coverageSlack is more than what rounding adds to a coverage, and less than what coverages differ by.
const coverageSlack = 1e-9

// Set returns the classes that a set of this coverage holds: those whose p-value is above 1 - coverage, in their
// order. It is empty if the sample suits none of the classes.
func (c *Predictor) Set(pValues []float64, coverage float64) (classes []int) {
	for k, p := range pValues {
		if p > 1-coverage+coverageSlack { // NaN is not
			classes = append(classes, k)
		}
	}
	return classes
}

// Remarks tells what limits sets of classes: classes without held-out samples, and scores that are equal, as those of
// a forest of few trees. names are those of the classes.
func (c *Predictor) Remarks(names []string) (lines []string) {
	var without []string
	for k, n := range c.PerClass {
		if n == 0 {
			without = append(without, names[k])
		}
	}
	if len(without) > 0 {
		lines = append(lines, fmt.Sprintf("no sample of %s was held out, so that nothing says which samples are: no set "+
			"holds it, and it has no p-value; train with more samples of it", strings.Join(without, ", ")))
	}
	tied := 0
	for i := 1; i < len(c.Scores); i++ {
		if c.Scores[i]-c.Scores[i-1] <= scoreSlack {
			tied++
		}
	}
	if n := len(c.Scores); tied*20 > n {
		lines = append(lines, fmt.Sprintf("%d of the %d held-out samples have the score of another one, so that sets may "+
			"hold the truth more or less often than asked", tied, n))
	}
	return lines
}
