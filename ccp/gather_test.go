package ccp

import (
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Reading samples by themselves, as several devices do, gives what reading the rows of all gives, and so does adding
// up. Node 2 is picked twice, node 1 never.
func TestPicked(t *testing.T) {
	signal := [][][]float32{{{1, 2}, {3, 4}, {5, 6}}, {{-1, -2}, {-3, -4}, {-5, -6}}}
	slots := [][][]float32{{{1, 2}, {10, 20}, {100, 200}, {0, 0}}, {{3, 4}, {0, 0}, {0, 0}, {7, 8}}}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		for _, bySample := range []bool{false, true} {
			out, err := CallOnceN(backend, func(signal, neighbourhood, v *Node) []*Node {
				p := pick(signal, neighbourhood)
				if bySample {
					p.rows = nil
				}
				return []*Node{p.gather(signal), p.scatter(v)}
			}, signal, [][]int32{{2, 0}, {2, 0}}, slots)
			require.NoError(t, err)
			assert.Equal(t, [][][]float32{
				{{5, 6}, {1, 2}, {5, 6}, {1, 2}},
				{{-5, -6}, {-1, -2}, {-5, -6}, {-1, -2}},
			}, out[0].Value())
			assert.Equal(t, [][][]float32{{{10, 20}, {0, 0}, {101, 202}}, {{7, 8}, {0, 0}, {3, 4}}}, out[1].Value())
		}
	})
}

// Where it is known which slots read each node, their values add up to what scatter gives, to the last bit. Node 1 is
// read by no slot, and node 2 by one whose gate is 0.
func TestReaders(t *testing.T) {
	nodes, gates := []int32{2, 0, 2, 0, 3, 2, 0, 3}, []float32{1, 1, 1, 1, 1, 0, 1, 1}
	by := readers(nodes, gates, 4)
	require.Equal(t, []int32{1, 3, 6, -1, -1, -1, 0, 2, -1, 4, 7, -1}, by)
	assert.Nil(t, readers([]int32{0, 0, 0, 0, 0, 1, 2, 3}, gates, 4), "a node with many readers")
	v := make([][][]float32, 3)
	for b := range v {
		for slot := range nodes {
			v[b] = append(v[b], []float32{1 / float32(3+b+slot), -1e7 * float32(slot), 1 / float32(7*slot+b+1)})
		}
	}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		out, err := CallOnceN(backend, func(v, neighbourhood, gate, by *Node) []*Node {
			p := pick(Zeros(v.Graph(), shapes.Make(dtypes.Float32, 3, 4, 3)), neighbourhood)
			return []*Node{p.scatter(Mul(v, Reshape(gate, 1, 8, 1))), p.sum(v, by)}
		}, v, [][]int32{nodes[:2], nodes[2:4], nodes[4:6], nodes[6:]}, gates, [][]int32{by[:3], by[3:6], by[6:9], by[9:]})
		require.NoError(t, err)
		assert.Equal(t, out[0].Value(), out[1].Value())
	})
}
