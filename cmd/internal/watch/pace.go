package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
)

const (
	paceSteps = 200 // between time points, by which a stream's unit and rate are told
	paceRatio = 10  // of their median to the training's step, from which it must be another unit; and of a pause to it
	rateShare = 0.1 // of the training's rate, by which another one differs
)

// pace compares the first times of a stream with the training's. After its first window, of ten time points at least,
// it checks their unit: in another one, such as ms, each row would be a gap, or a window would never end. After 200
// steps it tells another rate.
type pace struct {
	form  *recording.Form
	cut   recording.Cut
	each  float64 // between two time points of the training; 0: not to be known
	most  int     // steps after which the unit is checked; 0: windows are numbers of time points, in any unit
	note  func(line string)
	times []float64
	done  bool
}

// newPace returns what checks the times of a stream that is cut so.
func newPace(form *recording.Form, cut recording.Cut, note func(line string)) *pace {
	if form.Rate == 0 {
		return &pace{done: true}
	}
	p := &pace{form: form, cut: cut, each: 1 / form.Rate, note: note}
	if !cut.Window.Timepoints {
		points := cut.Window.Length * cmp.Or(form.Second, 1) * form.Rate
		p.most = int(min(paceSteps, max(10, points)))
	}
	return p
}

// add takes the time of the next row; NaN is none. The error says that times are in another unit.
func (p *pace) add(time float64) error {
	if p.done || time != time {
		return nil
	}
	if n := len(p.times); n > 0 && time <= p.times[n-1] { // the clock was set back
		p.times = p.times[:0]
	}
	p.times = append(p.times, time)
	steps := len(p.times) - 1
	if steps == p.most && steps > 0 {
		err := p.checkUnit()
		if err != nil {
			return err
		}
	}
	if steps == paceSteps {
		p.checkRate()
		p.done, p.times = true, nil
	}
	return nil
}

// usual returns the median step.
func (p *pace) usual() float64 {
	steps := make([]float64, len(p.times)-1)
	for i := range steps {
		steps[i] = p.times[i+1] - p.times[i]
	}
	slices.Sort(steps)
	return steps[(len(steps)-1)/2]
}

// checkUnit returns an error if times are in another unit.
func (p *pace) checkUnit() error {
	usual, window := p.usual(), p.cut.Window.Length*cmp.Or(p.form.Second, 1)
	own, trained := p.form.Step(1/usual), p.form.Step(p.form.Rate)
	switch {
	case usual >= paceRatio*p.each && usual > window:
		return fmt.Errorf("its time points are %s apart, more than a window of %s, and the training's %s; give its "+
			"times in the unit of the training's", own, p.cut.Window, trained)
	case usual >= paceRatio*p.each, usual*paceRatio <= p.each:
		return fmt.Errorf("its time points are %s apart, the training's %s; give its times in the unit of the training's, "+
			"or have ccp watch cut windows of numbers of time points (--window, --step)", own, trained)
	}
	return nil
}

// checkRate notes that time points come at another rate than the training's. A pause between them is no part of it.
func (p *pace) checkRate() {
	usual, shift := p.usual(), 0.0
	times := slices.Clone(p.times)
	for i := range times[1:] {
		if step := p.times[i+1] - p.times[i]; step > paceRatio*usual {
			shift += step - usual
		}
		times[i+1] -= shift
	}
	rate := recording.Recording{Times: times}.Rate()
	if math.Abs(rate*p.each-1) > rateShare {
		second := cmp.Or(p.form.Second, 1)
		p.note(fmt.Sprintf("warning: its time points come at %.4g a second, the training's at %.4g: windows are resampled, "+
			"and classes may be wrong", rate*second, second/p.each))
	}
}
