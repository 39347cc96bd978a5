package serve

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
)

// datatype is a type of elements of the Open Inference Protocol, or Triton's BF16. Both ways to read an element give
// the float32 that is nearest to it, so that a tensor means the same in binary and in JSON. The errors follow "element
// 3 is".
type datatype struct {
	name  string
	width int                                // bytes
	read  func(b []byte) (float32, error)    // little-endian
	parse func(text []byte) (float32, error) // from JSON
}

// datatypes are all that hold numbers.
var datatypes = []datatype{
	{"BOOL", 1, readBool, parseBool},
	{"UINT8", 1, number(func(b []byte) uint8 { return b[0] }), whole(strconv.ParseUint, 8)},
	{"UINT16", 2, number(binary.LittleEndian.Uint16), whole(strconv.ParseUint, 16)},
	{"UINT32", 4, number(binary.LittleEndian.Uint32), whole(strconv.ParseUint, 32)},
	{"UINT64", 8, number(binary.LittleEndian.Uint64), whole(strconv.ParseUint, 64)},
	{"INT8", 1, number(func(b []byte) int8 { return int8(b[0]) }), whole(strconv.ParseInt, 8)},
	{"INT16", 2, number(func(b []byte) int16 { return int16(binary.LittleEndian.Uint16(b)) }),
		whole(strconv.ParseInt, 16)},
	{"INT32", 4, number(func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) }),
		whole(strconv.ParseInt, 32)},
	{"INT64", 8, number(func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }),
		whole(strconv.ParseInt, 64)},
	{"FP16", 2, number(func(b []byte) float32 { return float16.Float16(binary.LittleEndian.Uint16(b)).Float32() }),
		fraction(11, -24, 65504)},
	{"BF16", 2, number(func(b []byte) float32 { return bfloat16.BFloat16(binary.LittleEndian.Uint16(b)).Float32() }),
		fraction(8, -133, 0xff*0x1p120)},
	{"FP32", 4, number(func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }), parseFloat},
	{"FP64", 8, func(b []byte) (float32, error) { return narrow(math.Float64frombits(binary.LittleEndian.Uint64(b))) },
		parseDouble},
}

// errElement says that a text is no element of its datatype.
var errElement = errors.New("which is no number of its datatype")

// number makes a reader of elements whose nearest float32 is finite unless they are not.
func number[T uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | float32](read func([]byte) T) func(
	[]byte) (float32, error) {
	return func(b []byte) (float32, error) { return float32(read(b)), nil }
}

// narrow returns the float32 nearest to v. A number that float32 does not hold is an error; infinity and NaN stay what
// they are.
func narrow(v float64) (float32, error) {
	near := float32(v)
	if math.IsInf(float64(near), 0) && !math.IsInf(v, 0) {
		return 0, fmt.Errorf("%g, which float32 does not hold", v)
	}
	return near, nil
}

func parseFloat(text []byte) (float32, error) {
	v, err := strconv.ParseFloat(string(text), 32)
	if err != nil {
		return 0, errElement
	}
	return float32(v), nil
}

func parseDouble(text []byte) (float32, error) {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, errElement
	}
	return narrow(v)
}

// fraction makes a parser of a type with so many significant bits, whose least number above 0 is 2^least, and whose
// greatest is most.
func fraction(bits, least int, most float64) func([]byte) (float32, error) {
	return func(text []byte) (float32, error) {
		v, err := strconv.ParseFloat(string(text), 64)
		_, exponent := math.Frexp(v)
		unit := math.Ldexp(1, max(exponent-bits, least))
		near := math.Copysign(math.RoundToEven(v/unit)*unit, v)
		if err != nil || math.Abs(near) > most {
			return 0, errElement
		}
		return float32(near), nil
	}
}

func whole[T int64 | uint64](parse func(text string, base, bits int) (T, error),
	bits int) func([]byte) (float32, error) {
	return func(text []byte) (float32, error) {
		v, err := parse(string(text), 10, bits)
		if err != nil {
			return 0, errElement
		}
		return float32(v), nil
	}
}

// readBool takes any byte but 0 for true, as numpy does.
func readBool(b []byte) (float32, error) {
	if b[0] != 0 {
		return 1, nil
	}
	return 0, nil
}

func parseBool(text []byte) (float32, error) {
	switch string(text) {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	return 0, errElement
}
