package transforms

import (
	"fmt"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models/onnx"
)

// averages is a map of a signal's values, averaged over the nodes around each: over 2 and over 8 steps of a lazy random walk. They
// tell in which region something is, where single values are noise.
type averages struct {
	channels, sensors, frames int
	walk                      *walk
}

var averaged = []int{2, 8} // steps

func newAverages(h header) featureMap {
	m := &averages{channels: h.Channels, sensors: h.Columns / h.Channels, frames: max(1, min(h.Length, mostScattered)), walk: newWalk(h.links)}
	for m.frames > 1 && m.width() > MostValues {
		m.frames--
	}
	return m
}

func (h header) lacksAverages() string {
	if lacks := h.lacksScattering(); lacks != "" {
		return lacks
	}
	if h.Columns*len(averaged) > 2*MostValues {
		return fmt.Sprintf("at most %d values of a time point", 2*MostValues/len(averaged))
	}
	return ""
}

func (m *averages) width() int { return m.sensors * m.channels * m.frames * len(averaged) }

func (m *averages) features(w *work, out []float32) {
	x, spare, frames := make([]float32, m.sensors), make([]float32, m.sensors), make([]float32, m.sensors*m.frames)
	for channel := range m.channels {
		for s := range m.sensors {
			recording.Resample(frames[s*m.frames:(s+1)*m.frames], w.columns[s*m.channels+channel][:w.timepoints], 1)
		}
		for f := range m.frames {
			for s := range x {
				x[s] = frames[s*m.frames+f]
			}
			taken := 0
			for _, steps := range averaged {
				m.walk.steps(x, spare, steps-taken)
				taken = steps
				out = out[copy(out, x):]
			}
		}
	}
}

func (m *averages) export(g *onnx.Graph, x string) string {
	x = turned(g, g.Resample(x, m.frames), m.sensors, m.channels*m.frames)
	all, taken := []any{onnx.Axis(2)}, 0
	for _, steps := range averaged {
		x = m.walk.export(g, x, steps-taken)
		taken, all = steps, append(all, x)
	}
	return g.Op("Flatten", g.Op("Concat", all...))
}
