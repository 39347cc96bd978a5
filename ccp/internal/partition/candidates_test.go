package partition_test

import (
	"context"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/internal/partition"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCandidatesOfAPath(t *testing.T) {
	m, err := affinity.New(7, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}, {I: 2, J: 3, Weight: 2},
		{I: 3, J: 4, Weight: 1}, {I: 4, J: 5, Weight: 1}})
	require.NoError(t, err)
	cluster := []int32{0, 0, 1, 1, 2, 2, 3} // node 6 has no edge
	assert.Equal(t, cluster, partition.Candidates(m, cluster, 4, 1), "one candidate is the own cluster")
	assert.Equal(t, []int32{
		0, 1, // node 0: cluster 1 is two steps away
		0, 1, 0, 1, 1, 2, 1, 2,
		1, 2, // node 5: cluster 1 is two steps away
		0, 3, // node 6: the next cluster there is
	}, partition.Candidates(m, cluster, 4, 2))
	all := partition.Candidates(m, cluster, 4, 4)
	for i := range 7 {
		assert.Equal(t, []int32{0, 1, 2, 3}, all[4*i:4*i+4], "node %d", i)
	}
}

func TestCandidatesAreSpread(t *testing.T) {
	edges := make([]affinity.Edge, 0, 99)
	for i := 1; i < 100; i++ { // a star: everything is linked to the cluster of node 0
		edges = append(edges, affinity.Edge{I: 0, J: i, Weight: 1})
	}
	m, err := affinity.New(100, edges)
	require.NoError(t, err)
	cluster, _, err := partition.Search(context.Background(), m, 20, 5, 0, nil)
	require.NoError(t, err)
	const c = 3
	of := partition.Candidates(m, cluster, 20, c)
	count := make([]int, 20)
	for i := range 100 {
		row := of[i*c : (i+1)*c]
		assert.Contains(t, row, cluster[i])
		assert.True(t, slices.IsSorted(row) && row[0] != row[1] && row[1] != row[2], "node %d: %v", i, row)
		for _, k := range row {
			count[k]++
		}
	}
	assert.LessOrEqual(t, slices.Max(count), 4*100*c/20+1)
}
