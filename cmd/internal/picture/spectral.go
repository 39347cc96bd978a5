package picture

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"gonum.org/v1/gonum/floats"
)

// Spectral lays out the nodes of a graph that has no coordinates: each connected component by the second and third eigenvector of
// its normalised Laplacian I − D^−½·A0·D^−½, divided by √d (Belkin and Niyogi 2003), in a square as large as its share of the
// nodes. The squares stand in rows, the largest first. The result is the same for the same graph.
func Spectral(a *affinity.Matrix) (x, y []float64) {
	x, y = make([]float64, a.N()), make([]float64, a.N())
	roots := a.Degrees()
	for i, d := range roots {
		roots[i] = math.Sqrt(d)
	}
	parts := components(a.Normalized())
	width := 1.01 * math.Sqrt(float64(a.N())) * min(1.25, math.Sqrt(float64(len(parts))))
	left, top, tallest := 0.0, 0.0, 0.0
	for _, part := range parts {
		side := math.Sqrt(float64(len(part.nodes)))
		if left > 0 && left+side > width {
			left, top, tallest = 0, top-tallest, 0
		}
		tallest = max(tallest, side)
		u, v := part.eigenvectors(roots)
		for at, i := range part.nodes {
			x[i] = left + side*(0.5+0.45*u[at])
			y[i] = top - side*(0.5+0.45*v[at])
		}
		left += side
	}
	return x, y
}

// component is a connected part of a graph. Its nodes have places from 0 on.
type component struct {
	nodes []int32  // of the graph, in breadth-first order
	edges [][]edge // of each node
}

// edge leads to the node at a place, with the entry of D^−½·A0·D^−½ for it.
type edge struct {
	to     int
	weight float64
}

// components are the connected components of a graph, the largest first.
func components(a *affinity.Matrix) (parts []component) {
	place := make([]int, a.N()) // of a node within its component, from 1; 0 until it is found
	for i := range a.N() {
		if place[i] > 0 {
			continue
		}
		part := component{nodes: []int32{int32(i)}}
		place[i] = 1
		for at := 0; at < len(part.nodes); at++ {
			neighbours, weights := a.Row(int(part.nodes[at]))
			edges := make([]edge, len(neighbours))
			for e, j := range neighbours {
				if place[j] == 0 {
					part.nodes = append(part.nodes, j)
					place[j] = len(part.nodes)
				}
				edges[e] = edge{place[j] - 1, weights[e]}
			}
			part.edges = append(part.edges, edges)
		}
		parts = append(parts, part)
	}
	slices.SortStableFunc(parts, func(a, b component) int { return cmp.Compare(len(b.nodes), len(a.nodes)) })
	return parts
}

// eigenvectors are about the second and third of S = D^−½·A0·D^−½, divided by roots, which are √d, and scaled to reach from −1 to 1.
// They are what orthogonal iteration with (I + S)/2 leaves after many turns, the known first eigenvector D^½·1 taken out. It begins with
// the distances from four nodes far from each other (Harel and Koren 2002), a layout by themselves, which remains where the leading
// eigenvalues lie too close to each other for so few turns, as in a long chain. A component of one or two nodes lacks some; these are 0.
func (c component) eigenvectors(roots []float64) (u, v []float64) {
	const pivots = 4
	n := len(c.nodes)
	if n == 1 {
		return []float64{0}, []float64{0}
	}
	turns := max(300, 1_000_000/n)
	first, next := make([]float64, n), make([]float64, n)
	for at, i := range c.nodes {
		first[at] = roots[i]
	}
	vectors := [][]float64{slices.Clone(first)}
	nearest := c.distances(0)
	for p := range pivots {
		from := c.distances(floats.MaxIdx(nearest))
		if p == 0 {
			copy(nearest, from)
		}
		for i, d := range from {
			nearest[i], from[i] = min(nearest[i], d), d*first[i]
		}
		vectors = append(vectors, from)
	}
	for range turns {
		vectors = orthonormal(vectors)
		for b := 1; b < len(vectors); b++ {
			old := vectors[b]
			for i, w := range old {
				for _, e := range c.edges[i] {
					w += e.weight * old[e.to]
				}
				next[i] = w
			}
			vectors[b], next = next, old
		}
	}
	vectors = append(orthonormal(vectors), make([]float64, n), make([]float64, n))
	for _, w := range vectors[1:3] {
		floats.Div(w, first)
		stretch(w)
	}
	return vectors[1], vectors[2]
}

// distances are the numbers of steps from one node of a component to each.
func (c component) distances(from int) []float64 {
	steps := make([]float64, len(c.nodes))
	queue := []int{from}
	for at := 0; at < len(queue); at++ {
		for _, e := range c.edges[queue[at]] {
			if steps[e.to] == 0 && e.to != from {
				steps[e.to] = steps[queue[at]] + 1
				queue = append(queue, e.to)
			}
		}
	}
	return steps
}

// orthonormal is Gram and Schmidt's process, in place. Vectors that depend on those before them are left out.
func orthonormal(vectors [][]float64) (kept [][]float64) {
	kept = vectors[:0]
	for _, w := range vectors {
		size := floats.Norm(w, 2)
		for _, before := range kept {
			floats.AddScaled(w, -floats.Dot(w, before), before)
		}
		if left := floats.Norm(w, 2); left > 1e-9*size {
			floats.Scale(1/left, w)
			kept = append(kept, w)
		}
	}
	return kept
}

// stretch replaces each value by a mean of its place among the others and its size, both from −1 to 1: eigenvectors of large graphs
// put most nodes into a heap and a few far away.
func stretch(w []float64) {
	const few, size = 400, 0.2 // of up to few values the size counts alone; else this is its weight
	order, sorted := make([]int, len(w)), slices.Clone(w)
	floats.ArgsortStable(sorted, order)
	low, high := sorted[0], sorted[len(w)-1]
	if high-low < 1e-12 {
		clear(w)
		return
	}
	for at, i := range order {
		w[i] = 2*(w[i]-low)/(high-low) - 1
		if len(w) > few {
			w[i] = size*w[i] + (1-size)*(2*float64(at)/float64(len(w)-1)-1)
		}
	}
}
