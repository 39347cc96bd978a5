//go:build cgo

package training

import (
	"context"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A network's trial, its training and other seeds share the program of a step.
func TestProgramOfAnyLength(t *testing.T) {
	backend := backendtest.XLA(t)
	ctx := context.Background()
	asked := ringConfig(writeRing(t, 60))
	p, err := draft(asked, "")
	require.NoError(t, err)
	d, err := p.LoadData(ctx, backend, Options{})
	require.NoError(t, err)
	c, spec, err := p.resolve(d)
	require.NoError(t, err)
	var alive []int64
	for steps := range 3 {
		store := spec.NewStore(int64(steps))
		_, err = spec.Prepare(ctx, backend, store, d.Affinity, d.Coordinates, nil)
		require.NoError(t, err)
		e, err := compileStep(NewTrainer(backend, store, c, spec, d.Affinity, 1+steps), inputOf(c, spec), 1)
		require.NoError(t, err)
		defer e.Finalize()
		alive = append(alive, pjrt.LoadedExecutablesAlive())
	}
	assert.Equal(t, alive[0], alive[1])
	assert.Equal(t, alive[0], alive[2])
}
