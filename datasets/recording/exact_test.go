package recording

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What float64 leaves out of a number comes back as its rest.
func TestRest(t *testing.T) {
	for _, one := range []struct {
		text        string
		value, rest float64
	}{
		{"1700000000000000123", 1.7e18, 123}, {"-1700000000000000123", -1.7e18, -123}, {"1.700000000000000123e18", 1.7e18, 123},
		{"9007199254740993", 1 << 53, 1}, {"9007199254740993.25", 1 << 53, 1.25}, {"1e9", 1e9, 0}, {"100000000", 1e8, 0}, {"0x1p40", 1 << 40, 0},
		{"12.3456789012345678", 12.3456789012345678, 0}, {"99999999999999999999", 1e20, 0}, {"NaN", nan, 0}, {"not a number", 0, 0}, {"", 0, 0},
		{"not a number", 1e9, 0}, {"", 1e9, 0}, {"1.2.3", 1e9, 0},
	} {
		assert.Equal(t, one.rest, Rest(one.text, one.value), one.text)
	}
	for text, value := range map[string]float64{"1700000000.123456789": 1700000000.123456789, "-1700000000.123456789": -1700000000.123456789} {
		exact, _ := new(big.Float).SetPrec(128).SetString(text)
		want, _ := exact.Sub(exact, big.NewFloat(value)).Float64()
		assert.InDelta(t, want, Rest(text, value), 1e-15, text)
	}
}

// Times in JSON keep their last digits.
func TestJSONTimesWithManyDigits(t *testing.T) {
	var r Recording
	require.NoError(t, r.UnmarshalJSON([]byte(`{"values": [[1],[2],[3]], "times": [1700000000000000123, 1700000000000001123, 1700000000000003123]}`)))
	assert.Equal(t, []float64{0, 1000, 3000}, r.Times)
	assert.Equal(t, []string{"its times have more digits than float64 holds; they are counted from the first, 1700000000000000123"}, r.Notes)
	require.NoError(t, r.UnmarshalJSON([]byte(`{"times": [1, 2, 1.70000000012345678e9], "values": [[1],[2],[3]], "times": [1700000000.25, 1700000000.5, 1700000001]}`)))
	assert.Equal(t, []float64{1700000000.25, 1700000000.5, 1700000001}, r.Times)
	assert.Empty(t, r.Notes)
}
