package recordings

// This file recognises headings that are an axis, such as the wavelengths of a spectrum: 400, 402, 404 or 4000 cm-1,
// 3998 cm-1. The columns are then the points of one series, in which a peak may move.

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
)

// leastOfAxis is the least number of headings that make an axis.
const leastOfAxis = 20

// onAxis parts a heading into what all share, a number, and a unit that all share: X400.5, 400 nm, 4000 cm-1.
var onAxis = regexp.MustCompile(`^([^0-9+-]*?[ _.]?)([-+]?[0-9]+(?:\.[0-9]+)?)([ _.]?[^0-9]*(?:[-^]+[0-9])?\)?)$`)

// headingAxis is an axis in the headings of a table.
type headingAxis struct {
	first, last string // headings
	missing     int    // steps that have no column
	along       recording.Axis
}

// axisOf returns the axis that headings are: numbers that rise or fall by even steps, with a beginning and a unit that
// all share. Columns that are counted from 0 or 1 are time points or sensors, and numbers behind a name that rise by 1,
// as in probe101, are names.
func axisOf(headings []string) (axis headingAxis, is bool) {
	const sameStep, mostMissing = 0.01, 0.05 // of a step, of the headings
	n := len(headings)
	if n < leastOfAxis || marksTimePoints(headings) {
		return axis, false
	}
	numbers := make([]float64, n)
	prefix, unit := "", ""
	for i, heading := range headings {
		match := onAxis.FindStringSubmatch(heading)
		if match == nil || i > 0 && (match[1] != prefix || match[3] != unit) {
			return axis, false
		}
		prefix, unit = match[1], match[3]
		numbers[i], _ = strconv.ParseFloat(match[2], 64) // which the expression has made sure of
	}
	step := numbers[1] - numbers[0]
	for i := range n - 1 {
		if next := numbers[i+1] - numbers[i]; math.Abs(next) < math.Abs(step) {
			step = next
		}
	}
	if step == 0 {
		return axis, false
	}
	axis = headingAxis{first: headings[0], last: headings[n-1],
		along: recording.Axis{Begin: numbers[0], End: numbers[n-1], Before: prefix, After: unit}}
	for i := range n - 1 {
		steps := (numbers[i+1] - numbers[i]) / step
		if whole := math.Round(steps); whole < 1 || math.Abs(steps-whole) > sameStep*whole {
			return axis, false
		}
		axis.missing += int(math.Round(steps)) - 1
	}
	counts := math.Abs(step) == 1 && (numbers[0] == 0 || numbers[0] == 1)
	names := step == 1 && strings.Trim(prefix, "xX_. ") != "" && strings.TrimSpace(unit) == ""
	return axis, !counts && !names && float64(axis.missing) <= mostMissing*float64(n)
}

// onLogarithmicAxis parts a heading as onAxis does, but for numbers such as 1.6e+03.
var onLogarithmicAxis = regexp.MustCompile(`^([^0-9+-]*?[ _.]?)([0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)([ _.]?[^0-9]*)$`)

// refuseFactors returns an error if headings are a logarithmic axis, such as the bands of a third of an octave: 50 Hz,
// 63 Hz, 80 Hz. What follows the points in between would be another name for each, and the decimals of 31.5 an axis.
func refuseFactors(headings []string) error {
	if len(headings) < leastOfAxis {
		return nil
	}
	numbers := make([]float64, len(headings))
	prefix, unit := "", ""
	for i, heading := range headings {
		match := onLogarithmicAxis.FindStringSubmatch(heading)
		if match == nil || i > 0 && (match[1] != prefix || match[3] != unit) {
			return nil
		}
		prefix, unit = match[1], match[3]
		numbers[i], _ = strconv.ParseFloat(match[2], 64) // which the expression has made sure of
	}
	if !recording.EvenFactors(numbers) {
		return nil
	}
	return fmt.Errorf("headings from %s to %s are even factors of one another, as on a logarithmic axis: if they are the "+
		"points of one series, call them 0, 1, 2, …, which are even steps of the logarithm; if they are sensors, name them "+
		"with --take", headings[0], headings[len(headings)-1])
}

// besideAxis returns the few headings that are beside an axis, such as batch and moisture beside 400 to 700; nil if the
// headings are an axis, or have none.
func besideAxis(headings []string) (beside []string) {
	const most = 5
	if _, is := axisOf(headings); is {
		return nil
	}
	var on []string
	for _, heading := range headings {
		if onAxis.MatchString(heading) {
			on = append(on, heading)
		} else {
			beside = append(beside, heading)
		}
	}
	if _, is := axisOf(on); !is || len(beside) > most {
		return nil
	}
	return beside
}

// series is the one series of an axis with that many columns.
func (a headingAxis) series(columns int) seriesColumns {
	return seriesColumns{names: []string{"value"}, columns: [][]int{loop.Indices(columns)}}
}

// String says how the headings are read.
func (a headingAxis) String() string {
	more := ""
	if a.missing > 0 {
		more = fmt.Sprintf(", of which %s have no column", text.Count(a.missing, "step"))
		if a.missing == 1 {
			more = ", of which one step has no column"
		}
	}
	return fmt.Sprintf("headings from %s to %s are even steps of an axis%s: read as the time points of one sensor; if "+
		"they are sensors, name them with --take", a.first, a.last, more)
}
