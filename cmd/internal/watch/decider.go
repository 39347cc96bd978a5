package watch

import "github.com/clusterpool/ccp/models/along"

// Decider tells windows as an along.Decider does, whose model may have another unit of time than the windows: that of a
// training without times counts time points.
type Decider struct {
	decider *along.Decider
	unit    float64 // of the model's times, in that of the windows'
}

// Decide returns a decider of windows whose begins are so far apart, in the unit of the model. That is so long in the
// unit of the windows.
func Decide(m *along.Model, step float64, rule along.Rule, unit float64) *Decider {
	return &Decider{m.Decide(step, rule), unit}
}

// Add takes the next window, see along.Decider.Add.
func (d *Decider) Add(start, end float64, probabilities []float64) ([]along.Told, error) {
	told, err := d.decider.Add(start/d.unit, end/d.unit, probabilities)
	return d.converted(told), err
}

// Finish tells the windows that wait, see along.Decider.Finish.
func (d *Decider) Finish() []along.Told { return d.converted(d.decider.Finish()) }

// converted returns what is told in the unit of the windows.
func (d *Decider) converted(told []along.Told) []along.Told {
	for i := range told {
		told[i].Start *= d.unit
		told[i].End *= d.unit
		told[i].Since *= d.unit
	}
	return told
}

// UnitOf returns the unit of a model in that of a window's times: where the training's recordings have no times, that
// is a time point of the window, and else it is the same unit.
func UnitOf(rate, start, end float64, timepoints int) float64 {
	if rate > 0 {
		return 1
	}
	return (end - start) / float64(timepoints)
}
