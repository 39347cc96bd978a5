package watch

import (
	"slices"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"gonum.org/v1/gonum/floats"
)

// Windows tells the class of recordings along time, as their windows are predicted one after the other, and that of
// each recording as a whole.
type Windows struct {
	classifier *models.Classifier
	cut        recording.Cut
	decider    *Decider
	of         int // the recording whose windows come
	any        bool
	name       string
	start, end float64
	sums       []float64 // of the probabilities of its windows
	windows    int
	written    recording.TimeForm // the recording's times
}

// Show takes samples of one recording and what they are predicted to be.
type Show func(s classify.Samples, predicted []models.Prediction) error

// OfWindows returns what tells the class of recordings of which windows are cut so.
func OfWindows(c *models.Classifier, cut recording.Cut) *Windows {
	return &Windows{classifier: c, cut: cut}
}

// Add shows the next windows, with what is told of each. Where those of another recording came before, it shows that
// one first, as a sample by itself.
func (a *Windows) Add(s classify.Samples, predicted []models.Prediction, show Show) error {
	for from := 0; from < len(predicted); {
		to := from
		for to < len(predicted) && s.Of[to] == s.Of[from] {
			to++
		}
		if a.any && a.of != s.Of[from] {
			err := a.Finish(show)
			if err != nil {
				return err
			}
		}
		part := s.Part(from, to)
		err := a.addPart(&part, predicted[from:to])
		if err == nil {
			err = show(part, predicted[from:to])
		}
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// addPart adds windows of one recording, and puts what is told of them into s.
func (a *Windows) addPart(s *classify.Samples, predicted []models.Prediction) error {
	if !a.any {
		a.any, a.of, a.name, a.start = true, s.Of[0], s.Names[0], s.Windows[0].Start
		a.written = s.Written[0]
		a.sums, a.windows = make([]float64, len(a.classifier.ClassNames)), 0
		err := a.begin(s.Windows[0])
		if err != nil {
			return err
		}
	}
	for i, p := range predicted {
		told, err := a.decider.Add(s.Windows[i].Start, s.Windows[i].End, p.Probabilities)
		if err != nil {
			return err
		}
		s.Along = append(s.Along, told...)
		floats.Add(a.sums, p.Probabilities)
		a.windows, a.end = a.windows+1, s.Windows[i].End
	}
	return nil
}

// begin begins a recording with its first window.
func (a *Windows) begin(first recording.Window) error {
	window := first.End - first.Start
	step := window
	if a.cut.Step.Length > 0 {
		step *= a.cut.Step.Length / a.cut.Window.Length
	}
	unit := UnitOf(a.classifier.Form.Rate, first.Start, first.End, first.To-first.From)
	m, err := ModelOf(a.classifier, window/unit, step/unit, 0)
	if err == nil {
		a.decider = Decide(m, step/unit, along.Rule{}, unit)
	}
	return err
}

// Finish shows the recording whose windows came, as a sample by itself: its class has the greatest mean of the windows'
// probabilities.
func (a *Windows) Finish(show Show) error {
	if !a.any {
		return nil
	}
	a.any = false
	mean := slices.Clone(a.sums)
	floats.Scale(1/float64(a.windows), mean)
	best := floats.MaxIdx(mean)
	return show(classify.Samples{Names: []string{a.name}, Of: []int{a.of},
		Windows: []recording.Window{{Start: a.start, End: a.end}}, Along: []along.Told{{Class: along.Unknown}},
		Written: []recording.TimeForm{a.written}},
		[]models.Prediction{{Class: best, Name: a.classifier.ClassNames[best], Probability: mean[best],
			Probabilities: mean}})
}
