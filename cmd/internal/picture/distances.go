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
	a = a.WithoutLoops()
	x, y = make([]float64, a.N()), make([]float64, a.N())
	parts, ways := components(a), waysOf(a)
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

// components are the connected components' nodes, the largest component first.
func components(a *affinity.Matrix) (parts [][]int32) {
	seen := make([]bool, a.N())
	for i := range seen {
		if seen[i] {
			continue
		}
		seen[i] = true
		nodes := []int32{int32(i)}
		for at := 0; at < len(nodes); at++ {
			neighbours, _ := a.Row(int(nodes[at]))
			for _, j := range neighbours {
				if !seen[j] {
					seen[j], nodes = true, append(nodes, j)
				}
			}
		}
		parts = append(parts, nodes)
	}
	slices.SortStableFunc(parts, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	return parts
}

// ways are the edges of a graph with their lengths: one of weight w is 1 + ln(the largest weight/w) long.
type ways struct {
	indptr  []int
	ends    []int32
	lengths []float64
	far     []float64 // of each node: its distance from the pivot at hand
	waiting []bool    // of each node: it is in the queue
}

func waysOf(a *affinity.Matrix) ways {
	indptr, ends, weights := a.CSR()
	lengths := make([]float64, len(weights))
	for e, w := range weights {
		lengths[e] = -math.Log(w)
	}
	if len(lengths) > 0 {
		floats.AddConst(1-floats.Min(lengths), lengths)
	}
	return ways{indptr, ends, lengths, make([]float64, a.N()), make([]bool, a.N())}
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

// walk finds the length of the shortest way from a node to each that it reaches.
func (w ways) walk(from int32) {
	w.far[from] = 0
	for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		w.waiting[i] = false
		for e := w.indptr[i]; e < w.indptr[i+1]; e++ {
			j := w.ends[e]
			if way := w.far[i] + w.lengths[e]; way < w.far[j] {
				if w.far[j] = way; !w.waiting[j] {
					w.waiting[j], queue = true, append(queue, j)
				}
			}
		}
	}
}
