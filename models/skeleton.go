package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
)

// checkBody says why the nodes are no joints of a body in frame after frame.
func (s Spec) checkBody() error {
	if s.Parts == nil {
		return fmt.Errorf("model %s needs recordings of a body's joints, frame by frame, such as nw-ucla's; this data has no parts of a body", s.Model)
	}
	if err := s.checkGrid(); err != nil {
		return err
	}
	for i, part := range s.Parts {
		if len(part) == 0 {
			return fmt.Errorf("model %s: part %d of the body has no joints", s.Model, i)
		}
		for _, joint := range part {
			if joint < 0 || joint >= s.Grid[1] {
				return fmt.Errorf("model %s: part %d of the body has joint %d; joints go from 0 to %d", s.Model, i, joint, s.Grid[1]-1)
			}
		}
	}
	return nil
}

// checkPlaces says why the nodes are no joints of a body, or why their places in space are not known.
func (s Spec) checkPlaces() error {
	if err := s.checkBody(); err != nil {
		return err
	}
	if s.Channels < 3*s.bodies() {
		return fmt.Errorf("model %s needs x, y and z of the joints of %d bodies; this data has %d channels", s.Model, s.bodies(), s.Channels)
	}
	return nil
}

// bodies is the number of bodies in a recording.
func (s Spec) bodies() int { return max(1, s.Bodies) }

// placesOf are x, y and z of the joints, in the units of the signal. signal: `[batch, nodes, channels]`, result `[batch, frames, joints,
// bodies, 3]`.
func placesOf(spec Spec, signal *Node) *Node {
	x := SliceAxis(signal, 2, AxisRange(0, 3*spec.bodies()))
	return Reshape(x, x.Shape().Dim(0), spec.Grid[0], spec.Grid[1], spec.bodies(), 3)
}

// partsOf are the values of each part of the body, joint by joint. x: `[steps, batch, joints, channels]`, results `[steps, batch, values]`.
func partsOf(spec Spec, x *Node) (parts []*Node) {
	for _, columns := range spec.Parts {
		var of []*Node
		for _, joint := range columns {
			of = append(of, Squeeze(SliceAxis(x, 2, AxisElem(joint)), 2))
		}
		parts = append(parts, Concatenate(of, -1))
	}
	return parts
}

// bonesOf are the edges between the joints of the first frame, the lower joint first.
func bonesOf(graph *affinity.Matrix, joints int) (bones [][2]int) {
	for joint := range joints {
		neighbours, _ := graph.Row(joint)
		for _, to := range neighbours {
			if int(to) > joint && int(to) < joints {
				bones = append(bones, [2]int{joint, int(to)})
			}
		}
	}
	return bones
}

// walkOf walks along the bones from a joint in the middle of the skeleton, the lowest of those from which no other is further than from
// any, to all others, depth first, and comes back the same way: each joint is in it when it is reached, and again after each of the ways that go on
// from there (Liu et al. 2016). Joints that no bone leads to follow in walks of their own.
func walkOf(bones [][2]int, joints int) (walk []int) {
	neighbours := make([][]int, joints)
	for _, b := range bones {
		neighbours[b[0]], neighbours[b[1]] = append(neighbours[b[0]], b[1]), append(neighbours[b[1]], b[0])
	}
	seen := make([]bool, joints)
	var visit func(joint int)
	visit = func(joint int) {
		seen[joint] = true
		walk = append(walk, joint)
		for _, to := range slices.Sorted(slices.Values(neighbours[joint])) {
			if !seen[to] {
				visit(to)
				walk = append(walk, joint)
			}
		}
	}
	for joint := range joints {
		if !seen[joint] {
			visit(middleOf(neighbours, joint))
		}
	}
	return walk
}

// middleOf is the lowest of the joints that hang together with one and whose furthest joint is nearest.
func middleOf(neighbours [][]int, joint int) int {
	hops := func(from int) []int { // in the order of their distance, and that of the last
		distance := map[int]int{from: 0}
		reached := []int{from}
		for at := 0; at < len(reached); at++ {
			for _, to := range neighbours[reached[at]] {
				if _, ok := distance[to]; !ok {
					distance[to] = distance[reached[at]] + 1
					reached = append(reached, to)
				}
			}
		}
		return append(reached, distance[reached[len(reached)-1]])
	}
	all := hops(joint)
	best, furthest := joint, math.MaxInt
	for _, from := range slices.Sorted(slices.Values(all[:len(all)-1])) {
		if h := hops(from); h[len(h)-1] < furthest {
			best, furthest = from, h[len(h)-1]
		}
	}
	return best
}

// radius is the distance of the points (x, y) from the origin, whose gradient at the origin is 0. Any shape.
func radius(x, y *Node) *Node {
	square := Add(Square(x), Square(y))
	apart := IsPositive(square)
	return Where(apart, Sqrt(Where(apart, square, OnesLike(square))), ZerosLike(square))
}

// angle is that of the points (x, y), from −π to π. At the origin it is 0, and so is its gradient. Any shape.
//
// GoMLX's arc tangent has neither a gradient nor a place in the pure Go backend. θ + sin(angle − θ) is nearer to the angle than θ, by its
// third power, so that three steps from a straight line through the arc cosine are exact.
func angle(y, x *Node) *Node {
	r := StopGradient(radius(x, y))
	apart := IsPositive(r)
	r = Where(apart, r, OnesLike(r))
	return nn.WithGradient(
		func() *Node {
			cos, sin := Where(apart, Div(x, r), OnesLike(x)), Div(y, r)
			theta := MulScalar(OneMinus(cos), math.Pi/2)
			theta = Where(IsNegative(sin), Neg(theta), theta)
			for range 3 {
				theta = Add(theta, Sub(Mul(sin, Cos(theta)), Mul(cos, Sin(theta))))
			}
			return theta
		},
		func(v *Node) []*Node {
			v = Where(apart, Div(v, Square(r)), ZerosLike(v))
			return []*Node{Mul(v, x), Neg(Mul(v, y))}
		}, y, x)
}
