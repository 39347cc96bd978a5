package datasets

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// measuredNoise is a file of recordings with two sensors of whole numbers that follow each other a little.
func measuredNoise(samples, timepoints int, change func(sample, sensor, at int, v float64) float64) arrays {
	rng := rand.New(rand.NewPCG(1, 2))
	values, labels := make([]float32, 0, samples*2*timepoints), make([]int64, samples)
	for i := range samples {
		labels[i] = int64(i % 2)
		for sensor := range 2 {
			last := 0.0
			for at := range timepoints {
				last = 0.7*last + 700*rng.NormFloat64()
				values = append(values, float32(math.Round(change(i, sensor, at, last))))
			}
		}
	}
	split := slices.Repeat([]int64{0}, samples)
	split[samples-1], split[samples-2] = 2, 2
	return arrays{"labels": vectorOf(labels...), "split": vectorOf(split...),
		"series": {Shape: []int{samples, 2, timepoints}, Data: values}}
}

// Sensors that failed in some training samples are remarked on: dead in one, clipped, stuck for a while. What is so by
// nature is not: counts, rain, levels of a switch, sound sensors.
func TestFailedSensorsAreRemarkedOn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(sample, sensor, at int, v float64) float64
		says   []string
	}{
		"sound": {func(_, _, _ int, v float64) float64 { return v }, nil},
		"dead in one": {func(sample, sensor, _ int, v float64) float64 {
			if sample == 33 && sensor == 0 {
				return 5
			}
			return v
		}, []string{`"sensor 0" … constant … sample 33`}},
		"clipped": {func(_, sensor, _ int, v float64) float64 {
			if sensor == 1 {
				return max(-1200, min(1199, v))
			}
			return v
		}, []string{`"sensor 1" … extreme … clipped`}},
		"stuck": {func(sample, sensor, at int, v float64) float64 {
			if sample%4 == 0 && sensor == 1 && at >= 50 && at < 120 {
				return 77
			}
			return v
		}, []string{`"sensor 1" repeats … 35% … stuck`}},
		"counts": {func(_, _, _ int, v float64) float64 { return math.Round(math.Abs(v) / 300) }, nil},
		"rain":   {func(_, _, _ int, v float64) float64 { return max(0, v-500) }, nil},
		"switch": {func(_, _, at int, _ float64) float64 { return float64(at / 60 % 2) }, nil},
	} {
		d := measuredNoise(120, 200, c.change).load(t, Options{})
		remarks := d.remarks()
		if c.says == nil {
			assert.Empty(t, remarks, name)
			continue
		}
		messagetest.EachNames(t, remarks, c.says...)
	}
}

// Pixels of digits, scaled positions of a pen and other shapes that touch their bounds one point at a time have no
// rails.
func TestBoundsThatAreTouchedAreNoRails(t *testing.T) {
	var values []float32
	rng := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		one := make([]float32, 25)
		for at := range one {
			one[at] = float32(math.Round(100 * rng.Float64()))
		}
		one[rng.IntN(12)*2], one[rng.IntN(12)*2+1] = 0, 100
		values = append(values, one...)
	}
	_, share := railOf(values)
	assert.Zero(t, share)
}
