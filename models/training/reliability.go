package training

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// reliabilityBins is the number of bins of Guo et al. (2017).
const reliabilityBins = 15

// Reliability says how far probabilities can be trusted, as Guo et al. (2017, "On calibration of modern neural
// networks") measure it. Predictions are sorted into bins of equal width by their probability.
type Reliability struct {
	// Error is the expected calibration error: the mean over samples of |accuracy − confidence| of their bin.
	Error float64          `json:"error"`
	Loss  float64          `json:"loss"` // mean cross entropy of these probabilities, in nats
	Bins  []ReliabilityBin `json:"bins"`
}

// ReliabilityBin holds the predictions of one bin. Both means are 0 without samples.
type ReliabilityBin struct {
	Samples    int     `json:"samples"`
	Confidence float64 `json:"confidence"` // mean probability of the predictions
	Accuracy   float64 `json:"accuracy"`
}

// add counts a sample. Until finish, Bins holds sums.
func (r *Reliability) add(probabilities []float64, label int32) {
	if r.Bins == nil {
		r.Bins = make([]ReliabilityBin, reliabilityBins)
	}
	prediction := floats.MaxIdx(probabilities)
	confidence := probabilities[prediction]
	b := &r.Bins[max(0, min(int(math.Ceil(confidence*reliabilityBins)), reliabilityBins)-1)] // (m/15, (m+1)/15]
	b.Samples++
	b.Confidence += confidence
	if prediction == int(label) {
		b.Accuracy++
	}
	r.Loss -= math.Log(max(probabilities[label], math.SmallestNonzeroFloat64))
}

// finish turns the sums over so many samples into means.
func (r *Reliability) finish(samples int) {
	for i := range r.Bins {
		if b := &r.Bins[i]; b.Samples > 0 {
			r.Error += math.Abs(b.Accuracy-b.Confidence) / float64(samples)
			b.Confidence /= float64(b.Samples)
			b.Accuracy /= float64(b.Samples)
		}
	}
	r.Loss /= float64(samples)
}
