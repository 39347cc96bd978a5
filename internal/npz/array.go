// Package npz reads and writes numpy's array files: .npy (one array) and .npz (a zip archive of named arrays).
//
// It reads what numpy.save, numpy.savez, numpy.savez_compressed and scipy.sparse.save_npz write: headers of version 1,
// 2 and 3; bool, integers of 1 to 8 bytes, float16, float32, float64, `U` and `S` strings; little and big endian; C and
// Fortran order; scalars; stored or deflated members. Pickled objects, complex numbers, dates and records are refused.
//
// Files come from users, so nothing in a header is believed: the shape is checked against the bytes that are there
// before anything is allocated.
package npz

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Array is an n-dimensional array in C (row-major) order.
type Array struct {
	// Shape holds the size of each dimension; it is empty for a scalar.
	Shape []int

	// Data is one of []bool, []int8, []int16, []int32, []int64, []uint8, []uint16, []uint32, []uint64, []float32,
	// []float64, []string, with as many elements as the product of Shape (1 for a scalar). Numbers keep the width that
	// they have in the file, but float16 becomes float32.
	Data any
}

// number is every element type but bool and string.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// dtypes are the types of Data that hold elements of a fixed size, by their names: numpy's kind and bytes.
var dtypes = map[string]string{
	"[]bool": "b1", "[]int8": "i1", "[]int16": "i2", "[]int32": "i4", "[]int64": "i8", "[]uint8": "u1", "[]uint16": "u2", "[]uint32": "u4",
	"[]uint64": "u8", "[]float32": "f4", "[]float64": "f8",
}

// Len is the number of elements, 0 if Data is of no supported type.
func (a *Array) Len() int {
	if _, ok := a.Data.([]string); ok || dtypes[fmt.Sprintf("%T", a.Data)] != "" {
		return reflect.ValueOf(a.Data).Len()
	}
	return 0
}

// Kind names the type of the elements as Go does: "float32", "uint8", "string".
func (a *Array) Kind() string {
	return strings.TrimPrefix(fmt.Sprintf("%T", a.Data), "[]")
}

// Ints returns the elements as int64. Booleans become 0 and 1; floating-point numbers are taken if they are whole.
// It is an error, which names the first such element, if one has no exact int64 value. The result may share memory
// with Data.
func (a *Array) Ints() ([]int64, error) {
	switch data := a.Data.(type) {
	case []int64:
		return data, nil
	case []uint64:
		for i, v := range data {
			if v > math.MaxInt64 {
				return nil, fmt.Errorf("element %d is %d, beyond the largest int64; store smaller integers", i, v)
			}
		}
	case []float32:
		for i, v := range data {
			if err := checkWhole(i, float64(v)); err != nil {
				return nil, err
			}
		}
	case []float64:
		for i, v := range data {
			if err := checkWhole(i, v); err != nil {
				return nil, err
			}
		}
	}
	return convert[int64](a, "integers")
}

// checkWhole tells whether a floating-point element is an integer small enough to be exact.
func checkWhole(index int, v float64) error {
	const exact = 1 << 53
	if v != math.Trunc(v) || math.Abs(v) > exact { // NaN differs from itself, infinities are beyond exact.
		return fmt.Errorf("element %d is %v, not a whole number; store integers", index, v)
	}
	return nil
}

// Floats returns the elements as float64; booleans become 0 and 1. The result may share memory with Data.
func (a *Array) Floats() ([]float64, error) {
	if data, ok := a.Data.([]float64); ok {
		return data, nil
	}
	return convert[float64](a, "numbers")
}

// Float32s returns the elements as float32; booleans become 0 and 1, and what float32 cannot hold is rounded (to an
// infinity where it is too large). The result may share memory with Data.
func (a *Array) Float32s() ([]float32, error) {
	if data, ok := a.Data.([]float32); ok {
		return data, nil
	}
	return convert[float32](a, "numbers")
}

// Strings returns the elements of an array of strings. The result shares memory with Data.
func (a *Array) Strings() ([]string, error) {
	if data, ok := a.Data.([]string); ok {
		return data, nil
	}
	return nil, fmt.Errorf("elements are %s, want strings; store with dtype=str", a.Kind())
}

// convert copies any numeric array to elements of type T; want says in the error what was needed.
func convert[T number](a *Array, want string) ([]T, error) {
	switch data := a.Data.(type) {
	case []bool:
		out := make([]T, len(data))
		for i, v := range data {
			if v {
				out[i] = 1
			}
		}
		return out, nil
	case []int8:
		return cast[T](data), nil
	case []int16:
		return cast[T](data), nil
	case []int32:
		return cast[T](data), nil
	case []int64:
		return cast[T](data), nil
	case []uint8:
		return cast[T](data), nil
	case []uint16:
		return cast[T](data), nil
	case []uint32:
		return cast[T](data), nil
	case []uint64:
		return cast[T](data), nil
	case []float32:
		return cast[T](data), nil
	case []float64:
		return cast[T](data), nil
	}
	return nil, fmt.Errorf("elements are %s, want %s", a.Kind(), want)
}

func cast[T, S number](in []S) []T {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = T(v)
	}
	return out
}
