package signal

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Measure sets Range and Baseline from so many raw training samples: signals, or recordings whole. All other fields
// must be set. There is no baseline if all means are 0: then the data set itself says that 0 tells nothing, as an
// absent word. What Range leaves out, since few samples are so, is returned.
func (i *Info) Measure(count int, samples iter.Seq[[]float32]) []Odd {
	width, means := i.Channels, i.Nodes*i.Channels
	if i.Form != nil {
		width, means = i.Form.Width(), i.Form.Width()
	}
	if !slices.ContainsFunc(i.Mean, func(mean float32) bool { return mean != 0 }) {
		means = 0
	}
	i.Range, i.Baseline = nil, nil
	sums, rows, at := make([]float64, means), 0, 0
	all := newLimits(width, count)
	for sample := range samples {
		for at := 0; at < len(sample) && means > 0; at += means {
			for k, v := range sample[at : at+means] {
				sums[k] += float64(v)
			}
			rows++
		}
		all.add(at, spans(sample, width))
		at++
	}
	for at := 0; at < means && rows > 0; at++ {
		i.Baseline = append(i.Baseline, float32(sums[at]/float64(rows)))
	}
	if at == 0 {
		return nil
	}
	var odd []Odd
	i.Range, odd = all.settle()
	return odd
}

// spans returns the range of one sample.
func spans(sample []float32, width int) Range {
	r := Range{make([]float32, width), make([]float32, width), make([]float32, width), make([]float32, width)}
	rows := len(sample) / width
	for at := range width {
		least, most := sample[at], sample[at]
		run, longest := 1, 1
		last := sample[at]
		for j := at + width; j < len(sample); j += width {
			v := sample[j]
			least, most = min(least, v), max(most, v)
			if v != last {
				run, last = 0, v
			}
			run++
			longest = max(longest, run)
		}
		r.Least[at], r.Most[at], r.Spread[at] = least, most, most-least
		r.Stuck[at] = float32(longest) / float32(rows)
	}
	return r
}

const (
	still = 5   // how many times less than any training sample a signal varies if a person should know
	stuck = 0.5 // of a recording, for which a sensor repeats one value if a person should know
)

// Outside returns what a person should know about a signal whose values lie far outside the training data's, or vary
// much less, or of which a sensor repeats one value for more than half of the time. Such a signal may be in another
// unit, or a sensor may be dead, and its class may be wrong. Far means farther than the training data's own range is
// wide.
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
	text, question, others := "", "", 0
	for at := range i.Range.Least {
		odd, ask := i.outside(&one, at)
		switch {
		case odd == "":
		case text == "":
			text, question = odd, ask
		default:
			others++
		}
	}
	if others > 0 {
		text += fmt.Sprintf(", and %d other channels or sensors are as odd", others)
	}
	if text != "" {
		warnings = append(warnings, text+"; "+question)
	}
	return warnings
}

// OutsideColumns returns for each sensor and channel of a signal what Outside says of it; "" if nothing.
func (i *Info) OutsideColumns(signal []float32) []string {
	if i.Range == nil {
		return nil
	}
	odd := make([]string, len(i.Range.Least))
	one := spans(signal, len(odd))
	for at := range odd {
		what, question := i.outside(&one, at)
		if what != "" {
			odd[at] = what + "; " + question
		}
	}
	return odd
}

// outside says what a person should know about a channel of a signal, and asks what it may be; "" if nothing.
func (i *Info) outside(one *Range, at int) (odd, question string) {
	const unit = "is it in another unit?"
	least, most, spread := i.Range.Least[at], i.Range.Most[at], i.Range.Spread[at]
	far := cmp.Or(most-least, max(most, -most))
	name := func() string { return i.Column(at, len(i.Range.Least)) }
	switch {
	case one.Least[at] < least-far || one.Most[at] > most+far:
		return fmt.Sprintf("%s goes from %.4g to %.4g, in the training data from %.4g to %.4g", name(),
			one.Least[at], one.Most[at], least, most), unit
	case one.Spread[at]*still < spread:
		return fmt.Sprintf("%s varies by %.3g, in each training sample by %.3g or more", name(),
			one.Spread[at], spread), unit
	case i.Form != nil && i.Range.Stuck != nil && one.Stuck[at] > max(stuck, i.Range.Stuck[at]):
		return fmt.Sprintf("%s repeats one value for %.0f%% of the time, in the training data for at most %.0f%%",
			name(), 100*one.Stuck[at], 100*i.Range.Stuck[at]), "is the sensor stuck?"
	}
	return "", ""
}
