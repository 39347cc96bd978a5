package models

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A path of three nodes and one that is linked to none: by hand.
func TestAround(t *testing.T) {
	graph, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}})
	require.NoError(t, err)
	around := func(changes map[string]any) (nodes []int32, present []float32) {
		changes["ccp_stem"] = 2
		s := Spec{Model: "ccp", Info: signal.Info{Nodes: 4}, Options: settings(changes)}
		nodes, present, err := s.preparation(graph).Input(model.NewStore().RootScope())
		require.NoError(t, err)
		return nodes, present
	}
	nodes, present := around(map[string]any{"ccp_reach": 2})
	assert.Equal(t, []int32{0, 1, 0, 1, 1, 2, 3, 0}, nodes)
	assert.Equal(t, []float32{1, 1, 1, 1, 1, 1, 1, 0}, present)

	nodes, present = around(map[string]any{"ccp_reach": 9})
	assert.Equal(t, []int32{0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2, 0, 3, 0, 0, 0}, nodes,
		"it reaches no more nodes than there are")
	assert.Equal(t, []float32{1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0}, present)

	nodes, present = around(map[string]any{"ccp_reach": 3, "ccp_slots": "directed", "ccp_hierarchy": "prepared"})
	middle := map[int32]bool{nodes[3]: true, nodes[4]: true, nodes[5]: true}
	assert.Len(t, middle, 3)
	assert.Equal(t, []float32{1, 1, 1}, present[3:6])
	assert.Equal(t, []int32{0, 1, 2, 3}, []int32{nodes[0], nodes[3], nodes[6], nodes[9]},
		"the slot without displacement comes first")
	assert.Equal(t, []float32{1, 0, 0}, present[9:])
}
