package place

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// pivots is how many nodes of a component the others' distances are taken from, at most.
const pivots = 64

// Positions places the nodes of a graph in a space of `dims` dimensions so that distances there are near those in the graph, counted
// in hops: multidimensional scaling from pivots (Brandes and Pich 2007). The result is `[N, dims]`. Each component is turned so that
// edges follow the axes as far as they can, and that each coordinate grows with the nodes' numbers; components lie side by side along the
// last axis. An axis that distances do not fill is zero. The same graph has the same positions. Time is linear in pivots·edges.
func Positions(m *affinity.Matrix, dims int) [][]float64 {
	positions := make([][]float64, m.N())
	h := hops{m, slices.Repeat([]int32{-1}, m.N())}
	edge := 0.0 // of the components placed so far, on the last axis
	for i := range positions {
		if positions[i] != nil {
			continue
		}
		nodes := h.walk(int32(i))
		slices.Sort(nodes)
		x := h.scale(nodes, dims)
		for at, node := range nodes {
			positions[node] = x.RawRowView(at)
		}
		turn(x, h.steps(nodes, x))
		side := mat.Col(nil, dims-1, x)
		shift := edge - floats.Min(side)
		for at := range nodes {
			x.Set(at, dims-1, side[at]+shift)
		}
		edge += floats.Max(side) - floats.Min(side) + 2
	}
	return positions
}

// hops walks a graph without edge weights.
type hops struct {
	*affinity.Matrix
	far []int32 // of each node: hops from where the last walk began; -1 where none has come
}

// walk counts the hops from a node to each that it reaches, and lists these, the nearest first.
func (h hops) walk(from int32) []int32 {
	h.far[from] = 0
	reached := []int32{from}
	for at := 0; at < len(reached); at++ {
		neighbours, _ := h.Row(int(reached[at]))
		for _, j := range neighbours {
			if h.far[j] < 0 {
				h.far[j] = h.far[reached[at]] + 1
				reached = append(reached, j)
			}
		}
	}
	return reached
}

// scale places the nodes of a component, `[nodes, dims]`, around zero.
func (h hops) scale(nodes []int32, dims int) *mat.Dense {
	c, at := h.centred(nodes)
	n, k := c.Dims()
	x := mat.NewDense(n, dims, nil)
	var products mat.SymDense
	products.SymOuterK(1, c.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&products, true) {
		return x // which happens only where distances are not numbers
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for d, v := 0, k-1; d < dims && v >= 0 && values[v] > 1e-12*values[k-1]; v-- {
		vector := vectors.ColView(v)
		var places mat.VecDense
		places.MulVec(c, vector)
		sign := 0.0
		for p, i := range at {
			sign += places.AtVec(i) * vector.AtVec(p)
		}
		if sign <= 0 {
			continue // distances in the graph are not Euclidean: this part of them is the square of an imaginary length
		}
		// C·v is σ times a unit vector, and σ·√(n/k) estimates the eigenvalue of all n distances.
		places.ScaleVec(math.Pow(float64(n)/float64(k)/values[v], 0.25), &places)
		x.SetCol(d, places.RawVector().Data)
		d++
	}
	return x
}

// centred are the double-centred squared distances of a component's nodes from its pivots, `[nodes, pivots]`, and where among the
// nodes the pivots are. Each pivot is as far as can be from those before it.
func (h hops) centred(nodes []int32) (c *mat.Dense, at []int) {
	n, k := len(nodes), min(pivots, len(nodes))
	c = mat.NewDense(n, k, nil)
	nearest := slices.Repeat([]float64{math.Inf(1)}, n)
	rows, columns, total := make([]float64, n), make([]float64, k), 0.0 // means
	for p := range k {
		pivot := 0
		if p > 0 {
			pivot = floats.MaxIdx(nearest)
		}
		at = append(at, pivot)
		for _, i := range nodes {
			h.far[i] = -1
		}
		h.walk(nodes[pivot])
		for i, node := range nodes {
			d := float64(h.far[node])
			nearest[i] = min(nearest[i], d)
			c.Set(i, p, d*d)
			rows[i] += d * d / float64(k)
			columns[p] += d * d / float64(n)
		}
		total += columns[p] / float64(k)
	}
	c.Apply(func(i, p int, d float64) float64 { return (rows[i] + columns[p] - total - d) / 2 }, c)
	return c, at
}

// steps are the displacements along a component's edges, `[edges, dims]`.
func (h hops) steps(nodes []int32, x *mat.Dense) (steps [][]float64) {
	_, dims := x.Dims()
	at := make(map[int32]int, len(nodes))
	for k, i := range nodes {
		at[i] = k
	}
	for k, i := range nodes {
		neighbours, _ := h.Row(int(i))
		for _, j := range neighbours {
			if j > i {
				steps = append(steps, floats.SubTo(make([]float64, dims), x.RawRowView(at[j]), x.RawRowView(k)))
			}
		}
	}
	return steps
}

// turn rotates places so that steps follow the axes: the sum of the fourth powers of their coordinates is as large as turns of two
// axes make it (quartimax, Neuhaus and Wrigley 1954). Then it points each axis to where the later places are.
func turn(x *mat.Dense, steps [][]float64) {
	n, dims := x.Dims()
	for range 10 {
		for a := range dims {
			for b := range a {
				sine, cosine := 0.0, 0.0 // of 4 angles
				for _, s := range steps {
					u, v := s[a]*s[a]-s[b]*s[b], 2*s[a]*s[b]
					sine += 2 * u * v
					cosine += u*u - v*v
				}
				sin, cos := math.Sincos(math.Atan2(sine, cosine) / 4)
				rotate := func(row []float64) {
					row[a], row[b] = cos*row[a]+sin*row[b], cos*row[b]-sin*row[a]
				}
				for _, s := range steps {
					rotate(s)
				}
				for i := range n {
					rotate(x.RawRowView(i))
				}
			}
		}
	}
	for d := range dims {
		trend := 0.0
		for i := range n {
			trend += x.At(i, d) * float64(i)
		}
		if trend < 0 {
			column := mat.Col(nil, d, x)
			floats.Scale(-1, column)
			x.SetCol(d, column)
		}
	}
}
