package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
)

// Form says how a recording becomes a series of even time points, and a series a signal `[frames, sensors, channels]`.
// The .npz file and the checkpoint carry it.
type Form struct {
	Sensors  []string `json:"sensors"`
	Channels int      `json:"channels"`
	Frames   int      `json:"frames,omitempty"` // of a signal; 0 until a training chooses them
	Zeros    bool     `json:"zeros,omitempty"`  // a sensor without any value becomes zeros, instead of an error
	Filled   bool     `json:"filled,omitempty"` // or is filled by Fill; until Fill is learned, its values stay missing
	Fill     *Fill    `json:"fill,omitempty"`
	Origin   string   `json:"origin,omitempty"` // the sensor whose first value is subtracted from all; "" for none
	// Scale says whether each sensor's channels are normalised by their own means and deviations. Else all sensors are
	// alike. nil leaves it to the training samples.
	Scale *bool `json:"scale,omitempty"`
	// Rate is the number of time points for each unit of a recording's times; 0: unknown.
	Rate float64 `json:"rate,omitempty"`
	Lengths
	Written
	Reading json.RawMessage `json:"reading,omitempty"` // the settings that the program reads files with
}

// Lengths are the least and the greatest number of time points of a training sample; 0: unknown.
type Lengths struct {
	Shortest int `json:"shortest,omitempty"`
	Longest  int `json:"longest,omitempty"`
}

// Written says how those who wrote the recordings write.
type Written struct {
	// Gaps are values that stand for missing ones, as -9999 does in the files of some instruments.
	Gaps []float64 `json:"gaps,omitempty"`
	// Second is a second in the unit of the times, such as 1000 if that is a millisecond; 0: unknown, and taken for 1.
	Second float64 `json:"second,omitempty"`
	// Untracked says that nothing was measured at a time point at which every sensor is 0 in each channel, as before a
	// body is tracked. No body has all its joints in one place. Forms of 0.1.0 take such a time point for values.
	Untracked bool `json:"untracked,omitempty"`
}

// Width returns the number of values of a time point.
func (f *Form) Width() int { return len(f.Sensors) * f.Channels }

// Axes returns the names of the channels in their order, as the columns hip.x and hip.y of an import have them; nil if
// they have none.
func (f *Form) Axes() (names []string) {
	var read struct {
		Take []string `json:"take"`
	}
	if f.Channels < 2 || f.Reading == nil || json.Unmarshal(f.Reading, &read) != nil || len(read.Take) != f.Width() {
		return nil
	}
	for i, column := range read.Take {
		axis, ok := strings.CutPrefix(column, f.Sensors[i/f.Channels]+".")
		switch {
		case !ok || i >= f.Channels && axis != names[i%f.Channels]:
			return nil
		case i < f.Channels:
			names = append(names, axis)
		}
	}
	return names
}

// Alone reports whether each sensor is normalised by itself.
func (f *Form) Alone() bool { return f.Scale != nil && *f.Scale }

// Check returns an error if a form is not usable, such as one of a file.
func (f *Form) Check() error {
	for i, name := range f.Sensors {
		if suggest.Tidy(name) == "" {
			return fmt.Errorf("its sensor %d has no name; name each sensor", i)
		}
	}
	if err := apart(f.Sensors); err != nil {
		return err
	}
	if len(f.Sensors) > 0 && f.Channels > 0 && f.Frames >= 0 && f.Rate >= 0 && f.Second >= 0 &&
		(f.Origin == "" || slices.Contains(f.Sensors, f.Origin)) && f.Fill.fits(len(f.Sensors), f.Channels) {
		return nil
	}
	return fmt.Errorf("recording is of %d sensors, origin %q and %d channels, which do not fit together; import the "+
		"recordings again, or leave the array out", len(f.Sensors), f.Origin, f.Channels)
}

// Fits returns an error if series of another form are not what f was made of.
func (f *Form) Fits(other *Form) error {
	show := func(f *Form) string {
		if f == nil {
			return "no recordings"
		}
		return fmt.Sprintf("recordings with %d channels of the sensors %s, origin %q", f.Channels,
			suggest.Few(f.Sensors), f.Origin)
	}
	if f != nil && other != nil {
		if was, is := f.Axes(), other.Axes(); !slices.Equal(was, is) &&
			slices.Equal(slices.Sorted(slices.Values(was)), slices.Sorted(slices.Values(is))) {
			return fmt.Errorf("the data has the channels %s, the training data %s: import both anew, or both with --take in "+
				"one order",
				strings.Join(is, ", "), strings.Join(was, ", "))
		}
	}
	switch {
	case (f == nil) != (other == nil), f != nil && (f.Channels != other.Channels || f.Origin != other.Origin ||
		!slices.Equal(f.Sensors, other.Sensors)):
		return fmt.Errorf("the data holds %s, the training data %s; name and import them alike", show(other), show(f))
	}
	return nil
}

