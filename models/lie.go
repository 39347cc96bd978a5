package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// lieGroup is the classifier of Vemulapalli et al. (2014). A frame is a point of a Lie group, how each bone lies to each other, see
// relativeGeometry; a recording is a curve of such points. For each class the curve is warped to the class's nominal curve, see warpTo; a Fourier
// temporal pyramid describes what comes out, and a linear support vector machine tells the class from the rest. The nominal
// curves are computed before the training, see precomputeLieGroup.
//
// Each machine's features are divided by the root of their number, which makes a step of Adam alike for all sizes.
func lieGroup(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	x := relativeGeometry(placesOf(spec, signal), bonesOf(graph.Matrix, spec.Grid[1]))
	g, dtype, batch, frames, values := x.Graph(), x.DType(), x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	nominal := scope.VariableWithShape(nominalCurves, shapes.Make(dtype, spec.Classes, frames, values)).SetTrainable(false).NodeValue(g)
	warps := warpTo(x, nominal)
	cos, sin := fourierPyramid(frames)
	features := len(cos) * values
	scope = scope.In("classes")
	w := nn.Decay(scope, nn.NormalVariable(scope, "W", 0, 0, dtype, spec.Classes, features).NodeValue(g))
	var scores []*Node
	for class := range spec.Classes {
		warp := Squeeze(SliceAxis(warps, 1, AxisElem(class)), 1)
		part := func(basis [][]float64) *Node { // `[batch, frequencies, values]`
			return Einsum("bft,btv->bfv", Einsum("fs,bst->bft", ConstAsDType(g, dtype, basis), warp), x)
		}
		f := DivScalar(Reshape(radius(part(cos), part(sin)), batch, features), math.Sqrt(float64(features)))
		scores = append(scores, Einsum("bf,f->b", f, Squeeze(SliceAxis(w, 0, AxisElem(class)), 0)))
	}
	return Add(Stack(scores, 1), ExpandAxes(nn.Bias(scope, x, spec.Classes), 0))
}

// lieLacks are options that it has no use for.
var lieLacks = append([]string{"dtype"}, linearLacks...)

// nominalCurves is the variable of the Lie group's nominal curves, `[classes, frames, values]`.
const nominalCurves = "nominal"

