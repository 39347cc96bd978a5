package watch

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
)

// Options say how to watch. The zero value is as the training's samples were cut, with the rule that it chose.
type Options struct {
	Cut  recording.Cut // without a window: the training's
	Rule along.Rule
	// Lasts is the mean time that a class lasts, in seconds, where streams of the training do not tell it; 0: ten windows.
	Lasts float64
	// Classify computes the predictions of windows, as models.Classifier.ClassifySeries does; nil: the classifier's own.
	Classify func(ctx context.Context, series [][]float32) ([]models.Prediction, error)
}

// MostLag bounds Options.Rule.Lag, and so the windows that are kept.
const MostLag = 1000

// CutOf returns the windows of a stream: those asked for, or else those of the training. Windows of another length have
// the training's step, too, if it had one. Whole recordings of a training are windows of their greatest length, half of
// which comes again in the next.
func CutOf(form *recording.Form, asked recording.Cut) recording.Cut {
	points := func(n int) recording.Span { return recording.Span{Length: float64(max(1, n)), Timepoints: true} }
	switch {
	case asked.Window.Length > 0 && asked.Step.Length == 0 && form.Cut != nil:
		return recording.Cut{Window: asked.Window, Step: inUnitOf(form, form.Cut.Step, asked.Window.Timepoints)}
	case asked.Window.Length > 0:
		return asked
	case form.Cut != nil && asked.Step.Length > 0:
		return recording.Cut{Window: form.Cut.Window, Step: asked.Step}
	case form.Cut != nil:
		return *form.Cut
	case asked.Step.Length > 0 && !asked.Step.Timepoints && form.Rate > 0:
		return recording.Cut{Window: inUnitOf(form, points(form.Longest), false), Step: asked.Step}
	}
	step := asked.Step
	if step.Length == 0 {
		step = points(form.Longest / 2)
	}
	return recording.Cut{Window: points(form.Longest), Step: step}
}

// inUnitOf returns a span as a number of time points or as seconds; of length 0 if the training has no times that tell.
func inUnitOf(form *recording.Form, span recording.Span, timepoints bool) recording.Span {
	perSecond := form.Rate * cmp.Or(form.Second, 1)
	switch {
	case span.Timepoints == timepoints || span.Length == 0:
		return span
	case perSecond == 0:
		return recording.Span{}
	case timepoints:
		return recording.Span{Length: max(1, math.Round(span.Length*perSecond)), Timepoints: true}
	}
	return recording.Span{Length: span.Length / perSecond}
}

// ModelOf returns how classes follow each other in streams of windows of a length, both in the unit of times: the
// classifier's own model or, of one from before it was learned, a guess. lasts takes the place of what was guessed.
func ModelOf(c *models.Classifier, window, step, lasts float64) (*along.Model, error) {
	m := c.Along
	if m == nil {
		m = along.Fit(nil, make([]int, len(c.ClassNames)), window, step)
	}
	if lasts == 0 {
		return m, nil
	}
	if m.Learned {
		return nil, errors.New("the streams of the training tell how long each class lasts; leave --lasts out")
	}
	other := *m
	other.Lasts = make([]float64, len(m.Lasts))
	for k := range other.Lasts {
		other.Lasts[k] = lasts * cmp.Or(c.Form.Second, 1)
	}
	return &other, nil
}
