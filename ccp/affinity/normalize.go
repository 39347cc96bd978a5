package affinity

import "math"

// Degrees are the row sums of A0, the matrix without its diagonal: d_i = Σ_{j≠i} A[i,j], `[N]`.
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

// WithoutLoops is A0 = A − I⊙A, the matrix without its diagonal.
func (m *Matrix) WithoutLoops() *Matrix {
	return m.mapped(func(i, j int, weight float64) float64 {
		if i == j {
			return 0
		}
		return weight
	})
}

// Normalized is D^−½ A0 D^−½: A0 is the matrix without its diagonal, D the diagonal of its row sums. Rows of degree 0
// stay zero.
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
