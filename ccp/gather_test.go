package ccp

import (
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Reading samples by themselves, as several devices do, gives what reading the rows of all gives, and so does adding up. Node 2 is
// picked twice, node 1 never.
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
			assert.Equal(t, [][][]float32{{{5, 6}, {1, 2}, {5, 6}, {1, 2}}, {{-5, -6}, {-1, -2}, {-5, -6}, {-1, -2}}}, out[0].Value())
			assert.Equal(t, [][][]float32{{{10, 20}, {0, 0}, {101, 202}}, {{7, 8}, {0, 0}, {3, 4}}}, out[1].Value())
		}
	})
}
