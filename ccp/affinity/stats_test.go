package affinity

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWalk walks over 3-1-0-2, 1-4 and the pair 5-6 by hand.
func TestWalk(t *testing.T) {
	m, err := New(8, []Edge{{0, 1, 1}, {0, 2, 5}, {1, 3, 1}, {1, 4, 2}, {3, 4, 1}, {5, 6, 1}, {0, 0, 1}})
	require.NoError(t, err)
	far := slices.Repeat([]int32{-1}, 8)
	assert.Equal(t, []int32{3, 1, 4, 0, 2}, m.Walk(3, far))
	assert.Equal(t, []int32{2, 1, 3, 0, 1, -1, -1, -1}, far)
	assert.Equal(t, []int32{6, 5}, m.Walk(6, far), "the other component")
	assert.Equal(t, []int32{7}, m.Walk(7, far), "an isolated node")
	assert.Equal(t, []int32{2, 1, 3, 0, 1, 1, 0, 0}, far)
}
