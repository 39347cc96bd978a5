//go:build cgo

package training

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Nothing leaves a buffer of the device to the garbage collector, which does not know how large it is.
func TestNoBufferStays(t *testing.T) {
	backend := backendtest.XLA(t)
	asked := ringConfig(writeRing(t, 200))
	asked["epochs"] = 1
	dir := t.TempDir()
	trainIn(t, backend, asked, dir)
	c, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	d, err := LoadFor(t.Context(), c.Metadata, previewed(asked), datasets.Options{})
	require.NoError(t, err)
	signal := make([]float32, ringNodes*ringChannels)
	d.Signals.Read(0, signal)
	for _, use := range []struct {
		name string
		do   func() error
	}{
		{"Evaluate", func() error { _, err := Evaluate(c, d, d.Train, 16); return err }},
		{"Classify", func() error { _, err := c.Classify(t.Context(), [][]float32{signal}); return err }},
		{"Attribute", func() error {
			_, err := c.Attribute(t.Context(), [][]float32{signal}, models.AttributionOptions{})
			return err
		}},
		{"Health", func() error { _, err := c.Health(0); return err }},
		{"Update", func() error { return c.Update(c.Store()) }},
	} {
		for range 2 { // compiles, and brings the weights to the device
			require.NoError(t, use.do(), use.name)
		}
		runtime.GC()
		collects := debug.SetGCPercent(-1)
		before := pjrt.BuffersAlive()
		for range 3 {
			require.NoError(t, use.do(), use.name)
		}
		assert.LessOrEqual(t, pjrt.BuffersAlive(), before, use.name)
		debug.SetGCPercent(collects)
	}
	require.NoError(t, c.Close())
}
