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
