package features

import (
	"fmt"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models/onnx"
)

var averagesTransform = Transform{
	Name:         "averages",
	Option:       "averages",
	Lacks:        lacksAverages,
	New:          newAverages,
	Prior:        1,
	UsesKernel:   true,
	InForest:     always,
	KnowsSensors: true,
	AlongLinks:   true,
}

// averages is the map to a signal's values, averaged over the nodes around each: over 2 and over 8 steps of a lazy
// random walk. They tell in which region something is, where single values are noise.
type averages struct{ alongLinks }

// averageSteps are the numbers of steps of the walk after which the values are features.
var averageSteps = []int{2, 8}

// newAverages opens the map, with as many frames of a recording as the width allows.
func newAverages(s Shape) Map {
	m := &averages{newAlongLinks(s)}
	for m.frames > 1 && m.Width() > MostValues {
		m.frames--
	}
	return m
}

func lacksAverages(s Shape) string {
	if lacks := lacksGraph(s); lacks != "" {
		return lacks
	}
	if s.Columns*len(averageSteps) > 2*MostValues {
		return fmt.Sprintf("at most %d values of a time point", 2*MostValues/len(averageSteps))
	}
	return ""
}

// Width implements Map.
func (m *averages) Width() int { return m.sensors * m.channels * m.frames * len(averageSteps) }

// Features writes `[channels, frames, averageSteps, sensors]`.
func (m *averages) Features(r *Recording, out []float32) {
	x, spare := make([]float32, m.sensors), make([]float32, m.sensors)
	frames := make([]float32, m.sensors*m.frames) // `[sensors, frames]`
	for channel := range m.channels {
		for s := range m.sensors {
			recording.Resample(frames[s*m.frames:(s+1)*m.frames], r.Columns[s*m.channels+channel], 1)
		}
		for f := range m.frames {
			for s := range x {
				x[s] = frames[s*m.frames+f]
			}
			taken := 0
			for _, steps := range averageSteps {
				m.walk.steps(x, spare, steps-taken)
				taken = steps
				out = out[copy(out, x):]
			}
		}
	}
}

// Export implements Map.
func (m *averages) Export(g *onnx.Graph, x string) string {
	x = sensorsLast(g, g.Resample(x, m.frames), m.sensors, m.channels*m.frames)
	all, taken := []any{onnx.Axis(2)}, 0
	for _, steps := range averageSteps {
		x = m.walk.export(g, x, steps-taken)
		taken, all = steps, append(all, x)
	}
	return g.Op("Flatten", g.Op("Concat", all...))
}
