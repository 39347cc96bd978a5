package training

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/stretchr/testify/assert"
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

	assert.Nil(t, calibrate(nil, nil))
}
