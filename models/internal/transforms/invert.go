package transforms

import (
	"context"
	"errors"

	"github.com/clusterpool/ccp/internal/matmul"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// mostFactored and mostFactoredBesideFast are the numbers of rows up to which gonum's Cholesky decomposition inverts a
// matrix: where products are the backend's, and where the host is fast at them.
const (
	mostFactored           = 1_024
	mostFactoredBesideFast = 64
)

var errSingular = errors.New("rounding made its matrix singular")

// times multiplies two matrices.
type times func(x, y mat.Matrix) (*mat.Dense, error)

// onHost multiplies two matrices on the host.
func onHost(x, y mat.Matrix) (*mat.Dense, error) {
	rows, _ := x.Dims()
	_, columns := y.Dims()
	product := mat.NewDense(rows, columns, nil)
	matmul.Add(product, 1, x, y)
	return product, nil
}

// timesOn returns what multiplies two matrices: on the host where it is fast, and else on the backend, which is several
// times faster at it than gonum. free frees the backend's program.
func timesOn(backend compute.Backend) (multiply times, free func(), err error) {
	if matmul.Fast() {
		return onHost, func() {}, nil
	}
	exec, err := NewExec(backend, func(x, y *Node) *Node { return DotGeneral(x, []int{1}, nil, y, []int{0}, nil) })
	if err != nil {
		return nil, nil, err
	}
	return func(x, y mat.Matrix) (*mat.Dense, error) {
		var factors []any
		for _, m := range []mat.Matrix{x, y} {
			whole := mat.DenseCopyOf(m)
			rows, columns := whole.Dims()
			tensor := tensors.FromFlatDataAndDimensions(whole.RawMatrix().Data, rows, columns)
			defer tensor.MustFinalizeAll()
			factors = append(factors, tensor)
		}
		out, err := exec.Call(factors...)
		if err != nil {
			return nil, err
		}
		defer out[0].MustFinalizeAll()
		flat, err := tensors.CopyFlatData[float64](out[0])
		if err != nil {
			return nil, err
		}
		return mat.NewDense(out[0].Shape().Dim(0), out[0].Shape().Dim(1), flat), nil
	}, exec.Finalize, nil
}

// until returns a product that fails once the context has ended.
func (multiply times) until(ctx context.Context) times {
	return func(x, y mat.Matrix) (*mat.Dense, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return multiply(x, y)
	}
}

// invert returns the inverse of a symmetric positive definite matrix. Errors are errSingular, or those of multiply,
// which multiplies the quarters of a large matrix and is onHost if it is nil, or of a context that has ended.
func invert(ctx context.Context, multiply times, a *mat.SymDense) (*mat.Dense, error) {
	n := a.SymmetricDim()
	side, parts, most := n, 1, mostFactored
	if matmul.Fast() {
		most = mostFactoredBesideFast
	}
	if multiply == nil {
		multiply = onHost
	}
	for side > most {
		parts *= 2
		side = (n + parts - 1) / parts
	}
	// Rows of the identity behind change nothing, and make all quarters of one size.
	whole := mat.NewDense(side*parts, side*parts, nil)
	whole.Slice(0, n, 0, n).(*mat.Dense).Copy(a)
	for i := n; i < side*parts; i++ {
		whole.Set(i, i, 1)
	}
	inverse, err := multiply.until(ctx).invert(whole, most)
	if err != nil {
		return nil, err
	}
	return inverse.Slice(0, n, 0, n).(*mat.Dense), nil
}

// invert inverts a matrix of more than so many rows by its quarters. S is the Schur complement of A, E = A⁻¹·B and F =
// E·S⁻¹:
//
//	⎡ A  B ⎤⁻¹   ⎡ A⁻¹ + F·Eᵀ  -F  ⎤
//	⎣ Bᵀ D ⎦   = ⎣    -Fᵀ      S⁻¹ ⎦   where S = D - Bᵀ·E
func (multiply times) invert(a *mat.Dense, most int) (*mat.Dense, error) {
	n, _ := a.Dims()
	if n <= most {
		factor, inverse := new(mat.Cholesky), new(mat.SymDense)
		if !factor.Factorize(mat.NewSymDense(n, mat.DenseCopyOf(a).RawMatrix().Data)) || factor.InverseTo(inverse) != nil {
			return nil, errSingular
		}
		return mat.DenseCopyOf(inverse), nil
	}
	half, inverse := n/2, mat.NewDense(n, n, nil)
	quarter := func(of *mat.Dense, i, j int) *mat.Dense {
		return of.Slice(i*half, (i+1)*half, j*half, (j+1)*half).(*mat.Dense)
	}
	b, first, side, last := quarter(a, 0, 1), quarter(inverse, 0, 0), quarter(inverse, 0, 1), quarter(inverse, 1, 1)
	corner, err := multiply.invert(quarter(a, 0, 0), most)
	if err != nil {
		return nil, err
	}
	e, err := multiply(corner, b)
	if err != nil {
		return nil, err
	}
	s, err := multiply(b.T(), e)
	if err != nil {
		return nil, err
	}
	s.Sub(quarter(a, 1, 1), s)
	s, err = multiply.invert(s, most)
	if err != nil {
		return nil, err
	}
	f, err := multiply(e, s)
	if err != nil {
		return nil, err
	}
	product, err := multiply(f, e.T())
	if err != nil {
		return nil, err
	}
	first.Add(corner, product)
	side.Scale(-1, f)
	quarter(inverse, 1, 0).Copy(side.T())
	last.Copy(s)
	return inverse, nil
}
