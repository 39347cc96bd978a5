package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
)

// Form says how a recording becomes a signal `[frames, sensors, channels]`. An import makes it. The .npz file and the
// checkpoint carry it.
type Form struct {
	Sensors  []string `json:"sensors"`
	Channels int      `json:"channels"`
	Frames   int      `json:"frames"`
	Zeros    bool     `json:"zeros,omitempty"`  // a sensor without any value becomes zeros, instead of an error
	Fill     *Fill    `json:"fill,omitempty"`   // or is filled by other sensors and its mean; nil: an error, or zeros
	Origin   string   `json:"origin,omitempty"` // the sensor whose first value is subtracted from all; "" for none
	// Scale says that signals have the units of the recordings, and that a training normalises each channel of each
	// sensor by its own mean and deviation over the training samples.
	Scale bool `json:"scale,omitempty"`
	// Mean and Deviation, `[sensors, channels]`, are what an earlier import normalised the sensors by; nil for none. A
	// constant channel has a deviation of 0.
	Mean      []float64       `json:"mean,omitempty"`
	Deviation []float64       `json:"deviation,omitempty"`
	Reading   json.RawMessage `json:"reading,omitempty"` // the settings that the program reads files with
}

// Check returns an error if a file does not hold a usable form for signals of that shape.
func (f *Form) Check(nodes, channels int) error {
	width := len(f.Sensors) * f.Channels
	if f.Channels == channels && f.Frames > 0 && f.Frames <= nodes && len(f.Sensors)*f.Frames == nodes &&
		(f.Origin == "" || slices.Contains(f.Sensors, f.Origin)) &&
		(f.Mean == nil || len(f.Mean) == width) && len(f.Deviation) == len(f.Mean) && f.Fill.fits(len(f.Sensors), channels) {
		return nil
	}
	return fmt.Errorf("recording is of %d frames, %d sensors, origin %q, %d channels, %d means and %d deviations, which "+
		"do not fit signals of %d nodes and %d channels; import the recordings again, or leave the array out",
		f.Frames, len(f.Sensors), f.Origin, f.Channels, len(f.Mean), len(f.Deviation), nodes, channels)
}

// Fits returns an error if signals of another form are not what f makes: nil has no form that is known. Scale does not
// matter: a classifier brings the means and deviations of its own training.
func (f *Form) Fits(other *Form) error {
	if f == nil || other == nil {
		return nil
	}
	show := func(f *Form) string {
		return fmt.Sprintf("sensors %s, %d frames, origin %q", strings.Join(f.Sensors, ","), f.Frames, f.Origin)
	}
	switch {
	case show(f) != show(other):
		return fmt.Errorf("the signals were imported with %s, the training data with %s; import them alike", show(other),
			show(f))
	case !slices.Equal(f.Mean, other.Mean) || !slices.Equal(f.Deviation, other.Deviation):
		return errors.New("an earlier import scaled the signals or the training data by its own samples, so that their " +
			"units differ; import both again and train anew, or classify the recordings themselves with ccp predict")
	}
	return nil
}

// Changes says what Prepare changed in a recording.
type Changes struct {
	Interpolated, Zeros int      // missing values that were filled
	Filled              int      // by Form.Fill
	Notes               []string // what a person should know
}

// Signal writes the signal of a recording to dst, `[frames, sensors, channels]`, and leaves the recording as it is. It
// returns what a person should know, such as sensors in another order.
func (f *Form) Signal(r Recording, dst []float32) (notes []string, err error) {
	changes, err := f.Prepare(&r)
	if err == nil {
		f.Resample(r, dst)
	}
	return changes.Notes, err
}

