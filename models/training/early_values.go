package training

// This file looks at the values of recordings from which early decisions are learned: from when on each sensor varies,
// and whether recordings know their future.

import (
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// usuallyVaries returns early.Rule.Varies of recordings with so many columns. As where other limits are found, one
// recording in twenty may be an exception, as if a sensor was dead in it.
func usuallyVaries(recordings []transforms.Sample, width int) []int {
	const exceptions = 0.05
	last := len(recordings) - max(1, int(math.Ceil(exceptions*float64(len(recordings)))))
	all := make([]int, width)
	for column := range all {
		firsts := make([]int, len(recordings))
		for i, r := range recordings {
			firsts[i] = firstChange(r.Values, column, width)
		}
		slices.Sort(firsts)
		if at := firsts[last]; at < math.MaxInt {
			all[column] = at
		}
	}
	return all
}

// firstChange returns the number of time points after which a column of a series has had two values; math.MaxInt if it
// has only one.
func firstChange(series []float32, column, width int) int {
	for at := column; at < len(series); at += width {
		if series[at] != series[column] {
			return at/width + 1
		}
	}
	return math.MaxInt
}

// scaledWhole says which channels of sensors seem to have been scaled over the whole length of each training recording,
// and how that shows; "" if none. A channel may also be 0 throughout a recording, as where it does not vary.
func scaledWhole(d *datasets.Dataset) string {
	const most = 200 // recordings that are looked at
	width, some := d.Form.Width(), loop.Spread(d.Train, most)
	first, others := "", 0
	for column := range width {
		each := make([]moments, 0, len(some))
		for _, i := range some {
			if m := momentsOf(d.Series[i], column, width); m.least != 0 || m.most != 0 {
				each = append(each, m)
			}
		}
		how := ""
		switch {
		case len(each) == 0:
		case !slices.ContainsFunc(each, func(m moments) bool { return !m.isStandard() }):
			how = "mean 0 and deviation 1"
		case !slices.ContainsFunc(each, func(m moments) bool { return !m.isBetween(0, 1) }):
			how = "minimum 0 and maximum 1"
		case !slices.ContainsFunc(each, func(m moments) bool { return !m.isBetween(-1, 1) }):
			how = "minimum -1 and maximum 1"
		}
		switch {
		case how == "":
		case first == "":
			first = fmt.Sprintf("%s has %s in every recording", recording.Column(d.Form.Sensors, d.Channels, column), how)
		default:
			others++
		}
	}
	if others > 0 {
		first += fmt.Sprintf(", and %d other channels or sensors are alike", others)
	}
	return first
}

// moments are figures of a channel over a recording.
type moments struct {
	timepoints, mean, deviation, least, most float64
	extreme                                  float64 // how many time points have the least value or the greatest
}

func momentsOf(series []float32, column, width int) moments {
	m := moments{timepoints: float64(len(series) / width), least: math.Inf(1), most: math.Inf(-1)}
	square := 0.
	for at := column; at < len(series); at += width {
		x := float64(series[at])
		m.mean, square = m.mean+x/m.timepoints, square+x*x/m.timepoints
		m.least, m.most = min(m.least, x), max(m.most, x)
	}
	m.deviation = math.Sqrt(max(0, square-m.mean*m.mean))
	for at := column; at < len(series); at += width {
		if x := float64(series[at]); x == m.least || x == m.most {
			m.extreme++
		}
	}
	return m
}

// near is how far values may be from those that a scaling gives, as by rounding.
const near = 1e-3

// isStandard reports that the mean is 0 and the deviation 1, by the number of time points or by one less, as some
// programs take it.
func (m moments) isStandard() bool {
	sample := m.deviation * math.Sqrt(m.timepoints/max(1, m.timepoints-1))
	return math.Abs(m.mean) <= near && (math.Abs(m.deviation-1) <= near || math.Abs(sample-1) <= near)
}

// isBetween reports that values go from one bound to another, and that few are at these: a switch or a full scale that
// is reached has more of them than a scaling.
func (m moments) isBetween(least, most float64) bool {
	const few = 0.2
	return math.Abs(m.least-least) <= near && math.Abs(m.most-most) <= near && m.extreme <= max(2, few*m.timepoints)
}
