package export

import "fmt"

// logits names the logits of the network without random kernels.
func (g *onnxGraph) logits(n *Network) string {
	if n.Kernels == nil {
		return "logits"
	}
	return "network/logits"
}

// mean makes the logits the logarithm of the weighted mean of the network's and of the random kernels' probabilities.
func (g *onnxGraph) mean(n *Network, input string) {
	g.node("Softmax", "network/probabilities")
	g.x = input
	g.kernels(n, "kernels/logits")
	g.node("Softmax", "kernels/probabilities")
	g.node("Mul", "kernels/weighted", g.constant("kernels/weight", []float32{n.Kernels.Weight}, 1))
	g.node("Add", "both", "network/probabilities")
	g.node("Mul", "mean", g.constant("share", []float32{1 / (1 + n.Kernels.Weight)}, 1))
	g.node("Log", "logits")
}

// kernels computes the decisions of random kernels, see models.Kernels, from the normalised signal,
// `[batch, nodes, channels]`.
func (g *onnxGraph) kernels(n *Network, logits string) {
	signal := g.x
	g.node("Pad", "kernels/input", g.constant("kernels/pads", []int64{0, 0, 0, 0, 1, 0}, 6)) // a row of zeros
	input := g.x
	var shares []string
	for i, d := range n.Kernels.Dilations {
		name := fmt.Sprintf("dilation_%d", i+1)
		const count = 84
		positions, thresholds := len(d.Weights[0])/count, len(d.Thresholds)/count
		nodes := make([]int64, len(d.Nodes))
		for j, v := range d.Nodes {
			nodes[j] = int64(v)
		}
		values := len(d.Kernel) / count
		g.x = input
		g.node("Gather", name+"/gathered", g.constant(name+"/nodes", nodes, len(nodes)))
		g.attribute("axis", integer(1))
		g.node("Reshape", name+"/rows", g.constant(name+"/shape", []int64{0, int64(positions), int64(values)}, 3))
		g.node("MatMul", name+"/product", g.constant(name+"/kernel", d.Kernel, values, count))
		g.node("Reshape", name+"/responses", g.constant(name+"/apart", []int64{0, int64(positions), 1, count}, 4))
		g.node("Greater", name+"/above", g.constant(name+"/thresholds", d.Thresholds, thresholds, count))
		g.node("Cast", name+"/counted")
		g.attribute("to", integer(elementFloat))
		above := g.x
		for pool, weights := range d.Weights {
			name := fmt.Sprintf("%s/pool_%d", name, pool)
			g.x = above
			g.node("Mul", name+"/weighted", g.constant(name+"/weights", weights, positions, 1, count))
			g.node("ReduceSum", name+"/sums", g.constant(name+"/positions", []int64{1}, 1))
			g.node("Reshape", name+"/shares", g.constant(name+"/flat", []int64{0, int64(thresholds * count)}, 2))
			shares = append(shares, g.x)
		}
	}
	if n.Kernels.Signal {
		g.x = signal
		g.node("Flatten", "kernels/signal")
		shares = append(shares, g.x)
	}
	if g.x = shares[0]; len(shares) > 1 {
		g.node("Concat", "kernels/shares", shares[1:]...)
		g.attribute("axis", integer(1))
	}
	k := n.Kernels
	g.node("Gemm", logits, g.constant("kernels/W", k.W, len(k.W)/len(k.B), len(k.B)), g.constant("kernels/b", k.B, len(k.B)))
}