// Prepare puts the sensors of a recording in order, fills its gaps, and subtracts the origin. It replaces the values
// and leaves the old ones as they are. An error names the sensor, its channel and the moment.
func (f *Form) Prepare(r *Recording) (c Changes, err error) {
	if err = f.order(r, &c); err == nil {
		err = f.fill(r, &c)
	}
	if err == nil && f.Origin != "" {
		at := slices.Index(f.Sensors, f.Origin) * f.Channels
		first := slices.Clone(r.Values[at : at+f.Channels])
		for k := range r.Values {
			r.Values[k] -= first[k%f.Channels]
		}
	}
	return c, err
}

// order puts the values in the order of the form's sensors, and checks them and their times.
func (f *Form) order(r *Recording, c *Changes) error {
	sensors, channels := r.Sensors, cmp.Or(r.Channels, f.Channels)
	if sensors == nil {
		sensors = f.Sensors
	}
	width := len(sensors) * channels
	moments := len(r.Values) / max(1, width)
	switch {
	case len(r.Values) == 0:
		return errors.New("it has no values")
	case channels != f.Channels:
		return fmt.Errorf("its sensors have %d channels, those of the training data %d", channels, f.Channels)
	case r.width != 0 && r.width != width:
		return fmt.Errorf("its moments have %d values; want sensors x channels, %d x %d", r.width, len(sensors), channels)
	case len(r.Values) != moments*width:
		return fmt.Errorf("it has %d values; want moments x sensors x channels, a multiple of %d x %d",
			len(r.Values), len(sensors), channels)
	case r.Times != nil && len(r.Times) != moments:
		return fmt.Errorf("it has %d times for %d moments", len(r.Times), moments)
	}
	for i, time := range r.Times {
		if !(math.Abs(time) <= math.MaxFloat32) || i > 0 && time <= r.Times[i-1] {
			return fmt.Errorf("moment %d has the time %v; times must be numbers that ascend", i, time)
		}
	}
	for i, v := range r.Values {
		if math.Abs(v) > math.MaxFloat32 {
			column := Column(sensors, channels, i%width)
			return fmt.Errorf("%s at moment %d is %g, which float32 does not hold", column, i/width, v)
		}
	}
	seen := map[string]bool{}
	for _, name := range sensors {
		if seen[name] {
			return fmt.Errorf("it has two sensors named %q; name them apart", suggest.Clip(name))
		}
		seen[name] = true
	}
	from, missing, others, turned := Match(f.Sensors, sensors)
	switch {
	case missing != nil && (!f.Zeros && f.Fill == nil || len(missing) == len(from)):
		return fmt.Errorf("it has no sensor %q; %s", missing[0], suggest.Among(missing[0], sensors[:min(50, len(sensors))]))
	case missing != nil:
		c.note("it has no sensor %s; the import said that missing sensors are %s", Few(missing),
			map[bool]string{true: "zero", false: "filled"}[f.Fill == nil])
	}
	if others != nil {
		c.note("sensor %s was not in the training data; left out", Few(others))
	}
	if turned {
		c.note("its sensors are in another order than the training data's; they are taken by their names")
	}
	values := make([]float64, 0, moments*len(f.Sensors)*channels)
	for row := range slices.Chunk(r.Values, width) {
		for _, at := range from {
			for channel := range channels {
				if at < 0 {
					values = append(values, math.NaN())
				} else {
					values = append(values, row[at*channels+channel])
				}
			}
		}
	}
	r.Sensors, r.Channels, r.Values = f.Sensors, channels, values
	return nil
}

// Match finds the wanted names among names. It returns the place of each wanted name, -1 if it is missing. others are
// the names that nobody wants. turned reports another order.
func Match(wanted, names []string) (at []int, missing, others []string, turned bool) {
	places := make(map[string]int, len(names))
	for i, name := range names {
		places[name] = i
	}
	last := -1
	for _, name := range wanted {
		place, ok := places[name]
		if delete(places, name); !ok {
			at, missing = append(at, -1), append(missing, name)
			continue
		}
		at, turned, last = append(at, place), turned || place < last, place
	}
	for i, name := range names {
		if place, left := places[name]; left && place == i {
			others = append(others, name)
		}
	}
	return at, missing, others, turned
}

