package transforms

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// ridges fits a ridge classifier to the transforms that one reads together, and another to those that are apart.
func (f *fit) ridges(ctx context.Context) error {
	var fits []*fit
	for _, apart := range []bool{false, true} {
		own := *f
		own.candidates = slices.DeleteFunc(slices.Clone(f.candidates), func(c *candidate) bool { return c.OwnRidge != apart })
		if len(own.candidates) == 0 {
			continue
		}
		if usable, err := own.choose(ctx); err != nil {
			return err
		} else if usable {
			if err := own.solve(ctx); err != nil {
				return err
			}
			for _, c := range own.candidates {
				c.gram = nil // whose memory the next fit takes
			}
			fits = append(fits, &own)
		}
	}
	if len(fits) == 0 {
		return fmt.Errorf("all %d samples have the same features in every transform; check their values, "+
			"which are float32: subtract a large mean, multiply tiny values, before you store them", len(f.samples))
	}
	f.join(fits)
	return nil
}

// join makes the classifier of ridge classifiers, whose probabilities it averages with weights by their losses.
func (f *fit) join(fits []*fit) {
	v, scores := f.classifier, []score{}
	v.transforms, v.Names, v.bias = nil, nil, nil
	for _, own := range fits {
		scores = append(scores, own.score)
	}
	shares := f.weigh(scores, slices.Repeat([]float64{1}, len(fits)), sharePower)
	for i, own := range fits {
		for at := range v.header.Parts {
			if p := &v.header.Parts[at]; features.Find(p.Name).OwnRidge == own.candidates[0].OwnRidge {
				p.Weight *= shares[i]
			}
		}
		if shares[i] == 0 {
			continue
		}
		for _, c := range own.candidates {
			c.ridge = len(v.Shares)
			v.transforms, v.Names = append(v.transforms, c.transform), append(v.Names, c.Name)
		}
		v.bias, v.Shares = append(v.bias, own.bias...), append(v.Shares, shares[i])
	}
	v.header.Parts = append(v.header.Parts, Part{Name: All, Weight: 1})
}

// solve solves for the ridge classifier.
func (f *fit) solve(ctx context.Context) error {
	method := f.byFeatures
	if f.dual {
		method = f.bySamples
	}
	times, free, err := timesOn(f.Backend)
	if err != nil {
		return err
	}
	defer free()
	f.times = times
	left, u, err := method(ctx)
	if err != nil {
		return err
	}
	held, err := f.heldOut(ctx, u, left)
	if err != nil {
		return fmt.Errorf("transforms: the ridge classifier of %d samples: %w", len(f.samples), err)
	}
	f.score = f.adjust(ctx, held)
	if err := ctx.Err(); err != nil {
		return err
	}
	bias := slices.Clone(f.meanTarget)
	for _, c := range f.candidates {
		width, _ := c.coefficients.Dims()
		c.weights = make([]float32, f.Classes*width)
		for j := range width {
			for class, x := range c.coefficients.RawRowView(j) {
				c.weights[class*width+j] = float32(f.score.inverseTemperature * x)
				bias[class] -= x * c.centre[j]
			}
		}
	}
	f.bias = loop.Convert[float32](f.logits(bias, f.score))
	return nil
}

// bySamples solves for a weight of each sample.
func (f *fit) bySamples(ctx context.Context) (residuals, unexplained, error) {
	var grams []*mat.SymDense
	var weights []float64
	for _, c := range f.candidates {
		c.centre, c.square = centred(c.gram)
		grams, weights = append(grams, c.gram), append(weights, c.weight)
	}
	solution, left, u, err := f.solveDual(ctx, weighted(grams, weights), f.penalty)
	if err != nil {
		return nil, nil, fmt.Errorf("transforms: the ridge classifier of %d samples: %w", len(f.samples), err)
	}
	for _, c := range f.candidates {
		if c.kernel != nil {
			c.setLandmarks(c.rows)
			c.coefficients = solution
		} else {
			width := c.Width()
			c.centre, c.coefficients = features.Means(c.rows), mat.NewDense(width, f.Classes, nil)
			for from := 0; from < width; from += blockSize {
				if err := ctx.Err(); err != nil {
					return nil, nil, err
				}
				to := min(from+blockSize, width)
				part, err := f.product(block(c.rows, from, to, to-from).T(), solution)
				if err != nil {
					return nil, nil, err
				}
				c.coefficients.Slice(from, to, 0, f.Classes).(*mat.Dense).Copy(part)
			}
		}
		scaled := new(mat.Dense)
		scaled.Scale(c.weight/c.square, c.coefficients)
		c.coefficients = scaled
	}
	return left, u, nil
}

// setLandmarks stores the training samples that the Gaussian kernel compares a new recording with.
func (c *candidate) setLandmarks(rows [][]float32) {
	c.kernel.landmarks = slices.Concat(rows...)
	c.kernel.ready()
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
