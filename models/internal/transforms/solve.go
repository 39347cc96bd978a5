package transforms

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// solve solves for the ridge classifier.
func (f *fit) solve(ctx context.Context) error {
	v := f.classifier
	method := f.primal
	if f.dual {
		method = f.dualOf
	}
	if err := method(ctx); err != nil {
		return err
	}
	predictions, ok := f.heldOut(f.unexplained, f.residuals)
	if !ok {
		return fmt.Errorf("transforms: the ridge classifier of %d samples is singular; are groups copies of each other?", len(f.samples))
	}
	judged := f.adjust(predictions)
	v.header.Parts = append(v.header.Parts, Part{Name: All, Weight: 1, Accuracy: judged.accuracy, Loss: judged.loss})
	v.transforms, v.Names = nil, nil
	bias := slices.Clone(f.meanTarget)
	for _, c := range f.candidates {
		width, _ := c.coefficients.Dims()
		c.weights = make([]float32, f.Classes*width)
		for j := range width {
			for class, x := range c.coefficients.RawRowView(j) {
				c.weights[class*width+j] = float32(judged.inverseTemperature * x)
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

// dualOf solves for a weight of each sample.
func (f *fit) dualOf(context.Context) error {
	var grams []*mat.SymDense
	var weights []float64
	for _, c := range f.candidates {
		c.centre, c.square = centred(c.gram)
		grams, weights = append(grams, c.gram), append(weights, c.weight)
	}
	d, ok := f.newDual(weighted(grams, weights), f.penalty)
	if !ok {
		return fmt.Errorf("transforms: rounding made the ridge classifier of %d samples singular", len(f.samples))
	}
	f.residuals, f.unexplained = d.residuals, d.unexplained
	for _, c := range f.candidates {
		if c.kernel != nil {
			c.setLandmarks(c.rows)
			c.coefficients = d.c
		} else {
			width := c.width()
			c.centre, c.coefficients = means(c.rows), mat.NewDense(width, f.Classes, nil)
			for from := 0; from < width; from += blockSize {
				to := min(from+blockSize, width)
				c.coefficients.Slice(from, to, 0, f.Classes).(*mat.Dense).Mul(block(c.rows, from, to, to-from).T(), d.c)
			}
		}
		scaled := new(mat.Dense)
		scaled.Scale(c.weight/c.square, c.coefficients)
		c.coefficients = scaled
	}
	return nil
}

// setLandmarks stores the training samples that the Gaussian kernel compares a new recording with.
func (c *candidate) setLandmarks(rows [][]float32) {
	c.kernel.landmarks = slices.Concat(rows...)
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

// squares adds up a·aᵀ of the parts, or aᵀ·a; it is `[n, n]`. The backend is many times faster at it than gonum. Errors
// come from the backend.
func squares(backend compute.Backend, n int, columns bool, parts iter.Seq[*mat.Dense]) (*mat.SymDense, error) {
	axis := 1
	if columns {
		axis = 0
	}
	exec, err := NewExec(backend, func(sum, a *Node) *Node {
		return Add(sum, DotGeneral(a, []int{axis}, nil, a, []int{axis}, nil))
	})
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	sum := tensors.FromFlatDataAndDimensions(make([]float64, n*n), n, n)
	for part := range parts {
		raw := part.RawMatrix()
		a := tensors.FromFlatDataAndDimensions(raw.Data, raw.Rows, raw.Cols)
		next, err := exec.Call(sum, a)
		a.MustFinalizeAll()
		sum.MustFinalizeAll()
		if err != nil {
			return nil, err
		}
		sum = next[0]
	}
	defer sum.MustFinalizeAll()
	flat, err := tensors.CopyFlatData[float64](sum)
	return mat.NewSymDense(n, flat), err
}
