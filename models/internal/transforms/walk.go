package transforms

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models/onnx"
)

// walk averages values along the links of a graph. A step of a lazy random walk stays at a node with the probability 1/2, and
// else follows one of its links, by weight. Its matrix is P = (I + D⁻¹·A)/2. A node without links keeps its value.
type walk struct {
	from    []int     // of each node, where its neighbours begin
	to      []int32   // neighbours
	weights []float32 // half the shares of a node's weights
}

func newWalk(links *affinity.Matrix) *walk {
	w := &walk{from: []int{0}}
	for i := range links.N() {
		neighbours, weights := links.Row(i)
		sum := 0.0
		for k, j := range neighbours {
			if int(j) != i {
				sum += weights[k]
			}
		}
		for k, j := range neighbours {
			if int(j) != i && sum > 0 {
				w.to, w.weights = append(w.to, j), append(w.weights, float32(weights[k]/sum/2))
			}
		}
		w.from = append(w.from, len(w.to))
	}
	return w
}

// step writes P·x to out.
func (w *walk) step(x, out []float32) {
	for i := range out {
		if from, to := w.from[i], w.from[i+1]; from == to {
			out[i] = x[i]
		} else {
			sum := x[i] / 2
			for k := from; k < to; k++ {
				sum += w.weights[k] * x[w.to[k]]
			}
			out[i] = sum
		}
	}
}

// steps takes n steps in place. spare is as long as x.
func (w *walk) steps(x, spare []float32, n int) {
	for range n {
		w.step(x, spare)
		copy(x, spare)
	}
}

// export takes n steps of values `[batch, values, nodes]`. The neighbours of a node stand side by side, with weights of zero behind.
func (w *walk) export(g *onnx.Graph, x string, n int) string {
	nodes, most := len(w.from)-1, 1
	for i := range nodes {
		most = max(most, w.from[i+1]-w.from[i])
	}
	own, to, weights := slices.Repeat([]float32{1}, nodes), make([]int64, nodes*most), make([]float32, nodes*most)
	for i := range nodes {
		for k := w.from[i]; k < w.from[i+1]; k++ {
			at := i*most + k - w.from[i]
			own[i], to[at], weights[at] = 0.5, int64(w.to[k]), w.weights[k]
		}
	}
	neighbours, shares := g.Constant(to, nodes, most), g.Constant(weights, nodes, most)
	for range n {
		around := g.Sum(g.Op("Mul", g.Op("Gather", x, neighbours, onnx.Axis(2)), shares), 3)
		x = g.Op("Add", g.Op("Mul", x, own), around)
	}
	return x
}

// turned makes values `[batch, columns, each]` of all sensors those `[batch, channels * each, sensors]`.
func turned(g *onnx.Graph, x string, sensors, values int) string {
	return g.Op("Transpose", g.Op("Reshape", x, []int{0, sensors, values}), onnx.Attribute{Name: "perm", Value: []int{0, 2, 1}})
}
