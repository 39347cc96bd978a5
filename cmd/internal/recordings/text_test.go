package recordings

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The short way to read a number gives the bits that strconv gives, or leaves the number to it.
func TestDecimal(t *testing.T) {
	random, taken := rand.New(rand.NewPCG(1, 2)), 0
	texts := []string{"", "-", ".", "-.", "0", "-0", "5.", ".5", "-.5", "1..2", "1.2.3", "+1", "1e3", "inf", "nan", "1_0", "0x1", "--1", "1-",
		"999999999999999", "9999999999999999", "0.00000000000001", "0.000000000000001", "000000000000001", "0.30000000000000004", "1,5", " 1"}
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
