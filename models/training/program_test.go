//go:build cgo

package training

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A network's trial, its training and other seeds share the program of a step; so does a run that takes over the
// variables of a trial, in their order.
func TestProgramOfAnyLength(t *testing.T) {
	backend := backendtest.XLA(t)
	programs := backend.(interface{ Compiled() int64 })
	ctx := context.Background()
	asked := ringConfig(writeRing(t, 60))
	p, err := draft(asked, nil)
	require.NoError(t, err)
	d, err := p.LoadData(ctx, backend, Options{})
	require.NoError(t, err)
	c, spec, d, err := p.resolve(d)
	require.NoError(t, err)
	c.LearningRate *= 1 + rand.Float64() // no test before has compiled this program
	var compiled []int64
	var trial *model.Store
	for steps := range 4 {
		store := spec.NewStore(int64(steps))
		_, err = spec.Prepare(ctx, backend, store, d.Affinity, d.Coordinates, nil)
		require.NoError(t, err)
		if steps == 3 {
			require.NoError(t, moveVariables(store, trial, pathsOf(trial), false))
		}
		trial = store
		before := programs.Compiled()
		trainer := NewTrainer(backend, store, c, spec, d.Affinity, 1+steps)
		trainer.OnExecCreation(func(*model.Exec, train.GraphType) { // NewTrainer's own has compiled the step
			compiled = append(compiled, programs.Compiled()-before)
		})
		loop := train.NewLoop(trainer)
		_, err = loop.RunSteps(d.Batches(d.Train, datasets.BatchOptions{Size: c.Batch, Steps: 1, DropLast: true}), 1)
		require.NoError(t, err)
	}
	assert.Equal(t, []int64{1, 0, 0, 0}, compiled)
}
