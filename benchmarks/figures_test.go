package benchmarks

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Warm-up steps are not timed; the median is of the others.
func TestTime(t *testing.T) {
	calls := 0
	f, err := Time(2, 3, func() error {
		calls++
		if calls <= 2 {
			time.Sleep(20 * time.Millisecond)
		}
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, 5, calls)
	assert.GreaterOrEqual(t, f.WarmupS, 0.04)
	assert.LessOrEqual(t, f.MinMS, f.MedianMS)
	if runtime.GOOS != "windows" {
		assert.Positive(t, f.PeakRSSMB)
	}
	_, err = Time(0, 0, func() error { return errors.New("no memory") })
	assert.EqualError(t, err, "no memory")
}