// relativeGeometry says how each bone lies to each other bone of its body. Bone n, seen from bone m, begins at t and points along v when m
// is turned the shortest way onto the x axis and begins at the origin. The shortest rotation R from the x axis to v and the translation t are a point
// of SE(3); its logarithm is ω = log R and u = A⁻¹ t, A⁻¹ = I − ½[ω] + c[ω]², c = (1 − θ sin θ / 2(1 − cos θ)) / θ², θ = |ω|. ω has no x, which
// leaves ω_y, ω_z and u. Where a bone has no length, as in a body that is not there, all of them are 0.
//
// places: `[batch, frames, joints, bodies, 3]`, result `[batch, frames, bodies·bones·(bones−1)·5]`.
func relativeGeometry(places *Node, bones [][2]int) *Node {
	g, dtype := places.Graph(), places.DType()
	batch, frames, bodies := places.Shape().Dim(0), places.Shape().Dim(1), places.Shape().Dim(3)
	ends := func(end int) (axes []*Node) { // x, y and z of one end of each bone, `[batch, frames, bodies, bones]`
		var joints []*Node
		for _, b := range bones {
			joints = append(joints, Squeeze(SliceAxis(places, 2, AxisElem(b[end])), 2))
		}
		all := Stack(joints, 3)
		for axis := range 3 {
			axes = append(axes, Squeeze(SliceAxis(all, 4, AxisElem(axis)), 4))
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
	// R of bone m takes its direction (p, q, r) to x: its rows are (p, q, r), (−q, 1 − q²e, −qre), (−r, −qre, 1 − r²e), e = 1/(1 + p).
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
	tx, ty, tz := turn(Sub(to(begin[0]), from(begin[0])), Sub(to(begin[1]), from(begin[1])), Sub(to(begin[2]), from(begin[2])))
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
	c := Where(small, series, Div(OneMinus(Div(Mul(theta, sin), MulScalar(Where(small, OnesLike(vx), OneMinus(vx)), 2))), far))
	dot := Mul(c, Add(Mul(wy, ty), Mul(wz, tz)))
	keep := OneMinus(Mul(c, square))
	ux := Sub(Mul(keep, tx), MulScalar(Sub(Mul(wy, tz), Mul(wz, ty)), 0.5))
	uy := Add(Sub(Mul(keep, ty), MulScalar(Mul(wz, tx), 0.5)), Mul(dot, wy))
	uz := Add(Add(Mul(keep, tz), MulScalar(Mul(wy, tx), 0.5)), Mul(dot, wz))
	n := len(bones)
	all := Mul(Stack([]*Node{wy, wz, ux, uy, uz}, -1), ExpandAxes(both, -1)) // `[batch, frames, bodies, bones, bones, 5]`
	all = Reshape(all, batch, frames, bodies, n*n, 5)
	all = Reshape(SliceAxis(all, 3, AxisRangeToEnd(1)), batch, frames, bodies, n-1, n+1, 5) // the last column has each bone with itself
	return Reshape(SliceAxis(all, 4, AxisRange(0, n)), batch, frames, bodies*n*(n-1)*5)
}

// warpTo finds for each frame of a nominal curve the frame of a curve that stands for it. Dynamic time warping pairs frames of both, first
// with first and last with last, in order, so that the sum of squared distances is least; of the frames that are paired with one of the
// nominal curve's the nearest stands for it. Nothing here has a gradient.
//
// x: `[batch, frames, values]`, nominal: `[classes, steps, values]`, result `[batch, classes, steps, frames]`, of which one in each row is 1 and all
// others are 0.
func warpTo(x, nominal *Node) *Node {
	x, nominal = StopGradient(x), StopGradient(nominal)
	g, dtype, batch, classes := x.Graph(), x.DType(), x.Shape().Dim(0), nominal.Shape().Dim(0)
	frames, steps := x.Shape().Dim(1), nominal.Shape().Dim(1)
	const never = 1e30
	cost := MulScalar(Einsum("bfv,csv->bcfs", x, nominal), -2)
	cost = Add(cost, Reshape(ReduceSum(Square(x), 2), batch, 1, frames, 1))
	cost = relu(Add(cost, Reshape(ReduceSum(Square(nominal), 2), 1, classes, 1, steps)))
	// The sums are kept as their squares, and the path as square roots of its ones and zeros: XLA's CPU compiler takes a root for costly and
	// keeps it. What is cheap and used three times, as each sum is, it would compute anew for each use, and so 3^d times for diagonal d.
	// Diagonal d has the pairs (i, d − i). A row of the rectangle that is one longer than a row of diagonals shifts by one for each i.
	diagonals := frames + steps - 1
	tail := func(x *Node, axis, n int, value float64) *Node {
		shape := x.Shape().Clone()
		shape.Dimensions[axis] = n
		return Concatenate([]*Node{x, BroadcastToShape(Scalar(g, dtype, value), shape)}, axis)
	}
	slanted := Reshape(tail(cost, 3, frames, never), batch, classes, frames*(diagonals+1))
	slanted = Reshape(SliceAxis(slanted, 2, AxisRange(0, frames*diagonals)), batch, classes, frames, diagonals)
	slanted = TransposeAllDims(slanted, 3, 0, 1, 2)
	none := BroadcastToShape(Scalar(g, dtype, never), shapes.Make(dtype, batch, classes, frames))
	after := func(x *Node, first float64) *Node { // what is at i−1, at i
		shifted := Concatenate([]*Node{BroadcastToDims(Scalar(g, dtype, first), batch, classes, 1), x}, 2)
		return SliceAxis(shifted, 2, AxisRange(0, frames))
	}
	before, last := none, none
	var came [][3]*Node // whether the least sum of a pair comes from (i−1, j−1), (i−1, j) or (i, j−1)
	for d := range diagonals {
		here := Squeeze(SliceAxis(slanted, 0, AxisElem(d)), 0)
		first := never
		if d == 0 {
			first = 0 // the pair (0, 0) is where all begins
		}
		both, one, other := after(before, first), after(last, never), last
		least := Min(both, Min(one, other))
		fromBoth := LessOrEqual(both, least)
		fromOne := LogicalAnd(LogicalNot(fromBoth), LessOrEqual(one, least))
		fromOther := LogicalNot(LogicalOr(fromBoth, fromOne))
		came = append(came, [3]*Node{ConvertDType(fromBoth, dtype), ConvertDType(fromOne, dtype), ConvertDType(fromOther, dtype)})
		before, last = last, Square(Add(here, Sqrt(least)))
	}
	ahead := func(x *Node) *Node { return SliceAxis(tail(x, 2, 1, 0), 2, AxisRangeToEnd(1)) } // what is at i+1, at i
	path := make([]*Node, diagonals)
	for d := diagonals - 1; d >= 0; d-- {
		if d == diagonals-1 { // the pair of the last
			path[d] = BroadcastToDims(ConvertDType(Equal(Iota(g, shapes.Make(dtypes.Int32, 1, 1, frames), 2), Scalar(g, dtypes.Int32, frames-1)), dtype), batch, classes, frames)
			continue
		}
		path[d] = Add(ahead(Mul(path[d+1], came[d+1][1])), Mul(path[d+1], came[d+1][2]))
		if d+2 < diagonals {
			path[d] = Add(path[d], ahead(Mul(path[d+2], came[d+2][0])))
		}
		path[d] = Sqrt(path[d])
	}
	paired := Reshape(TransposeAllDims(Stack(path, 0), 1, 2, 3, 0), batch, classes, frames*diagonals)
	paired = Reshape(tail(paired, 2, frames, 0), batch, classes, frames, diagonals+1)
	paired = SliceAxis(paired, 3, AxisRange(0, steps))
	nearest := ArgMin(Where(IsPositive(paired), cost, BroadcastToShape(Scalar(g, dtype, never), cost.Shape())), 2, dtypes.Int32)
	return OneHot(nearest, frames, dtype)
}

// fourierPyramid are the rows of a Fourier temporal pyramid (Wang et al. 2012) for a curve of `frames`: for the whole, its halves and its
// quarters, each filled up with zeros to `frames`, the lowest quarter of the frequencies, real and imaginary parts. Above frequency 0 they count twice. Results:
// `[segments·frequencies, frames]`.
func fourierPyramid(frames int) (cos, sin [][]float64) {
	for _, segments := range []int{1, 2, 4} {
		for s := range segments {
			begin, end := s*frames/segments, (s+1)*frames/segments
			if begin == end {
				continue
			}
			for k := range max(1, frames/4) {
				re, im, weight := make([]float64, frames), make([]float64, frames), 2.0
				if k == 0 {
					weight = 1
				}
				for t := begin; t < end; t++ {
					im[t], re[t] = math.Sincos(2 * math.Pi * float64(k*(t-begin)) / float64(frames))
					re[t], im[t] = weight*re[t], weight*im[t]
				}
				cos, sin = append(cos, re), append(sin, im)
			}
		}
	}
	return cos, sin
}
