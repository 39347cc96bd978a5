package skeleton

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// NominalCurves is the variable of LieGroup's nominal curves, `[classes, frames, values]`.
const NominalCurves = "nominal"

// LieGroup returns the scores of the classifier of Vemulapalli et al. (2014), `[batch, classes]`. A frame is a point of
// a Lie group: how each bone lies to each other bone, see geometry. A recording is a curve of such points. For each
// class the curve is warped to the class's nominal curve, see warpTo. A Fourier temporal pyramid describes the warped
// curve, and a linear support vector machine separates the class from the rest. Nominal computes the nominal curves
// before the training.
//
// Each machine's features are divided by the root of their number, which makes a step of Adam alike for all sizes.
func LieGroup(scope *model.Scope, b Body, signal *Node) *Node {
	x := b.geometry(signal)
	g, dtype, batch, frames, values := x.Graph(), x.DType(), x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	nominal := scope.VariableWithShape(NominalCurves, shapes.Make(dtype, b.Classes, frames, values))
	warps := warpTo(x, nominal.SetTrainable(false).NodeValue(g))
	cos, sin := fourierPyramid(frames)
	features := len(cos) * values
	scope = scope.In("classes")
	w := nn.Kernel(scope, x, 0, b.Classes, features)
	var scores []*Node
	for class := range b.Classes {
		warp := element(warps, 1, class)
		part := func(basis [][]float64) *Node { // `[batch, frequencies, values]`
			return Einsum("bft,btv->bfv", Einsum("fs,bst->bft", ConstAsDType(g, dtype, basis), warp), x)
		}
		f := DivScalar(Reshape(radius(part(cos), part(sin)), batch, features), math.Sqrt(float64(features)))
		scores = append(scores, Einsum("bf,f->b", f, element(w, 0, class)))
	}
	return Add(Stack(scores, 1), ExpandAxes(nn.Bias(scope, x, b.Classes), 0))
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

// fourierPyramid returns the rows of a Fourier temporal pyramid (Wang et al. 2012). Its segments are the whole curve,
// the halves and the quarters, each filled up with zeros to `frames`. The rows are the real and imaginary parts of the
// lowest quarter of the frequencies. Above frequency 0 they count twice. Results: `[segments·frequencies, frames]`.
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
