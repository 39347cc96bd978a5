package training

import (
	"math"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each prediction has a loss of its own. All predictions of a sample share its label.
func TestLossOfEachPrediction(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		z := [][][]float64{{{1, 2}, {0, 3}, {-1, 0.5}}, {{0.3, -2}, {4, 1}, {2, 2}}}
		labels, want := []int32{1, 0}, 0.0
		for i := range z {
			for _, z := range z[i] {
				want += (math.Log(math.Exp(z[0])+math.Exp(z[1])) - z[labels[i]]) / 6
			}
		}
		out, err := CallOnce(backend, func(z, labels *Node) *Node {
			return ReduceAllMean(ofEachPrediction(smoothedCrossEntropy(0))([]*Node{Reshape(labels, 2, 1)}, []*Node{z}))
		}, z, labels)
		require.NoError(t, err)
		assert.InDelta(t, want, out.Value().(float64), 1e-12)
	})
}
