package backend_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A sum that is written over its first addend takes no memory of its own. It is right also if the caller keeps that
// addend.
func TestReuse(t *testing.T) {
	reused := false
	sum := func(a, b *Node) *Node {
		reused = backend.Reuse(a, 0)
		return Add(a, b)
	}
	for opened, want := range map[compute.Backend]bool{backendtest.XLA(t): true, backendtest.Go(t): false} {
		exec, err := NewExec(opened, sum)
		require.NoError(t, err)
		a, b := tensors.FromValue([]float32{1, 2, 3}), tensors.FromValue([]float32{10, 20, 30})
		for range 2 {
			out, err := exec.Call1(a, b)
			require.NoError(t, err)
			assert.Equal(t, []float32{11, 22, 33}, out.Value())
			assert.Equal(t, []float32{1, 2, 3}, a.Value())
		}
		assert.Equal(t, want, reused)
		given, err := DonateTensorBuffer(a, opened, 0)
		require.NoError(t, err)
		out, err := exec.Call1(given, b)
		require.NoError(t, err)
		assert.Equal(t, []float32{11, 22, 33}, out.Value())
	}
}

func TestIsOutOfMemory(t *testing.T) {
	for _, text := range []string{
		"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 268435456 bytes",
		"PJRT error (code=8): failed to allocate 1.0GiB",
		"cuda: out of memory",
	} {
		assert.True(t, backend.IsOutOfMemory(fmt.Errorf("step 3: %w", errors.New(text))), text)
	}
	assert.False(t, backend.IsOutOfMemory(errors.New("PJRT error (code=3): wrong shape")))
	assert.False(t, backend.IsOutOfMemory(nil))
}
