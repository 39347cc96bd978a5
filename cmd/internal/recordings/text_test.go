package recordings

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// The short way to read a number gives the bits that strconv gives, or leaves the number to it.
func TestDecimal(t *testing.T) {
	random, taken := rand.New(rand.NewPCG(1, 2)), 0
	texts := []string{"", "-", ".", "-.", "0", "-0", "5.", ".5", "-.5", "1..2", "1.2.3", "+1", "1e3", "inf", "nan", "1_0",
		"0x1", "--1", "1-",
		"999999999999999", "9999999999999999", "0.00000000000001", "0.000000000000001", "000000000000001",
		"0.30000000000000004", "1,5", " 1"}
	for range 100_000 {
		value := math.Ldexp(random.Float64()-0.5, random.IntN(60)-30)
		texts = append(texts, strconv.FormatFloat(value, 'f', random.IntN(17), 64), strconv.FormatFloat(value, 'g', 6, 64))
	}
	for _, text := range texts {
		value, point, ok := decimal(text)
		if !ok {
			continue
		}
		taken++
		want, err := strconv.ParseFloat(text, 64)
		if err != nil || math.Float64bits(want) != math.Float64bits(value) {
			t.Fatalf("%q is %v (%v), not %v", text, want, err, value)
		}
		assert.Equal(t, strings.Contains(text, "."), point, text)
	}
	assert.Greater(t, taken, len(texts)/2)
}

// The marks of missing values of databases and languages, and numbers as other languages than Go write them. A line of
// such marks is a sample, not a line of units.
func TestNumbersOfOtherPrograms(t *testing.T) {
	in := &input{separator: ',', markers: map[string]int{}, dialect: newDialect("", false)}
	for _, text := range []string{`\N`, "<NA>", "NaT", ".", "-nan", "+NaN", "-nan(ind)", "nan(0x8000000000000)", "(null)", "[NULL]", "NA", "n/a", "?", "-"} {
		value, err := in.number(1, text)
		assert.NoError(t, err, text)
		assert.True(t, math.IsNaN(value), text)
	}
	for text, want := range map[string]float64{"1d5": 1e5, "-0.25D-02": -0.0025, "1.5D+00": 1.5, "1.e3": 1000, "TRUE": 1,
		"False": 0, "1e-45": 1e-45} {
		value, err := in.number(1, text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, value, text)
	}
	for _, text := range []string{"0x10", "inf", "+Infinity", "-1e39", "1d", "d5", "yes", "no", "T", "1e5e5", "1_000", "²",
		"１２", "1.5-105", "5%"} {
		_, err := in.number(1, text)
		messagetest.Names(t, err, "number … float32", text)
	}
	s, err := read(t, []string{put(t, t.TempDir(), "a.csv",
		"\"label\",\"n8\"\n\"walk\",\\N\n\"sit\",1.5\n\"walk\",2\n\"sit\",3\n")}, Options{})
	assert.NoError(t, err)
	assert.Len(t, s.samples, 4)
	assert.Empty(t, s.noteTexts())
}
