package signal

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Measure sets Range and Baseline from the raw training samples: signals, or recordings whole. All other fields must be
// set. There is no baseline if all means are 0: then the data set itself says that 0 tells nothing, as an absent word.
func (i *Info) Measure(samples iter.Seq[[]float32]) {
	width, means := i.Channels, i.Nodes*i.Channels
	if i.Form != nil {
		width, means = i.Form.Width(), i.Form.Width()
	}
	if !slices.ContainsFunc(i.Mean, func(mean float32) bool { return mean != 0 }) {
		means = 0
	}
	i.Range, i.Baseline = nil, nil
	sums, count := make([]float64, means), 0
	for sample := range samples {
		for at := 0; at < len(sample) && means > 0; at += means {
			for k, v := range sample[at : at+means] {
				sums[k] += float64(v)
			}
			count++
		}
		one := spans(sample, width)
		if i.Range == nil {
			i.Range = &one
		}
		for at, r := 0, i.Range; at < width; at++ {
			r.Least[at], r.Most[at] = min(r.Least[at], one.Least[at]), max(r.Most[at], one.Most[at])
			r.Spread[at] = min(r.Spread[at], one.Spread[at])
		}
	}
	for at := 0; at < means && count > 0; at++ {
		i.Baseline = append(i.Baseline, float32(sums[at]/float64(count)))
	}
}

// spans returns the range of one sample.
func spans(sample []float32, width int) Range {
	r := Range{make([]float32, width), make([]float32, width), make([]float32, width)}
	for at := range width {
		least, most := sample[at], sample[at]
		for j := at + width; j < len(sample); j += width {
			least, most = min(least, sample[j]), max(most, sample[j])
		}
		r.Least[at], r.Most[at], r.Spread[at] = least, most, most-least
	}
	return r
}

// still is how many times less than any training sample a signal varies if a person should know.
const still = 5

// Outside returns what a person should know about a signal whose values lie far outside the training data's, or vary
// much less. Such a signal may be in another unit, and its class may be wrong. Far means farther than the training
// data's own range is wide.
func (i *Info) Outside(signal []float32) (warnings []string) {
	if i.Form != nil {
		if odd := i.Form.Length(len(signal) / i.Form.Width()); odd != "" {
			warnings = append(warnings, odd)
		}
	}
	if i.Range == nil {
		return warnings
	}
	one := spans(signal, len(i.Range.Least))
	text, others := "", 0
	for at, least := range i.Range.Least {
		most, spread := i.Range.Most[at], i.Range.Spread[at]
		far := cmp.Or(most-least, max(most, -most))
		wide := one.Least[at] < least-far || one.Most[at] > most+far
		switch {
		case !wide && one.Spread[at]*still >= spread:
		case text != "":
			others++
		case wide:
			text = fmt.Sprintf("%s goes from %.4g to %.4g, in the training data from %.4g to %.4g",
				i.Column(at, len(i.Range.Least)),
				one.Least[at], one.Most[at], least, most)
		default:
			text = fmt.Sprintf("%s varies by %.3g, in each training sample by %.3g or more", i.Column(at, len(i.Range.Least)),
				one.Spread[at],
				spread)
		}
	}
	if others > 0 {
		text += fmt.Sprintf(", and %d other channels or sensors are as odd", others)
	}
	if text != "" {
		warnings = append(warnings, text+"; is it in another unit?")
	}
	return warnings
}
