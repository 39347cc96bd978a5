package transforms

import (
	"cmp"
	"errors"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// mostFactored is the number of rows up to which gonum's Cholesky decomposition inverts a matrix. The backend multiplies the
// quarters of a larger one, which is several times faster.
const mostFactored = 1_024

var errSingular = errors.New("rounding made its matrix singular")

// invert returns the inverse of a symmetric positive definite matrix. Errors are errSingular, or come from the backend.
func invert(backend compute.Backend, a *mat.SymDense) (*mat.Dense, error) {
	n := a.SymmetricDim()
	side, parts := n, 1
	for side > mostFactored {
		parts *= 2
		side = (n + parts - 1) / parts
	}
	// Rows of the identity behind change nothing, and make all quarters of one size.
	whole := mat.NewDense(side*parts, side*parts, nil)
	whole.Slice(0, n, 0, n).(*mat.Dense).Copy(a)
	for i := n; i < side*parts; i++ {
		whole.Set(i, i, 1)
	}
	q, err := newQuarters(backend, parts > 1)
	if err != nil {
		return nil, err
	}
	defer q.finalize()
	inverse, err := q.invert(whole)
	if err != nil {
		return nil, err
	}
	return inverse.Slice(0, n, 0, n).(*mat.Dense), nil
}

// quarters inverts a matrix by its quarters. S is the Schur complement of A, and E = A⁻¹·B:
//
//	⎡ A  B ⎤⁻¹   ⎡ A⁻¹ + E·S⁻¹·Eᵀ  -E·S⁻¹ ⎤
//	⎣ Bᵀ D ⎦   = ⎣ (-E·S⁻¹)ᵀ         S⁻¹  ⎦   where S = D - Bᵀ·E
type quarters struct{ complement, join *Exec }

func newQuarters(backend compute.Backend, needed bool) (q quarters, err error) {
	if !needed {
		return q, nil
	}
	product := func(x *Node, xAxis int, y *Node, yAxis int) *Node {
		return DotGeneral(x, []int{xAxis}, nil, y, []int{yAxis}, nil)
	}
	if q.complement, err = NewExec(backend, func(inverse, b, d *Node) (e, s *Node) {
		e = product(inverse, 1, b, 0)
		return e, Sub(d, product(b, 0, e, 0))
	}); err != nil {
		return q, err
	}
	q.join, err = NewExec(backend, func(inverse, e, s *Node) (corner, side *Node) {
		side = product(e, 1, s, 0)
		return Add(inverse, product(side, 1, e, 1)), Neg(side)
	})
	return q, err
}

func (q quarters) finalize() {
	for _, exec := range []*Exec{q.complement, q.join} {
		if exec != nil {
			exec.Finalize()
		}
	}
}

func (q quarters) invert(a *mat.Dense) (*mat.Dense, error) {
	n, _ := a.Dims()
	if n <= mostFactored {
		factor, inverse := new(mat.Cholesky), new(mat.SymDense)
		if !factor.Factorize(mat.NewSymDense(n, a.RawMatrix().Data)) || factor.InverseTo(inverse) != nil {
			return nil, errSingular
		}
		return mat.DenseCopyOf(inverse), nil
	}
	half, inverse := n/2, mat.NewDense(n, n, nil)
	quarter := func(of *mat.Dense, i, j int) *mat.Dense {
		return of.Slice(i*half, (i+1)*half, j*half, (j+1)*half).(*mat.Dense)
	}
	corner, err := q.invert(mat.DenseCopyOf(quarter(a, 0, 0)))
	if err != nil {
		return nil, err
	}
	parts, err := call(q.complement, corner, mat.DenseCopyOf(quarter(a, 0, 1)), mat.DenseCopyOf(quarter(a, 1, 1)))
	if err != nil {
		return nil, err
	}
	last, err := q.invert(parts[1])
	if err != nil {
		return nil, err
	}
	if parts, err = call(q.join, corner, parts[0], last); err != nil {
		return nil, err
	}
	quarter(inverse, 0, 0).Copy(parts[0])
	quarter(inverse, 0, 1).Copy(parts[1])
	quarter(inverse, 1, 0).Copy(parts[1].T())
	quarter(inverse, 1, 1).Copy(last)
	return inverse, nil
}

// call calls a function of matrices.
func call(exec *Exec, matrices ...*mat.Dense) (results []*mat.Dense, err error) {
	var in []any
	for _, m := range matrices {
		rows, columns := m.Dims()
		in = append(in, tensors.FromFlatDataAndDimensions(m.RawMatrix().Data, rows, columns))
	}
	out, err := exec.Call(in...)
	for _, x := range in {
		x.(*tensors.Tensor).MustFinalizeAll()
	}
	for _, x := range out {
		flat, failed := tensors.CopyFlatData[float64](x)
		results, err = append(results, mat.NewDense(x.Shape().Dim(0), x.Shape().Dim(1), flat)), cmp.Or(err, failed)
		x.MustFinalizeAll()
	}
	return results, err
}

// product sums over an axis of each matrix.
func product(x *Node, xAxis int, y *Node, yAxis int) *Node {
	return DotGeneral(x, []int{xAxis}, nil, y, []int{yAxis}, nil)
}
