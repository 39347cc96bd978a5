package transforms

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models/onnx"
)

const (
	leastNodes    = 16   // of a graph whose transforms average over it
	mostScattered = 8    // frames that the transform scattering has of a recording
	scatterWidth  = 4000 // features of the transform scattering, about
	scatterScales = 7    // 0, 1, 2, 4, 8, 16 and 32 steps of the walk
)

// scattering is a map of what a signal looks like on the graph, whatever its place there (Gao, Wolf and Hirn 2019). Values of the
// nodes, their changes from frame to frame, their mean and their deviation over the frames are averaged over 0, 1, 2, 4, 8, 16
// and 32 steps of a lazy random walk. Features are quantiles over all nodes of each average, and of the absolute differences between
// successive ones, and the logarithms of their variances.
type scattering struct {
	channels, sensors, frames int
	walk                      *walk
}

// shares are the quantiles.
var shares = []float64{0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1}

func newScattering(h header) featureMap {
	m := &scattering{channels: h.Channels, sensors: h.Columns / h.Channels,
		frames: max(1, min(h.Length, mostScattered)), walk: newWalk(h.links)}
	for m.frames > 1 && m.width() > scatterWidth {
		m.frames--
	}
	return m
}

func (h header) lacksScattering() string {
	if h.links == nil || h.links.N() < leastNodes || h.links.Edges() == 0 {
		return fmt.Sprintf("a graph of at least %d nodes or sensors", leastNodes)
	}
	return ""
}

// maps is the number of values of a node that are averaged.
func (m *scattering) maps() int {
	if m.frames == 1 {
		return m.channels
	}
	return m.channels * (2*m.frames + 1)
}

func (m *scattering) width() int { return m.maps() * (2*scatterScales - 1) * (len(shares) + 1) }

func (m *scattering) features(w *work, out []float32) {
	n := m.sensors
	series, x, last, spare := make([][]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for channel := range m.channels {
		for s := range series { // of the frames, and what is taken of them
			column := w.columns[s*m.channels+channel]
			of := make([]float32, m.frames, 2*m.frames+1)
			recording.Resample(of, column, 1)
			if m.frames > 1 {
				for f := range m.frames - 1 {
					of = append(of, of[f+1]-of[f])
				}
				mean, square := moments(column)
				of = append(of, float32(mean), float32(math.Sqrt(square)))
			}
			series[s] = of
		}
		for at := range series[0] {
			for s, of := range series {
				x[s] = of[at]
			}
			for scale := range scatterScales {
				if scale > 0 {
					copy(last, x)
					m.walk.steps(x, spare, max(1, 1<<(scale-1)/2))
					for i := range last {
						last[i] = float32(math.Abs(float64(last[i] - x[i])))
					}
					out = w.summarise(last, out)
				}
				out = w.summarise(x, out)
			}
		}
	}
}

// summarise writes quantiles and the logarithm of the variance, and returns what is left of out.
func (w *work) summarise(x, out []float32) []float32 {
	places := w.ascending(x)
	for q, share := range shares {
		out[q] = x[uint32(places[int(math.Round(share*float64(len(x)-1)))])]
	}
	_, square := moments(x)
	out[len(shares)] = float32(math.Log(square + floor))
	return out[len(shares)+1:]
}

// moments returns the mean of values, and the mean square of their differences from it.
func moments(x []float32) (mean, square float64) {
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		square += (float64(v) - mean) * (float64(v) - mean) / float64(len(x))
	}
	return mean, square
}

func (m *scattering) export(g *onnx.Graph, x string) string {
	of := g.Resample(x, m.frames)
	if m.frames > 1 {
		mean, deviation := g.Centred(g.To(onnx.Double, x))
		spread := g.Op("Sqrt", g.Variance(deviation))
		of = g.Op("Concat", of, g.Steps(of), g.To(onnx.Float, mean), g.To(onnx.Float, spread), onnx.Axis(2))
	}
	of = turned(g, of, m.sensors, m.maps())
	all := []any{onnx.Axis(2)}
	for scale := range scatterScales {
		if scale > 0 {
			last := of
			of = m.walk.export(g, of, max(1, 1<<(scale-1)/2))
			all = append(all, summary(g, g.Op("Abs", g.Op("Sub", last, of)), m.sensors)...)
		}
		all = append(all, summary(g, of, m.sensors)...)
	}
	return g.Op("Flatten", g.Op("Concat", all...))
}

// summary is summarise.
func summary(g *onnx.Graph, x string, nodes int) []any {
	_, deviation := g.Centred(g.To(onnx.Double, x))
	variance := g.Variance(deviation)
	places := make([]int, len(shares))
	for q, share := range shares {
		places[q] = int(math.Round(share * float64(nodes-1)))
	}
	return []any{g.Op("Gather", g.Sorted(x), places, onnx.Axis(2)), g.To(onnx.Float, g.Op("Log", g.Op("Add", variance, floor)))}
}
