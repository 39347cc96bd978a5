package picture

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// pivots is how many nodes of a component the others' distances are taken from, at most.
const pivots = 50

// ByDistances lays out the nodes of a graph that has no coordinates. Each connected component lies by the first two principal
// components of its nodes' distances from some of them, far from each other (Harel and Koren 2002), in a square as large as its share
// of the nodes. The squares stand in rows, the largest first. The result is the same for the same graph.
func ByDistances(a *affinity.Matrix) (x, y []float64) {
	x, y = make([]float64, a.N()), make([]float64, a.N())
	w := ways{Matrix: a.WithoutLoops(), far: slices.Repeat([]float64{math.Inf(1)}, a.N())}
	for _, e := range w.EdgeList() {
		w.heaviest = max(w.heaviest, e.Weight)
	}
	var parts [][]int32 // the nodes of each component
	for i, far := range w.far {
		if math.IsInf(far, 1) {
			parts = append(parts, w.walk(int32(i)))
		}
	}
	slices.SortStableFunc(parts, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	width := 1.01 * math.Sqrt(float64(a.N())) * min(1.25, math.Sqrt(float64(len(parts))))
	left, top, tallest := 0.0, 0.0, 0.0
	for _, nodes := range parts {
		side := math.Sqrt(float64(len(nodes)))
		if left > 0 && left+side > width {
			left, top, tallest = 0, top-tallest, 0
		}
		tallest = max(tallest, side)
		u, v := plane(w.distances(nodes))
		leftmost, rightmost, lowest, highest := floats.Min(u), floats.Max(u), floats.Min(v), floats.Max(v)
		scale := 0.9 * side / max(rightmost-leftmost, highest-lowest, 1e-9)
		for at, i := range nodes {
			x[i] = left + side/2 + scale*(u[at]-(leftmost+rightmost)/2)
			y[i] = top - side/2 - scale*(v[at]-(lowest+highest)/2)
		}
		left += side
	}
	return x, y
}

// ways are the edges of a graph with lengths: an edge of weight w is 1 + ln(heaviest/w) long.
type ways struct {
	*affinity.Matrix
	heaviest float64
	far      []float64 // of each node: the length of the shortest way to it; infinite where none is known
}

// distances are those of a component's nodes from its pivots, `[nodes, pivots]`. Each pivot is as far as can be from those before it.
func (w ways) distances(nodes []int32) *mat.Dense {
	count := min(pivots, len(nodes))
	all, nearest, pivot := mat.NewDense(len(nodes), count, nil), slices.Repeat([]float64{math.Inf(1)}, len(nodes)), 0
	for p := range count {
		for _, i := range nodes {
			w.far[i] = math.Inf(1)
		}
		w.walk(nodes[pivot])
		for at, i := range nodes {
			all.Set(at, p, w.far[i])
			nearest[at] = min(nearest[at], w.far[i])
		}
		pivot = floats.MaxIdx(nearest)
	}
	return all
}

// walk finds the shortest way from a node to each that it reaches, and returns these.
func (w ways) walk(from int32) (reached []int32) {
	w.far[from], reached = 0, []int32{from}
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		neighbours, weights := w.Row(int(i))
		for e, j := range neighbours {
			way := w.far[i] + 1 + math.Log(w.heaviest/weights[e])
			if way >= w.far[j] {
				continue
			}
			if math.IsInf(w.far[j], 1) {
				reached = append(reached, j)
			}
			w.far[j], queue = way, append(queue, j)
		}
	}
	return reached
}
