package affinity

import "math"

// Degrees returns the row sums of A0, the matrix without its diagonal: d_i = Σ_{j≠i} A[i,j], `[N]`.
func (m *Matrix) Degrees() []float64 {
	degrees := make([]float64, m.N())
	for i := range degrees {
		neighbours, weights := m.Row(i)
		for k, j := range neighbours {
			if int(j) != i {
				degrees[i] += weights[k]
			}
		}
	}
	return degrees
}

// WithoutLoops returns A0 = A − I⊙A, the matrix without its diagonal.
func (m *Matrix) WithoutLoops() *Matrix {
	return m.mapped(func(i, j int, weight float64) float64 {
		if i == j {
			return 0
		}
		return weight
	})
}

// Normalized returns D^−½ A0 D^−½: A0 is the matrix without its diagonal, D the diagonal of its row sums. Rows of
// degree 0 stay zero.
func (m *Matrix) Normalized() *Matrix {
	roots := m.Degrees()
	for i, d := range roots {
		roots[i] = math.Sqrt(d)
	}
	return m.mapped(func(i, j int, weight float64) float64 {
		if i == j {
			return 0
		}
		return weight / (roots[i] * roots[j]) // An entry's two nodes have positive degrees.
	})
}

// mapped replaces every weight by f, which must be symmetric in i and j, and drops what becomes 0.
func (m *Matrix) mapped(f func(i, j int, weight float64) float64) *Matrix {
	out := &Matrix{
		indptr:  make([]int, len(m.indptr)),
		indices: make([]int32, 0, len(m.indices)),
		data:    make([]float64, 0, len(m.data)),
	}
	for i := range m.N() {
		neighbours, weights := m.Row(i)
		for k, j := range neighbours {
			if w := f(i, int(j), weights[k]); w != 0 {
				out.indices = append(out.indices, j)
				out.data = append(out.data, w)
			}
		}
		out.indptr[i+1] = len(out.data)
	}
	return out
}
