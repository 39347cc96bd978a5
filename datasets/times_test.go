package datasets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
)

// Times in nanoseconds since 1970 make the series that the same times from 0 make; steps of 1 and 2 µs stay those.
func TestTimesInNanoseconds(t *testing.T) {
	a, lengths := lab()
	a = a.with("lengths", vectorOf(lengths...))
	from := []int64{0, 1000, 3000, 4000, 6000, 7000}
	small := a.with("times", vectorOf(from...)).load(t, Options{})
	assert.NotContains(t, strings.Join(small.Notes, "\n"), "float64")
	const begin = 1_700_000_000_000_000_123
	var since, each []int64
	var unsigned []uint64
	for i := range 10 {
		for at, ns := range from {
			if i == 0 {
				since, unsigned = append(since, begin+ns), append(unsigned, uint64(begin+ns))
			}
			if at >= int(lengths[i]) {
				each = append(each, 0) // what stands after the end of a recording
				continue
			}
			each = append(each, begin+1e15*int64(i)+ns)
		}
	}
	for _, times := range []*npz.Array{vectorOf(since...), {Shape: []int{10, 6}, Data: each},
		{Shape: []int{6}, Data: unsigned}} {
		d := a.with("times", times).load(t, Options{})
		assert.Equal(t, small.Series, d.Series)
		assert.Equal(t, small.Form.Rate, d.Form.Rate)
		messagetest.OneNames(t, d.Notes, "times … more digits … float64 … first")
	}
}

// A file without rate and times is told to have the training's rate, if that had one.
func TestSeriesWithoutTimes(t *testing.T) {
	a, lengths := lab()
	a = a.with("lengths", vectorOf(lengths...))
	form := a.with("rate", &npz.Array{Data: []float64{50}}).load(t, Options{}).Form
	read := func() (samples [][]string, file string) {
		raw, err := ReadSeries(a.write(t), form, false, nil)
		require.NoError(t, err)
		return raw.SampleNotes, strings.Join(raw.Warnings, "\n")
	}
	_, file := read()
	assert.NotContains(t, file, "no times")
	a.with("rate", nil)
	samples, file := read()
	messagetest.Names(t, file, "series[0] … no times … 50 time points")
	require.Len(t, samples, len(lengths))
	for _, notes := range samples {
		messagetest.OneNames(t, notes, "no times … 50 time points … second")
	}
	a.with("times", vectorOf[int64](0, 1, 2, 3, 4, 5))
	_, file = read()
	assert.NotContains(t, file, "no times")
}
