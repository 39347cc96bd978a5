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
