package training

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/early"
)

// EarlyResult is how decisions before the end fare.
type EarlyResult struct {
	// Rule says when a class is decided, and how that fares on held-out training recordings.
	Rule *early.Rule `json:"rule"`
	// Test is of the test samples; nil without any.
	Test *early.Figures `json:"test,omitempty"`
}

// EarlyEvaluation is how early decisions fare on a split.
type EarlyEvaluation struct {
	early.Figures
	PerClass []EarlyClass `json:"per_class"`
	Looks    []EarlyLook  `json:"looks"` // the last is the end
	// NoClass counts the samples that end before the first look and are shorter than any of the training: they have no
	// class, and count as wrong.
	NoClass int `json:"no_class,omitzero"`
}

// EarlyClass is how early decisions fare on a class.
type EarlyClass struct {
	Name string `json:"class"`
	early.Figures
}

// EarlyLook counts the samples that are decided at a look.
type EarlyLook struct {
	// Timepoints are those that are seen, and Decided is how long they last, see recording.Form.Lasts. The end has none.
	Timepoints int     `json:"timepoints,omitzero"`
	Decided    float64 `json:"decided,omitzero"`
	End        bool    `json:"end,omitzero"` // decided by no look, but at the end
	Samples    int     `json:"samples"`
	Right      int     `json:"right"`
}

// EvaluateEarly decides the class of each sample of a split as early as the classifier does. Errors are those of
// Evaluate, and early.ErrUntrained.
func EvaluateEarly(ctx context.Context, c *models.Classifier, d *datasets.Dataset, split []int) (e EarlyEvaluation,
	err error) {
	if c.Early == nil {
		return e, early.ErrUntrained
	}
	d, err = ofModel(d, c.Metadata, d.Name)
	if err != nil {
		return e, err
	}
	for _, timepoints := range c.Early.Looks {
		e.Looks = append(e.Looks, EarlyLook{Timepoints: timepoints, Decided: c.Form.Lasts(timepoints)})
	}
	e.Looks = append(e.Looks, EarlyLook{End: true})
	var all early.Tally
	perClass := make([]early.Tally, d.Classes())
	const atOnce = 256
	for part := range slices.Chunk(split, atOnce) {
		var series [][]float32
		for _, i := range part {
			series = append(series, d.Input(i, nil))
		}
		decided, err := c.ClassifyEarly(ctx, series, nil)
		if err != nil {
			return e, namedSample(d, part, err)
		}
		whole, err := c.ClassifySeries(ctx, series)
		if err != nil {
			return e, namedSample(d, part, err)
		}
		for at, i := range part {
			p, label := decided[at], int(d.Labels[i])
			all.Add(p.Class == label, whole[at].Class == label, p.Early.Seen)
			perClass[label].Add(p.Class == label, whole[at].Class == label, p.Early.Seen)
			e.count(p, p.Class == label)
		}
	}
	e.Figures = all.Figures()
	for k, t := range perClass {
		e.PerClass = append(e.PerClass, EarlyClass{d.ClassNames[k], t.Figures()})
	}
	return e, nil
}

// count counts a sample at the look that decided it.
func (e *EarlyEvaluation) count(p models.Prediction, right bool) {
	if p.Class == along.Unknown {
		e.NoClass++
	}
	at := len(e.Looks) - 1
	if p.Early.Decided {
		at = slices.IndexFunc(e.Looks, func(l EarlyLook) bool { return l.Timepoints == p.Early.Timepoints })
	}
	e.Looks[at].Samples++
	if right {
		e.Looks[at].Right++
	}
}

// namedSample names the sample in a classifier's error about a part of a split.
func namedSample(d *datasets.Dataset, part []int, err error) error {
	wrong, ok := errors.AsType[*models.SignalError](err)
	if !ok {
		return err
	}
	return fmt.Errorf("%s: %s", d.SampleName(part[wrong.Index]), wrong.Reason)
}

// earlyResult returns how early decisions fare, also on the test samples; nil if none were asked for.
func (r *run) earlyResult(ctx context.Context) (*EarlyResult, error) {
	if r.state.Early == nil {
		return nil, nil
	}
	result := &EarlyResult{Rule: r.state.Early}
	if len(r.data.Test) == 0 {
		return result, nil
	}
	e, err := EvaluateEarly(ctx, r.classifier, r.data, r.data.Test)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w while the test samples were evaluated: give the same command to go on", ErrInterrupted)
	}
	result.Test = &e.Figures
	return result, err
}
