package place

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	sweeps = 30 // of relax
	turns  = 10 // of every two axes
)

// relax moves the nodes, one after the other, to lessen the stress Σ w·(‖xᵢ−xⱼ‖ − d)² with w = 1/d². The sum is over
// the edges, with d = 1, and the pairs of a node and a pivot. A pivot counts for its share of the nodes, but for no
// more nodes than lie that near.
func (c *component) relax(x *mat.Dense) {
	n, k := c.far.Dims()
	_, dims := x.Dims()
	sum := make([]float64, dims)
	for range sweeps {
		for i := range n {
			own, total := x.RawRowView(i), 0.0
			clear(sum)
			pull := func(other []float64, d, w float64) { // to distance d from the other
				reach := d / max(distance(own, other), 1e-9)
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

// turn rotates the places: edges follow the axes afterwards. It takes two axes at a time, and maximises the sum of
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
						length := max(distance(from, to), 1e-9)
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
