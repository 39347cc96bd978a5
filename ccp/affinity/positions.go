package affinity

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/exact"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	pivots = 64 // nodes of a component that the others' distances are taken from, at most
	gap    = 2  // between components
)

// Positions places the nodes of a graph in a space of `dims` dimensions, with distances near to the hops between
// nodes. It takes multidimensional scaling from pivots (Brandes et al. 2007), then sparse stress (Ortmann, Klimenta
// and Brandes 2017). The result is `[N, dims]`.
//
// Each component is turned: its edges follow the axes, and each coordinate grows with the nodes' numbers. Components
// lie side by side along the last axis. An axis that distances do not fill is zero. The same graph has the same
// positions. Time and memory are linear in nodes·pivots and edges.
func (m *Matrix) Positions(dims int) [][]float64 {
	positions := make([][]float64, m.N())
	h := hops{m, slices.Repeat([]int32{-1}, m.N())}
	edge := 0.0 // of the components placed so far, on the last axis
	for i := range positions {
		if positions[i] != nil {
			continue
		}
		c := component{nodes: m.Walk(int32(i), h.far)}
		slices.Sort(c.nodes)
		c.link(h)
		c.measure(h)
		x := c.scale(dims)
		c.relax(x)
		c.turn(x)
		side := mat.Col(nil, dims-1, x)
		shift := edge - floats.Min(side)
		for at, node := range c.nodes {
			x.Set(at, dims-1, side[at]+shift)
			positions[node] = x.RawRowView(at)
		}
		edge += floats.Max(side) - floats.Min(side) + gap
	}
	return positions
}

// hops is a graph, and the hops of Matrix.Walk from where the last walk began.
type hops struct {
	*Matrix
	far []int32
}

// component is a connected part of a graph. All but nodes counts its nodes from 0, in their order.
type component struct {
	nodes  []int32    // their numbers in the graph, ascending
	links  [][]int32  // the other ends of each node's edges, loops left out
	pivots []int      // nodes far from each other
	far    *mat.Dense // hops from the pivots, `[nodes, pivots]`
}

// link lists the neighbours of each node, by their numbers in the component. Until measure overwrites them, it keeps
// these numbers in h.far: none is negative, so that a walk still takes the nodes for visited.
func (c *component) link(h hops) {
	for at, i := range c.nodes {
		h.far[i] = int32(at)
	}
	for _, i := range c.nodes {
		neighbours, _ := h.Row(int(i))
		links := make([]int32, 0, len(neighbours))
		for _, j := range neighbours {
			if j != i {
				links = append(links, h.far[j])
			}
		}
		c.links = append(c.links, links)
	}
}

// measure fills in pivots and far. The first pivot is the first node. Each other pivot is the node farthest from the
// pivots before it.
func (c *component) measure(h hops) {
	n, k := len(c.nodes), min(pivots, len(c.nodes))
	c.far = mat.NewDense(n, k, nil)
	nearest := slices.Repeat([]float64{math.Inf(1)}, n)
	for p := range k {
		pivot := floats.MaxIdx(nearest)
		c.pivots = append(c.pivots, pivot)
		for _, i := range c.nodes {
			h.far[i] = -1
		}
		h.Walk(c.nodes[pivot], h.far)
		for at, i := range c.nodes {
			d := float64(h.far[i])
			c.far.Set(at, p, d)
			nearest[at] = min(nearest[at], d)
		}
	}
}

// scale places the nodes, `[nodes, dims]`, around zero by pivot multidimensional scaling.
func (c *component) scale(dims int) *mat.Dense {
	n, k := c.far.Dims()
	x := mat.NewDense(n, dims, nil)
	centred := c.centred()
	var products mat.SymDense
	products.SymOuterK(1, centred.T())
	var eigen mat.EigenSym
	eigen.Factorize(&products, true)
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for axis, v := 0, k-1; axis < dims && v >= 0 && values[v] > 1e-12*values[k-1]; v-- {
		vector := vectors.ColView(v)
		var coordinates mat.VecDense
		coordinates.MulVec(centred, vector)
		along := 0.0
		for p, i := range c.pivots {
			along += coordinates.AtVec(i) * vector.AtVec(p)
		}
		if along <= 0 {
			continue // hops are not Euclidean: this axis holds squares of imaginary lengths
		}
		// The coordinates are σ times a unit vector, and σ·√(n/k) estimates the eigenvalue of all n squared distances.
		coordinates.ScaleVec(math.Pow(float64(n)/float64(k)/values[v], 0.25), &coordinates)
		x.SetCol(axis, coordinates.RawVector().Data)
		axis++
	}
	return x
}

