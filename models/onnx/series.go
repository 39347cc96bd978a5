package onnx

import "github.com/clusterpool/ccp/internal/loop"

// Parts of models that read series `[batch, columns, timepoints]`, whose length is known only when the model runs. What depends on the
// length is computed in float64, as on the host.

// To casts a value to another element.
func (g *Graph) To(element int, x string) string { return g.Op("Cast", x, Attribute{"to", element}) }

// Length returns the number of time points of a series, a float64.
func (g *Graph) Length(x string) string { return g.To(Double, g.Op("Gather", g.Op("Shape", x), 2)) }

// Until returns the float64 numbers from 0 up to n, without it.
func (g *Graph) Until(n string) string { return g.Op("Range", 0.0, n, 1.0) }

// Steps returns the differences of successive time points.
func (g *Graph) Steps(x string) string {
	const end = 1 << 40 // of any series
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

// Moments returns the means and the variances along the last of three axes, which stays.
func (g *Graph) Moments(x string) (mean, variance string) {
	axes := Attribute{"axes", []int{2}}
	mean = g.Op("ReduceMean", x, axes)
	deviation := g.Op("Sub", x, mean)
	return mean, g.Op("ReduceMean", g.Op("Mul", deviation, deviation), axes)
}

// Sorted sorts along the last axis.
func (g *Graph) Sorted(x string) string {
	return g.Op("TopK", x, g.Op("Gather", g.Op("Shape", x), []int{-1}), Attribute{"largest", 0})
}

// Filter convolves groups of channels with kernels `[groups, kernels, taps]`, that reach step time points from tap to tap. Beyond its
// ends a series is zero. The result is `[batch, groups, kernels, timepoints]`. It adds up one tap after another, as the host does, so
// that both round alike: kernels of mean zero leave nothing but rounding of a constant series, and by that the greatest response is
// chosen. The operator Conv adds in another order.
func (g *Graph) Filter(x, kernels string, taps, step int) string {
	return g.Weigh(g.Taps(x, taps, step, 0, g.To(Int64, g.Length(x))), kernels)
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

// Resample is recording.Resample.
func (g *Graph) Resample(x string, frames int) string {
	t, places := g.Length(x), loop.Convert[float64](loop.Indices(frames))
	first, step := g.Constant(0.0), g.Op("Div", g.Op("Sub", t, 1.0), float64(max(1, frames-1)))
	if frames == 1 {
		first, step = g.Op("Div", g.Op("Sub", t, 1.0), 2.0), t
	}
	apart := g.Op("Sub", g.Op("Unsqueeze", g.Until(t), []int{1}), g.Op("Add", g.Op("Mul", step, places), first))
	weights := g.Op("Relu", g.Op("Sub", 1.0, g.Op("Div", g.Op("Abs", apart), g.Op("Max", step, 1.0))))
	return g.To(Float, g.Op("Div", g.Op("MatMul", g.To(Double, x), weights), g.Sum(weights, 0)))
}

// Spectrum returns the squared magnitudes of the spectrum of float64 values with zeros behind, up to the number of values padded, a
// power of two from 4.
func (g *Graph) Spectrum(x string) (squares, padded string) {
	var powers []float64
	for p := 4.0; p < 1<<31; p *= 2 {
		powers = append(powers, p)
	}
	longer := g.To(Double, g.Op("Less", powers, g.Length(x)))
	padded = g.Op("Mul", 4.0, g.Op("Pow", 2.0, g.Sum(longer, 0)))
	g.spectra = true
	spectrum := g.Op("DFT", g.Op("Unsqueeze", x, []int{3}), g.To(Int64, padded), Axis(2), Attribute{"onesided", 1})
	return g.Op("ReduceSumSquare", spectrum, Attribute{"axes", []int{3}}, Attribute{"keepdims", 0}), padded
}
