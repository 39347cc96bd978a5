package exact

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDistanceInAnyUnit(t *testing.T) {
	assert.Equal(t, 5.0, Distance([]float64{1, 2}, []float64{4, -2}))
	for _, unit := range []int{1000, 520, -520, -1000} { // squares overflow, or vanish
		a, b := []float64{0, math.Ldexp(4, unit)}, []float64{math.Ldexp(3, unit), 0}
		assert.Equal(t, math.Ldexp(5, unit), Distance(a, b), "2^%d", unit)
	}
	assert.Zero(t, Distance([]float64{1e300}, []float64{1e300}))
}
