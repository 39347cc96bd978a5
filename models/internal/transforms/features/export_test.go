package features

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models/internal/onnxtest"
	"github.com/clusterpool/ccp/models/onnx"
	"github.com/stretchr/testify/require"
)

// drawnHeights returns heights of sensors, of which two are equal.
func drawnHeights(rng *rand.Rand, sensors int) []float32 {
	heights := make([]float32, sensors)
	for i := range heights {
		heights[i] = float32(rng.NormFloat64())
	}
	heights[1] = heights[0]
	return heights
}

// The nodes of an ONNX model compute the features of each transform as the host does, for recordings of many lengths.
func TestExportTransforms(t *testing.T) {
	compare := onnxtest.New(t)
	const columns = 34
	rng := rand.New(rand.NewPCG(4, 4))
	edges := []affinity.Edge{{I: 0, J: 5, Weight: 3}} // of a path, chords and a node apart
	for step := 1; step <= 4; step++ {
		for i := range columns/2 - 1 - step {
			edges = append(edges, affinity.Edge{I: i, J: i + step, Weight: 1})
		}
	}
	links, err := affinity.New(columns/2, edges)
	require.NoError(t, err)
	shape := Shape{Columns: columns, Channels: 2, Length: 40, Longest: 90, Frames: 7, Features: 1000, Groups: 4,
		Links: links, Directed: [][2]int{{5, 0}, {2, 3}},
		Heights: [][]float32{drawnHeights(rng, columns/2), make([]float32, columns/2)}, Placed: true}
	scaling := unscaled(columns)
	sample := func(timepoints int) (values []float32) {
		for range timepoints * columns {
			values = append(values, float32(rng.NormFloat64()))
		}
		for at := range 5 { // a constant piece
			values[(len(values)/columns-1-min(at, timepoints-1))*columns] = 1
		}
		return values
	}
	lengths, recordings := []int{40, 90, 300, 33, 12, 7, 3, 2, 1}, map[int][]float32{}
	for _, timepoints := range lengths {
		recordings[timepoints] = sample(timepoints)
	}
	training := Training{scaling, [][]float32{sample(40), sample(31)}, []int32{0, 0}}
	for _, transform := range All {
		require.Empty(t, transform.Lacks(shape), transform.Name)
		m := transform.New(shape)
		if d, ok := m.(DrawnMap); ok {
			require.NoError(t, d.Draw(t.Context(), training, 5))
		}
		for _, timepoints := range lengths {
			g, r, want := new(onnx.Graph), new(Recording), make([]float32, m.Width())
			g.Named("features", "Identity", m.Export(g, g.Input("x", "batch", columns, "timepoints")))
			g.Output("features", "batch", m.Width())
			scaling.Read(r, recordings[timepoints])
			m.Features(r, want)
			name := fmt.Sprintf("%s of %d", transform.Name, timepoints)
			compare.Add(t, name, g, slices.Concat(r.Columns...), want, 1, columns, timepoints)
		}
	}
	compare.Run(t)
}
