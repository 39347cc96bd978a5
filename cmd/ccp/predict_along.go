//go:build !lean

package main

import (
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/cmd/internal/watch"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"gonum.org/v1/gonum/floats"
)

// alongPredict tells the class of recordings along time, as their windows are predicted one after the other, and that
// of each recording as a whole.
type alongPredict struct {
	classifier *models.Classifier
	cut        recording.Cut
	decider    *watch.Decider
	of         int // the recording whose windows come
	any        bool
	name       string
	start, end float64
	sums       []float64 // of the probabilities of its windows
	windows    int
	written    recording.TimeForm // the recording's times
}

// add tells the windows of one recording. If another one's came before, whole is that one, as a sample by itself.
func (a *alongPredict) add(s *classify.Samples, predicted []models.Prediction) (whole *classify.Samples,
	of []models.Prediction, err error) {
	if a.any && a.of != s.Of[0] {
		whole, of = a.finish()
	}
	if !a.any {
		a.any, a.of, a.name, a.start = true, s.Of[0], s.Names[0], s.Windows[0].Start
		a.written = s.Written[0]
		a.sums, a.windows = make([]float64, len(a.classifier.ClassNames)), 0
		err = a.begin(s.Windows[0])
		if err != nil {
			return whole, of, err
		}
	}
	for i, p := range predicted {
		told, err := a.decider.Add(s.Windows[i].Start, s.Windows[i].End, p.Probabilities)
		if err != nil {
			return whole, of, err
		}
		s.Along = append(s.Along, told...)
		floats.Add(a.sums, p.Probabilities)
		a.windows, a.end = a.windows+1, s.Windows[i].End
	}
	return whole, of, nil
}

// begin begins a recording with its first window.
func (a *alongPredict) begin(first recording.Window) error {
	window := first.End - first.Start
	step := window
	if a.cut.Step.Length > 0 {
		step *= a.cut.Step.Length / a.cut.Window.Length
	}
	unit := watch.UnitOf(a.classifier.Form.Rate, first.Start, first.End, first.To-first.From)
	m, err := watch.ModelOf(a.classifier, window/unit, step/unit, 0)
	if err == nil {
		a.decider = watch.Decide(m, step/unit, along.Rule{}, unit)
	}
	return err
}

// finish returns the recording whose windows came, as a sample by itself: its class has the greatest mean of the
// windows' probabilities.
func (a *alongPredict) finish() (*classify.Samples, []models.Prediction) {
	if !a.any {
		return nil, nil
	}
	a.any = false
	floats.Scale(1/float64(a.windows), a.sums)
	best := floats.MaxIdx(a.sums)
	p := models.Prediction{Class: best, Name: a.classifier.ClassNames[best], Probability: a.sums[best],
		Probabilities: a.sums}
	return &classify.Samples{Names: []string{a.name}, Of: []int{a.of},
			Windows: []recording.Window{{Start: a.start, End: a.end}}, Along: []along.Told{{Class: along.Unknown}},
			Written: []recording.TimeForm{a.written}},
		[]models.Prediction{p}
}

// areUncut reports that a whole recording is much longer than the windows that the training's samples are.
func (r *classification) areUncut(s classify.Samples) bool {
	form := r.classifier.Form
	return s.Windows == nil && form != nil && form.Cut != nil && form.Ahead.Length == 0 && slices.ContainsFunc(s.Signals,
		func(signal []float32) bool { return len(signal)/form.Width() >= 2*form.Longest })
}
