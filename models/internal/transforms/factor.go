package transforms

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// A tiled matrix is symmetric and positive definite. First it is a sum of squares, and then L of its Cholesky
// decomposition L·Lᵀ. It holds the square tiles on and below the diagonal, half of the matrix, on the backend, which
// multiplies many times faster than gonum. Rows of the identity behind make all tiles of one size.
type tiled struct {
	n       int                 // rows of the matrix
	side    int                 // of a tile
	tiles   [][]*tensors.Tensor // by row and column; those on the diagonal become the inverses of L's
	backend compute.Backend
	execs   map[product]*Exec
}

// product is one of the products that a backend's program computes.
type product string

const (
	plusTransposedTimes product = "c + aᵀ·b"
	timesTransposed     product = "a·bᵀ"
	lessTimesTransposed product = "c - a·bᵀ"
	timesPlain          product = "a·b"
	lessTimes           product = "c - a·b"
)

// newTiled returns a matrix of zeros, of n rows, whose tiles have at most so many.
func newTiled(backend compute.Backend, n, most int) *tiled {
	parts := (n + most - 1) / most
	m := &tiled{n: n, side: (n + parts - 1) / parts, backend: backend, execs: map[product]*Exec{}}
	for i := range parts {
		m.tiles = append(m.tiles, nil)
		for range i + 1 {
			m.tiles[i] = append(m.tiles[i], tensorOf(mat.NewDense(m.side, m.side, nil)))
		}
	}
	return m
}

// free gives the memory back. There may be none.
func (m *tiled) free() {
	if m == nil {
		return
	}
	for _, row := range m.tiles {
		freeAll(row)
	}
	for _, exec := range m.execs {
		exec.Finalize()
	}
}

// freeAll gives the memory of tensors back, those that are not nil.
func freeAll(all []*tensors.Tensor) {
	for _, t := range all {
		if t != nil {
			t.MustFinalizeAll()
		}
	}
}

// tensorOf returns a copy of a matrix.
func tensorOf(m *mat.Dense) *tensors.Tensor {
	rows, columns := m.Dims()
	whole := m.RawMatrix()
	if whole.Stride != columns {
		whole = mat.DenseCopyOf(m).RawMatrix()
	}
	return tensors.FromFlatDataAndDimensions(whole.Data, rows, columns)
}

// denseOf returns a copy of a tensor.
func denseOf(t *tensors.Tensor) (*mat.Dense, error) {
	flat, err := tensors.CopyFlatData[float64](t)
	if err != nil {
		return nil, err
	}
	return mat.NewDense(t.Shape().Dim(0), t.Shape().Dim(1), flat), nil
}

