package npz

import (
	"errors"
	"fmt"
	"strings"
)

// Source gives arrays by name: a [File], or a wrapper that notes which arrays were read.
type Source interface {
	Has(name string) bool
	Array(name string) (*Array, error)
}

// Vector reads an array of one dimension and n elements. A negative n allows any number. `of` is the word for the
// elements in an error.
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
		return nil, fmt.Errorf("%s has shape %v; want [%d], the number of %s: flatten it (%[1]s.ravel())",
			name, a.Shape, n, of)
	}
	return nil, fmt.Errorf("%s has shape %v; want [%d], the number of %s: the lengths must agree", name, a.Shape, n, of)
}

// Elements reads a [Vector] and converts its elements, by (*Array).Ints for example.
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

// Element returns the name of element i, row-major, of an array: "features[3,0,1]".
func (a *Array) Element(name string, i int) string {
	index := make([]string, len(a.Shape))
	for axis := len(a.Shape) - 1; axis >= 0; axis-- {
		index[axis] = fmt.Sprint(i % a.Shape[axis])
		i /= a.Shape[axis]
	}
	return name + "[" + strings.Join(index, ",") + "]"
}

// shown is the number of wrong elements that an error names one by one.
const shown = 3

// Wrong collects the errors of one array's elements.
type Wrong struct {
	errs  []error // of the first few
	count int
}

// Add counts a wrong element. It formats the error only of the first few.
func (w *Wrong) Add(format string, values ...any) {
	if w.count++; w.count <= shown {
		w.errs = append(w.errs, fmt.Errorf(format, values...))
	}
}

// Err returns the errors of the array of that name, nil if there are none.
func (w *Wrong) Err(name string) error {
	if more := w.count - len(w.errs); more > 0 {
		return errors.Join(append(w.errs, fmt.Errorf("%s: %d more elements are wrong in the same way", name, more))...)
	}
	return errors.Join(w.errs...)
}
