// Package npz reads and writes numpy's array files: .npy (one array) and .npz (a zip archive of named arrays).
//
// It reads the files of numpy.save, numpy.savez, numpy.savez_compressed and scipy.sparse.save_npz:
//
//   - elements: bool, integers of 1 to 8 bytes, float16, float32, float64, `U` and `S` strings;
//   - layout: little and big endian, C and Fortran order, scalars;
//   - files: headers of version 1, 2 and 3, stored and deflated members, with .npy behind their names or not.
//
// It refuses pickled objects, complex numbers, dates and records. Files come from users, so package npz believes no
// header: it compares the shape with the number of bytes before it allocates anything.
package npz

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
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

	stored string // the type in the file, if that was narrowed
}

// Len returns the number of elements, 0 if Data is no slice.
func (a *Array) Len() int {
	if data := reflect.ValueOf(a.Data); data.Kind() == reflect.Slice {
		return data.Len()
	}
	return 0
}

// Kind returns the type of the elements, as the file has them and Go names it: "float32", "uint8", "string".
func (a *Array) Kind() string {
	return cmp.Or(a.stored, strings.TrimPrefix(fmt.Sprintf("%T", a.Data), "[]"))
}

// Ints returns the elements as int64. Booleans become 0 and 1. If an element has no exact int64 value, the error
// names the first such element. The result may share memory with Data.
func (a *Array) Ints() ([]int64, error) {
	const exact = 1 << 53
	out, err := convert[int64](a, "integers")
	data := reflect.ValueOf(a.Data)
	for i := range out {
		switch v := data.Index(i); {
		case v.CanUint() && v.Uint() > math.MaxInt64:
			return nil, fmt.Errorf("element %d is %v, beyond the largest int64; store smaller integers", i, v)
		case v.CanFloat() && (v.Float() != math.Trunc(v.Float()) || math.Abs(v.Float()) > exact): // NaN differs from itself
			return nil, fmt.Errorf("element %d is %v, not a whole number; store integers", i, v)
		}
	}
	return out, err
}

// Floats returns the elements as float64; booleans become 0 and 1. The result may share memory with Data.
func (a *Array) Floats() ([]float64, error) {
	return convert[float64](a, "numbers")
}

// Float32s returns the elements as float32, rounded. Booleans become 0 and 1; what is too large becomes an infinity.
// The result may share memory with Data.
func (a *Array) Float32s() ([]float32, error) {
	return convert[float32](a, "numbers")
}

// Strings returns the elements of an array of strings. The result shares memory with Data.
func (a *Array) Strings() ([]string, error) {
	if data, ok := a.Data.([]string); ok {
		return data, nil
	}
	return nil, fmt.Errorf("elements are %s, want strings; store with dtype=str", a.Kind())
}

// Texts returns the elements of an array of strings, or its whole numbers as strings.
func (a *Array) Texts() (all []string, err error) {
	if all, named := a.Data.([]string); named {
		return all, nil
	}
	numbers, err := a.Ints()
	if err != nil {
		return nil, fmt.Errorf("%w, or strings", err)
	}
	for _, number := range numbers {
		all = append(all, strconv.FormatInt(number, 10))
	}
	return all, nil
}

// convert returns the elements of any numeric array as type T. Its error says what was wanted.
func convert[T int64 | float32 | float64](a *Array, want string) ([]T, error) {
	if data, ok := a.Data.([]T); ok {
		return data, nil
	}
	if a.dtype() == "" {
		return nil, fmt.Errorf("elements are %s, want %s", a.Kind(), want)
	}
	data := reflect.ValueOf(a.Data)
	out := make([]T, data.Len())
	for i := range out {
		switch v := data.Index(i); {
		case v.CanInt():
			out[i] = T(v.Int())
		case v.CanUint():
			out[i] = T(v.Uint())
		case v.CanFloat():
			out[i] = T(v.Float())
		case v.Bool():
			out[i] = 1
		}
	}
	return out, nil
}

// dtype returns numpy's kind and size of the elements, "" for types without a fixed size, such as strings.
func (a *Array) dtype() string {
	slice := reflect.TypeOf(a.Data)
	if slice == nil || slice.Kind() != reflect.Slice {
		return ""
	}
	element := slice.Elem()
	name := fmt.Sprintf("%c%d", element.String()[0], element.Size()) // int16: i2
	if types[name] != element {
		return ""
	}
	return name
}
