package serve

import (
	"context"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/stretchr/testify/assert"
)

// A long recording's windows end with the request.
func TestWindowsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	looks := 0
	ended := func() error {
		looks++
		if looks == 2 {
			cancel()
		}
		return ctx.Err()
	}
	r := recording.Recording{Sensors: []string{"a"}, Channels: 1, Values: make([]float64, 8)}
	_, err := new(classify.Samples).Cut(ended, &recording.Form{}, 0, r, make([]recording.Window, 8))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, looks)
}

// The answer about windows has a prediction of each, and of each recording, for which a request takes memory.
func TestPredictionsOfWindowsAreCounted(t *testing.T) {
	d := &inferRequest{Samples: classify.Samples{Signals: make([][]float32, 3), Of: []int{0, 0, 1}}}
	assert.Equal(t, 3, d.count())
	d.Windows = make([]recording.Window, 3)
	assert.Equal(t, 5, d.count())
}
