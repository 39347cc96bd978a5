// Package matmul multiplies matrices on the processor, as fast as a compiled program of XLA and with nothing to
// compile. gonum takes ten times as long: its products of float64 compute two numbers at a time.
package matmul

import (
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

const (
	tileRows, tileColumns = 4, 12   // of what a kernel adds up in the processor's registers
	depth                 = 256     // factors of a sum that are added up at a time, whose packed factors stay in caches
	rowsAtOnce            = 64      // of a, packed by one goroutine
	atOnce                = 1 << 21 // multiplications that are worth goroutines
)

// Fast reports whether this processor has what makes Add fast: AVX2 and FMA.
func Fast() bool { return hasVectors }

// Add adds factor·a·b to c. It fits all processors, and is fast on those of which Fast says so.
func Add(c *mat.Dense, factor float64, a, b mat.Matrix) { add(c, factor, a, b, false) }

// AddSquare adds a·aᵀ to c, whose numbers below the diagonal it leaves to chance.
func AddSquare(c *mat.SymDense, a *mat.Dense) {
	raw := c.RawSymmetric()
	add(mat.NewDense(raw.N, raw.N, raw.Data), 1, a, a.T(), true)
}

// operand is a factor: the number at (i, k) is data[i·row + k·column].
type operand struct {
	data        []float64
	row, column int
}

// operandOf returns a matrix as an operand, without a copy if its numbers lie in rows or in columns.
func operandOf(m mat.Matrix) operand {
	transposed, raw := m.(mat.Untransposer)
	if raw {
		m = transposed.Untranspose()
	}
	dense, ok := m.(mat.RawMatrixer)
	if !ok {
		dense = mat.DenseCopyOf(m)
	}
	of := dense.RawMatrix()
	if raw {
		return operand{of.Data, 1, of.Stride}
	}
	return operand{of.Data, of.Stride, 1}
}

// add is Add. If upper is asked for, it leaves out tiles that have nothing on or above the diagonal.
func add(c *mat.Dense, factor float64, a, b mat.Matrix, upper bool) {
	rows, columns := c.Dims()
	_, k := a.Dims()
	if !hasVectors {
		product := new(mat.Dense)
		product.Mul(a, b)
		product.Scale(factor, product)
		c.Add(c, product)
		return
	}
	x, y, sum := operandOf(a), operandOf(b), c.RawMatrix()
	packed := make([]float64, min(depth, k)*tileColumns*((columns+tileColumns-1)/tileColumns))
	blocks := (rows + rowsAtOnce - 1) / rowsAtOnce
	room := min(depth, k) * min(rowsAtOnce, (rows+tileRows-1)/tileRows*tileRows)
	for from := 0; from < k; from += depth {
		n := min(depth, k-from)
		y.pack(packed, from, n, columns)
		one := func(block int, buffer []float64) {
			first := block * rowsAtOnce
			count := min(rowsAtOnce, rows-first)
			x.packRows(buffer, first, count, from, n, factor)
			addBlock(sum, first, count, buffer, packed, n, upper)
		}
		if rows*columns*n < atOnce {
			buffer := make([]float64, room)
			for block := range blocks {
				one(block, buffer)
			}
			continue
		}
		loop.Workers(blocks, func() func(i int) {
			buffer := make([]float64, room)
			return func(block int) { one(block, buffer) }
		})
	}
}

// pack writes the rows from, from+1, … of a right factor by tiles of columns, `[tiles, n, tileColumns]`, with zeros
// behind the last column.
func (o operand) pack(packed []float64, from, n, columns int) {
	for first := 0; first < columns; first += tileColumns {
		tile := packed[first*n:][:n*tileColumns]
		count := min(tileColumns, columns-first)
		for k := range n {
			line, at := tile[k*tileColumns:][:tileColumns], (from+k)*o.row+first*o.column
			for j := range count {
				line[j] = o.data[at+j*o.column]
			}
			clear(line[count:])
		}
	}
}

// packRows writes rows of a left factor by tiles, `[tiles, n, tileRows]`, times a number, with zeros behind the last
// row.
func (o operand) packRows(packed []float64, first, count, from, n int, factor float64) {
	for tile := 0; tile < count; tile += tileRows {
		for i := range tileRows {
			line, at := packed[tile*n+i:], (first+tile+i)*o.row+from*o.column
			if tile+i >= count {
				for k := range n {
					line[k*tileRows] = 0
				}
				continue
			}
			for k := range n {
				line[k*tileRows] = factor * o.data[at+k*o.column]
			}
		}
	}
}

// addBlock adds the product of packed rows and packed columns to so many rows of a matrix.
func addBlock(c blas64.General, first, count int, rows, columns []float64, n int, upper bool) {
	var edge [tileRows * tileColumns]float64
	for j := 0; j < c.Cols; j += tileColumns {
		right := columns[j*n:]
		for i := 0; i < count; i += tileRows {
			if upper && j+tileColumns <= first+i {
				continue
			}
			at := (first+i)*c.Stride + j
			if i+tileRows <= count && j+tileColumns <= c.Cols {
				kernel(n, rows[i*n:], right, c.Data[at:], c.Stride)
				continue
			}
			clear(edge[:])
			kernel(n, rows[i*n:], right, edge[:], tileColumns)
			for r := range min(tileRows, count-i) {
				for s := range min(tileColumns, c.Cols-j) {
					c.Data[at+r*c.Stride+s] += edge[r*tileColumns+s]
				}
			}
		}
	}
}
