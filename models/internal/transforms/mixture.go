package transforms

import (
	"github.com/clusterpool/ccp/models/internal/prob"
	"gonum.org/v1/gonum/floats"
)

// Mixture says how the probabilities of the ridge classifier, of the forest and of a network are mixed into those
// that predict. It is a plain value: whoever weighs members compares mixtures, and a Classifier has the one that was
// chosen.
type Mixture struct {
	// Weight is the weight of the ridge classifier and the forest together. The network's is 1 - Weight.
	Weight float64
	// ForestWeight is the forest's share of Weight. The ridge classifier's is 1 - ForestWeight.
	ForestWeight float64
	// Smoothing is Laplace's: the probability that all classes share, 1/(n+2) for n training samples, since no number
	// of right predictions makes the next one certain.
	Smoothing float64
	// The temperatures divide the logits of each member (Guo et al. 2017). They are 1 unless there were held-out
	// samples to choose them by.
	Temperature, ForestTemperature, NetworkTemperature float64
}

// smoothing is Laplace's for so many training samples, see Mixture.
func smoothing(samples int) float64 { return 1 / float64(samples+2) }

// Probabilities returns the probabilities of classes with this reading, after Laplace smoothing. If the network's
// probabilities are given, it returns the weighted mean of all: the one formula by which members are weighed and
// predict.
func (m Mixture) Probabilities(r Reading, network []float64) []float64 {
	tempered := make([]float32, len(r.Ridge))
	for k, x := range r.Ridge {
		tempered[k] = x / float32(m.Temperature)
	}
	p := prob.Softmax(tempered)
	if r.Forest != nil {
		floats.Scale(1-m.ForestWeight, p)
		floats.AddScaled(p, m.ForestWeight, prob.Temper(r.Forest, m.ForestTemperature))
	}
	for k := range p {
		p[k] = (1-m.Smoothing)*p[k] + m.Smoothing/float64(len(p))
	}
	if network != nil {
		floats.Scale(m.Weight, p)
		floats.AddScaled(p, 1-m.Weight, prob.Temper(network, m.NetworkTemperature))
	}
	return p
}