// Changes says what Prepare changed in a recording.
type Changes struct {
	Interpolated int      `json:"values"` // missing values that were interpolated in time, or repeated at an end
	Zeros        int      `json:"zeros"`  // set to zero, because the sensor has no value
	Filled       int      `json:"means"`  // by Form.Fill, or left for it
	Notes        []string `json:"-"`      // what a person should know
}

// Add adds the numbers of another recording, and reports whether any is above 0.
func (c *Changes) Add(other Changes) bool {
	c.Interpolated += other.Interpolated
	c.Zeros += other.Zeros
	c.Filled += other.Filled
	return other.Interpolated+other.Zeros+other.Filled > 0
}

// Prepare puts the sensors of a recording in order, fills its gaps, and subtracts the origin. It may change the values
// where they lie. An error names the sensor, its channel and the time point.
func (f *Form) Prepare(r *Recording) (c Changes, err error) {
	err = f.order(r, &c)
	if err == nil {
		err = f.untracked(r, &c)
	}
	if err == nil {
		if _, _, rate, own := r.rates(); own != nil {
			r.fastest, r.first, r.last = rate, own[0], own[len(own)-1]
		}
		err = cmp.Or(f.unit(r, &c), r.pause(), f.fill(r, &c))
	}
	if err == nil && f.Origin != "" {
		width, at := f.Width(), slices.Index(f.Sensors, f.Origin)*f.Channels
		first := slices.Clone(r.Values[at : at+f.Channels])
		for row, lost := 0, 0; row < len(r.Values) && f.Channels > 1; row += width { // a single value may well be 0
			if origin := r.Values[row+at:][:f.Channels]; slices.ContainsFunc(origin, func(v float64) bool { return v != 0 }) {
				first = slices.Clone(origin)
				if lost > 0 {
					c.note("sensor %q, the origin, is 0 in the first time points, as if it was not tracked yet; "+
						"the first other value is the origin", f.Origin)
				}
				break
			}
			lost++
		}
		for k := range r.Values {
			r.Values[k] -= first[k%f.Channels]
		}
	}
	return c, err
}

// untracked makes the time points missing at which every sensor is 0, if the form says so. The gaps are then filled,
// and cut off at the ends, as others are. It is an error if that leaves nothing.
func (f *Form) untracked(r *Recording, c *Changes) error {
	if !f.Untracked {
		return nil
	}
	lost, rows, first := 0, 0, false
	for row := range slices.Chunk(r.Values, f.Width()) {
		zero := slices.Contains(row, 0) && !slices.ContainsFunc(row, func(v float64) bool { return v != 0 && v == v })
		rows++
		if zero {
			lost++
			first = first || rows == 1
			for at := range row {
				row[at] = math.NaN()
			}
		}
	}
	switch {
	case lost == 0:
	case lost == rows:
		return errors.New("every sensor is 0 at each time point, as of a body that was never tracked; remove the sample")
	case first && f.Origin != "":
		c.note("sensor %q, the origin, is 0 in the first time points, as if it was not tracked yet; those at which all "+
			"sensors are 0 are missing values, cut off at the ends", f.Origin)
	default:
		c.note("all sensors are 0 at some time points, as if nothing was tracked there; these are missing values, cut off " +
			"at the ends")
	}
	return nil
}

// order puts the values in the order of the form's sensors, and checks them and their times.
func (f *Form) order(r *Recording, c *Changes) error {
	sensors, channels := r.Sensors, cmp.Or(r.Channels, f.Channels)
	if sensors == nil {
		sensors = f.Sensors
	}
	err := f.checkShape(r, sensors, channels)
	if err == nil {
		err = r.checkNumbers(sensors, channels)
	}
	if err == nil {
		err = f.orderAxes(r)
	}
	if err != nil {
		return err
	}
	if r.Sensors == nil {
		r.Sensors, r.Channels = f.Sensors, channels
		return nil
	}
	err = apart(sensors)
	if err != nil {
		return err
	}
	from, missing, others, turned := suggest.Match(f.Sensors, sensors)
	switch {
	case missing == nil:
	case !f.Zeros && !f.Filled, len(missing) == len(from):
		return fmt.Errorf("it has no sensor %q; %s", missing[0], suggest.Among(missing[0], sensors[:min(50, len(sensors))]))
	case f.Zeros:
		c.note("it has no sensor %s; the import said that missing sensors are zero", suggest.Few(missing))
	default:
		c.note("it has no sensor %s; the import said that missing sensors are filled", suggest.Few(missing))
	}
	notes, err := f.Others(others, turned, r.Times != nil)
	if err != nil {
		return err
	}
	c.Notes = append(c.Notes, notes...)
	if turned || missing != nil || others != nil {
		r.Width = 0 // of what it was
		r.Values = taken(r.Values, from, channels, len(sensors)*channels)
	}
	r.Sensors, r.Channels = f.Sensors, channels
	return nil
}

