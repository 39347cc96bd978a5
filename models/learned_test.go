package models

import (
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/hierarchy"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gridLevels reads the levels of a network on a 6x6 grid, before it is trained.
func gridLevels(t *testing.T, backend compute.Backend, options map[string]any) (levels hierarchy.Levels,
	graph *affinity.Matrix) {
	t.Helper()
	graph, err := affinity.Grid(6, 6, 8)
	require.NoError(t, err)
	spec := Spec{Options: DefaultOptions(), Model: "ccp", Levels: mustLevels("9x4/16,4x4/9,1x4/4"), Hidden: nil,
		Info: signal.Info{Nodes: 36, Channels: 1, ClassNames: []string{"a", "b"}, Mean: []float32{0},
			Std: []float32{1}}}
	spec.Options = settings(options)
	require.NoError(t, spec.Check())
	m := Metadata{Spec: spec, Data: "grid"}
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(drawn(t, backend, spec, graph)))
	levels, err = c.ClusterLevels(0)
	require.NoError(t, err)
	return levels, graph
}

// With a searched start, nine tenths of each node are in the cluster that the search gives it, also among candidates.
func TestSearchedStart(t *testing.T) {
	onBackends(t, false, func(t *testing.T, backend compute.Backend) {
		prepared, _ := gridLevels(t, backend, map[string]any{"ccp_hierarchy": ccp.Prepared})
		for _, options := range []map[string]any{{"ccp_start": "searched"},
			{"ccp_start": "searched", "ccp_candidates": 4}} {
			learned, _ := gridLevels(t, backend, options)
			for i := range learned[:2] {
				for node := range learned[i].Memberships.Nodes() {
					clusters, weights := learned[i].Memberships.Row(node)
					own, _ := prepared[i].Memberships.Row(node)
					at := slices.Index(clusters, own[0])
					require.GreaterOrEqual(t, at, 0)
					assert.InDelta(t, 0.9, weights[at], 1e-5)
				}
			}
		}
	})
	spec := Spec{Options: DefaultOptions(), Model: "ccp", Levels: mustLevels("4x6/4,1x8/3"), Hidden: nil,
		Info: signal.Info{Nodes: 12, Channels: 1, ClassNames: make([]string, 2)}}
	for _, plan := range []ccp.Plan{ccp.Prepared, ccp.Random} {
		spec.Options = settings(Patch{"ccp_hierarchy": plan, "ccp_start": "searched"})
		messagetest.Option(t, spec.Check(), "ccp_start", "searched", string(plan)+" … leave it out")
	}
}
