package figures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func hand() []Weight {
	return []Weight{
		{Path: "U", Values: []float32{3, 4, 0, 0, 0, 0}, Filters: 3, Run: 2}, // three nodes of two clusters
		{Path: "W", Values: []float32{1, 0, 2, 0, 2, 5}, Filters: 2, Run: 1}, // [in 3, out 2]
	}
}

// A direction has, filter by filter, the norm of the weights.
func TestDirection(t *testing.T) {
	d := Direction(hand(), rand.New(rand.NewPCG(1, 1)))
	require.Len(t, d, 2)
	assert.InDelta(t, 5, math.Hypot(float64(d[0][0]), float64(d[0][1])), 1e-5)
	assert.Equal(t, []float32{0, 0, 0, 0}, d[0][2:], "a filter of norm 0 stays")
	norm := func(values ...float32) (sum float64) {
		for _, v := range values {
			sum += float64(v) * float64(v)
		}
		return math.Sqrt(sum)
	}
	assert.InDelta(t, 3, norm(d[1][0], d[1][2], d[1][4]), 1e-5)
	assert.InDelta(t, 5, norm(d[1][1], d[1][3], d[1][5]), 1e-5)
	assert.Equal(t, d, Direction(hand(), rand.New(rand.NewPCG(1, 1))))
	assert.NotEqual(t, d, Direction(hand(), rand.New(rand.NewPCG(1, 2))))
	assert.Empty(t, Direction(nil, rand.New(rand.NewPCG(1, 1))))
}

// quadratic is Σ v², and C is the sum of the first weight.
func quadratic(values [][]float32) (task, c float64, err error) {
	for _, w := range values {
		for _, v := range w {
			task += float64(v) * float64(v)
		}
	}
	for _, v := range values[0] {
		c += float64(v)
	}
	return task, c, nil
}

func TestScanOfAQuadratic(t *testing.T) {
	var progress []float64
	l, err := Scan(t.Context(), hand(), 5, 7, quadratic, func(done float64) { progress = append(progress, done) })
	require.NoError(t, err)
	assert.Equal(t, []float64{-1, -0.5, 0, 0.5, 1}, []float64{l.at(0), l.at(1), l.at(2), l.at(3), l.at(4)})
	require.Len(t, l.Task, 25)
	assert.Equal(t, 59.0, l.Task[12], "9 + 16, and 1 + 4 + 4 + 25, in the middle")
	assert.Equal(t, 7.0, l.C[12])
	assert.Len(t, progress, 25)
	assert.Equal(t, 1.0, progress[24])
	first, second := Direction(hand(), rand.New(rand.NewPCG(7, 1))), Direction(hand(), rand.New(rand.NewPCG(7, 2)))
	for row := range 5 {
		for column := range 5 {
			a, b, want := l.at(column), l.at(row), 0.0
			for k, w := range hand() {
				for i, v := range w.Values {
					x := float64(v) + a*float64(first[k][i]) + b*float64(second[k][i])
					want += x * x
				}
			}
			assert.InDelta(t, want, l.Task[row*5+column], 1e-4, "a %g b %g", a, b)
		}
	}
	// A sum is linear: opposite points are as far from the middle.
	for i := range 25 {
		assert.InDelta(t, 14, l.C[i]+l.C[24-i], 1e-4)
	}
	again, err := Scan(t.Context(), hand(), 5, 7, quadratic, func(float64) {})
	require.NoError(t, err)
	assert.Equal(t, l, again)
	other, err := Scan(t.Context(), hand(), 5, 8, quadratic, func(float64) {})
	require.NoError(t, err)
	assert.NotEqual(t, l.Task, other.Task)
}

func TestScanEnds(t *testing.T) {
	quiet := func(float64) {}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err := Scan(ctx, hand(), 5, 1, func(values [][]float32) (float64, float64, error) {
		calls++
		if calls == 3 {
			cancel()
		}
		return quadratic(values)
	}, quiet)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 3, calls)
	_, err = Scan(t.Context(), hand(), 5, 1,
		func([][]float32) (float64, float64, error) { return 0, 0, errors.New("out of memory") }, quiet)
	require.EqualError(t, err, "out of memory")
	_, err = Scan(t.Context(), hand(), 5, 1, func([][]float32) (float64, float64, error) {
		return math.NaN(), 0,
			nil
	}, quiet)
	messagetest.Names(t, err, "a = -1.0, b = -1.0 … NaN")
}

func ExampleScan() {
	weights := []Weight{{Path: "w", Values: []float32{3, 4}, Filters: 1, Run: 2}}
	l, err := Scan(context.Background(), weights, 3, 1, quadratic, func(float64) {})
	fmt.Println(l.Task[4], err) // the middle
	// Output: 25 <nil>
}
