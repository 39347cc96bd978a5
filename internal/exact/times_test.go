package exact

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What float64 leaves out of a number comes back as its rest.
func TestRest(t *testing.T) {
	for _, c := range []struct {
		text        string
		value, rest float64
	}{
		{"1700000000000000123", 1.7e18, 123}, {"-1700000000000000123", -1.7e18, -123},
		{"1.700000000000000123e18", 1.7e18, 123},
		{"9007199254740993", 1 << 53, 1}, {"9007199254740993.25", 1 << 53, 1.25}, {"1e9", 1e9, 0}, {"100000000", 1e8, 0},
		{"0x1p40", 1 << 40, 0},
		{"12.3456789012345678", 12.3456789012345678, 0}, {"99999999999999999999", 1e20, 0}, {"NaN", math.NaN(), 0},
		{"not a number", 0, 0}, {"", 0, 0},
		{"not a number", 1e9, 0}, {"", 1e9, 0}, {"1.2.3", 1e9, 0},
	} {
		assert.Equal(t, c.rest, Rest(c.text, c.value), c.text)
	}
	for text, value := range map[string]float64{"1700000000.123456789": 1700000000.123456789,
		"-1700000000.123456789": -1700000000.123456789} {
		sum, _ := new(big.Float).SetPrec(128).SetString(text)
		want, _ := sum.Sub(sum, big.NewFloat(value)).Float64()
		assert.InDelta(t, want, Rest(text, value), 1e-15, text)
	}
}
