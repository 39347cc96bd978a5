package skeleton

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "7": 7, "-3.25": -3.25, "0.2181153": 0.2181153, "-0.007300502": -0.007300502, ".5": 0.5, "5.": 5,
		"  \r\n\t12 3": 12,
		"1e3":          1000, "-1.5E-05": -1.5e-5, "+2": 2, "123456789012345": 123456789012345,
		"0.12345678901234567890": 0.1234567890123456789,
		"277.419":                277.419, "-0": math.Copysign(0, -1), "00000000000000000000001": 1, "inf": math.Inf(1),
		"-Infinity": math.Inf(-1),
	} {
		got, err := (&tokens{text: []byte(text)}).number("x")
		require.NoError(t, err, text)
		assert.Equal(t, float32(want), got, text)
	}
	for _, text := range []string{"NaN", "nan", "-nan", "-1.#IND", "1.#QNAN", "-nan(ind)", "1.#INF00"} {
		got, err := (&tokens{text: []byte(text)}).number("x")
		require.NoError(t, err, text)
		assert.True(t, math.IsNaN(float64(got)), text)
	}
	for text, want := range map[string]string{
		"":                               "line 1 … ends … x",
		" \n \n":                         "line 3 … ends … x",
		"\n1.2.3":                        `line 2 … "1.2.3" … x`,
		"-":                              `"-" where`,
		".":                              `"." where`,
		"1,5":                            `"1,5" where`,
		"0x":                             `"0x" where`,
		"1e999":                          `"1e999" where`,
		"banana-and-a-very-long-token-x": "needs x",
	} {
		_, err := (&tokens{text: []byte(text)}).number("x")
		messagetest.Names(t, err, want, text)
	}
}

func TestCount(t *testing.T) {
	c := &tokens{text: []byte("0 12\n7 x -1 99999999999999999999")}
	for _, want := range []int{0, 12} {
		got, err := c.count("bodies", 12)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := c.count("bodies", 6)
	messagetest.Names(t, err, `line 2 … "7" … bodies from 0 to 6`)
	for _, want := range []string{`"x"`, `"-1"`, `"99999999999999999999"`, "the file ends"} {
		_, err := c.count("bodies", 6)
		messagetest.Names(t, err, want)
	}
}

// FuzzNumber compares with strconv.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"1.5", "-0.2181153", "1e-7", "123456789012345.6", "..", "-", "0.000000000000001",
		"\n4 5", "nan"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token := string((&tokens{text: []byte(text)}).next())
		read := &tokens{text: []byte(text)}
		got, err := read.number("x")
		want, wantErr := strconv.ParseFloat(token, 64)
		if wantErr == nil && math.IsNaN(want) {
			require.NoError(t, err)
			require.True(t, math.IsNaN(float64(got)))
		} else if wantErr == nil && !math.IsInf(float64(float32(want)), 0) {
			require.NoError(t, err)
			// Rounding twice, over float64, may differ from rounding once in the last bit.
			require.InDelta(t, 0, float64(got)-want, math.Abs(want)*1e-7+1e-44)
			require.Equal(t, math.Signbit(want), math.Signbit(float64(got)))
		} else if err == nil {
			require.True(t, math.IsNaN(float64(got)) || math.IsInf(float64(got), 0), "%q gives %g", token, got)
		}
	})
}
