package extremes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// What instruments write for a missing value lies far outside the others, or comes often; measured values do not.
func TestGaps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	times := func(n int, v float64) []float64 { return slicesOf(n, func(int) float64 { return v }) }
	for i, c := range []struct {
		more, want []float64
	}{
		{nil, nil}, {[]float64{9}, nil}, {[]float64{-300}, nil}, {[]float64{500, 600, 700}, nil},
		{[]float64{-9999, -9999, -9999, -9999}, []float64{-9999}}, {[]float64{9.96921e36}, []float64{9.96921e36}},
		{[]float64{1e15, 1e15}, []float64{1e15}}, {[]float64{32767, 32767, 32767}, []float64{32767}},
		// Several such values, at one end or both, and real ones that lie apart, hide none.
		{append(times(20, -9999), times(9, -8888)...), []float64{-9999, -8888}},
		{append(times(40, -9999), times(40, 9999)...), []float64{-9999, 9999}},
		{append(times(20, -9999), 60, -40), []float64{-9999}},
		// A range that is reached often is no gap.
		{append(times(20, 16), 15.9, 15, 14, 12, 9), nil},
		{slicesOf(150, func(int) float64 { return random.ExpFloat64() * 20 }), nil},
	} {
		e := &Column{}
		for i := range 2000 {
			e.Add(random.NormFloat64())
			if i < len(c.more) {
				e.Add(c.more[i])
			}
		}
		var got []float64
		for _, gap := range e.Gaps() {
			got = append(got, gap.Value)
		}
		assert.Equal(t, c.want, got, i)
	}
	e := &Column{}
	for _, v := range []float64{0, 1, 0, 1} {
		e.Add(v)
	}
	assert.Empty(t, e.Gaps(), "two values have no others")
	for i := range 1000 { // rain, on few days
		e.Add(max(0, float64(i%100)-97) * float64(i))
	}
	assert.Empty(t, e.Gaps())
	for range 3 {
		e.Add(-9999)
	}
	assert.Len(t, e.Gaps(), 1, "the quartiles are one, so that the range tells what is far")
	e = &Column{}
	for i := range 10_000 {
		e.Add(float64(i % 100))
	}
	for range 5 {
		e.Add(-9999)
	}
	require.Len(t, e.Gaps(), 1)
	messagetest.Names(t, e.Gaps()[0], "-9999 … 5 of 10005 … far")
}

func slicesOf(n int, of func(int) float64) (all []float64) {
	for i := range n {
		all = append(all, of(i))
	}
	return all
}

// Values that are added together are as values that are added one by one.
func TestAddEvery(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var one, every Column
	for range 300 {
		values := make([]float32, random.IntN(40))
		for i := range values {
			values[i] = float32(math.Round(10 * random.NormFloat64()))
			if random.IntN(9) == 0 {
				values[i] = float32(math.NaN())
			}
			if v := values[i]; i%3 == 0 && v == v {
				one.Add(float64(v))
			}
		}
		every.AddEvery(values, 3)
		require.Equal(t, one, every)
	}
}
