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

// geometry says how each bone lies to each other bone of its body. Turn bone m the shortest way onto the x axis, and
// let it begin at the origin. Bone n then begins at t and points along v. The shortest rotation R from the x axis to v
// and the translation t are a point of SE(3). Its logarithm has ω and u.
//
//	ω = log R,  u = A⁻¹ t,  A⁻¹ = I − ½[ω] + c[ω]²,  c = (1 − θ sin θ / 2(1 − cos θ)) / θ²,  θ = |ω|.
//
// ω has no x, which leaves ω_y, ω_z and u. For a bone without a length all are 0. signal: `[batch, nodes, channels]`,
// result `[batch, frames, bodies·bones·(bones−1)·5]`.
func (b Body) geometry(signal *Node) *Node { return relativeGeometry(b.positions(signal), b.Bones) }

// relativeGeometry is geometry of the joints' positions, `[batch, frames, joints, bodies, 3]`.
func relativeGeometry(positions *Node, bones [][2]int) *Node {
	g, dtype := positions.Graph(), positions.DType()
	batch, frames, bodies := positions.Shape().Dim(0), positions.Shape().Dim(1), positions.Shape().Dim(3)
	ends := func(end int) (axes []*Node) { // x, y and z of one end of each bone, `[batch, frames, bodies, bones]`
		var joints []*Node
		for _, b := range bones {
			joints = append(joints, element(positions, 2, b[end]))
		}
		all := Stack(joints, 3)
		for axis := range 3 {
			axes = append(axes, element(all, 4, axis))
		}
		return axes
	}
	begin, d := ends(0), ends(1)
	for axis := range d {
		d[axis] = Sub(d[axis], begin[axis])
	}
	length := radius(radius(d[0], d[1]), d[2])
	there := IsPositive(length)
	for axis := range d {
		d[axis] = Div(d[axis], Where(there, length, OnesLike(length)))
	}
	from := func(x *Node) *Node { return ExpandAxes(x, -1) } // of bone m, for all n
	to := func(x *Node) *Node { return ExpandAxes(x, -2) }   // of bone n
	// R of bone m takes its direction (p, q, r) to x. With e = 1/(1 + p), its rows are (p, q, r), (−q, 1 − q²e, −qre)
	// and (−r, −qre, 1 − r²e).
	p, q, r := from(d[0]), from(d[1]), from(d[2])
	e := Reciprocal(MaxScalar(OnePlus(p), 1e-6))
	turn := func(x, y, z *Node) (tx, ty, tz *Node) {
		across := Mul(e, Add(Mul(q, y), Mul(r, z)))
		tx = Add(Add(Mul(p, x), Mul(q, y)), Mul(r, z))
		ty = Sub(y, Mul(q, Add(x, across)))
		tz = Sub(z, Mul(r, Add(x, across)))
		return tx, ty, tz
	}
	both := Mul(ConvertDType(from(there), dtype), ConvertDType(to(there), dtype))
	vx, vy, vz := turn(to(d[0]), to(d[1]), to(d[2]))
	apart := func(axis int) *Node { return Sub(to(begin[axis]), from(begin[axis])) }
	tx, ty, tz := turn(apart(0), apart(1), apart(2))
	sin := radius(vy, vz)
	theta := angle(sin, vx)
	some := IsPositive(sin)
	ratio := Where(some, Div(theta, Where(some, sin, OnesLike(sin))), OnesLike(sin))
	wy, wz := Neg(Mul(ratio, vz)), Mul(ratio, vy)
	square := Square(theta)
	small := LessThan(square, Scalar(g, dtype, 0.01))
	series := MulScalar(square, 1.0/1209600)
	for _, term := range []float64{1.0 / 30240, 1.0 / 720} {
		series = Mul(square, AddScalar(series, term))
	}
	series = AddScalar(series, 1.0/12)
	far := Where(small, OnesLike(square), square)
	versed := MulScalar(Where(small, OnesLike(vx), OneMinus(vx)), 2)
	c := Where(small, series, Div(OneMinus(Div(Mul(theta, sin), versed)), far))
	dot := Mul(c, Add(Mul(wy, ty), Mul(wz, tz)))
	keep := OneMinus(Mul(c, square))
	ux := Sub(Mul(keep, tx), MulScalar(Sub(Mul(wy, tz), Mul(wz, ty)), 0.5))
	uy := Add(Sub(Mul(keep, ty), MulScalar(Mul(wz, tx), 0.5)), Mul(dot, wy))
	uz := Add(Add(Mul(keep, tz), MulScalar(Mul(wy, tx), 0.5)), Mul(dot, wz))
	n := len(bones)
	all := Mul(Stack([]*Node{wy, wz, ux, uy, uz}, -1), ExpandAxes(both, -1)) // `[batch, frames, bodies, bones, bones, 5]`
	all = Reshape(all, batch, frames, bodies, n*n, 5)
	// Without the first row the last column has each bone with itself.
	all = Reshape(SliceAxis(all, 3, AxisRangeToEnd(1)), batch, frames, bodies, n-1, n+1, 5)
	return Reshape(SliceAxis(all, 4, AxisRange(0, n)), batch, frames, bodies*n*(n-1)*5)
}
