package transforms

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// solve solves for the readout.
func (f *fit) solve(ctx context.Context) error {
	v, k := f.classifier, new(heldOut)
	method := f.primal
	if f.dual {
		method = f.dualOf
	}
	if err := method(ctx, k); err != nil {
		return err
	}
	predictions, ok := f.heldOut(k.unexplained, k.residuals)
	if !ok {
		return fmt.Errorf("transforms: the readout of %d samples is singular; are groups copies of each other?", len(f.samples))
	}
	judged := f.tilt(predictions)
	v.header.Parts = append(v.header.Parts, Part{"all", 1, judged.accuracy, judged.loss})
	v.transforms, v.Names = nil, nil
	bias := slices.Clone(f.middle)
	for _, c := range f.candidates {
		width, _ := c.readout.Dims()
		c.weights = make([]float32, f.Classes*width)
		for j := range width {
			for class, x := range c.readout.RawRowView(j) {
				c.weights[class*width+j] = float32(judged.gain * x)
				bias[class] -= x * c.centre[j]
			}
		}
		v.transforms, v.Names = append(v.transforms, c.transform), append(v.Names, c.name)
	}
	for k, x := range f.logits(bias, judged) {
		v.bias[k] = float32(x)
	}
	return nil
}

// heldOut is what the predictions to held-out samples are computed from.
type heldOut struct {
	unexplained unexplained
	residuals   *mat.Dense
}

// dualOf solves for a weight of each sample.
func (f *fit) dualOf(_ context.Context, k *heldOut) error {
	var grams []*mat.SymDense
	var weights []float64
	for _, c := range f.candidates {
		c.centre, c.square = centred(c.gram)
		grams, weights = append(grams, c.gram), append(weights, c.weight)
	}
	d, ok := f.newDual(weighted(grams, weights), f.penalty)
	if !ok {
		return fmt.Errorf("transforms: rounding made the readout of %d samples singular", len(f.samples))
	}
	k.residuals, k.unexplained = d.residuals, d.unexplained
	for _, c := range f.candidates {
		if c.kernel != nil {
			c.keep(c.rows)
			c.readout = d.c
		} else {
			width := c.width()
			c.centre, c.readout = means(c.rows), mat.NewDense(width, f.Classes, nil)
			for from := 0; from < width; from += together {
				to := min(from+together, width)
				c.readout.Slice(from, to, 0, f.Classes).(*mat.Dense).Mul(block(c.rows, from, to, to-from).T(), d.c)
			}
		}
		scaled := new(mat.Dense)
		scaled.Scale(c.weight/c.square, c.readout)
		c.readout = scaled
	}
	return nil
}

// keep makes samples those that a kernel compares with.
func (c *candidate) keep(rows [][]float32) {
	c.kernel.kept = slices.Concat(rows...)
	c.kernel.ready()
}

// means returns the mean of each feature.
func means(rows [][]float32) []float64 {
	sum := make([]float64, len(rows[0]))
	for _, row := range rows {
		for j, x := range row {
			sum[j] += float64(x) / float64(len(rows))
		}
	}
	return sum
}
