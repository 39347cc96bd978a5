package transforms

import (
	"context"
	"fmt"

	"github.com/clusterpool/ccp/internal/matmul"
	"gonum.org/v1/gonum/mat"
)

// A tiled matrix is symmetric and positive definite. First it is a sum of squares, and then L of its Cholesky
// decomposition L·Lᵀ. It holds the square tiles on and below the diagonal, half of the matrix. Rows of the identity
// behind make all tiles of one size.
type tiled struct {
	n        int            // rows of the matrix
	side     int            // of a tile
	tiles    [][]*mat.Dense // by row and column; those on the diagonal become the inverses of L's
	multiply times
}

// newTiled returns a matrix of zeros, of n rows, whose tiles have at most so many.
func newTiled(multiply times, n, most int) *tiled {
	parts := (n + most - 1) / most
	m := &tiled{n: n, side: (n + parts - 1) / parts, multiply: multiply}
	for i := range parts {
		m.tiles = append(m.tiles, nil)
		for range i + 1 {
			m.tiles[i] = append(m.tiles[i], mat.NewDense(m.side, m.side, nil))
		}
	}
	return m
}

// add adds factor·a·b to c.
func (m *tiled) add(c *mat.Dense, factor float64, a, b mat.Matrix) error {
	if matmul.Fast() {
		matmul.Add(c, factor, a, b)
		return nil
	}
	product, err := m.multiply(a, b)
	if err != nil {
		return err
	}
	product.Scale(factor, product)
	c.Add(c, product)
	return nil
}

// replace puts a·b in place of c.
func (m *tiled) replace(c **mat.Dense, a, b mat.Matrix) (err error) {
	*c, err = m.multiply(a, b)
	return err
}

// cut returns copies of the columns of rows by tiles, with zeros behind them.
func (m *tiled) cut(rows *mat.Dense) []*mat.Dense {
	n, _ := rows.Dims()
	cut := make([]*mat.Dense, len(m.tiles))
	for i := range cut {
		from, to := i*m.side, min((i+1)*m.side, m.n)
		cut[i] = mat.NewDense(n, m.side, nil)
		cut[i].Slice(0, n, 0, to-from).(*mat.Dense).Copy(rows.Slice(0, n, from, to))
	}
	return cut
}

// join returns the rows that cut has cut.
func (m *tiled) join(cut []*mat.Dense) *mat.Dense {
	n, _ := cut[0].Dims()
	rows := mat.NewDense(n, len(cut)*m.side, nil)
	for i, part := range cut {
		rows.Slice(0, n, i*m.side, (i+1)*m.side).(*mat.Dense).Copy(part)
	}
	return rows.Slice(0, n, 0, m.n).(*mat.Dense)
}

// addSquare adds xᵀ·x of rows x, `[rows, n]`.
func (m *tiled) addSquare(ctx context.Context, x *mat.Dense) error {
	cut := m.cut(x)
	for i, row := range m.tiles {
		for j := range row {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.add(row[j], 1, cut[i].T(), cut[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// factorise adds a penalty to the diagonal, and makes the matrix L of its Cholesky decomposition, column of tiles by
// column. Errors are errSingular, or those of products and of the context.
func (m *tiled) factorise(ctx context.Context, penalty float64) error {
	for k := range m.tiles {
		if err := m.factoriseDiagonal(k, penalty); err != nil {
			return err
		}
		for i := k + 1; i < len(m.tiles); i++ {
			if err := m.replace(&m.tiles[i][k], m.tiles[i][k], m.tiles[k][k].T()); err != nil {
				return err
			}
			for j := k + 1; j <= i; j++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := m.add(m.tiles[i][j], -1, m.tiles[i][k], m.tiles[j][k].T()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// factoriseDiagonal puts the inverse of L's tile in place of a tile on the diagonal.
func (m *tiled) factoriseDiagonal(k int, penalty float64) error {
	symmetric := mat.NewSymDense(m.side, m.tiles[k][k].RawMatrix().Data)
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
	m.tiles[k][k] = mat.DenseCopyOf(lower)
	return nil
}

// forward puts z in place of rows x that are cut, where z·Lᵀ = x.
func (m *tiled) forward(x []*mat.Dense) error {
	for i := range x {
		for j := range i {
			if err := m.add(x[i], -1, x[j], m.tiles[i][j].T()); err != nil {
				return err
			}
		}
		if err := m.replace(&x[i], x[i], m.tiles[i][i].T()); err != nil {
			return err
		}
	}
	return nil
}

// backward puts w in place of rows z that are cut, where w·L = z.
func (m *tiled) backward(z []*mat.Dense) error {
	for i := len(z) - 1; i >= 0; i-- {
		for j := i + 1; j < len(z); j++ {
			if err := m.add(z[i], -1, z[j], m.tiles[j][i]); err != nil {
				return err
			}
		}
		if err := m.replace(&z[i], z[i], m.tiles[i][i]); err != nil {
			return err
		}
	}
	return nil
}

// solve returns w with w·A = rows, `[rows, n]`, where A is the matrix before it was factorised.
func (m *tiled) solve(rows *mat.Dense) (*mat.Dense, error) {
	cut := m.cut(rows)
	if err := m.forward(cut); err != nil {
		return nil, err
	}
	if err := m.backward(cut); err != nil {
		return nil, err
	}
	return m.join(cut), nil
}

// unexplained returns I - x·A⁻¹·xᵀ of rows x, `[rows, n]`, where A is the matrix before it was factorised.
func (m *tiled) unexplained(x *mat.Dense) (*mat.Dense, error) {
	cut := m.cut(x)
	if err := m.forward(cut); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	left := mat.NewDense(n, n, nil)
	for i := range n {
		left.Set(i, i, 1)
	}
	for _, z := range cut {
		if err := m.add(left, -1, z, z.T()); err != nil {
			return nil, err
		}
	}
	return left, nil
}
