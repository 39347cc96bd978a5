package training_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A result says why no network predicts: it could gain too little to be tried, or did not come near the transforms. It
// is there after the training, too.
func TestWhyThereIsNoNetwork(t *testing.T) {
	mixed := risen
	mixed.change = func(values []float32, labels []int32) {
		for i, label := range labels {
			if i%6 >= 4 { // a third of each class looks like the other
				label = 1 - label
			}
			for at := 12; at < 40; at++ {
				values[(i*2+int(label))*40+at] += 3
			}
		}
	}
	for _, c := range []struct {
		of   lot
		says string
	}{
		{risen, "no network … 15 samples … 0.1 nats … chance"},
		{mixed, "network … given up … 15 samples … after 4 of 8 steps"},
	} {
		path, dir := c.of.write(t, 1), filepath.Join(t.TempDir(), "run")
		asked := training.Patch{"data": path, "transforms": "values", "steps": 8, "learning_rate": 1e-9}
		for range 2 { // the second ends at once
			result, err := training.Train(t.Context(), backendtest.Go(t), asked, training.Options{Dir: dir})
			require.NoError(t, err)
			messagetest.Names(t, errors.New(result.NoNetwork), c.says)
		}
		kept, err := training.ReadResult(dir)
		require.NoError(t, err)
		assert.NotEmpty(t, kept.NoNetwork)
	}
}
