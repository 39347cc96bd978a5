package training

import (
	"math"

	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/prob"
)

// calibrate finds the temperature with the least log-loss on held-out samples. Each has the probabilities of its
// classes without temperature, and a label. The logarithm of the temperature has the standard normal distribution as
// its prior: few samples that are all predicted rightly say little. calibrate returns nil if there are no samples.
func calibrate(probabilities [][]float64, labels []int32) *models.Calibration {
	if len(probabilities) == 0 {
		return nil
	}
	c := &models.Calibration{Samples: len(labels)}
	low, high := -3., 3. // the logarithm of the temperature, which bisection finds where the slope is 0
	for range 20 {
		logTemperature := (low + high) / 2
		c.Temperature = math.Exp(logTemperature)
		// The derivative of the log-posterior by logTemperature, first that of the prior. It falls from low to high: where
		// it is above 0, the best temperature is higher.
		slope := -logTemperature
		for i, p := range probabilities {
			expected := 0.
			for k, tempered := range prob.Temper(p, c.Temperature) {
				if tempered > 0 {
					expected += tempered * math.Log(p[k])
				}
			}
			slope += (expected - math.Log(max(p[labels[i]], math.SmallestNonzeroFloat64))) / c.Temperature
		}
		if slope > 0 {
			low = logTemperature
		} else {
			high = logTemperature
		}
	}
	return c
}
