package serve

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// exact returns the value of a float of so many bytes by the definition of IEEE 754, or of BF16, which is the upper
// half of one.
func exact(bits uint64, width int, bfloat bool) float64 {
	mantissa, exponent := map[int]int{2: 10, 4: 23, 8: 52}[width], map[int]int{2: 5, 4: 8, 8: 11}[width]
	if bfloat {
		mantissa, exponent = 7, 8
	}
	fraction := float64(bits & (1<<mantissa - 1))
	power := int(bits >> mantissa & (1<<exponent - 1))
	bias := 1<<(exponent-1) - 1
	v := math.Ldexp(fraction, 1-bias-mantissa)
	switch {
	case power == 1<<exponent-1 && fraction > 0:
		v = math.NaN()
	case power == 1<<exponent-1:
		v = math.Inf(1)
	case power > 0:
		v = math.Ldexp(fraction+math.Ldexp(1, mantissa), power-bias-mantissa)
	}
	if bits>>(mantissa+exponent)&1 == 1 {
		v = math.Copysign(v, -1)
	}
	return v
}

// elementOf returns the little-endian bytes of a datatype's element, its JSON ("" if it has none), and the float32
// nearest to it.
func elementOf(name string, width int, bits uint64) (raw []byte, text string, want float32) {
	raw = binary.LittleEndian.AppendUint64(nil, bits)[:width]
	bits &= math.MaxUint64 >> (64 - 8*width)
	switch {
	case name == "BOOL":
		return raw, strconv.FormatBool(bits != 0), float32(min(bits, 1))
	case strings.HasPrefix(name, "UINT"):
		want, _ = new(big.Float).SetUint64(bits).Float32()
		return raw, strconv.FormatUint(bits, 10), want
	case strings.HasPrefix(name, "INT"):
		signed := int64(bits<<(64-8*width)) >> (64 - 8*width)
		want, _ = new(big.Float).SetInt64(signed).Float32()
		return raw, strconv.FormatInt(signed, 10), want
	}
	v := exact(bits, width, name == "BF16")
	want = float32(v)
	if v-v == 0 {
		text = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return raw, text, want
}

// patterns returns all bits of an element of one or two bytes, and of a larger one its extremes, subnormals, both
// zeros, infinities, NaN, what lies halfway between two of float32, and some drawn.
func patterns(width int) (all []uint64) {
	if width <= 2 {
		for bits := range uint64(1) << (8 * width) {
			all = append(all, bits)
		}
		return all
	}
	for _, v := range []float64{0, 1, -1, 0.1, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126,
		0x1p-150, 0x1p-149 * 1.5,
		1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-50, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1),
		math.NaN(), math.Copysign(0, -1)} {
		all = append(all, math.Float64bits(v), uint64(math.Float32bits(float32(v))))
	}
	for shift := range 64 {
		for _, near := range []int64{-1, 0, 1} {
			all = append(all, uint64(1<<shift+near), uint64(-(1<<shift + near)))
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(width)))
	for range 5000 {
		all = append(all, random.Uint64()>>random.IntN(8*width))
	}
	return all
}

// Each element of each datatype is the float32 nearest to it, in binary and in JSON, to the last bit: extremes,
// subnormals and -0, too.
func TestEveryDatatypeIsExact(t *testing.T) {
	same := func(want, got float32) bool {
		return math.Float32bits(want) == math.Float32bits(got) || want != want && got != got
	}
	for _, d := range datatypes {
		t.Run(d.name, func(t *testing.T) {
			for _, bits := range patterns(d.width) {
				raw, text, want := elementOf(d.name, d.width, bits)
				got, err := d.read(raw)
				if v := exact(bits, 8, false); d.name == "FP64" && v-v == 0 && math.IsInf(float64(want), 0) {
					messagetest.Names(t, err, "float32", "%x", bits)
					_, err = d.parse([]byte(text))
					messagetest.Names(t, err, "float32", text)
					continue
				}
				require.NoError(t, err)
				require.True(t, same(want, got), "%x is %v, want %v", bits, got, want)
				if text == "" { // infinities and NaN, which JSON has not
					continue
				}
				got, err = d.parse([]byte(text))
				require.NoError(t, err, text)
				require.True(t, same(want, got), "%s is %v, want %v", text, got, want)
			}
		})
	}
}

// What is no element of a datatype is refused in JSON, where binary could not have it: fractions, numbers out of range,
// texts.
func TestNoElementOfItsDatatype(t *testing.T) {
	for name, texts := range map[string][]string{
		"BOOL": {"0", "1", "null"}, "UINT8": {"256", "-1", "1.5", "1e2", "true"}, "UINT16": {"65536", "-1"},
		"UINT32": {"4294967296"},
		"UINT64": {"18446744073709551616", "-1"}, "INT8": {"128", "-129", "0.5"}, "INT16": {"32768", "-32769"},
		"INT32": {"2147483648", "-2147483649", "2.5"}, "INT64": {"9223372036854775808", "1.0"},
		"FP16": {"65520", "-1e5", "1e400", "false"}, "BF16": {"3.4e38", "1e39"}, "FP32": {"3.5e38", `"1"`}, "FP64": {"1e309", "null"},
	} {
		d := datatypes[slices.IndexFunc(datatypes, func(d datatype) bool { return d.name == name })]
		for _, text := range texts {
			_, err := d.parse([]byte(text))
			assert.ErrorIs(t, err, errElement, "%s: %s", name, text)
		}
	}
	for name, texts := range map[string]map[string]float32{ // the nearest element
		"FP16": {"65519": 65504, "0.1": 0.0999755859375, "2.9802322387695312e-8": 0, "2.99e-8": 0x1p-24,
			"-0": float32(math.Copysign(0, -1))},
		"BF16": {"0.1": 0.10009765625, "3.3895e38": 0xff * 0x1p120, "4.59e-41": 0, "4.6e-41": 0x1p-133},
	} {
		d := datatypes[slices.IndexFunc(datatypes, func(d datatype) bool { return d.name == name })]
		for text, want := range texts {
			got, err := d.parse([]byte(text))
			require.NoError(t, err, text)
			assert.Equal(t, math.Float32bits(want), math.Float32bits(got), "%s: %s is %v", name, text, got)
		}
	}
}
