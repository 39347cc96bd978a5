package benchmarks

import (
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The products of the paper's CIFAR-10 network, counted by hand: 2·clusters·L·channels·filters for each level, then the
// dense layers.
func TestFlops(t *testing.T) {
	spec := Architectures["cifar10"]
	w, err := New(backendtest.Go(t), "cifar10", "infer-frozen", 1, nil)
	require.NoError(t, err)
	want := 2.0 * (256*16*3*256 + 64*16*256*384 + 16*8*384*512 + 4*8*512*768 + 1*4*768*1024 + 1024*1024 + 1024*10)
	assert.Equal(t, want, w.Flops)
	assert.Equal(t, 1024, spec.Nodes)
	_, err = New(backendtest.Go(t), "cifar100", "train", 1, nil)
	assert.ErrorContains(t, err, `no architecture "cifar100"`)
	_, err = New(backendtest.Go(t), "cifar10", "test", 1, nil)
	assert.ErrorContains(t, err, `no mode "test"`)
}

// The lattice's inner nodes have 16 neighbours; its network trains and ends in one cluster that sees all that is left.
func TestLattice(t *testing.T) {
	m, err := latticeGraph(20)
	require.NoError(t, err)
	inner, _ := m.Row(10*20 + 10)
	assert.Len(t, inner, 16)
	w, err := New(backendtest.Go(t), "lattice-400", "train", 2, map[string]any{"ccp_hierarchy": "prepared"})
	require.NoError(t, err)
	assert.Equal(t, 1, w.Spec.Levels[len(w.Spec.Levels)-1].Clusters)
	_, err = w.Step()
	require.NoError(t, err)
}
