package datasets

import (
	"fmt"
	"math"

	"github.com/clusterpool/ccp/internal/npz"
)

// array reads an array and takes note of it.
func (r *npzReader) array(name string) (*npz.Array, error) {
	a, err := r.file.Array(name)
	if err == nil {
		r.taken = append(r.taken, ArrayInfo{name, a.Shape, a.Kind()})
	}
	return a, err
}

// vector reads an array of one dimension and n elements, any number if n is negative; `of` says what they must match.
func (r *npzReader) vector(name string, n int, of string) (*npz.Array, error) {
	a, err := r.array(name)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) == 1 && n < 0 {
		return a, nil
	}
	if len(a.Shape) != 1 || a.Shape[0] != n {
		if n < 0 {
			return nil, fmt.Errorf("%s has shape %v; want one dimension", name, a.Shape)
		}
		fix := "the lengths must agree"
		if len(a.Shape) != 1 && a.Len() == n {
			fix = "flatten it (" + name + ".ravel())"
		}
		return nil, fmt.Errorf("%s has shape %v; want [%d], the number of %s: %s", name, a.Shape, n, of, fix)
	}
	return a, nil
}

// integers reads a vector of whole numbers.
func (r *npzReader) integers(name string, n int, of string) ([]int64, error) {
	a, err := r.vector(name, n, of)
	if err != nil {
		return nil, err
	}
	values, err := a.Ints()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return values, nil
}

// weights reads a vector of weights.
func (r *npzReader) weights(name string, n int, of string) ([]float64, error) {
	a, err := r.vector(name, n, of)
	if err != nil {
		return nil, err
	}
	return checkedWeights(name, a)
}

// checkedWeights returns the elements of an array of weights: numbers, finite, not negative.
func checkedWeights(name string, a *npz.Array) ([]float64, error) {
	values, err := a.Floats()
	if err != nil {
		return nil, fmt.Errorf("%s: %w; store them as such (%[1]s.astype(float))", name, err)
	}
	wrong := several{array: name}
	for i, value := range values {
		if !(value >= 0) || value > math.MaxFloat32 {
			wrong.add(func() error {
				return fmt.Errorf("%s is %g; weights must be finite and not negative", at(name, a.Shape, i), value)
			})
		}
	}
	return values, wrong.err()
}