// checkShape returns an error if a recording does not have the channels of the form, or not a value and a time for each
// time point.
func (f *Form) checkShape(r *Recording, sensors []string, channels int) error {
	width := len(sensors) * channels
	timepoints := len(r.Values) / max(1, width)
	switch {
	case len(r.Values) == 0:
		return errors.New("it has no values")
	case channels != f.Channels:
		return fmt.Errorf("its sensors have %d channels, those of the training data %d", channels, f.Channels)
	case r.Width != 0 && r.Width != width:
		err := fmt.Errorf("its time points have %d values; want sensors x channels, %d x %d", r.Width, len(sensors), channels)
		rows := len(r.Values) / r.Width
		if rows == len(sensors) || rows == width {
			err = fmt.Errorf("%w: its %d rows look like sensors, and must be time points; turn them", err, rows)
		}
		return err
	case len(r.Values) != timepoints*width:
		return fmt.Errorf("it has %d values; want time points x sensors x channels, a multiple of %d x %d",
			len(r.Values), len(sensors), channels)
	case r.Times != nil && len(r.Times) != timepoints:
		return fmt.Errorf("it has %d times for %d time points", len(r.Times), timepoints)
	}
	return nil
}

// checkNumbers returns an error if times do not ascend, or if float32 does not hold a value.
func (r *Recording) checkNumbers(sensors []string, channels int) error {
	for i, time := range r.Times {
		ascends := i == 0 || time > r.Times[i-1] && !math.IsInf(1/(time-r.Times[i-1]), 0)
		if !ascends || !(math.Abs(time) <= math.MaxFloat32) {
			return fmt.Errorf("time point %d has the time %v; times must be numbers that ascend, by 1e-307 or more", i, time)
		}
	}
	width := len(sensors) * channels
	for i, v := range r.Values {
		if math.Abs(v) > math.MaxFloat32 {
			column := Column(sensors, channels, i%width)
			return fmt.Errorf("%s at time point %d is %g, which float32 does not hold", column, i/width, v)
		}
	}
	return nil
}

// taken returns of each row of values the sensors that from names, each with its channels. What is not there, -1, is
// NaN.
func taken(values []float64, from []int, channels, width int) []float64 {
	all := make([]float64, 0, len(values)/width*len(from)*channels)
	for row := range slices.Chunk(values, width) {
		for _, at := range from {
			for channel := range channels {
				if at < 0 {
					all = append(all, math.NaN())
				} else {
					all = append(all, row[at*channels+channel])
				}
			}
		}
	}
	return all
}

// orderAxes puts the channels of each sensor in the form's order, if the recording names them.
func (f *Form) orderAxes(r *Recording) error {
	if r.Axes == nil {
		return nil
	}
	axes := f.Axes()
	if axes == nil {
		return errors.New("it names its channels, and those of the training data have no names; leave channels out, and " +
			"give their values in the " +
			"training data's order")
	}
	from, missing, others, turned := suggest.Match(axes, r.Axes)
	if missing != nil || others != nil || len(r.Axes) != len(axes) {
		return fmt.Errorf("it has the channels %s; want those of the training data: %s", suggest.Few(r.Axes),
			strings.Join(axes, ", "))
	}
	r.Axes = axes
	if !turned {
		return nil
	}
	values := make([]float64, 0, len(r.Values))
	for sensor := range slices.Chunk(r.Values, len(axes)) {
		for _, at := range from {
			values = append(values, sensor[at])
		}
	}
	r.Values = values
	return nil
}

