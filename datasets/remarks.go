package datasets

// This file remarks on sensors that seem to have failed in some training samples: dead or in another unit, at the end
// of their range, or stuck.

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/stat"
)

// remarked bounds the values that are looked at, of samples spread over the training.
const remarked = 20_000_000

// remarks reads training samples and tells of sensors that seem to have failed in some, one sentence each. That may be
// as it should be: a person knows.
func (d *Dataset) remarks() (lines []string) {
	if len(d.Train) == 0 {
		return nil
	}
	size := d.Nodes * d.Channels
	if d.Form != nil {
		size = d.Form.Width() * d.Form.Longest
	}
	samples := loop.Spread(d.Train, max(1, min(len(d.Train), remarked/max(1, size))))
	lines = d.outOfLimits(samples)
	if d.Form != nil && d.Form.Longest >= leastSeen {
		lines = append(lines, d.stuckStretches(samples)...)
		lines = append(lines, d.rails(samples)...)
	}
	return lines
}

// leastSeen is the least number of time points in which repeats are no chance.
const leastSeen = 20

// outOfLimits tells of samples in which a channel is much calmer than in all others, or goes far beyond them. The
// limits by which predict warns leave them out.
func (d *Dataset) outOfLimits(samples []int) (lines []string) {
	info := d.Info
	odd := info.Measure(len(samples), d.Inputs(samples))
	for _, what := range []signal.What{signal.Calm, signal.Far} {
		found := slices.DeleteFunc(slices.Clone(odd), func(o signal.Odd) bool { return o.What != what })
		if len(found) == 0 {
			continue
		}
		first := found[0]
		name := info.Column(first.Column, len(info.Range.Least))
		says := fmt.Sprintf("varies by %.3g in sample %s, and in all others much more", first.Value,
			d.SampleName(samples[first.Sample]))
		switch {
		case what == signal.Far:
			says = fmt.Sprintf("goes to %.4g in sample %s, far beyond all others", first.Value,
				d.SampleName(samples[first.Sample]))
		case first.Value == 0:
			says = fmt.Sprintf("is constant in sample %s, and in hardly any other", d.SampleName(samples[first.Sample]))
		}
		more := ""
		if len(found) > 1 {
			more = fmt.Sprintf(" (and %d more of the kind)", len(found)-1)
		}
		appendf(&lines, "%s %s%s: is that sample as it should be? The limits by which predict warns leave it out", name, says,
			more)
	}
	return lines
}

// stuckStretches tells of sensors that repeat one value for a fifth of a recording, and much longer than usual.
func (d *Dataset) stuckStretches(samples []int) (lines []string) {
	const (
		leastShare = 0.2  // of the recording
		longer     = 8    // times as long as in the median sample
		mostOften  = 0.45 // of the samples; else that is how the sensor is
	)
	width := d.Form.Width()
	shares := make([][]float64, width) // of each column, for each sample
	for _, i := range samples {
		series := d.Series[i]
		for column := range width {
			shares[column] = append(shares[column], longestRepeat(series[column:], width))
		}
	}
	count, first, at, worst := 0, 0, 0, 0.0
	for column, of := range shares {
		usual := longer * stat.Quantile(0.5, stat.Empirical, slices.Sorted(slices.Values(of)), nil)
		var found []int
		for k, share := range of {
			if share >= leastShare && share > usual && share < 1 {
				found = append(found, k)
			}
		}
		if float64(len(found)) >= mostOften*float64(len(of)) {
			continue
		}
		count += len(found)
		for _, k := range found {
			if of[k] > worst {
				worst, first, at = of[k], column, samples[k]
			}
		}
	}
	if count > 0 {
		appendf(&lines, "%s repeats one value for %.0f%% of sample %s, much longer than usual (%d such stretches in all): "+
			"was it stuck? If so, store NaN there", d.Column(first, width), 100*worst, d.SampleName(at), count)
	}
	return lines
}

// longestRepeat returns the share of a series, every stride-th value, for which it repeats one value at most.
func longestRepeat(series []float32, stride int) float64 {
	run, longest, rows := 0, 0, 0
	var last float32
	for at := 0; at < len(series); at += stride {
		if at > 0 && series[at] != last {
			run = 0
		}
		last = series[at]
		run++
		rows++
		longest = max(longest, run)
	}
	return float64(longest) / float64(max(1, rows))
}

// rails tells of sensors that seem to be clipped: an extreme value comes far more often than those next to it, and
// several times in a row.
func (d *Dataset) rails(samples []int) (lines []string) {
	const mostColumns, mostValues = 200, 10_000
	width := d.Form.Width()
	count, first, share, rail := 0, 0, 0.0, float32(0)
	for _, column := range loop.Spread(loop.Indices(width), min(width, mostColumns)) {
		var values []float32
		for _, i := range loop.Spread(samples, max(1, min(len(samples), mostValues/max(1, d.Form.Longest)))) {
			for at := column; at < len(d.Series[i]); at += width {
				values = append(values, d.Series[i][at])
			}
		}
		value, of := railOf(values)
		if of == 0 {
			continue
		}
		count++
		if of > share {
			first, share, rail = column, of, value
		}
	}
	if count > 0 {
		more := ""
		if count > 1 {
			more = fmt.Sprintf(" (and %d more of %d sensors or channels so)", count-1, width)
		}
		appendf(&lines, "%s is %.6g, its extreme, in %.2g%% of its values%s, as if it was clipped there: what goes beyond "+
			"is lost", d.Column(first, width), rail, 100*share, more)
	}
	return lines
}

// railOf returns an extreme of values at which they seem to be clipped, and its share of them; 0 if there is none.
func railOf(values []float32) (rail float32, share float64) {
	const (
		leastShare   = 0.005
		oftener      = 20  // than each of the next values
		next         = 10  // of these
		inRow        = 0.1 // of them follow each other
		mostDistinct = 100 // values that are distinct, below which they are counts or levels
	)
	sorted := slices.Sorted(slices.Values(values))
	var distinct []float32
	var counts []int
	for _, v := range sorted {
		if n := len(distinct); n > 0 && distinct[n-1] == v {
			counts[n-1]++
			continue
		}
		distinct, counts = append(distinct, v), append(counts, 1)
	}
	if len(distinct) < mostDistinct {
		return 0, 0
	}
	last := len(distinct) - 1
	for _, end := range []struct{ at, step int }{{0, 1}, {last, -1}} {
		v, n := distinct[end.at], counts[end.at]
		often := 0 // the most that a value next to it comes
		for k := 1; k <= next; k++ {
			often = max(often, counts[end.at+k*end.step])
		}
		if v == 0 || float64(n) < leastShare*float64(len(values)) || n <= oftener*often {
			continue
		}
		row := 0
		for i := 1; i < len(values); i++ {
			if values[i] == v && values[i-1] == v {
				row++
			}
		}
		of := float64(n) / float64(len(values))
		if float64(row) >= inRow*float64(n) && of > share && !math.IsInf(float64(v), 0) {
			rail, share = v, of
		}
	}
	return rail, share
}
