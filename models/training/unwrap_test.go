package training

import (
	"errors"
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a graph-building function panics with reaches a person as it is.
func TestPlain(t *testing.T) {
	exec, err := model.NewExec(backendtest.Go(t), model.NewStore(), func(_ *model.Scope, g *Graph) []*Node {
		exceptions.Panicf("dropout rate 2 is outside [0, 1)")
		return nil
	})
	require.NoError(t, err)
	_, err = exec.Call()
	require.ErrorContains(t, err, "graph construction/compilation", "else there is nothing to take away")
	assert.EqualError(t, unwrapGoMLX(err), "dropout rate 2 is outside [0, 1)")
	assert.EqualError(t, unwrapGoMLX(fmt.Errorf("Loop.RunSteps(38): failed TrainStep(LoopStep=0): %w", err)),
		"dropout rate 2 is outside [0, 1)")

	other := fmt.Errorf("saving: %w", errors.New("disk full"))
	assert.Equal(t, other, unwrapGoMLX(other))
	bare := errors.New("Loop.RunSteps(38): failed")
	assert.Equal(t, bare, unwrapGoMLX(bare), "nothing within")
	assert.NoError(t, unwrapGoMLX(nil))
}
