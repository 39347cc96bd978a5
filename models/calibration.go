package models

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Calibration says how sure a classifier may be, by samples that were held out of its training.
type Calibration struct {
	Samples int `json:"samples"` // held out
	// Temperature divides the logits before their softmax (Guo et al. 2017, "On calibration of modern neural networks").
	// Below 1 it sharpens the probabilities. The classes of answers stay as they are.
	Temperature float64 `json:"temperature"`
	// Confidences are the probabilities of the answers for the held-out samples, ascending. Of more than 1000 they are
	// quantiles.
	Confidences []float64 `json:"confidences"`
}

// held is what a snapshot keeps beside the weights to classify by.
type held struct {
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Calibrate finds the temperature with the least log-loss on held-out samples. Each has the probabilities of its classes
// without temperature, and a label. The logarithm of the temperature has the standard normal distribution as its prior:
// few samples that are all answered rightly say little. Calibrate returns nil if there are no samples.
func Calibrate(probabilities [][]float64, labels []int32) *Calibration {
	if len(probabilities) == 0 {
		return nil
	}
	c := &Calibration{Samples: len(labels)}
	low, high := -3., 3. // the logarithm of the temperature
	for range 20 {
		middle := (low + high) / 2
		c.Temperature = math.Exp(middle)
		slope := -middle // of the log-posterior, downwards
		for i, p := range probabilities {
			expected := 0.
			for k, tempered := range c.Temper(p) {
				if tempered > 0 {
					expected += tempered * math.Log(p[k])
				}
			}
			slope += (expected - math.Log(max(p[labels[i]], math.SmallestNonzeroFloat64))) / c.Temperature
		}
		if slope > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	for _, p := range probabilities {
		c.Confidences = append(c.Confidences, floats.Max(c.Temper(p)))
	}
	slices.Sort(c.Confidences)
	const most = 1000
	if n := len(c.Confidences); n > most {
		for i := range most {
			c.Confidences[i] = c.Confidences[i*n/most]
		}
		c.Confidences = slices.Clip(c.Confidences[:most])
	}
	return c
}

// Temper returns the probabilities at the temperature. nil leaves them as they are.
func (c *Calibration) Temper(probabilities []float64) []float64 {
	if c == nil {
		return probabilities
	}
	top, out := floats.Max(probabilities), make([]float64, len(probabilities))
	for k, p := range probabilities {
		out[k] = math.Pow(p/top, 1/c.Temperature)
	}
	floats.Scale(1/floats.Sum(out), out)
	return out
}

// Threshold returns the probability below which the answers for a share of the held-out samples lie. To reject the least
// sure answers is Chow's rule (1970). The error says that there are no such samples, or too few.
func (c *Calibration) Threshold(share float64) (float64, error) {
	if c == nil {
		return 0, errors.New("the classifier was trained without held-out samples, by which to reject answers; train it with " +
			"ccp train --validation 0.1, or mark validation samples in the file's array split")
	}
	n := len(c.Confidences)
	if rejected := int(share * float64(n)); rejected > 0 {
		return c.Confidences[rejected], nil
	}
	return 0, fmt.Errorf("%g of the %d held-out samples is less than one; reject a larger share, or hold out more samples",
		share, c.Samples)
}
