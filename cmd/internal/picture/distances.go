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
	ways := waysOf(a)
	var parts [][]int32 // the nodes of each component
	for i := range ways.far {
		if math.IsInf(ways.far[i], 1) {
			parts = append(parts, ways.walk(int32(i)))
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
		u, v := plane(ways.distances(nodes))
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

// ways are the edges of a graph with their lengths: one of weight w is 1 + ln(the largest weight/w) long.
type ways struct {
	indptr  []int
	ends    []int32
	lengths []float64
	far     []float64 // of each node: the length of the shortest way to it; infinite where none is known
	waiting []bool    // of each node: it is in the queue
}

func waysOf(a *affinity.Matrix) ways {
	indptr, ends, weights := a.WithoutLoops().CSR()
	lengths := make([]float64, len(weights))
	for e, w := range weights {
		lengths[e] = -math.Log(w)
	}
	if len(lengths) > 0 {
		floats.AddConst(1-floats.Min(lengths), lengths)
	}
	w := ways{indptr, ends, lengths, make([]float64, a.N()), make([]bool, a.N())}
	for i := range w.far {
		w.far[i] = math.Inf(1)
	}
	return w
}

// distances are those of a component's nodes from its pivots, `[nodes, pivots]`. Each pivot is as far as can be from those before it.
func (w ways) distances(nodes []int32) *mat.Dense {
	count := min(pivots, len(nodes))
	all, nearest, pivot := mat.NewDense(len(nodes), count, nil), make([]float64, len(nodes)), 0
	for p := range count {
		for _, i := range nodes {
			w.far[i] = math.Inf(1)
		}
		w.walk(nodes[pivot])
		for at, i := range nodes {
			all.Set(at, p, w.far[i])
			if p == 0 || w.far[i] < nearest[at] {
				nearest[at] = w.far[i]
			}
		}
		pivot = floats.MaxIdx(nearest)
	}
	return all
}

// walk finds the shortest way from a node to each that it reaches, which are the result.
func (w ways) walk(from int32) (reached []int32) {
	w.far[from], reached = 0, []int32{from}
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		w.waiting[i] = false
		for e := w.indptr[i]; e < w.indptr[i+1]; e++ {
			j := w.ends[e]
			way := w.far[i] + w.lengths[e]
			if way >= w.far[j] {
				continue
			}
			if math.IsInf(w.far[j], 1) {
				reached = append(reached, j)
			}
			if w.far[j] = way; !w.waiting[j] {
				w.waiting[j], queue = true, append(queue, j)
			}
		}
	}
	return reached
}
