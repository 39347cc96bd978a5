package recording

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What instruments write for a missing value lies far outside the others, or comes often; measured values do not.
func TestGap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	of := func(more ...float64) *Extremes {
		e := &Extremes{}
		for i := range 200 {
			if e.Add(random.NormFloat64()); i < len(more) {
				e.Add(more[i])
			}
		}
		return e
	}
	for _, c := range []struct {
		more  []float64
		value float64
		times int
	}{
		{nil, 0, 0}, {[]float64{9}, 0, 0}, {[]float64{-300}, 0, 0}, {[]float64{500, 600, 700}, 0, 0}, {[]float64{-9999, -9999, -9999, -9999}, -9999, 4},
		{[]float64{9.96921e36}, 9.96921e36, 1}, {[]float64{1e15, 1e15}, 1e15, 2}, {[]float64{32767, 32767, 32767}, 32767, 3},
	} {
		value, times, ok := of(c.more...).Gap()
		assert.Equal(t, []any{c.value, c.times, c.times > 0}, []any{value, times, ok}, c.more)
	}
	e := &Extremes{}
	for _, v := range []float64{0, 1, 0, 1} {
		e.Add(v)
	}
	_, _, ok := e.Gap()
	assert.False(t, ok, "two values have no others")
	least, most := e.Range()
	assert.Equal(t, []float64{0, 1}, []float64{least, most})
}
