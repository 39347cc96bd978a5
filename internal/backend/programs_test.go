//go:build cgo

package backend_test

import (
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two programs of one text are compiled once. Each is freed by itself, and another text is another program.
func TestCompiledOnce(t *testing.T) {
	xla := backendtest.XLA(t)
	programs := xla.(interface{ Compiled() int64 })
	vector := shapes.Make(dtypes.Float32, 3)
	var uses []*Exec
	plus := float32(rand.IntN(1 << 20)) // a text that no test before has compiled
	compiled := func(times float64) int64 {
		before := programs.Compiled()
		exec, err := NewExec(xla, func(x *Node) *Node { return AddScalar(MulScalar(x, times), plus) })
		require.NoError(t, err)
		_, err = exec.Compile(vector)
		require.NoError(t, err)
		uses = append(uses, exec)
		return programs.Compiled() - before
	}
	assert.Equal(t, int64(1), compiled(2))
	assert.Equal(t, int64(0), compiled(2), "the same program")
	assert.Equal(t, int64(1), compiled(3), "another program")
	uses[0].Finalize()
	for i, want := range []float32{2 + plus, 3 + plus} {
		result, err := uses[i+1].Call1([]float32{1, 2, 3})
		require.NoError(t, err)
		assert.Equal(t, want, result.Value().([]float32)[0])
	}
	for i := range 70 { // more than stay compiled
		compiled(4 + float64(i))
	}
	result, err := uses[1].Call1([]float32{1, 2, 3})
	require.NoError(t, err)
	assert.Equal(t, []float32{2 + plus, 4 + plus, 6 + plus}, result.Value(), "in use, although others came after it")
	assert.Equal(t, int64(1), compiled(2), "forgotten")
}
