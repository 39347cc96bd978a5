package explain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSpread(t *testing.T) {
	assert.Equal(t, []int{4, 6, 8}, spread([]int{4, 5, 6, 7, 8, 9}, 3))
	assert.Equal(t, []int{4, 5, 7}, spread([]int{4, 5, 6, 7, 8}, 3))
	assert.Equal(t, []int{4, 5}, spread([]int{4, 5}, 0))
	assert.Equal(t, []int{4, 5}, spread([]int{4, 5}, 3))
	assert.Empty(t, spread(nil, 3))
}

func TestBodySums(t *testing.T) {
	nodes := []Contribution{{0, "head@0", 1, 1}, {1, "left hand@0", -4, 4}, {2, "head@1", -1, 1}, {3, "left hand@1", 0, 0.5}}
	joints, frames := bodySums(nodes, []int{2, 2}, []string{"head", "left hand"})
	assert.Equal(t, []Contribution{{1, "left hand", -4, 4.5}, {0, "head", 0, 2}}, joints)
	assert.Equal(t, []Contribution{{0, "frame 0", -3, 5}, {1, "frame 1", -1, 1.5}}, frames)
	joints, _ = bodySums(nodes, []int{2, 2}, nil)
	assert.Equal(t, "joint 1", joints[0].Name)
}