func (c *Changes) note(format string, values ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, values...))
}

// Few lists the first of some names.
func Few(names []string) string {
	var shown []string
	for _, name := range names[:min(8, len(names))] {
		shown = append(shown, suggest.Clip(name))
	}
	if len(names) > 8 {
		return fmt.Sprintf("%s, … (%d in all)", strings.Join(shown, ", "), len(names))
	}
	return strings.Join(shown, ", ")
}

// Column names a sensor, and its channel if there are several. at is a place in `[sensors, channels]`.
func Column(sensors []string, channels, at int) string {
	name := fmt.Sprintf("sensor %q", suggest.Clip(sensors[at/channels]))
	if channels > 1 {
		name += fmt.Sprintf(" channel %d", at%channels)
	}
	return name
}

// Moments returns the number of moments of a prepared recording.
func (r Recording) Moments() int { return len(r.Values) / (len(r.Sensors) * r.Channels) }

// Resample normalises a prepared recording and interpolates it linearly at evenly spaced moments. dst is `[frames,
// sensors, channels]`.
func (f *Form) Resample(r Recording, dst []float32) {
	width, count := len(f.Sensors)*f.Channels, r.Moments()
	value := func(moment, column int) float64 {
		v := r.Values[moment*width+column]
		if f.Mean != nil {
			v -= f.Mean[column]
			if d := f.Deviation[column]; d > 0 {
				v /= d
			}
		}
		return v
	}
	for frame := range f.Frames {
		at, part := 0, 0.0
		if f.Frames > 1 && count > 1 {
			at, part = r.place(float64(frame)/float64(f.Frames-1), count)
		}
		next := min(at+1, count-1)
		for column := range width {
			a, b := value(at, column), value(next, column)
			dst[frame*width+column] = float32(a + part*(b-a))
		}
	}
}

// place finds the point that lies at a share of the time between the first and the last of count moments. It returns
// the moment before the point, and the part of the way to the next moment.
func (r Recording) place(share float64, count int) (at int, part float64) {
	if r.Times == nil {
		position := share * float64(count-1)
		at = min(int(position), count-1)
		return at, position - float64(at)
	}
	time := r.Times[0] + share*(r.Times[count-1]-r.Times[0])
	at = max(0, min(sort.SearchFloat64s(r.Times[:count], time), count-1)-1)
	return at, min(1, max(0, (time-r.Times[at])/(r.Times[at+1]-r.Times[at])))
}

// fill fills the gaps of each series: linearly in time between two values, and at an end with the nearest value.
// Moments without any value at the ends of a recording are padding, which fill cuts off. A sensor without any value is
// an error or, with Zeros, becomes zeros or, with Fill, what other sensors let expect.
func (f *Form) fill(r *Recording, c *Changes) error {
	width := len(f.Sensors) * f.Channels
	first, end := len(r.Values), 0 // the moments with a value
	for at, v := range r.Values {
		if !math.IsNaN(v) {
			first, end = min(first, at/width), at/width+1
		}
	}
	if end == 0 {
		return errors.New("no sensor has a value; remove the sample")
	}
	if r.Values = r.Values[first*width : end*width]; r.Times != nil {
		r.Times = r.Times[first:end]
	}
	for column := range width {
		filled, any := fillSeries(r.Values[column:], width, r.Times)
		switch {
		case any:
			c.Interpolated += filled
		case f.Fill != nil:
		case f.Zeros:
			c.Zeros += filled
			for at := column; at < len(r.Values); at += width {
				r.Values[at] = 0
			}
		default:
			return fmt.Errorf("%s has no value in this sample; remove the sample or the sensor "+
				"(ccp data import --missing fill would fill it, --missing zero make it zero)", Column(f.Sensors, f.Channels, column))
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
