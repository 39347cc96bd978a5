package training

import (
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// conformal returns the scores of the held-out samples by the members, weighed as they will predict. calibration is
// the network's, if it predicts alone.
func (t *heldOutTrial) conformal(m transforms.Mixture, calibration *models.Calibration) *conformal.Predictor {
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
	if t.data.Groups != nil {
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
