package transforms

import (
	"context"
	"slices"

	"github.com/clusterpool/ccp/internal/matmul"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// blockSize is how many features, or samples, are multiplied at once.
const blockSize = 1_024

// block returns the features from..to of rows, with zeros behind up to the width.
func block(rows [][]float32, from, to, width int) *mat.Dense {
	z := mat.NewDense(len(rows), width, nil)
	for i, row := range rows {
		line := z.RawRowView(i)
		for j, x := range row[from:to] {
			line[j] = float64(x)
		}
	}
	return z
}

// mostOnHost bounds the multiplications that gonum does: XLA takes as long to compile a program for so many.
const mostOnHost = 1 << 27

// products returns the scalar products of rows, `[rows, rows]`: on the host where it is fast, or they are few, and else
// on the backend. Errors come from the backend.
func products(ctx context.Context, backend compute.Backend, rows [][]float32) (*mat.SymDense, error) {
	n, width := len(rows), len(rows[0])
	if matmul.Fast() || n*n*width <= mostOnHost {
		product := mat.NewSymDense(n, nil)
		for from := 0; from < width && ctx.Err() == nil; from += blockSize {
			to := min(from+blockSize, width)
			matmul.AddSquare(product, block(rows, from, to, to-from))
		}
		return product, ctx.Err()
	}
	exec, err := NewExec(backend, func(sum, a *Node) *Node {
		return Add(sum, DotGeneral(a, []int{1}, nil, a, []int{1}, nil))
	})
	if err != nil {
		return nil, err
	}
	defer exec.Finalize()
	sum := tensors.FromFlatDataAndDimensions(make([]float64, n*n), n, n)
	for from := 0; from < width && ctx.Err() == nil; from += blockSize {
		// Blocks of one size, so that the backend compiles once.
		a := tensorOf(block(rows, from, min(from+blockSize, width), min(blockSize, width)))
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

// tensorOf returns a copy of a matrix.
func tensorOf(m *mat.Dense) *tensors.Tensor {
	rows, columns := m.Dims()
	return tensors.FromFlatDataAndDimensions(m.RawMatrix().Data, rows, columns)
}

// part returns a copy of some rows and columns; of all if some is nil.
func part(k *mat.SymDense, some []int) *mat.SymDense {
	if some == nil {
		return mat.NewSymDense(k.SymmetricDim(), slices.Clone(k.RawSymmetric().Data))
	}
	small := mat.NewSymDense(len(some), nil)
	for a, i := range some {
		for b, j := range some[:a+1] {
			small.SetSym(b, a, k.At(j, i))
		}
	}
	return small
}

// centred makes the features behind a Gram matrix have mean zero and a mean square of one. It returns the mean of
// each row before, and the mean square. A matrix of samples that are all equal has a mean square of 0, and becomes
// zero: what rounding left of it would be a feature like any other.
func centred(k *mat.SymDense) (rows []float64, square float64) {
	n := k.SymmetricDim()
	rows = make([]float64, n)
	for i := range n {
		for j := range n {
			rows[i] += k.At(i, j) / float64(n)
		}
	}
	whole := floats.Sum(rows) / float64(n)
	for i := range n {
		for j := i; j < n; j++ {
			k.SetSym(i, j, k.At(i, j)-rows[i]-rows[j]+whole)
		}
	}
	square = mat.Trace(k) / float64(n)
	if square < 1e-9 {
		k.ScaleSym(0, k)
		return rows, 0
	}
	k.ScaleSym(1/square, k)
	return rows, square
}

// weighted adds up matrices with weights. One without a weight may be nil, but not the first one.
func weighted(grams []*mat.SymDense, weights []float64) *mat.SymDense {
	sum, part := mat.NewSymDense(grams[0].SymmetricDim(), nil), new(mat.SymDense)
	for i, weight := range weights {
		if weight > 0 {
			part.ScaleSym(weight, grams[i])
			sum.AddSym(sum, part)
		}
	}
	return sum
}
