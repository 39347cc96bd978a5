package ccp_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rank function has one value in a graph and on the host.
func TestRankIsTheSameOnTheHost(t *testing.T) {
	memberships, links := []float64{0, 1, 0, 1, 0.25}, []float64{3, 3, 0, 0, 2}
	out, err := CallOnce(backendtest.Go(t), ccp.Rank, memberships, links)
	require.NoError(t, err)
	var want []float64
	for i, m := range memberships {
		want = append(want, ccp.RankOnHost(m, links[i]))
	}
	assert.Equal(t, want, tensors.MustCopyFlatData[float64](out))
}
