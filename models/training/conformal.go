package training

import (
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// inTurn are training samples that were held out in turn, each with its group, from the members that predict: what
// these say of them is what they will say of new samples, about. Samples of a class that has a single group are not
// among them, since nothing was known of the class without it.
type inTurn struct {
	heldOut
	at      map[int]int // by the number of a sample in the data set: where it is in heldOut
	grouped bool        // there are groups
}

// inTurnOf returns the training samples of a data set that were held out in turn. There are none if that was not asked
// for.
func inTurnOf(d *datasets.Dataset, held transforms.HeldOut) inTurn {
	several := classesOfSeveralGroups(d)
	t := inTurn{heldOut{shares: make([]float64, d.Classes())}, map[int]int{}, d.Groups != nil}
	var samples []int
	for at, reading := range held.Readings {
		sample := held.Samples[at]
		if sample >= len(d.Train) { // a mirror image
			continue
		}
		i := d.Train[sample]
		if several[d.Labels[i]] {
			t.at[i] = len(samples)
			samples = append(samples, i)
			t.labels, t.readings = append(t.labels, d.Labels[i]), append(t.readings, reading)
		}
	}
	t.units = unitsOf(d, samples)
	return t
}

// suits reports whether the samples tell the scores of a mixture of the transforms: its forest, if it has one, must
// have been judged by them.
func (t inTurn) suits(m transforms.Mixture) bool {
	return len(t.readings) > 0 && m.Weight == 1 && (m.ForestWeight == 0 || t.readings[0].Forest != nil)
}

// probabilities returns those of each sample by a mixture of the transforms, by its number in the data set; nil if that
// does not suit.
func (t inTurn) probabilities(m transforms.Mixture) map[int][]float64 {
	if !t.suits(m) {
		return nil
	}
	all := map[int][]float64{}
	for i, at := range t.at {
		all[i] = m.Probabilities(t.readings[at], nil)
	}
	return all
}

// conformal returns the scores of held-out samples by the members, weighed as they will predict. calibration is the
// network's, if it predicts alone.
//
// All training samples that were held out in turn have a score if that tells enough of the members. Else it is those of
// the trial's quarter, by the network of the trial, and by its forest, and by the ridge classifier that predicts, from
// which they were held out in turn. The network and the forest of the trial are fitted to three quarters of the
// samples, and err more often than those that predict; the ridge classifier does not.
func (t *heldOutTrial) conformal(m transforms.Mixture, calibration *models.Calibration) *conformal.Predictor {
	if calibration == nil && t.inTurn.suits(m) {
		return t.inTurn.predictor(m, nil)
	}
	quarter := inTurn{heldOut: t.heldOut, grouped: t.data.Groups != nil}
	quarter.readings = slices.Clone(t.readings)
	for at, i := range t.data.Test {
		known, found := t.inTurn.at[i]
		if found {
			quarter.readings[at].Ridge = t.inTurn.readings[known].Ridge
		}
	}
	return quarter.predictor(m, calibration)
}

// predictor returns the scores of the samples by a mixture of the members, or by the network alone with a calibration.
func (t inTurn) predictor(m transforms.Mixture, calibration *models.Calibration) *conformal.Predictor {
	scores := make([]float64, len(t.labels))
	loop.Parallel(len(scores), func(at int) {
		var p []float64
		if calibration != nil {
			p = prob.Temper(t.network[at], calibration.Temperature)
		} else {
			var network []float64
			if t.network != nil {
				network = t.network[at]
			}
			p = prob.Softmax(prob.Logits(m.Probabilities(t.readings[at], network))) // as a classifier rounds them
		}
		scores[at] = 1 - p[t.labels[at]]
	})
	c := conformal.New(scores, t.labels, len(t.shares))
	if c != nil && t.grouped {
		c.Groups = t.unitCount()
	}
	return c
}

// validationScores returns the scores of the validation samples, which have these probabilities without temperature.
func (r *run) validationScores(probabilities [][]float64, labels []int32, temperature float64) *conformal.Predictor {
	scores := make([]float64, len(labels))
	for at, p := range probabilities {
		scores[at] = 1 - prob.Temper(p, temperature)[labels[at]]
	}
	c := conformal.New(scores, labels, r.data.Classes())
	if r.data.Groups != nil {
		units := unitsOf(r.data, r.data.Validation)
		c.Groups = slices.Max(units) + 1
	}
	return c
}
