// Package benchmarks times a function and measures the process's memory. README.md lists the benchmarks.
package benchmarks

import (
	"slices"
	"time"
)

// Figures are the results of one measurement. The programs in benchmarks/peers print the same names.
type Figures struct {
	MedianMS  float64 `json:"median_ms"` // wall clock of a step
	MinMS     float64 `json:"min_ms"`
	CPUMS     float64 `json:"cpu_ms"`      // processor time of a step, summed over the cores: the median
	PeakRSSMB float64 `json:"peak_rss_mb"` // of the whole process, 2²⁰ bytes
	WarmupS   float64 `json:"warmup_s"`    // wall clock of all the steps before the timed ones
	Versions  string  `json:"versions"`    // of the libraries that computed
}

// Time calls step warmup times without and steps times, at least once, with a clock. step must return when its result
// is ready.
func Time(warmup, steps int, step func() error) (f Figures, err error) {
	began := time.Now()
	for range warmup {
		if err := step(); err != nil {
			return f, err
		}
	}
	f.WarmupS = time.Since(began).Seconds()
	var wall, cpu []float64
	for range max(1, steps) {
		before, _ := usage()
		started := time.Now()
		if err := step(); err != nil {
			return f, err
		}
		wall = append(wall, 1e3*time.Since(started).Seconds())
		after, peak := usage()
		cpu, f.PeakRSSMB = append(cpu, after-before), peak
	}
	f.MedianMS, f.MinMS, f.CPUMS = median(wall), slices.Min(wall), median(cpu)
	return f, nil
}

// median returns the median, of an even number of values the upper one.
func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
