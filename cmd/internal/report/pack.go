package report

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Ints are many whole numbers from 0. In JSON they are the base64 of their little-endian form: {"u16": "…"} or, if one does not
// fit, {"u32": "…"}.
type Ints []int32

// MarshalJSON implements json.Marshaler.
func (v Ints) MarshalJSON() ([]byte, error) {
	if len(v) > 0 && slices.Max(v) > math.MaxUint16 {
		return packed("u32", []int32(v))
	}
	small := make([]uint16, len(v))
	for i, x := range v {
		small[i] = uint16(x)
	}
	return packed("u16", small)
}

// Floats are many numbers: {"f32": "…"} in JSON.
type Floats []float32

// MarshalJSON implements json.Marshaler.
func (v Floats) MarshalJSON() ([]byte, error) { return packed("f32", []float32(v)) }

func packed(kind string, values any) ([]byte, error) {
	raw, _ := binary.Append([]byte{}, binary.LittleEndian, values) // it cannot fail for slices of numbers
	return json.Marshal(map[string][]byte{kind: raw})
}

// Scaled are numbers to draw, in 8 bits each: x is int8(Q)·Most/127.
type Scaled struct {
	Q    []byte  `json:"i8"`
	Most float64 `json:"most"` // the largest absolute value
}

func scaled(values []float64) *Scaled {
	s := &Scaled{Q: make([]byte, len(values)), Most: floats.Norm(values, math.Inf(1))}
	for i, v := range values {
		if s.Most > 0 {
			s.Q[i] = byte(int8(math.Round(127 * v / s.Most)))
		}
	}
	return s
}
