package recording

// This file prepares a recording as its form says, in four steps.

import (
	"cmp"
	"fmt"
	"slices"
)

// Prepare puts the sensors of a recording in order, fills its gaps, and subtracts the origin. It may change the values
// where they lie. An error names the sensor, its channel and the time point.
func (f *Form) Prepare(r *Recording) (c Changes, err error) {
	err = f.order(r, &c)
	if err != nil {
		return c, err
	}
	err = f.untracked(r, &c)
	if err != nil {
		return c, err
	}
	_, _, rate, own := r.rates()
	if own != nil {
		r.fastest, r.first, r.last = rate, own[0], own[len(own)-1]
	}
	err = cmp.Or(f.unit(r, &c), r.pause(), f.fill(r, &c))
	if err == nil && f.Origin != "" {
		f.subtractOrigin(r, &c)
	}
	return c, err
}

// subtractOrigin subtracts the first value of the origin from all values, in each channel. A body may not be tracked at
// the beginning, so that its position is 0 in all channels: then the first other one counts. A single channel may well
// be 0.
func (f *Form) subtractOrigin(r *Recording, c *Changes) {
	width, at := f.Width(), slices.Index(f.Sensors, f.Origin)*f.Channels
	first := slices.Clone(r.Values[at : at+f.Channels])
	for row := 0; row < len(r.Values) && f.Channels > 1; row += width {
		origin := r.Values[row+at:][:f.Channels]
		if !slices.ContainsFunc(origin, func(v float64) bool { return v != 0 }) {
			continue
		}
		first = slices.Clone(origin)
		if row > 0 {
			c.note("sensor %q, the origin, is 0 in the first time points, as if it was not tracked yet; "+
				"the first other value is the origin", f.Origin)
		}
		break
	}
	for k := range r.Values {
		r.Values[k] -= first[k%f.Channels]
	}
}

// unit notes times whose rate is far from the training's, unless that is told of the whole that a window is of. It
// refuses them if the rates differ as those of minutes and seconds do, and no series can be made at the training's
// rate: then the times must be in another unit.
func (f *Form) unit(r *Recording, c *Changes) error {
	const maxRateRatio = 50
	rate := r.Rate()
	if f.Rate == 0 || rate == 0 || max(rate/f.Rate, f.Rate/rate) <= mostStretch {
		return nil
	}
	if f.Rate/rate > maxRateRatio || rate/f.Rate > maxRateRatio && (r.Times[len(r.Times)-1]-r.Times[0])*f.Rate < 0.5 {
		return fmt.Errorf("its time points are %s apart, the training's %s; give its times in the unit of the training's",
			f.Step(rate), f.Step(f.Rate))
	}
	if note, _ := f.OtherRate(rate); !r.rateTold {
		c.note("%s", note)
	}
	return nil
}