// Others says what a person should know of a recording with sensors that the training data has not, or with turned
// ones, which are in another order. It is an error if the recording has no times, though the training data has a rate:
// the times may be what looks like another sensor, as in a table whose column of times has a new heading.
func (f *Form) Others(others []string, turned, timed bool) (notes []string, err error) {
	if others != nil && !timed && f.Rate > 0 {
		return nil, fmt.Errorf("it has no times, and the training data has no sensor %q: if these are its times, give "+
			"them as its times, in a table in the column that the training's had; else leave that out", suggest.Clip(others[0]))
	}
	if others != nil {
		notes = append(notes, fmt.Sprintf("sensor %s was not in the training data; left out", suggest.Few(others)))
	}
	if turned {
		notes = append(notes, "its sensors are in another order than the training data's; they are taken by their names")
	}
	return notes, nil
}

// apart returns an error if two sensors have names that suggest.Match takes for one.
func apart(sensors []string) error {
	seen := map[string]bool{}
	for _, name := range sensors {
		key := suggest.Tidy(name)
		if seen[key] {
			return fmt.Errorf("it has two sensors named %q; name them apart", suggest.Clip(name))
		}
		seen[key] = true
	}
	return nil
}

func (c *Changes) note(format string, values ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, values...))
}

// unit notes times whose rate is far from the training's. It refuses them if the rates differ as those of minutes and
// seconds do, and no series can be made at the training's rate: then the times must be in another unit.
func (f *Form) unit(r *Recording, c *Changes) error {
	const maxRateRatio = 50
	rate := r.Rate()
	if f.Rate == 0 || rate == 0 || max(rate/f.Rate, f.Rate/rate) <= mostStretch {
		return nil
	}
	difference := fmt.Sprintf("its time points are %.4g of time apart, the training's %.4g", 1/rate, 1/f.Rate)
	if f.Rate/rate > maxRateRatio || rate/f.Rate > maxRateRatio && (r.Times[len(r.Times)-1]-r.Times[0])*f.Rate < 0.5 {
		return fmt.Errorf("%s; give its times in the unit of the training's", difference)
	}
	c.note("%s; are its times in another unit?", difference)
	return nil
}

// fill fills the gaps of each series: linearly in time between two values, and at an end with the nearest value. Time
// points without any value at the ends of a recording are padding, which fill cuts off. A sensor without any value is
// an error or, with Zeros, becomes zeros or, with Filled, what other sensors let expect.
func (f *Form) fill(r *Recording, c *Changes) error {
	width := len(f.Sensors) * f.Channels
	first, end := len(r.Values), 0 // the time points with a value
	for at, v := range r.Values {
		if slices.ContainsFunc(f.Gaps, func(gap float64) bool { return v == gap || v == float64(float32(gap)) }) {
			r.Values[at] = math.NaN()
		} else if !math.IsNaN(v) {
			first, end = min(first, at/width), at/width+1
		}
	}
	if end == 0 {
		return errors.New("no sensor has a value; remove the sample")
	}
	r.Values = r.Values[first*width : end*width]
	if r.Times != nil {
		r.Times = r.Times[first:end]
	}
	for column := range width {
		filled, any := fillSeries(r.Values[column:], width, r.Times)
		switch {
		case any:
			c.Interpolated += filled
		case f.Filled && f.Fill == nil:
			c.Filled += filled
		case f.Filled:
		case f.Zeros:
			c.Zeros += filled
			for at := column; at < len(r.Values); at += width {
				r.Values[at] = 0
			}
		default:
			return fmt.Errorf("%s has no value in this sample; remove the sample or the sensor "+
				"(ccp data import --missing fill would fill it, --missing zero make it zero)",
				Column(f.Sensors, f.Channels, column))
		}
	}
	for row := range slices.Chunk(r.Values, width) {
		if f.Fill != nil {
			c.Filled += f.Fill.apply(row, f.Channels)
		}
	}
	return nil
}

// fillSeries fills the gaps of a series, which is every stride-th value. It returns the number of gaps, and whether the
// series has any value.
func fillSeries(values []float64, stride int, times []float64) (filled int, any bool) {
	when := func(at int) float64 {
		if times == nil {
			return float64(at / stride)
		}
		return times[at/stride]
	}
	last := -stride // the last value seen
	for at := 0; at < len(values); at += stride {
		if math.IsNaN(values[at]) {
			filled++
			continue
		}
		for gap := last + stride; gap < at; gap += stride {
			if last < 0 {
				values[gap] = values[at]
			} else {
				part := (when(gap) - when(last)) / (when(at) - when(last))
				values[gap] = values[last] + part*(values[at]-values[last])
			}
		}
		last, any = at, true
	}
	for gap := last + stride; any && gap < len(values); gap += stride {
		values[gap] = values[last]
	}
	return filled, any
}
