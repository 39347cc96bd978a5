package transforms

import (
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/clusterpool/ccp/models/onnx"
)

// exporter adds the nodes of a classifier to a graph.
type exporter struct {
	*Classifier
	g      *onnx.Graph
	series string            // the standardised recordings, `[batch, columns, timepoints]`
	known  map[string]string // the features that are there, by transforms
}

// Export adds nodes that compute Probabilities of raw samples x: series `[batch, timepoints, columns]`, or samples of
// so many values in the order in which Read takes them, if values is not 0. network has the network's logits; ""
// stands for no network.
func (v *Classifier) Export(g *onnx.Graph, x string, values int, network string) (probabilities string) {
	e := exporter{Classifier: v, g: g, known: map[string]string{}}
	e.series = e.standardised(x, values)
	ridge := e.ridge()
	if ridge != "" {
		ridge = e.softmax(ridge, v.Temperature)
	}
	votes := e.forestVotes()
	g.Scope = "ensemble/"
	p := e.mean(votes, v.ForestWeight, ridge)
	p = g.Op("Add", g.Op("Mul", p, float32(1-v.Smoothing)), float32(v.Smoothing/float64(v.Classes)))
	if network != "" {
		network = e.softmax(network, v.NetworkTemperature)
	}
	return e.mean(p, v.Weight, network)
}

// standardised adds nodes that put the columns of samples first, and standardise them.
func (e *exporter) standardised(x string, values int) string {
	g := e.g
	switch {
	case e.Turned > 0: // `[batch, sensors, frames, channels]`
		x = g.Op("Reshape", x, []int{0, e.Columns / e.Channels, e.Turned, e.Channels})
		x = g.Op("Transpose", x, onnx.Attribute{Name: "perm", Value: []int{0, 1, 3, 2}})
		x = g.Op("Reshape", x, []int{0, e.Columns, e.Turned})
	case values > 0:
		x = g.Op("Reshape", x, []int{0, values / e.Columns, e.Columns})
		x = g.Op("Transpose", x, onnx.Attribute{Name: "perm", Value: []int{0, 2, 1}})
	default:
		x = g.Op("Transpose", x, onnx.Attribute{Name: "perm", Value: []int{0, 2, 1}})
	}
	x = g.Op("Sub", x, g.Constant(e.scaling.Mean, e.Columns, 1))
	return g.Op("Mul", x, g.Constant(e.scaling.Scale, e.Columns, 1))
}

// features adds the nodes of a transform, or returns those that are there.
func (e *exporter) features(name string, m features.Map) string {
	e.g.Scope = name + "/"
	if e.known[name] == "" {
		e.known[name] = m.Export(e.g, e.series)
	}
	return e.known[name]
}

// softmax adds nodes that make probabilities of logits.
func (e *exporter) softmax(logits string, temperature float64) string {
	return e.g.Op("Softmax", e.g.Op("Div", logits, float32(temperature)))
}

// mean adds nodes that compute the mean of probabilities, of which p has this weight. If one of them is "", it is the
// other.
func (e *exporter) mean(p string, weight float64, q string) string {
	if p == "" || q == "" {
		return p + q
	}
	return e.g.Op("Add", e.g.Op("Mul", p, float32(weight)), e.g.Op("Mul", q, float32(1-weight)))
}

// ridge adds the nodes of the ridge classifiers, and returns logits whose softmax is the mean of theirs. It is "" if
// the forest predicts alone.
func (e *exporter) ridge() string {
	logits := make([]string, len(e.bias)/e.Classes) // of each ridge classifier
	for _, t := range e.transforms {
		x := e.features(t.Name, t.Map)
		logits[t.ridge] = e.g.Plus(logits[t.ridge], t.export(e.g, x))
	}
	e.g.Scope = "ensemble/"
	for i := range logits {
		if logits[i] != "" {
			logits[i] = e.g.Op("Add", logits[i], e.bias[i*e.Classes:(i+1)*e.Classes])
		}
	}
	if len(logits) == 1 {
		return logits[0]
	}
	return e.g.Op("Log", e.mean(e.softmax(logits[0], 1), e.Shares[0], e.softmax(logits[1], 1)))
}

// forestVotes adds the nodes of the forest, and returns its probabilities. It is "" if there is no forest.
func (e *exporter) forestVotes() string {
	if e.forest == nil {
		return ""
	}
	all := []any{onnx.Axis(1)}
	for i, m := range e.forest.maps {
		all = append(all, e.features(e.forest.names[i], m))
	}
	g := e.g
	g.Scope = "forest/"
	votes := e.forest.export(g, g.Op("Concat", all...))
	most := g.Op("ReduceMax", votes, onnx.Attribute{Name: "axes", Value: []int{1}})
	votes = g.Op("Pow", g.Op("Div", votes, most), float32(1/e.ForestTemperature))
	return g.Op("Div", votes, g.Op("ReduceSum", votes, []int{1}))
}

// export adds nodes that standardise features, compare them with landmarks if there is a kernel, and weigh them: the
// part of the transform in the logits.
func (v *transform) export(g *onnx.Graph, x string) string {
	x = v.standardiser.Export(g, x)
	width := v.Width()
	if v.kernel != nil {
		x = v.kernel.export(g, x)
		width = len(v.kernel.norms)
	}
	return exportProduct(g, x, v.weights, width)
}

// export adds nodes that do what compare does.
func (m *kernel) export(g *onnx.Graph, x string) string {
	norms := g.Op("ReduceSum", g.Op("Mul", x, x), []int{1})
	products := exportProduct(g, x, m.landmarks, m.width)
	if m.g == 0 {
		return g.Op("Div", products, float32(m.width))
	}
	distances := g.Op("Sub", g.Op("Add", norms, m.norms), g.Op("Mul", products, float32(2)))
	return g.Op("Exp", g.Op("Mul", g.Op("Max", distances, float32(0)), float32(-m.g/float64(m.width))))
}

// exportProduct adds nodes that multiply x with each of the rows, which are width long.
func exportProduct(g *onnx.Graph, x string, rows []float32, width int) string {
	weights := g.Constant(rows, len(rows)/width, width)
	return g.Op("Gemm", x, weights, onnx.Attribute{Name: "transB", Value: 1})
}
