package features

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/models/onnx"
)

// walk averages values along the links of a graph. A step of a lazy random walk stays at a node with the probability
// 1/2, and else follows one of its links, by weight. Its matrix is P = (I + D⁻¹·A)/2. A node without links keeps its
// value.
type walk struct {
	starts  []int     // where the links of each node begin, and where those of the last one end: `[nodes + 1]`
	to      []int32   // the node at the other end of each link
	weights []float32 // half the link's share of the weights of its node's links
}

// newWalk returns the walk along links. A link from a node to itself does not count.
func newWalk(links *affinity.Matrix) *walk {
	w := &walk{starts: []int{0}}
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
		w.starts = append(w.starts, len(w.to))
	}
	return w
}

// step writes P·x to out.
func (w *walk) step(x, out []float32) {
	for i := range out {
		from, to := w.starts[i], w.starts[i+1]
		if from == to {
			out[i] = x[i]
			continue
		}
		sum := x[i] / 2
		for k := from; k < to; k++ {
			sum += w.weights[k] * x[w.to[k]]
		}
		out[i] = sum
	}
}

// steps takes n steps in place. spare is as long as x.
func (w *walk) steps(x, spare []float32, n int) {
	for range n {
		w.step(x, spare)
		copy(x, spare)
	}
}

// export adds nodes that take n steps of values `[batch, values, nodes]`. The links of a node stand side by side,
// with weights of zero behind them, so that all nodes have as many.
func (w *walk) export(g *onnx.Graph, x string, n int) string {
	nodes, most := len(w.starts)-1, 1
	for i := range nodes {
		most = max(most, w.starts[i+1]-w.starts[i])
	}
	stay := slices.Repeat([]float32{1}, nodes)
	to, weights := make([]int64, nodes*most), make([]float32, nodes*most)
	for i := range nodes {
		for k := w.starts[i]; k < w.starts[i+1]; k++ {
			stay[i] = 0.5
			at := i*most + k - w.starts[i]
			to[at], weights[at] = int64(w.to[k]), w.weights[k]
		}
	}
	neighbours, shares := g.Constant(to, nodes, most), g.Constant(weights, nodes, most)
	for range n {
		around := g.Sum(g.Op("Mul", g.Op("Gather", x, neighbours, onnx.Axis(2)), shares), 3)
		x = g.Op("Add", g.Op("Mul", x, stay), around)
	}
	return x
}

// sensorsLast adds nodes that turn values `[batch, columns, each]` into `[batch, channels * each, sensors]`, for
// steps of a walk. values is channels * each.
func sensorsLast(g *onnx.Graph, x string, sensors, values int) string {
	x = g.Op("Reshape", x, []int{0, sensors, values})
	return g.Op("Transpose", x, onnx.Attribute{Name: "perm", Value: []int{0, 2, 1}})
}

// alongLinks is what maps that average along links begin with.
type alongLinks struct {
	channels, sensors, frames int // frames of a recording, at most; a map takes fewer where its width demands it
	walk                      *walk
}

func newAlongLinks(s Shape) alongLinks {
	return alongLinks{
		channels: s.Channels,
		sensors:  s.Columns / s.Channels,
		frames:   max(1, min(s.Length, mostGraphFrames)),
		walk:     newWalk(s.Links),
	}
}