// call computes a product of its arguments, c first where there is one.
func (m *tiled) call(of product, arguments ...*tensors.Tensor) (*tensors.Tensor, error) {
	exec := m.execs[of]
	if exec == nil {
		var err error
		exec, err = newProductExec(m.backend, of)
		if err != nil {
			return nil, err
		}
		m.execs[of] = exec
	}
	given := make([]any, len(arguments))
	for i, a := range arguments {
		given[i] = a
	}
	results, err := exec.Call(given...)
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// newProductExec returns the program of a product.
func newProductExec(backend compute.Backend, of product) (*Exec, error) {
	dot := func(a, b *Node, axisA, axisB int) *Node {
		return DotGeneral(a, []int{axisA}, nil, b, []int{axisB}, nil)
	}
	switch of {
	case plusTransposedTimes:
		return NewExec(backend, func(c, a, b *Node) *Node { return Add(c, dot(a, b, 0, 0)) })
	case timesTransposed:
		return NewExec(backend, func(a, b *Node) *Node { return dot(a, b, 1, 1) })
	case lessTimesTransposed:
		return NewExec(backend, func(c, a, b *Node) *Node { return Sub(c, dot(a, b, 1, 1)) })
	case timesPlain:
		return NewExec(backend, func(a, b *Node) *Node { return dot(a, b, 1, 0) })
	}
	return NewExec(backend, func(c, a, b *Node) *Node { return Sub(c, dot(a, b, 1, 0)) })
}

// change puts a product of a tensor and others in the tensor's place.
func (m *tiled) change(c **tensors.Tensor, of product, arguments ...*tensors.Tensor) error {
	next, err := m.call(of, arguments...)
	if err != nil {
		return err
	}
	(*c).MustFinalizeAll()
	*c = next
	return nil
}

// cut returns the columns of rows by tiles, with zeros behind them. Their caller frees them.
func (m *tiled) cut(rows *mat.Dense) []*tensors.Tensor {
	n, _ := rows.Dims()
	cut := make([]*tensors.Tensor, len(m.tiles))
	for i := range cut {
		from, to := i*m.side, min((i+1)*m.side, m.n)
		part := rows.Slice(0, n, from, to).(*mat.Dense)
		if to-from < m.side {
			whole := mat.NewDense(n, m.side, nil)
			whole.Slice(0, n, 0, to-from).(*mat.Dense).Copy(part)
			part = whole
		}
		cut[i] = tensorOf(part)
	}
	return cut
}

// join returns the rows that cut has cut.
func (m *tiled) join(cut []*tensors.Tensor) (*mat.Dense, error) {
	n := cut[0].Shape().Dim(0)
	rows := mat.NewDense(n, len(cut)*m.side, nil)
	for i, t := range cut {
		part, err := denseOf(t)
		if err != nil {
			return nil, err
		}
		rows.Slice(0, n, i*m.side, (i+1)*m.side).(*mat.Dense).Copy(part)
	}
	return rows.Slice(0, n, 0, m.n).(*mat.Dense), nil
}

// addSquare adds xᵀ·x of rows x, `[rows, n]`.
func (m *tiled) addSquare(ctx context.Context, x *mat.Dense) error {
	cut := m.cut(x)
	defer freeAll(cut)
	for i, row := range m.tiles {
		for j := range row {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.change(&row[j], plusTransposedTimes, row[j], cut[i], cut[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// factorise adds a penalty to the diagonal, and makes the matrix L of its Cholesky decomposition, column of tiles by
// column. Errors are errSingular, or those of the backend and of the context.
func (m *tiled) factorise(ctx context.Context, penalty float64) error {
	for k := range m.tiles {
		if err := m.factoriseDiagonal(k, penalty); err != nil {
			return err
		}
		for i := k + 1; i < len(m.tiles); i++ {
			if err := m.change(&m.tiles[i][k], timesTransposed, m.tiles[i][k], m.tiles[k][k]); err != nil {
				return err
			}
			for j := k + 1; j <= i; j++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				err := m.change(&m.tiles[i][j], lessTimesTransposed, m.tiles[i][j], m.tiles[i][k], m.tiles[j][k])
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// factoriseDiagonal puts the inverse of L's tile in place of a tile on the diagonal.
func (m *tiled) factoriseDiagonal(k int, penalty float64) error {
	tile, err := denseOf(m.tiles[k][k])
	if err != nil {
		return err
	}
	symmetric := mat.NewSymDense(m.side, tile.RawMatrix().Data)
	for i := range m.side {
		added := penalty
		if k*m.side+i >= m.n {
			added = 1 // a row of the identity
		}
		symmetric.SetSym(i, i, symmetric.At(i, i)+added)
	}
	decomposition, lower := new(mat.Cholesky), new(mat.TriDense)
	if !decomposition.Factorize(symmetric) {
		return errSingular
	}
	decomposition.LTo(lower)
	if err := lower.InverseTri(lower); err != nil {
		return fmt.Errorf("%w: %w", errSingular, err)
	}
	m.tiles[k][k].MustFinalizeAll()
	m.tiles[k][k] = tensorOf(mat.DenseCopyOf(lower))
	return nil
}

// forward puts z in place of rows x that are cut, where z·Lᵀ = x.
func (m *tiled) forward(x []*tensors.Tensor) error {
	for i := range x {
		for j := range i {
			if err := m.change(&x[i], lessTimesTransposed, x[i], x[j], m.tiles[i][j]); err != nil {
				return err
			}
		}
		if err := m.change(&x[i], timesTransposed, x[i], m.tiles[i][i]); err != nil {
			return err
		}
	}
	return nil
}

// backward puts w in place of rows z that are cut, where w·L = z.
func (m *tiled) backward(z []*tensors.Tensor) error {
	for i := len(z) - 1; i >= 0; i-- {
		for j := i + 1; j < len(z); j++ {
			if err := m.change(&z[i], lessTimes, z[i], z[j], m.tiles[j][i]); err != nil {
				return err
			}
		}
		if err := m.change(&z[i], timesPlain, z[i], m.tiles[i][i]); err != nil {
			return err
		}
	}
	return nil
}

// solve returns w with w·A = rows, `[rows, n]`, where A is the matrix before it was factorised.
func (m *tiled) solve(rows *mat.Dense) (*mat.Dense, error) {
	cut := m.cut(rows)
	defer freeAll(cut)
	if err := m.forward(cut); err != nil {
		return nil, err
	}
	if err := m.backward(cut); err != nil {
		return nil, err
	}
	return m.join(cut)
}

// unexplained returns I - x·A⁻¹·xᵀ of rows x, `[rows, n]`, where A is the matrix before it was factorised.
func (m *tiled) unexplained(x *mat.Dense) (*mat.Dense, error) {
	cut := m.cut(x)
	defer freeAll(cut)
	if err := m.forward(cut); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	identity := mat.NewDense(n, n, nil)
	for i := range n {
		identity.Set(i, i, 1)
	}
	left := tensorOf(identity)
	defer func() { left.MustFinalizeAll() }()
	for _, z := range cut {
		if err := m.change(&left, lessTimesTransposed, left, z, z); err != nil {
			return nil, err
		}
	}
	return denseOf(left)
}
