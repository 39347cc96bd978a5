package models

import (
	"errors"
	"fmt"
)

// Calibration says how sure a classifier may be, by samples that were held out of its training.
type Calibration struct {
	Samples int `json:"samples"` // held out
	// Temperature divides the logits before their softmax (Guo et al. 2017, "On calibration of modern neural networks").
	// Below 1 it sharpens the probabilities. The classes of predictions stay as they are.
	Temperature float64 `json:"temperature"`
	// Confidences are the probabilities of the predictions for the held-out samples, ascending. Of more than 1000 they are
	// quantiles.
	Confidences []float64 `json:"confidences"`
}

// held is what a snapshot keeps beside the weights to classify by.
type held struct {
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Threshold returns the probability below which the predictions for a share of the held-out samples lie. To reject the least
// sure predictions is Chow's rule (1970). The error says that there are no such samples, or too few.
func (c *Calibration) Threshold(share float64) (float64, error) {
	if c == nil {
		return 0, errors.New("the classifier was trained without held-out samples, by which to reject predictions; train it with " +
			"ccp train --validation 0.1, or mark validation samples in the file's array split")
	}
	n := len(c.Confidences)
	if rejected := int(share*float64(c.Samples) + 1e-9); rejected > 0 && n > 0 {
		return c.Confidences[min((rejected*n+c.Samples-1)/c.Samples, n-1)], nil
	}
	return 0, fmt.Errorf("%g of the %d held-out samples is less than one; reject a larger share, or hold out more samples",
		share, c.Samples)
}
