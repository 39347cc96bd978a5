package datasets

import (
	"testing"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/stretchr/testify/assert"
)

func TestNodeName(t *testing.T) {
	names := func(d Dataset) (names []string) {
		for i := range d.Nodes {
			names = append(names, d.NodeName(i))
		}
		return names
	}
	assert.Equal(t, []string{"the", "cat"}, names(Dataset{Info: signal.Info{Nodes: 2, NodeNames: []string{"the", "cat"}}}))
	assert.Equal(t, []string{"row 0 column 0", "row 0 column 1", "row 1 column 0", "row 1 column 1"},
		names(Dataset{Info: signal.Info{Nodes: 4, Grid: []int{2, 2}}}))
	assert.Equal(t, []string{"node 0", "node 1"}, names(Dataset{Info: signal.Info{Nodes: 2}}))
}
