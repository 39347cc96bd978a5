package onnx

import (
	"math"

	"github.com/clusterpool/ccp/internal/loop"
)

// Parts of models that read series `[batch, columns, timepoints]`, whose length is known only when the model runs. What
// depends on the length is computed in float64, as on the host.

// To casts a value to another element.
func (g *Graph) To(element int, x string) string { return g.Op("Cast", x, Attribute{"to", element}) }

// Some puts a sample of zeros into an empty batch of three axes, and returns how many samples there were. Operators
// fail on none: even ONNX Runtime's, by its version. Take the samples off what was computed of them by First.
func (g *Graph) Some(x string) (some, samples string) {
	samples = g.Op("Gather", g.Op("Shape", x), 0)
	lacking := g.To(Int64, g.Op("Less", samples, 1))
	return g.Op("Pad", x, g.Op("Mul", []int{0, 0, 0, 1, 0, 0}, lacking)), samples
}

// First returns the first samples of a batch.
func (g *Graph) First(x, samples string) string {
	return g.Op("Slice", x, []int{0}, g.Op("Unsqueeze", samples, []int{0}), []int{0})
}

// Count returns the number of time points of a series, an int64.
func (g *Graph) Count(x string) string { return g.Op("Gather", g.Op("Shape", x), 2) }

// Length is Count as a float64.
func (g *Graph) Length(x string) string { return g.To(Double, g.Count(x)) }

// Until returns the float64 numbers from 0 up to n, without it.
func (g *Graph) Until(n string) string { return g.Op("Range", 0.0, n, 1.0) }

// Below returns the int64 numbers from 0 up to n, without it. Places are int64 wherever they are multiplied: a runtime
// that computes float64 as float32, as OpenVINO does, has these exactly.
func (g *Graph) Below(n string) string { return g.Op("Range", 0, n, 1) }

// Steps returns the differences of successive time points.
func (g *Graph) Steps(x string) string {
	const end = math.MaxInt32 // of any series
	return g.Op("Sub", g.Op("Slice", x, []int{1}, []int{end}, []int{2}), g.Op("Slice", x, []int{0}, []int{-1}, []int{2}))
}

// Plus adds a value to a sum, which is "" before the first.
func (g *Graph) Plus(sum, x string) string {
	if sum == "" {
		return x
	}
	return g.Op("Add", sum, x)
}

// Sum adds up float32 or float64 values along an axis, which goes.
func (g *Graph) Sum(x string, axis int) string {
	return g.Op("ReduceSum", x, []int{axis}, Attribute{"keepdims", 0})
}

// Centred returns the means along the last of three axes, which stays, and what values are above them. The mean of what
// is left is taken off once more: where float64 is computed as float32, the first mean of a series far from zero is
// coarse.
func (g *Graph) Centred(x string) (mean, deviation string) {
	axes := Attribute{"axes", []int{2}}
	first := g.Op("ReduceMean", x, axes)
	left := g.Op("Sub", x, first)
	second := g.Op("ReduceMean", left, axes)
	return g.Op("Add", first, second), g.Op("Sub", left, second)
}

// Variance is of deviations along the last of three axes, which stays.
func (g *Graph) Variance(deviation string) string {
	return g.Op("ReduceMean", g.Op("Mul", deviation, deviation), Attribute{"axes", []int{2}})
}

// Sorted sorts along the last axis.
func (g *Graph) Sorted(x string) string {
	return g.Op("TopK", x, g.Op("Gather", g.Op("Shape", x), []int{-1}), Attribute{"largest", 0})
}

// Filter convolves groups of channels with kernels `[groups, kernels, taps]`, that reach step time points from tap to
// tap. Beyond its ends a series is zero. The result is `[batch, groups, kernels, timepoints]`. It adds up one tap after
// another, as the host does, so that both round alike: kernels of mean zero leave nothing but rounding of a constant
// series, and by that the greatest response is chosen. The operator Conv adds in another order.
func (g *Graph) Filter(x, kernels string, taps, step int) string {
	return g.Weigh(g.Taps(x, taps, step, 0, g.Count(x)), kernels)
}

// Taps returns what each tap of Filter sees from one time point up to another, `[batch, groups, 1, timepoints]`.
func (g *Graph) Taps(x string, taps, step int, from any, to string) (shifted []string) {
	reach := taps / 2 * step
	padded := g.Op("Unsqueeze", g.Op("Pad", x, []int{0, 0, reach, 0, 0, reach}), []int{2})
	for tap := range taps {
		by := []int{tap * step}
		shifted = append(shifted, g.Op("Slice", padded, g.Op("Add", by, from), g.Op("Add", to, by), []int{3}))
	}
	return shifted
}

// Weigh adds up what taps see, by kernels `[groups, kernels, taps]`.
func (g *Graph) Weigh(shifted []string, kernels string) (sum string) {
	for tap, x := range shifted {
		sum = g.Plus(sum, g.Op("Mul", x, g.Op("Slice", kernels, []int{tap}, []int{tap + 1}, []int{2})))
	}
	return sum
}

// Stretch is recording.Resample, and rounds as it does: kernels find the noise of rounding where a short series became
// a line.
func (g *Graph) Stretch(x string, frames int) string {
	weights := g.triangles(x, frames)
	return g.To(Float, g.Op("Div", g.Op("MatMul", g.To(Double, x), weights), g.Sum(weights, 0)))
}

