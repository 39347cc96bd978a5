package report

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
)

// Ints are whole numbers from 0, many of them: in JSON they are the base64 of their little-endian form, {"u16": "…"} or, where one
// does not fit, {"u32": "…"}.
type Ints []int32

// MarshalJSON implements json.Marshaler.
func (v Ints) MarshalJSON() ([]byte, error) {
	if len(v) == 0 || slices.Max(v) <= math.MaxUint16 {
		raw := make([]byte, 0, 2*len(v))
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint16(raw, uint16(x))
		}
		return packed("u16", raw)
	}
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(x))
	}
	return packed("u32", raw)
}

// Floats are numbers, many of them: {"f32": "…"} in JSON.
type Floats []float32

// MarshalJSON implements json.Marshaler.
func (v Floats) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return packed("f32", raw)
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
	return json.Marshal(map[string]any{"i8": base64.StdEncoding.EncodeToString(raw), "most": v.Most})
}

// scaled keeps 8 bits of each value.
func scaled(values []float64) Scaled {
	s := Scaled{Q: make([]int8, len(values))}
	for _, v := range values {
		s.Most = max(s.Most, math.Abs(v))
	}
	if s.Most > 0 {
		for i, v := range values {
			s.Q[i] = int8(math.Round(127 * v / s.Most))
		}
	}
	return s
}

func packed(kind string, raw []byte) ([]byte, error) {
	return json.Marshal(map[string]string{kind: base64.StdEncoding.EncodeToString(raw)})
}

// flat joins rows, and says how long each is.
func flat[T int32 | float32](rows [][]T) (counts []int32, values []T) {
	for _, row := range rows {
		counts, values = append(counts, int32(len(row))), append(values, row...)
	}
	return counts, values
}
