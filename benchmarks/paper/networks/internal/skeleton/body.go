// Package skeleton has the networks for recordings of a body: joints in frame after frame. A network gets a signal
// `[batch, frames·joints, channels]` and returns features `[batch, values]`, or logits where it says so.
package skeleton

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Body describes the recordings of a data set, and the sizes of a network for them.
type Body struct {
	Frames, Joints, Channels int
	Bodies                   int      // a joint's first channels are x, y and z of each body
	Parts                    [][]int  // the joints of each part of the body, trunk first
	Bones                    [][2]int // see Bones

	Classes  int
	Segments int     // a recurrent network reads one frame of each segment, at most all frames
	Units    int     // of a layer, for each joint or part
	Dropout  float64 // the rate before a class layer
}

// Bones lists the edges between the joints of the first frame, each with its lower joint first.
func Bones(graph *affinity.Matrix, joints int) (bones [][2]int) {
	for _, e := range graph.EdgeList() {
		if e.I != e.J && e.J < joints {
			bones = append(bones, [2]int{e.I, e.J})
		}
	}
	return bones
}

// positions returns x, y and z of the joints in the units of the signal, `[batch, frames, joints, bodies, 3]`.
func (b Body) positions(signal *Node) *Node {
	x := SliceAxis(signal, 2, AxisRange(0, 3*b.Bodies))
	return Reshape(x, x.Shape().Dim(0), b.Frames, b.Joints, b.Bodies, 3)
}

// element returns element i of an axis, without the axis.
func element(x *Node, axis, i int) *Node { return Squeeze(SliceAxis(x, axis, AxisElem(i)), axis) }

// parts returns the values of each part of the body, joint by joint. x: `[steps, batch, joints, channels]`, results
// `[steps, batch, values]`.
func (b Body) parts(x *Node) (parts []*Node) {
	for _, joints := range b.Parts {
		var of []*Node
		for _, joint := range joints {
			of = append(of, element(x, 2, joint))
		}
		parts = append(parts, Concatenate(of, -1))
	}
	return parts
}

// steps returns the recordings as steps of time, one frame of each segment, see segmentFrames. Result:
// `[steps, batch, joints, channels]`.
func (b Body) steps(scope *model.Scope, signal *Node) *Node {
	batch, steps := signal.Shape().Dim(0), min(b.Segments, b.Frames)
	x := segmentFrames(scope, Reshape(signal, batch, b.Frames, b.Joints*b.Channels), steps)
	return Reshape(TransposeAllDims(x, 1, 0, 2), steps, batch, b.Joints, b.Channels)
}

// segmentFrames takes one frame out of each segment. Segments are as equal as whole frames allow. In training the frame
// is drawn in each step. Otherwise it is the middle frame. x: `[batch, frames, values]`, result
// `[batch, segments, values]`.
func segmentFrames(scope *model.Scope, x *Node, segments int) *Node {
	g, batch, frames, values := x.Graph(), x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	if segments == frames {
		return x
	}
	starts, lengths := make([]int32, segments), make([]float32, segments)
	for i := range segments {
		start, end := i*frames/segments, (i+1)*frames/segments
		starts[i], lengths[i] = int32(start), float32(end-start)
	}
	within := BroadcastToDims(Scalar(g, dtypes.Float32, 0.5), batch, segments)
	if scope.IsTraining(g) {
		within = ops.Uniform(scope, within, "frames", batch, segments)
	}
	within = Mul(within, Const(g, [][]float32{lengths}))
	rows := Add(Const(g, [][]int32{starts}), ConvertDType(within, dtypes.Int32)) // the fraction is cut off
	rows = Add(rows, MulScalar(Iota(g, shapes.Make(dtypes.Int32, batch, segments), 0), frames))
	rows = Reshape(rows, batch*segments, 1)
	return Reshape(Gather(Reshape(x, batch*frames, values), rows), batch, segments, values)
}

// kernel returns decayed weights of scope, W ~ N(0, 1/in) for `in` inputs an output, in x's type and graph.
func kernel(scope *model.Scope, x *Node, in int, dims ...int) *Node {
	return nn.Kernel(scope, x, 1/math.Sqrt(float64(in)), dims...)
}

// graphOf returns the graph of the bones between n joints.
func graphOf(bones [][2]int, n int) *affinity.Matrix {
	graph, err := affinity.SpaceTime(bones, n, 1)
	if err != nil {
		exceptions.Panicf("bones: %v", err)
	}
	return graph
}

// adjacency returns the normalised adjacency of the bones between n joints, `[n, n]`, in x's type and graph.
func adjacency(x *Node, bones [][2]int, n int) *Node {
	return Reshape(ConstAsDType(x.Graph(), x.DType(), graphOf(bones, n).Normalized().Dense()), n, n)
}

// walkOf walks along the bones from the middle of the skeleton to all joints, depth first, and back (Liu et al. 2016).
// A joint is listed when the walk reaches it, and again after each of the ways that go on from there. Joints that no
// bone leads to follow in walks of their own.
func walkOf(bones [][2]int, joints int) (walk []int) {
	graph, seen := graphOf(bones, joints), make([]bool, joints)
	var visit func(joint int32)
	visit = func(joint int32) {
		seen[joint] = true
		walk = append(walk, int(joint))
		neighbours, _ := graph.Row(int(joint))
		for _, to := range neighbours {
			if !seen[to] {
				visit(to)
				walk = append(walk, int(joint))
			}
		}
	}
	for joint := range joints {
		if !seen[joint] {
			visit(middleOf(graph, int32(joint)))
		}
	}
	return walk
}

// middleOf returns the joint whose furthest joint is nearest, the lowest of several. Bones connect it with the joint
// given.
func middleOf(graph *affinity.Matrix, joint int32) int32 {
	walk := func(from int32) (reached, hops []int32) {
		hops = slices.Repeat([]int32{-1}, graph.N())
		return graph.Walk(from, hops), hops
	}
	furthest := func(from int32) int32 {
		_, hops := walk(from)
		return slices.Max(hops)
	}
	all, _ := walk(joint)
	slices.Sort(all)
	return slices.MinFunc(all, func(a, b int32) int { return int(furthest(a) - furthest(b)) }) // the first of several
}

// radius returns the distance of the points (x, y) from the origin. Its gradient at the origin is 0. Any shape.
func radius(x, y *Node) *Node {
	square := Add(Square(x), Square(y))
	apart := IsPositive(square)
	return Where(apart, Sqrt(Where(apart, square, OnesLike(square))), ZerosLike(square))
}

// angle returns the angle of the points (x, y), from −π to π. At the origin it is 0, and so is its gradient. Any shape.
//
// GoMLX's arc tangent has no gradient, and the pure Go backend lacks it. A step from θ to θ + sin(angle − θ) takes the
// error to its third power. So three steps from a straight line through the arc cosine are exact.
func angle(y, x *Node) *Node {
	r := StopGradient(radius(x, y))
	apart := IsPositive(r)
	r = Where(apart, r, OnesLike(r))
	return ops.WithGradient(
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
