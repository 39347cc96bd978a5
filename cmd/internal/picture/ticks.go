package picture

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// roundNumbers are some from low to high, about five.
func roundNumbers(low, high float64) (values []float64) {
	span := high - low
	if !(span > 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(span/2.5)))
	for _, times := range []float64{5, 2} {
		if span/(times*step) >= 2.5 {
			step *= times
			break
		}
	}
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*span; i++ {
		values = append(values, i*step)
	}
	return values
}

// roundTicks marks an axis with round numbers.
type roundTicks struct{}

// Ticks implements plot.Ticker.
func (roundTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	for _, v := range roundNumbers(low, high) {
		ticks = append(ticks, plot.Tick{Value: v, Label: short(v)})
	}
	return ticks
}

// short writes a number with few digits, and a proper minus.
func short(v float64) string {
	if v == 0 {
		return "0"
	}
	text := strconv.FormatFloat(math.Abs(v), 'g', 3, 64)
	if v < 0 {
		return "−" + text
	}
	return text
}
