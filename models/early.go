package models

import (
	"context"
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"gonum.org/v1/gonum/floats"
)

// ClassifyEarly predicts the class of each series as soon as it is decided, see early.Rule: no value after the decision
// has a part in it. What is not decided when a series ends is predicted then. That is Classify's prediction if the
// series is about as long as those of the training, and else that of the look whose length is nearest, so that a
// recording that is cut anywhere is predicted by a classifier of cut recordings. Series and errors are those of
// ClassifySeries. If the classifier was not trained for it, the error is early.ErrUntrained. Prediction.Early says
// when it was.
func (c *Classifier) ClassifyEarly(ctx context.Context, series [][]float32) ([]Prediction, error) {
	if c.Early == nil {
		return nil, early.ErrUntrained
	}
	predictions, whole, err := c.earlyBeforeEnd(ctx, series)
	if err != nil {
		return nil, err
	}
	var ended [][]float32
	for _, i := range whole {
		ended = append(ended, series[i])
	}
	atEnd, err := c.ClassifySeries(ctx, ended)
	if wrong, ok := errors.AsType[*SignalError](err); ok { // its numbers are those of all series
		for _, w := range append([]*SignalError{wrong}, wrong.More...) {
			w.Index = whole[w.Index]
		}
	}
	for at, p := range atEnd {
		p.Early = predictions[whole[at]].Early
		predictions[whole[at]] = p
	}
	return predictions, err
}

// earlyBeforeEnd predicts all series but those that the classifier of whole recordings is to predict, whose numbers
// whole has. Unusable series are among these.
func (c *Classifier) earlyBeforeEnd(ctx context.Context, series [][]float32) (predictions []Prediction,
	whole []int, err error) {
	predictions = make([]Prediction, len(series))
	open := make([]bool, len(series))
	loop.Parallel(len(series), func(i int) {
		if ctx.Err() != nil {
			return
		}
		open[i] = c.unusable(i, series[i]) != nil || !c.decide(series[i], &predictions[i])
	})
	for i := range open {
		if open[i] {
			whole = append(whole, i)
		}
	}
	return predictions, whole, ctx.Err()
}

// decide predicts a series look by look. It reports false if that is left to the classifier of whole recordings.
func (c *Classifier) decide(series []float32, p *Prediction) bool {
	decider, width := c.Early.Decide(), c.Form.Width()
	length := len(series) / width
	for look, timepoints := range c.Early.Looks {
		if timepoints >= length {
			break
		}
		cut := series[:timepoints*width]
		probabilities := c.atLook(look, cut)
		if decider.Add(probabilities) {
			*p = c.predictionOf(probabilities, cut)
			p.Early = &early.Decision{Timepoints: timepoints, Seen: float64(timepoints) / float64(length), Decided: true}
			return true
		}
	}
	look := c.nearestLook(length)
	if look >= 0 {
		*p = c.predictionOf(c.atLook(look, series), series)
	}
	p.Early = &early.Decision{Timepoints: length, Seen: 1}
	return look >= 0
}

// nearestLook returns the look whose number of time points is nearest to the length of a recording that has ended; -1
// if the shortest training recording is nearer, or is not longer.
func (c *Classifier) nearestLook(length int) int {
	if length >= c.Form.Shortest {
		return -1
	}
	nearest, least := -1, c.Form.Shortest-length
	for look, timepoints := range c.Early.Looks {
		if away := max(timepoints-length, length-timepoints); away < least {
			nearest, least = look, away
		}
	}
	return nearest
}

// atLook returns the probabilities of a cut series by the classifier of a look.
func (c *Classifier) atLook(look int, cut []float32) []float64 {
	v := (*c.looks.Load())[look]
	return v.Probabilities(v.Read(cut), nil)
}

// predictionOf returns the prediction of a cut series with these probabilities. Its warnings are of values far outside
// the training data's: how much a series varies depends on how long it is.
func (c *Classifier) predictionOf(probabilities []float64, cut []float32) Prediction {
	class := floats.MaxIdx(probabilities)
	p := Prediction{Class: class, Name: c.ClassNames[class], Probability: probabilities[class],
		Probabilities: probabilities}
	info, form := c.Info, *c.Form
	form.Longest = 0 // no length is odd
	info.Form = &form
	if info.Range != nil {
		limits := *info.Range
		limits.Spread, limits.Stuck = make([]float32, len(limits.Spread)), nil
		info.Range = &limits
	}
	p.Warnings = info.Outside(cut)
	return p
}

// openLooks opens the classifiers of cut recordings of the store, if there is a rule for them.
func (c *Classifier) openLooks() error {
	if c.Early == nil || c.looks.Load() != nil {
		return nil
	}
	if c.Form == nil {
		return errors.New("the rule of early decisions is damaged: the classifier is of no recordings; train again")
	}
	of, _ := transforms.For(&c.Info, c.Graph, transforms.All) // which is no wrong option
	looks := make([]*transforms.Classifier, len(c.Early.Looks))
	for look := range looks {
		v, err := transforms.Open(c.store, transforms.LookScope(look), of)
		if err == nil && v == nil {
			err = errors.New("it is missing; was the checkpoint written whole?")
		}
		if err != nil {
			return fmt.Errorf("the classifier of recordings cut at %d time points: %w", c.Early.Looks[look], err)
		}
		looks[look] = v
	}
	c.looks.Store(&looks)
	return nil
}
