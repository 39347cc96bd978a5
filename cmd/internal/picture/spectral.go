package picture

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"gonum.org/v1/gonum/mat"
)

// Spectral lays out the nodes of a graph that has no coordinates: each connected component by the second and third eigenvector of
// its normalised Laplacian I − D^−½·A0·D^−½, divided by √d (Belkin and Niyogi 2003), in a square as large as its share of the
// nodes; the squares stand in rows, the largest first. The result is the same for the same graph.
func Spectral(a *affinity.Matrix) (x, y []float64) {
	a = a.WithoutLoops()
	x, y = make([]float64, a.N()), make([]float64, a.N())
	parts := components(a)
	width := 1.01 * math.Sqrt(float64(a.N())) * min(1.25, math.Sqrt(float64(len(parts))))
	left, top, tallest := 0.0, 0.0, 0.0
	for _, nodes := range parts {
		side := math.Sqrt(float64(len(nodes)))
		if left > 0 && left+side > width {
			left, top, tallest = 0, top-tallest, 0
		}
		tallest = max(tallest, side)
		u, v := eigenvectors(a, nodes)
		for at, i := range nodes {
			x[i] = left + side*(0.5+0.45*u[at])
			y[i] = top - side*(0.5+0.45*v[at])
		}
		left += side
	}
	return x, y
}

// components are the connected components' nodes, the largest first.
func components(a *affinity.Matrix) (parts [][]int32) {
	seen := make([]bool, a.N())
	for i := range a.N() {
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

// denseNodes is up to how many nodes the eigenvectors are computed exactly.
const denseNodes = 400

// eigenvectors are the second and third of a component, each scaled to reach from −1 to 1; zero where the component is too small
// to have them.
func eigenvectors(a *affinity.Matrix, nodes []int32) (u, v []float64) {
	n := len(nodes)
	place := make(map[int32]int, n)
	for at, i := range nodes {
		place[i] = at
	}
	roots := make([]float64, n)
	for at, i := range nodes {
		_, weights := a.Row(int(i))
		for _, w := range weights {
			roots[at] += w
		}
		roots[at] = math.Sqrt(roots[at])
	}
	// each calls f for the entries of D^−½·A0·D^−½.
	each := func(f func(i, j int, s float64)) {
		for at, i := range nodes {
			neighbours, weights := a.Row(int(i))
			for e, j := range neighbours {
				f(at, place[j], weights[e]/(roots[at]*roots[place[j]]))
			}
		}
	}
	var vectors [][]float64
	if n <= denseNodes {
		vectors = exact(n, each)
	} else {
		vectors = iterated(n, roots, each)
	}
	for len(vectors) < 2 {
		vectors = append(vectors, make([]float64, n))
	}
	for _, w := range vectors {
		for i := range w {
			if roots[i] > 0 {
				w[i] /= roots[i]
			}
		}
		stretch(w)
	}
	return vectors[0], vectors[1]
}

// exact are the eigenvectors of the second and third largest eigenvalue of the matrix that each lists.
func exact(n int, each func(func(i, j int, s float64))) (vectors [][]float64) {
	s := mat.NewSymDense(n, nil)
	each(func(i, j int, w float64) { s.SetSym(i, j, w) })
	var eigen mat.EigenSym
	if !eigen.Factorize(s, true) {
		return nil
	}
	var all mat.Dense
	eigen.VectorsTo(&all)
	for column := n - 2; column >= max(0, n-3); column-- {
		vectors = append(vectors, mat.Col(nil, column, &all))
	}
	return vectors
}

// iterated are about the same, by 300 turns of orthogonal iteration with (I + S)/2, the known first eigenvector D^½·1 taken out. It
// begins with the distances from four nodes far from each other (Harel and Koren 2002), a layout by themselves: where the
// leading eigenvalues lie too close to each other for so few turns, as in a long chain, they are what is left.
func iterated(n int, first []float64, each func(func(i, j int, s float64))) [][]float64 {
	const pivots, turns = 4, 300
	type entry struct {
		i, j int
		s    float64
	}
	var entries []entry
	around := make([][]int, n)
	each(func(i, j int, s float64) {
		entries = append(entries, entry{i, j, s})
		around[i] = append(around[i], j)
	})
	vectors := [][]float64{slices.Clone(first)}
	nearest, pivot := distances(around, 0), 0
	for p := range pivots {
		for i, d := range nearest {
			if d > nearest[pivot] {
				pivot = i
			}
		}
		from := distances(around, pivot)
		for i, d := range from {
			if p == 0 {
				nearest[i] = d
			}
			nearest[i] = min(nearest[i], d)
			from[i] = d * first[i]
		}
		vectors = append(vectors, from)
	}
	next := make([]float64, n)
	for range turns {
		orthonormalise(vectors)
		for b := 1; b < len(vectors); b++ {
			copy(next, vectors[b])
			for _, e := range entries {
				next[e.i] += e.s * vectors[b][e.j]
			}
			vectors[b], next = next, vectors[b]
		}
	}
	orthonormalise(vectors)
	return vectors[1:3]
}

// distances are the numbers of steps from one node of a component to each.
func distances(around [][]int, from int) []float64 {
	steps := make([]float64, len(around))
	for i := range steps {
		steps[i] = -1
	}
	steps[from] = 0
	queue := []int{from}
	for at := 0; at < len(queue); at++ {
		for _, j := range around[queue[at]] {
			if steps[j] < 0 {
				steps[j] = steps[queue[at]] + 1
				queue = append(queue, j)
			}
		}
	}
	return steps
}

// orthonormalise is Gram and Schmidt's process.
func orthonormalise(vectors [][]float64) {
	for b, w := range vectors {
		for _, before := range vectors[:b] {
			product := 0.0
			for i := range w {
				product += w[i] * before[i]
			}
			for i := range w {
				w[i] -= product * before[i]
			}
		}
		sum := 0.0
		for _, value := range w {
			sum += value * value
		}
		for i := range w {
			w[i] /= max(math.Sqrt(sum), math.SmallestNonzeroFloat64)
		}
	}
}

// stretch replaces each value by a mean of its place among the others and its size, both from −1 to 1: eigenvectors of large graphs
// put most nodes into a heap and a few far away.
func stretch(w []float64) {
	if len(w) < 2 {
		return
	}
	order := make([]int, len(w))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(w[i], w[j]) })
	low, high := w[order[0]], w[order[len(order)-1]]
	if high-low < 1e-12 {
		clear(w)
		return
	}
	size := 1.0 // weight of the size
	if len(w) > denseNodes {
		size = 0.2
	}
	scaled := make([]float64, len(w))
	for at, i := range order {
		place := 2*float64(at)/float64(len(w)-1) - 1
		scaled[i] = size*(2*(w[i]-low)/(high-low)-1) + (1-size)*place
	}
	copy(w, scaled)
}
