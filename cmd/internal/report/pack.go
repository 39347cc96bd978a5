package report

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Ints are whole numbers from 0, many of them: in JSON they are the base64 of their little-endian form, {"u16": "…"} or, where one
// does not fit, {"u32": "…"}.
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

// Floats are numbers, many of them: {"f32": "…"} in JSON.
type Floats []float32

// MarshalJSON implements json.Marshaler.
func (v Floats) MarshalJSON() ([]byte, error) { return packed("f32", []float32(v)) }

func packed(kind string, values any) ([]byte, error) {
	raw, err := binary.Append([]byte{}, binary.LittleEndian, values)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string][]byte{kind: raw})
}

// Scaled are numbers to be drawn, kept to 8 bits: x is Q·Most/127 for Q from -127 to 127, {"i8": "…", "most": Most} in JSON.
type Scaled struct {
	Q    []int8
	Most float64 // the largest absolute value
}

// MarshalJSON implements json.Marshaler.
func (v Scaled) MarshalJSON() ([]byte, error) {
	raw := make([]byte, len(v.Q))
	for i, q := range v.Q {
		raw[i] = byte(q)
	}
	return json.Marshal(map[string]any{"i8": raw, "most": v.Most})
}

// scaled keeps 8 bits of each value.
func scaled(values []float64) *Scaled {
	s := &Scaled{Q: make([]int8, len(values)), Most: floats.Norm(values, math.Inf(1))}
	for i, v := range values {
		if s.Most > 0 {
			s.Q[i] = int8(math.Round(127 * v / s.Most))
		}
	}
	return s
}
