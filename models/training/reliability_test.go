package training

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Five predictions in three bins, by hand.
func TestReliability(t *testing.T) {
	var r Reliability
	for _, x := range []struct {
		sure  float64
		label int32
	}{{0.9, 0}, {0.92, 1}, {0.6, 0}, {1, 0}, {0.4, 1}} {
		r.add([]float64{x.sure, 1 - x.sure}, x.label)
	}
	r.finish(5)
	assert.Len(t, r.Bins, 15)
	assert.InDelta(t, 0.91, r.Bins[13].Confidence, 1e-12) // (13/15, 14/15] = (0.867, 0.933]
	assert.InDelta(t, 0.5, r.Bins[13].Accuracy, 1e-12)
	assert.Equal(t, ReliabilityBin{1, 1, 1}, r.Bins[14])
	assert.InDelta(t, 0.6, r.Bins[8].Confidence, 1e-12) // both 0.6: of class 0, and of class 1 where class 0 has 0.4
	assert.Equal(t, 2, r.Bins[8].Samples)
	assert.InDelta(t, (2*0.41+2*0.4+0)/5, r.Error, 1e-12)
	assert.InDelta(t, -(math.Log(0.9)+math.Log(0.08)+2*math.Log(0.6))/5, r.Loss, 1e-12)
}
