package transforms

import (
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/clusterpool/ccp/models/onnx"
)

// Export adds nodes that compute Probabilities of raw samples x: series `[batch, timepoints, columns]`, or what has
// so many values a sample as Read takes them, if values is not 0. network has the network's logits.
func (v *Classifier) Export(g *onnx.Graph, x string, values int, network string) (probabilities string) {
	if v.Turned > 0 {
		sensors := []int{0, v.Columns / v.Channels, v.Turned, v.Channels}
		x = g.Op("Transpose", g.Op("Reshape", x, sensors), onnx.Attribute{Name: "perm", Value: []int{0, 1, 3, 2}})
		x = g.Op("Reshape", x, []int{0, v.Columns, v.Turned})
	} else {
		if values > 0 {
			x = g.Op("Reshape", x, []int{0, values / v.Columns, v.Columns})
		}
		x = g.Op("Transpose", x, onnx.Attribute{Name: "perm", Value: []int{0, 2, 1}})
	}
	x = g.Op("Sub", x, g.Constant(v.scaling.Mean, v.Columns, 1))
	x = g.Op("Mul", x, g.Constant(v.scaling.Scale, v.Columns, 1))
	known := map[string]string{}
	featuresOf := func(name string, m features.Map) string {
		g.Scope = name + "/"
		if known[name] == "" {
			known[name] = m.Export(g, x)
		}
		return known[name]
	}
	softmax := func(logits string, temperature float64) string {
		return g.Op("Softmax", g.Op("Div", logits, float32(temperature)))
	}
	// mean returns the weighted mean of probabilities; "" has none.
	mean := func(p string, weight float64, q string) string {
		if p == "" || q == "" {
			return p + q
		}
		return g.Op("Add", g.Op("Mul", p, float32(weight)), g.Op("Mul", q, float32(1-weight)))
	}
	logits := make([]string, len(v.bias)/v.Classes) // of each ridge classifier
	for _, one := range v.transforms {
		logits[one.ridge] = g.Plus(logits[one.ridge], one.export(g, featuresOf(one.Name, one.Map)))
	}
	g.Scope = "ensemble/"
	for i := range logits {
		if logits[i] != "" {
			logits[i] = g.Op("Add", logits[i], v.bias[i*v.Classes:(i+1)*v.Classes])
		}
	}
	ridge := logits[0]
	if len(logits) > 1 {
		ridge = g.Op("Log", mean(softmax(logits[0], 1), v.Shares[0], softmax(logits[1], 1)))
	}
	if ridge != "" {
		ridge = softmax(ridge, v.Temperature)
	}
	votes := ""
	if v.forest != nil {
		all := []any{onnx.Axis(1)}
		for i, m := range v.forest.maps {
			all = append(all, featuresOf(v.forest.names[i], m))
		}
		g.Scope = "forest/"
		votes = v.forest.export(g, g.Op("Concat", all...))
		most := g.Op("ReduceMax", votes, onnx.Attribute{Name: "axes", Value: []int{1}})
		votes = g.Op("Pow", g.Op("Div", votes, most), float32(1/v.ForestTemperature))
		votes = g.Op("Div", votes, g.Op("ReduceSum", votes, []int{1}))
	}
	g.Scope = "ensemble/"
	p := g.Op("Add", g.Op("Mul", mean(votes, v.ForestWeight, ridge), float32(1-v.Smoothing)), float32(v.Smoothing/float64(v.Classes)))
	if network != "" {
		network = softmax(network, v.NetworkTemperature)
	}
	return mean(p, v.Weight, network)
}

// export adds nodes that standardise features, compare them with landmarks, and weigh them: the part of the transform
// in the logits.
func (v *transform) export(g *onnx.Graph, x string) string {
	x = v.standardiser.Export(g, x)
	product := func(x string, rows []float32, width int) string {
		return g.Op("Gemm", x, g.Constant(rows, len(rows)/width, width), onnx.Attribute{Name: "transB", Value: 1})
	}
	width := v.Width()
	if k := v.kernel; k != nil {
		own := g.Op("ReduceSum", g.Op("Mul", x, x), []int{1})
		x = product(x, k.landmarks, width)
		if k.g == 0 {
			x = g.Op("Div", x, float32(width))
		} else {
			apart := g.Op("Sub", g.Op("Add", own, k.norms), g.Op("Mul", x, float32(2)))
			x = g.Op("Exp", g.Op("Mul", g.Op("Max", apart, float32(0)), float32(-k.g/float64(width))))
		}
		width = len(k.norms)
	}
	return product(x, v.weights, width)
}
