package recording

// This file puts the sensors of a recording and their channels in the order of the form, after it has checked that they
// fit.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/suggest"
)

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
	err = distinct(sensors)
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
		r.Values = pickSensors(r.Values, from, channels, len(sensors)*channels)
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

// pickSensors returns of each row of values the sensors whose numbers are in from, each with its channels. One that is
// not there, -1, is NaN.
func pickSensors(values []float64, from []int, channels, width int) []float64 {
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
			"give their values in the training data's order")
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
