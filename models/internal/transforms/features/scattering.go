package features

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	leastNodes      = 16   // of a graph, for transforms that average along its links
	mostGraphFrames = 8    // frames that such a transform has of a recording
	scatteringWidth = 4000 // features of the transform scattering, if its frames can be few enough
	walkScales      = 7    // 0, 1, 2, 4, 8, 16 and 32 steps of the walk
)

var scatteringTransform = Transform{
	Name:         "scattering",
	Option:       "scattering",
	Lacks:        lacksGraph,
	New:          newScattering,
	Prior:        1,
	InForest:     always,
	KnowsSensors: true,
	AlongLinks:   true,
}

// scattering is the map to what a signal looks like on the graph, whatever its place there (Gao, Wolf and Hirn 2019).
// Values of the nodes, their changes from frame to frame, their mean and their deviation over the frames are averaged
// over 0, 1, 2, 4, 8, 16 and 32 steps of a lazy random walk. Features are quantiles over all nodes of each average,
// and of the absolute differences between successive ones, and the logarithms of their variances.
type scattering struct{ alongLinks }

// nodeQuantiles are the quantiles over all nodes that are features.
var nodeQuantiles = []float64{0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1}

// newScattering opens the map, with as many frames of a recording as the width allows.
func newScattering(s Shape) Map {
	m := &scattering{newAlongLinks(s)}
	for m.frames > 1 && m.Width() > scatteringWidth {
		m.frames--
	}
	return m
}

// lacksGraph returns what recordings lack for transforms that average along links.
func lacksGraph(s Shape) string {
	if s.Links == nil || s.Links.N() < leastNodes || s.Links.Edges() == 0 {
		return fmt.Sprintf("a graph of at least %d nodes or sensors", leastNodes)
	}
	return ""
}

// stepsTo returns how many steps lead from the scale before to this one.
func stepsTo(scale int) int { return max(1, 1<<(scale-1)/2) }

// nodeValues is the number of values of a node that are averaged.
func (m *scattering) nodeValues() int {
	if m.frames == 1 {
		return m.channels
	}
	return m.channels * (2*m.frames + 1)
}

// Width implements Map.
func (m *scattering) Width() int {
	return m.nodeValues() * (2*walkScales - 1) * (len(nodeQuantiles) + 1)
}

// Features writes `[channels, values, {average, and but for the first scale its difference from the last}, quantiles
// and variance]`.
func (m *scattering) Features(r *Recording, out []float32) {
	x, last, spare := make([]float32, m.sensors), make([]float32, m.sensors), make([]float32, m.sensors)
	values := make([][]float32, m.sensors)
	for channel := range m.channels {
		for sensor := range values {
			values[sensor] = m.valuesOf(r.Columns[sensor*m.channels+channel])
		}
		for at := range values[0] {
			for sensor, of := range values {
				x[sensor] = of[at]
			}
			for scale := range walkScales {
				if scale > 0 {
					copy(last, x)
					m.walk.steps(x, spare, stepsTo(scale))
					for i := range last {
						last[i] = float32(math.Abs(float64(last[i] - x[i])))
					}
					out = r.summarise(last, out)
				}
				out = r.summarise(x, out)
			}
		}
	}
}

// valuesOf returns a column's frames and, if there are several, the differences of successive ones, and the mean and
// the standard deviation of all time points.
func (m *scattering) valuesOf(column []float32) []float32 {
	values := make([]float32, m.frames, 2*m.frames+1)
	recording.Resample(values, column, 1)
	if m.frames == 1 {
		return values
	}
	for f := range m.frames - 1 {
		values = append(values, values[f+1]-values[f])
	}
	mean, variance := moments(column)
	return append(values, float32(mean), float32(math.Sqrt(variance)))
}

// summarise writes quantiles of x and the logarithm of its variance at the beginning of out, and returns the rest of
// out.
func (r *Recording) summarise(x, out []float32) []float32 {
	positions := r.ascending(x)
	for q, share := range nodeQuantiles {
		out[q] = x[uint32(positions[int(math.Round(share*float64(len(x)-1)))])]
	}
	_, variance := moments(x)
	out[len(nodeQuantiles)] = float32(math.Log(variance + powerFloor))
	return out[len(nodeQuantiles)+1:]
}

// Export implements Map.
func (m *scattering) Export(g *onnx.Graph, x string) string {
	values := g.Resample(x, m.frames)
	if m.frames > 1 {
		mean, deviations := g.Centred(g.To(onnx.Double, x))
		deviation := g.Op("Sqrt", g.Variance(deviations))
		values = g.Op("Concat", values, g.Steps(values), g.To(onnx.Float, mean), g.To(onnx.Float, deviation), onnx.Axis(2))
	}
	average := sensorsLast(g, values, m.sensors, m.nodeValues())
	all := []any{onnx.Axis(2)}
	for scale := range walkScales {
		if scale > 0 {
			last := average
			average = m.walk.export(g, average, stepsTo(scale))
			all = append(all, exportSummary(g, g.Op("Abs", g.Op("Sub", last, average)), m.sensors)...)
		}
		all = append(all, exportSummary(g, average, m.sensors)...)
	}
	return g.Op("Flatten", g.Op("Concat", all...))
}

// exportSummary adds the ONNX nodes of summarise, for values `[batch, values, nodes]`. It returns the quantiles and
// the logarithms.
func exportSummary(g *onnx.Graph, x string, nodes int) []any {
	_, deviations := g.Centred(g.To(onnx.Double, x))
	variance := g.Variance(deviations)
	positions := make([]int, len(nodeQuantiles))
	for q, share := range nodeQuantiles {
		positions[q] = int(math.Round(share * float64(nodes-1)))
	}
	return []any{
		g.Op("Gather", g.Sorted(x), positions, onnx.Axis(2)),
		g.To(onnx.Float, g.Op("Log", g.Op("Add", variance, powerFloor))),
	}
}
