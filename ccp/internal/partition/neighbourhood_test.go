package partition_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A path 0-1-2-3, node 4 alone with 0 and 1, and node 5 alone with 2 and 3.
func TestNeighbourhoodsHoldNodesWithoutLinks(t *testing.T) {
	m, err := affinity.New(6, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 3}, {I: 2, J: 3, Weight: 1}})
	require.NoError(t, err)
	cluster := []int32{0, 0, 1, 1, 0, 1}
	nodes, ranks := partition.Neighbourhoods(m, cluster, 2, 3, rank)
	assert.Equal(t, []int32{0, 1, 4, 2, 3, 5}, nodes, "before nodes of another cluster, though those are linked")
	assert.Equal(t, []float64{2, 2, partition.Unlinked, 2, 2, partition.Unlinked}, ranks)
	nodes, ranks = partition.Neighbourhoods(m, cluster, 2, 5, rank)
	assert.Equal(t, []int32{2, 0, 1, 4, 3, 1, 2, 3, 5, 0}, nodes, "the last places are filled up at rank 0")
	assert.Equal(t, []float64{3, 2, 2, partition.Unlinked, 0, 3, 2, 2, partition.Unlinked, 0}, ranks)
	assert.Positive(t, float32(partition.Unlinked))
	nodes, _ = partition.Neighbourhoods(m, []int32{0, 0, 1, 1, 1, 1}, 2, 3, rank)
	assert.Equal(t, []int32{2, 0, 1}, nodes[:3], "a cluster whose members are linked selects by rank alone")
}

// rank doubles the links of members, as the layer's does.
func rank(membership, links float64) float64 { return (1 + membership) * links }
