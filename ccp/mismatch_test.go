package ccp_test

import (
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
	"github.com/stretchr/testify/require"
)

// A prepared hierarchy is refused by a network with other levels, and for a signal on another graph.
func TestHierarchyOfAnotherNetwork(t *testing.T) {
	m, err := affinity.Grid(6, 6, 8)
	require.NoError(t, err)
	h, err := ccp.Prepare(m).Level(4, 9).Done(t.Context())
	require.NoError(t, err)
	learned, err := ccp.Prepare(m).Level(9, 9).Candidates(4).Done(t.Context())
	require.NoError(t, err)
	for _, c := range []struct {
		name            string
		h               *ccp.Hierarchy
		nodes, clusters int
		want            string
	}{
		{"fewer clusters", h, 36, 1,
			"hierarchy … prepared … 1 clusters … 36 nodes"},
		{"other nodes", h, 30, 4, "4 clusters … 30 nodes"},
		{"to be learned", learned, 36, 9, "memberships … learned"},
	} {
		exec, err := model.NewExec(backendtest.Go(t), model.NewStore(), func(scope *model.Scope, g *Graph) *Node {
			x := Zeros(g, shapes.Make(dtypes.Float32, 2, c.nodes, 1))
			x, _ = ccp.New(scope.In("level_1"), x, c.h.Affinity(scope, x), c.clusters, 3).Neighbours(9).Done()
			return x
		})
		require.NoError(t, err)
		failure := exceptions.TryCatch[error](func() { _, err = exec.Exec() })
		if failure == nil {
			failure = err
		}
		messagetest.Names(t, failure, c.want, c.name)
	}
}
