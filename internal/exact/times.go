// Package exact keeps what float64 would lose: the last digits of times, and the squares of very small and very large
// numbers.
package exact

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Rest returns what float64 leaves out of a number: what the text says, less the value that it was read as.
// Nanoseconds since 1970 are multiples of 256 in float64, and seconds since 1970 have steps of 0.24 µs. Numbers below
// 1e8 have no rest, since no clock is so exact.
func Rest(text string, value float64) float64 {
	const least, most = 1e8, 9e18
	if size := math.Abs(value); !(size >= least) || size > most {
		return 0
	}
	whole, fraction, pointed := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	part := 0.0
	if err == nil && pointed {
		part, err = strconv.ParseFloat("0."+fraction+"0", 64)
		if strings.ContainsAny(fraction, "eE") {
			err = strconv.ErrSyntax
		}
	}
	if err == nil {
		floor := math.Trunc(value)
		return float64(n-int64(floor)) + (math.Copysign(part, value) - (value - floor))
	}
	const digits = 128 // bits, of a number with an exponent
	exact, ok := new(big.Float).SetPrec(digits).SetString(text)
	if !ok {
		return 0
	}
	rest, _ := exact.Sub(exact, big.NewFloat(value)).Float64()
	return rest
}

// FromFirst returns times that are counted from the first of them, if float64 rounds off a thousandth of a step or
// more, and the first in all its digits. Each time is the sum of a value and its rest, see Rest. Without rests, or if
// float64 holds the times well, it returns times as they are, and "".
func FromFirst(times, rests []float64) (from []float64, first string) {
	if len(rests) == 0 || len(times) < 2 {
		return times, ""
	}
	at, least, most := 0, math.Inf(1), 0.0
	for i := range times {
		if cmp.Or(cmp.Compare(times[i], times[at]), cmp.Compare(rests[i], rests[at])) < 0 {
			at = i
		}
		most = max(most, math.Abs(times[i]))
		if step := math.Abs(times[i] - times[max(0, i-1)] + (rests[i] - rests[max(0, i-1)])); step > 0 {
			least = min(least, step)
		}
	}
	const share = 1e-3
	if math.Nextafter(most, math.Inf(1))-most < share*least {
		return times, ""
	}
	from = make([]float64, len(times))
	for i := range times {
		from[i] = times[i] - times[at] + (rests[i] - rests[at])
	}
	return from, Text(times[at], rests[at])
}

// Text writes a number, the sum of a value and its rest, with all digits down to nanoseconds, see Rest.
func Text(value, rest float64) string {
	if rest == 0 {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	const nanoseconds = 9 // digits
	sum := new(big.Float).SetPrec(128).Add(big.NewFloat(value), big.NewFloat(rest))
	return strings.TrimRight(strings.TrimRight(sum.Text('f', nanoseconds), "0"), ".")
}

// Note says that the times of a recording are counted from the first.
func Note(first string) string {
	return "its times have more digits than float64 holds; they are counted from the first, " + first
}