// Resample is recording.Resample up to rounding, also of series far from zero where float64 is computed as float32: the
// first time point is taken off before.
func (g *Graph) Resample(x string, frames int) string {
	weights, wide := g.triangles(x, frames), g.To(Double, x)
	begin := g.Op("Slice", wide, []int{0}, []int{1}, []int{2})
	mean := g.Op("Div", g.Op("MatMul", g.Op("Sub", wide, begin), weights), g.Sum(weights, 0))
	return g.To(Float, g.Op("Add", mean, begin))
}

// triangles returns the weights of recording.Resample, `[timepoints, frames]`. Where float64 is computed as float32,
// distances come from products of whole numbers, which are exact.
func (g *Graph) triangles(x string, frames int) string {
	count, t, places := g.Count(x), g.Length(x), loop.Convert[float64](loop.Indices(frames))
	first, step := g.Constant(0.0), g.Op("Div", g.Op("Sub", t, 1.0), float64(max(1, frames-1)))
	if frames == 1 {
		first, step = g.Op("Div", g.Op("Sub", t, 1.0), 2.0), t
	}
	apart := g.Op("Sub", g.Op("Unsqueeze", g.Until(t), []int{1}), g.Op("Add", g.Op("Mul", step, places), first))
	if frames > 1 {
		at := g.Op("Mul", g.Op("Unsqueeze", g.Below(count), []int{1}), frames-1)
		exact := g.To(Double, g.Op("Sub", at, g.Op("Mul", g.Op("Sub", count, 1), loop.Indices(frames))))
		exact = g.Op("Div", exact, float64(frames-1))
		apart = g.Op("Where", g.Op("Less", g.Op("Abs", g.Op("Sub", apart, exact)), 1e-9), apart, exact)
	}
	return g.Op("Relu", g.Op("Sub", 1.0, g.Op("Div", g.Op("Abs", apart), g.Op("Max", step, 1.0))))
}

// The sizes of spectra are powers of two from 4. They are known by their order: 0 is that of 4 values, 1 that of 8.
const (
	LeastSpectrum = 4
	Spectra       = 29 // orders there are
)

// Spectrum returns the squared magnitudes of the spectrum of float64 values `[batch, columns, timepoints]` with zeros
// behind, up to a power of two of values, n. They are the n/2 + 1 from frequency 0 to that of n/2, and order tells n.
//
// Products with cosines and sines compute it, first of the rows and then of the columns of a rectangle of the values
// (the algorithm of Gentleman and Sande in four steps). The operator DFT would need opset 17, and OpenVINO has none for
// float64.
func (g *Graph) Spectrum(x string) (squares, order string) {
	sizes, longer, wider := make([]int, Spectra), make([]int, Spectra), make([]int, Spectra)
	for m := range sizes {
		sizes[m], longer[m], wider[m] = LeastSpectrum<<m, 1<<((m+3)/2), 1<<((m+2)/2)
	}
	t := g.Count(x)
	order = g.Op("ReduceSum", g.To(Int64, g.Op("Less", sizes, t)), []int{0}, Attribute{"keepdims", 0})
	n, rows, width := g.Op("Gather", sizes, order), g.Op("Gather", longer, order), g.Op("Gather", wider, order)
	behind := g.Op("Mul", []int{0, 0, 0, 0, 0, 1}, g.Op("Sub", n, t))
	rectangle := g.Op("Add", g.Op("Mul", []int{0, 0, 1, 0}, rows), g.Op("Mul", []int{0, 0, 0, 1}, width))
	x = g.Op("Reshape", g.Op("Pad", x, behind, 0.0), rectangle)
	turns := func(from, to, step string) (cosines, sines string) { // by products of places in turns of step n-ths
		at := g.Op("Mul", g.Op("Mul", g.Op("Unsqueeze", g.Below(from), []int{1}), g.Below(to)), step)
		sine := func(at string) string {
			part := g.Op("Div", g.To(Double, g.Op("Mod", at, n)), g.To(Double, n))
			return g.Op("Sin", g.Op("Mul", part, 2*math.Pi))
		}
		return sine(g.Op("Add", at, g.Op("Div", n, 4))), sine(at)
	}
	c, s := turns(rows, rows, width)
	re, im := g.Op("MatMul", c, x), g.Op("Neg", g.Op("MatMul", s, x))
	turned := func(operator string) { // multiplies re + i·im by c - i·s
		product := func(x, y string) string { return g.Op(operator, x, y) }
		re, im = g.Op("Add", product(re, c), product(im, s)), g.Op("Sub", product(im, c), product(re, s))
	}
	c, s = turns(rows, width, g.Constant(1))
	turned("Mul")
	c, s = turns(width, width, rows)
	turned("MatMul")
	squares = g.Op("Add", g.Op("Mul", re, re), g.Op("Mul", im, im))
	squares = g.Op("Transpose", squares, Attribute{"perm", []int{0, 1, 3, 2}})
	squares = g.Op("Reshape", squares, g.Op("Mul", []int{0, 0, 1}, n))
	return g.Op("Slice", squares, []int{0}, g.Op("Add", g.Op("Div", n, 2), []int{1}), []int{2}), order
}
