package models

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"gonum.org/v1/gonum/floats"
)

// ClassifyEarly predicts the class of each series as soon as it is decided, see early.Rule: no value after the decision
// has a part in it. unread has of each series what recording.Form.SoFar returns beside it; nil if all are whole. A
// series that no look decides, and that is as long as those of the training and not unread, has ended, and has
// Classify's prediction. Any other is taken for a recording that goes on. It has the prediction of the last look so
// far. Before the first one nothing is known yet: it has no class, and the shares of the classes in the training as
// probabilities, see Prediction. Series and errors are those of ClassifySeries. If the classifier was not trained for
// it, the error is early.ErrUntrained. Prediction.Early says when it was.
func (c *Classifier) ClassifyEarly(ctx context.Context, series [][]float32,
	unread []*recording.Unread) ([]Prediction, error) {
	if c.Early == nil {
		return nil, early.ErrUntrained
	}
	if unread == nil {
		unread = make([]*recording.Unread, len(series))
	}
	predictions, whole, err := c.earlyBeforeEnd(ctx, series, unread)
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
func (c *Classifier) earlyBeforeEnd(ctx context.Context, series [][]float32,
	unread []*recording.Unread) (predictions []Prediction, whole []int, err error) {
	predictions = make([]Prediction, len(series))
	open := make([]bool, len(series))
	loop.Parallel(len(series), func(i int) {
		if ctx.Err() != nil {
			return
		}
		hasNothingYet := len(series[i]) == 0 && unread[i] != nil
		if !hasNothingYet && c.unusable(i, series[i]) != nil {
			open[i] = true
			return
		}
		open[i] = !c.decide(series[i], unread[i], &predictions[i])
	})
	for i := range open {
		if open[i] {
			whole = append(whole, i)
		}
	}
	return predictions, whole, ctx.Err()
}

// decide predicts a series look by look. It reports false if that is left to the classifier of whole recordings.
func (c *Classifier) decide(series []float32, unread *recording.Unread, p *Prediction) bool {
	decider, width := c.Early.Decide(), c.Form.Width()
	length := len(series) / width
	of := length
	if unread != nil {
		of = max(1, length, unread.Timepoints)
	}
	soFar, seen := c.Early.Shares, 0
	for look, timepoints := range c.Early.Looks {
		if timepoints > length {
			break
		}
		soFar, seen = c.atLook(look, series[:timepoints*width]), timepoints
		if decider.Add(soFar) {
			*p = c.predictionOf(soFar, series[:seen*width])
			p.Early = &early.Decision{Timepoints: seen, Seen: float64(seen) / float64(of), Decided: true}
			return true
		}
	}
	isWhole := unread == nil && length >= c.Form.Shortest
	if !isWhole {
		*p = c.predictionOf(soFar, series[:seen*width])
		if why := c.whySoFar(length, seen, unread); why != "" {
			p.Warnings = slices.Insert(p.Warnings, 0, why)
		}
	}
	p.Early = &early.Decision{Timepoints: length, Seen: float64(length) / float64(of)}
	return !isWhole
}

// atLook returns the probabilities of a cut series by the classifier of a look.
func (c *Classifier) atLook(look int, cut []float32) []float64 {
	v := (*c.looks.Load())[look]
	return v.Probabilities(v.Read(cut), nil)
}

// predictionOf returns the prediction by the last look at a series, of which it saw what is given. If that is nothing,
// there is no class. Its warnings are of values far outside the training data's, and of sensors that have not varied
// yet. How long a series is says nothing of a class that is told before its end, and how much it varies depends on how
// long it is.
func (c *Classifier) predictionOf(probabilities []float64, seen []float32) Prediction {
	p := Prediction{Class: along.Unknown, Probabilities: slices.Clone(probabilities)}
	if len(seen) == 0 {
		return p
	}
	p.Class = floats.MaxIdx(probabilities)
	p.Name, p.Probability = c.ClassNames[p.Class], probabilities[p.Class]
	info, form := c.Info, *c.Form
	form.Longest = 0 // so that no length is odd
	info.Form = &form
	if info.Range != nil {
		limits := *info.Range
		limits.Spread, limits.Stuck = make([]float32, len(limits.Spread)), nil
		info.Range = &limits
	}
	p.Warnings = info.Outside(seen)
	if still := c.still(seen); still != "" {
		p.Warnings = append(p.Warnings, still)
	}
	return p
}

// still returns what a person should know of sensors that have one value throughout what was seen of a series, where
// they vary in the training recordings; "" if nothing.
func (c *Classifier) still(seen []float32) (warning string) {
	width, others := c.Form.Width(), 0
	timepoints := len(seen) / width
	for column, varies := range c.Early.Varies {
		isStill := varies > 0 && timepoints >= varies
		for at := column; isStill && at < len(seen); at += width {
			isStill = seen[at] == seen[column]
		}
		switch {
		case !isStill:
		case warning == "":
			warning = fmt.Sprintf("%s is %.4g at each of the %d time points that were seen, in the training data it varies "+
				"from time point %d on", recording.Column(c.Form.Sensors, c.Spec.Channels, column), seen[column], timepoints,
				varies)
		default:
			others++
		}
	}
	if others > 0 {
		warning += fmt.Sprintf(", and %d other channels or sensors do not vary either", others)
	}
	if warning != "" {
		warning += "; is the sensor dead?"
	}
	return warning
}

// whySoFar says why a recording of so many time points, of which a look saw so many, has the class so far or none, if a
// person should know; else it is "".
func (c *Classifier) whySoFar(timepoints, seen int, unread *recording.Unread) string {
	var why string
	switch {
	case unread != nil:
		why = unread.Why
	case seen > 0 && c.Form.Length(timepoints) == "":
		return ""
	default:
		why = fmt.Sprintf("it has %s, the training's recordings have %s: it is taken for one that goes on",
			text.Count(timepoints, "time point"), c.Form.Lengths())
	}
	if seen > 0 {
		return why
	}
	begin := "it ends"
	if len(c.Early.Looks) > 0 {
		begin = fmt.Sprintf("time point %d", c.Early.Looks[0])
	}
	return fmt.Sprintf("%s, and before %s nothing is known of its class; the probabilities are the shares of the classes "+
		"in the training", why, begin)
}

// openLooks opens the classifiers of cut recordings of the store, if there is a rule for them.
func (c *Classifier) openLooks() error {
	if c.Early == nil || c.looks.Load() != nil {
		return nil
	}
	if c.Form == nil {
		return errors.New("the rule of early decisions is damaged: the classifier is of no recordings; train again")
	}
	if varies := c.Early.Varies; varies != nil && len(varies) != c.Form.Width() {
		return fmt.Errorf("the rule of early decisions is damaged: it has %d channels of sensors, recordings have %d; "+
			"train again", len(varies), c.Form.Width())
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
