package datasets

import (
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
)

// Labels that are numbers to predict, or names of the samples, are no classes; a few rare classes are.
func TestLabelsThatAreNoClasses(t *testing.T) {
	const n = 60
	texts := func(text func(i int) string) arrays {
		labels := make([]string, n)
		for i := range labels {
			labels[i] = text(i)
		}
		return recordingsOf(n, 1, 20, func(i, _, time int) float32 { return float32(i * time % 7) }).with("labels",
			vectorOf(labels...))
	}
	whole := func(number func(i int) int64) arrays {
		labels := make([]int64, n)
		for i := range labels {
			labels[i] = number(i)
		}
		return texts(func(int) string { return "" }).with("labels", vectorOf(labels...))
	}
	for want, a := range map[string]arrays{
		"60 classes … 0.01 … numbers":    texts(func(i int) string { return fmt.Sprintf("%.2f", float64(i+1)/100) }),
		"60 classes … names of the":      texts(func(i int) string { return fmt.Sprintf("file%d.wav", i) }),
		"60 classes … predicts no":       whole(func(i int) int64 { return int64(7 * i) }),
		"60 classes … numbers … classes": whole(func(i int) int64 { return int64(i) }),
	} {
		messagetest.OneNames(t, a.check(t, Options{}).Errors, want)
	}
	for _, fine := range []arrays{texts(func(i int) string { return fmt.Sprint(i % 30) }),
		whole(func(i int) int64 { return int64(max(0, i-50)) })} {
		for _, line := range fine.check(t, Options{}).Errors {
			assert.NotContains(t, line, "one sample")
		}
	}
	measured := make([]float64, n)
	measured[3] = 0.25
	messagetest.OneNames(t, texts(func(int) string { return "" }).with("labels", vectorOf(measured...)).check(t,
		Options{}).Errors, "labels[3] … 0.25 … predicts no numbers")
}
