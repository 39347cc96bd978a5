package training

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
)

// Labels are drawn from logits that the classifier has divided: the temperature finds by how much.
func TestCalibrate(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for _, temperature := range []float64{0.3, 1, 2.5} {
		var probabilities [][]float64
		var labels []int32
		for range 4000 {
			logits, divided := make([]float32, 3), make([]float32, 3)
			for k := range logits {
				logits[k] = float32(2 * draw.NormFloat64())
				divided[k] = logits[k] * float32(temperature)
			}
			at, label := draw.Float64(), 0
			for p := prob.Softmax(logits); label < 2 && at > p[label]; label++ {
				at -= p[label]
			}
			probabilities, labels = append(probabilities, prob.Softmax(divided)), append(labels, int32(label))
		}
		c := calibrate(probabilities, labels)
		assert.InEpsilon(t, temperature, c.Temperature, 0.1)
		assert.Equal(t, 4000, c.Samples)
		require.Len(t, c.Confidences, 1000)
		threshold, err := c.Threshold(0.05)
		require.NoError(t, err)
		rejected := 0.
		for _, p := range probabilities {
			if floats.Max(prob.Temper(p, c.Temperature)) < threshold {
				rejected++
			}
		}
		assert.InDelta(t, 0.05, rejected/4000, 0.001)
		least, err := c.Threshold(0.0005) // 2 of 4,000 samples, of which 1,000 probabilities are kept
		require.NoError(t, err)
		assert.Equal(t, c.Confidences[1], least)
	}
	hundred := &models.Calibration{Samples: 100}
	for i := range 100 {
		hundred.Confidences = append(hundred.Confidences, float64(i)/100)
	}
	for _, share := range []float64{0.28, 0.29, 0.57, 0.58} { // 0.29·100 is 28.999999999999996
		threshold, err := hundred.Threshold(share)
		require.NoError(t, err)
		assert.Equal(t, share, threshold)
	}

	// Few samples, all predicted rightly, say little.
	few := calibrate([][]float64{{0.9, 0.1}, {0.2, 0.8}}, []int32{0, 1})
	assert.Less(t, few.Temperature, 1.)
	assert.Greater(t, few.Temperature, 0.5)
	loss := func(m float64) float64 {
		at := math.Exp(m)
		return m*m/2 - math.Log(prob.Temper([]float64{0.9, 0.1}, at)[0]) - math.Log(prob.Temper([]float64{0.2, 0.8},
			at)[1])
	}
	m := math.Log(few.Temperature)
	assert.Less(t, loss(m), min(loss(m-0.01), loss(m+0.01)))

	_, err := few.Threshold(0.05)
	assert.EqualError(t, err, "0.05 of the 2 held-out samples is less than one; reject a larger share, or hold out "+
		"more samples")
	assert.Nil(t, calibrate(nil, nil))
	_, err = (*models.Calibration)(nil).Threshold(0.05)
	assert.ErrorContains(t, err, "the classifier was trained without held-out samples")
}
