package npz

import (
	"errors"
	"fmt"
	"strings"
)

// Source is what arrays are read from: a [File], or something that takes note of what is read from one.
type Source interface {
	Has(name string) bool
	Array(name string) (*Array, error)
}

// Vector reads an array of one dimension and n elements, any number if n is negative. The error calls the n elements `of`.
func Vector(from Source, name string, n int, of string) (*Array, error) {
	a, err := from.Array(name)
	switch {
	case err != nil:
		return nil, err
	case len(a.Shape) == 1 && (n < 0 || a.Shape[0] == n):
		return a, nil
	case n < 0:
		return nil, fmt.Errorf("%s has shape %v; want one dimension", name, a.Shape)
	case len(a.Shape) != 1 && a.Len() == n:
		return nil, fmt.Errorf("%s has shape %v; want [%d], the number of %s: flatten it (%[1]s.ravel())", name, a.Shape, n, of)
	}
	return nil, fmt.Errorf("%s has shape %v; want [%d], the number of %s: the lengths must agree", name, a.Shape, n, of)
}

// Elements reads the elements of a vector, see [Vector], as what convert makes of them: (*Array).Ints and the like.
func Elements[T any](from Source, name string, n int, of string, convert func(*Array) ([]T, error)) ([]T, error) {
	a, err := Vector(from, name, n, of)
	if err != nil {
		return nil, err
	}
	values, err := convert(a)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return values, nil
}

// Element names element i, row-major, of an array of that name: "features[3,0,1]".
func (a *Array) Element(name string, i int) string {
	index := make([]string, len(a.Shape))
	for axis := len(a.Shape) - 1; axis >= 0; axis-- {
		index[axis] = fmt.Sprint(i % a.Shape[axis])
		i /= a.Shape[axis]
	}
	return name + "[" + strings.Join(index, ",") + "]"
}

// shown is how many elements that are wrong in the same way are told one by one.
const shown = 3

// Wrong gathers what is wrong with the elements of one array.
type Wrong struct {
	errs  []error // of the first few
	count int
}

// Add counts an element. Its error is made only if it is shown.
func (w *Wrong) Add(format string, values ...any) {
	if w.count++; w.count <= shown {
		w.errs = append(w.errs, fmt.Errorf(format, values...))
	}
}

// Err joins what was found about the array of that name; nil if nothing was.
func (w *Wrong) Err(name string) error {
	if more := w.count - len(w.errs); more > 0 {
		return errors.Join(append(w.errs, fmt.Errorf("%s: %d more elements are wrong in the same way", name, more))...)
	}
	return errors.Join(w.errs...)
}
