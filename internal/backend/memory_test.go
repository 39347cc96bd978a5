package backend_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The product of two 256x256 matrices has two of 256 KiB as arguments and one as the result.
func TestMemoryOf(t *testing.T) {
	matrix := shapes.Make(dtypes.Float32, 256, 256)
	exec, err := NewExec(backendtest.XLA(t), func(a, b *Node) *Node { return Dot(a, b).Product() })
	require.NoError(t, err)
	g, err := exec.Compile(matrix, matrix)
	require.NoError(t, err)
	m, ok := backend.MemoryOf(g.Executable())
	require.True(t, ok)
	assert.Equal(t, int64(2*256<<10), m.Arguments)
	assert.Equal(t, int64(256<<10), m.Results)
	assert.Equal(t, m.Arguments+m.Results+m.Temporary+m.Code, m.Peak())

	exec, err = NewExec(backendtest.Go(t), func(a *Node) *Node { return Neg(a) })
	require.NoError(t, err)
	g, err = exec.Compile(matrix)
	require.NoError(t, err)
	_, ok = backend.MemoryOf(g.Executable())
	assert.False(t, ok, "pure Go does not tell")
	for _, changed := range []compute.Executable{nil, renamed{}, &renamed{exec: &usage{}}} {
		_, ok = backend.MemoryOf(changed)
		assert.False(t, ok, "a version of go-xla with other fields")
	}
}

type renamed struct {
	compute.Executable
	exec *usage
}

type usage struct{ OnDeviceMemoryUsageStats struct{ Inputs string } }

// A sum that is written over its first addend takes no memory of its own. It is right also if the caller keeps that addend.
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
		g, err := exec.Compile(b.Shape(), b.Shape())
		require.NoError(t, err)
		if m, ok := backend.MemoryOf(g.Executable()); ok {
			assert.Zero(t, m.Results)
		}
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
