package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
)

const (
	paceSteps  = 200 // between time points, by which a stream's rate is told
	unitSteps  = 10  // the least by which its unit is
	pauseRatio = 10  // of a pause to the usual step
)

// pace compares the first times of a stream with the training's. After its first window, of ten time points at least,
// it checks their unit: in another one, such as ms, each row would be a gap, or a window would never end. After 200
// steps it tells another rate.
type pace struct {
	form    *recording.Form
	cut     recording.Cut
	window  float64 // its length in the unit of times; 0: windows are numbers of time points, in any unit
	most    int     // steps after which the unit is checked, if no window has ended before
	note    func(line string)
	times   []float64
	has     []bool // of each time, whether each sensor has a value
	checked bool   // the unit is
	done    bool
}

// newPace returns what checks the times of a stream that is cut so.
func newPace(form *recording.Form, cut recording.Cut, note func(line string)) *pace {
	if form.Rate == 0 {
		return &pace{done: true}
	}
	p := &pace{form: form, cut: cut, note: note, checked: cut.Window.Timepoints}
	if !cut.Window.Timepoints {
		p.window = cut.Window.Length * cmp.Or(form.Second, 1)
		p.most = int(min(paceSteps, max(unitSteps, p.window*form.Rate)))
	}
	return p
}

// add takes the time of the next row, NaN is none, and its values. The error says that times are in another unit.
func (p *pace) add(time float64, values []float64) error {
	if p.done || time != time {
		return nil
	}
	if n := len(p.times); n > 0 && time <= p.times[n-1] { // the clock was set back
		p.times, p.has = p.times[:0], p.has[:0]
	}
	p.times = append(p.times, time)
	for at := 0; at < len(values); at += p.form.Channels {
		p.has = append(p.has, !math.IsNaN(values[at]))
	}
	steps := len(p.times) - 1
	if !p.checked && (steps == p.most || steps >= unitSteps && time-p.times[0] >= p.window) {
		p.checked = true
		err := p.checkUnit()
		if err != nil {
			return err
		}
	}
	if steps == paceSteps {
		p.checkRate()
		p.done, p.times, p.has = true, nil, nil
	}
	return nil
}

// rate returns that of the rows at times, as the training's is measured: sensors that are read in turn, close together
// by chance, have rates of their own.
func (p *pace) rate(times []float64) float64 {
	values := make([]float64, len(p.has))
	for i, has := range p.has {
		if !has {
			values[i] = math.NaN()
		}
	}
	return recording.Recording{Channels: 1, Times: times, Values: values}.Rate()
}

// checkUnit returns an error if times are in another unit, or if a window is shorter than their steps.
func (p *pace) checkUnit() error {
	const rounded = 1 + 1e-6
	usual := 1 / p.rate(p.times)
	own, trained := p.form.Step(1/usual), p.form.Step(p.form.Rate)
	_, isUnit := p.form.OtherRate(1 / usual)
	switch {
	case usual > p.window*rounded && isUnit:
		return fmt.Errorf("its time points are %s apart, more than a window of %s, and the training's %s; give its "+
			"times in the unit of the training's", own, p.cut.Window, trained)
	case usual > p.window*rounded:
		return fmt.Errorf("its time points are %s apart, more than a window of %s, and the training's %s; take longer "+
			"windows (--window)", own, p.cut.Window, trained)
	case isUnit:
		return fmt.Errorf("its time points are %s apart, the training's %s; give its times in the unit of the training's, "+
			"or have ccp watch cut windows of numbers of time points (--window, --step)", own, trained)
	}
	return nil
}

// checkRate notes that time points come at another rate than the training's. A pause between them is no part of it.
func (p *pace) checkRate() {
	usual, shift := 1/p.rate(p.times), 0.0
	times := slices.Clone(p.times)
	for i := range times[1:] {
		if step := p.times[i+1] - p.times[i]; step > pauseRatio*usual {
			shift += step - usual
		}
		times[i+1] -= shift
	}
	note, _ := p.form.OtherRate(p.rate(times))
	if note != "" {
		p.note("warning: " + note)
	}
}