// centred are the squared distances from the pivots, double-centred, `[nodes, pivots]`.
func (c *component) centred() *mat.Dense {
	n, k := c.far.Dims()
	rows, columns, mean := make([]float64, n), make([]float64, k), 0.0
	for i := range n {
		for p, d := range c.far.RawRowView(i) {
			rows[i] += d * d / float64(k)
			columns[p] += d * d / float64(n)
		}
		mean += rows[i] / float64(n)
	}
	var centred mat.Dense
	centred.Apply(func(i, p int, d float64) float64 { return (rows[i] + columns[p] - mean - d*d) / 2 }, c.far)
	return &centred
}

const (
	sweeps = 30 // of relax
	turns  = 10 // of every two axes
)

// relax moves the nodes, one after the other, to lessen the stress Σ (‖xᵢ−xⱼ‖ − d)²/d². The sum is over the edges,
// with d = 1, and the pairs of a node and a pivot. A pivot counts for its share of the nodes, but for no more nodes
// than lie that near.
func (c *component) relax(x *mat.Dense) {
	n, k := c.far.Dims()
	_, dims := x.Dims()
	sum := make([]float64, dims)
	for range sweeps {
		for i := range n {
			own, total := x.RawRowView(i), 0.0
			clear(sum)
			pull := func(other []float64, d, w float64) { // to distance d from the other
				reach := d / max(exact.Distance(own, other), 1e-9)
				for axis, v := range other {
					sum[axis] += w * (v + reach*(own[axis]-v))
				}
				total += w
			}
			for _, j := range c.links[i] {
				pull(x.RawRowView(int(j)), 1, 1)
			}
			for p, d := range c.far.RawRowView(i) {
				if d > 0 {
					pull(x.RawRowView(c.pivots[p]), d, min(float64(n)/float64(k)/(d*d), 0.25))
				}
			}
			if total > 0 {
				floats.ScaleTo(own, 1/total, sum)
			}
		}
	}
}

// turn rotates the positions: edges follow the axes afterwards. It takes two axes at a time, and maximises the sum of
// the fourth powers of the edges' directions (quartimax, Neuhaus and Wrigley 1954). Short edges count more: on a grid
// the sides of a square, not its diagonals. Then it points each axis to the later nodes.
func (c *component) turn(x *mat.Dense) {
	n, dims := x.Dims()
	for range turns {
		for a := range dims {
			for b := range a {
				var sine, cosine float64 // of 4 times the angle
				for i, links := range c.links {
					from := x.RawRowView(i)
					for _, j := range links {
						to := x.RawRowView(int(j))
						dx, dy := to[a]-from[a], to[b]-from[b]
						length := max(exact.Distance(from, to), 1e-9)
						u, v, w := (dx*dx-dy*dy)/length/length, 2*dx*dy/length/length, 1/length
						sine, cosine = sine+w*2*u*v, cosine+w*(u*u-v*v)
					}
				}
				sin, cos := math.Sincos(math.Atan2(sine, cosine) / 4)
				for i := range n {
					row := x.RawRowView(i)
					row[a], row[b] = cos*row[a]+sin*row[b], cos*row[b]-sin*row[a]
				}
			}
		}
	}
	for axis := range dims {
		trend := 0.0
		for i := range n {
			trend += x.At(i, axis) * (float64(i) - float64(n-1)/2)
		}
		for i := range n {
			x.Set(i, axis, math.Copysign(1, trend)*x.At(i, axis))
		}
	}
}

const (
	leastAxes = 2
	mostAxes  = 6
	worthIt   = 0.75 // a further axis leaves less than this share of the edges' error
)

// Embed places the nodes of a graph like Positions. It begins with 2 axes, and takes another one, up to 6, as long as
// that brings the lengths of the edges much nearer to one hop, see worthIt. A flat graph stays flat: a further axis
// folds it, and lengths get worse. Sensors that are all linked need more axes.
func (m *Matrix) Embed() [][]float64 {
	best := m.Positions(leastAxes)
	least := lengthError(m, best)
	for axes := leastAxes + 1; axes <= mostAxes; axes++ {
		positions := m.Positions(axes)
		further := lengthError(m, positions)
		if further >= worthIt*least {
			break
		}
		best, least = positions, further
	}
	return best
}

// lengthError sums the squared differences of the edges' lengths from 1.
func lengthError(m *Matrix, positions [][]float64) (sum float64) {
	for i, from := range positions {
		neighbours, _ := m.Row(i)
		for _, j := range neighbours {
			if int(j) > i {
				d := exact.Distance(from, positions[j]) - 1
				sum += d * d
			}
		}
	}
	return sum
}
