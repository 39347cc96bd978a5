package watch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
)

const (
	paceSteps = 200 // between time points, by whose median their unit is told
	paceRatio = 10  // of that to the training's, from which it must be another unit
)

// pace checks the times of a stream's first window, of ten time points at least. In another unit than the training's,
// such as ms, each row would be a gap, or a window would never end.
type pace struct {
	cut   recording.Cut
	each  float64 // between two time points of the training; 0: all is well, or not to be known
	most  int     // steps that are looked at
	last  float64
	begun bool
	steps []float64
}

// newPace returns what checks the times of a stream that is cut so.
func newPace(form *recording.Form, cut recording.Cut) *pace {
	if form.Rate == 0 || cut.Window.Timepoints {
		return &pace{}
	}
	points := cut.Window.Length * cmp.Or(form.Second, 1) * form.Rate
	return &pace{cut: cut, each: 1 / form.Rate, most: int(min(paceSteps, max(10, points)))}
}

// add takes the time of the next row. The error says that times are in another unit.
func (p *pace) add(time float64) error {
	if p.each == 0 || time != time {
		return nil
	}
	if p.begun && time > p.last {
		p.steps = append(p.steps, time-p.last)
	}
	p.begun, p.last = true, time
	if len(p.steps) < p.most {
		return nil
	}
	each := p.each
	slices.Sort(p.steps)
	usual := p.steps[(len(p.steps)-1)/2]
	p.each, p.steps = 0, nil
	switch {
	case usual >= paceRatio*each && usual > p.cut.Window.Length:
		return fmt.Errorf("its time points are %.4g apart, more than a window of %s, and the training's %.4g; give its "+
			"times in the unit of the training's", usual, p.cut.Window, each)
	case usual >= paceRatio*each, usual*paceRatio <= each:
		return fmt.Errorf("its time points are %.4g apart, the training's %.4g; give its times in the unit of the "+
			"training's, or --window and --step as numbers of time points", usual, each)
	}
	return nil
}
