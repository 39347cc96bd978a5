package malloc_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/malloc"
)

// Tests run in goroutines, so their large blocks need the heap that all threads share.
func TestMain(m *testing.M) {
	_ = os.Unsetenv("CCP_MALLOC")
	malloc.Keep()
	malloc.OneHeap()
	os.Exit(m.Run())
}

// After Keep, the heap keeps what a program took, for the next time. Settle gives it back.
func TestSettle(t *testing.T) {
	const side = 8192 // a matrix of 256 MB
	exec, err := NewExec(backendtest.XLA(t), func(a *Node) *Node {
		m := Sin(Mul(Reshape(a, side, 1), Reshape(a, 1, side)))
		return ReduceAllSum(Mul(m, Dot(m, Reshape(a, side, 1)).Product()))
	})
	require.NoError(t, err)
	a := tensors.FromShape(shapes.Make(dtypes.Float32, side))
	_, err = exec.Call1(a)
	require.NoError(t, err)
	kept := resident(t)
	malloc.Settle()
	assert.Less(t, resident(t), kept-200<<20)
	out, err := exec.Call1(a)
	require.NoError(t, err)
	assert.Equal(t, float32(0), out.Value())
}

// resident is the memory that this process has, in bytes. Linux only.
func resident(t *testing.T) int {
	raw, err := os.ReadFile("/proc/self/statm")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("there is no /proc")
	}
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize()
}
