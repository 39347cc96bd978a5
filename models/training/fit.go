package training

import (
	"context"
	"iter"
	"time"

	"github.com/clusterpool/ccp/datasets"
)

// fit ends a run in which nothing is trained step by step, as one epoch: prepare has computed the weights, or voices answer
// without the network.
func (r *run) fit() error {
	r.Epochs = 1
	r.state.Step, r.state.Sums.Steps = r.total, 1
	r.state.Seconds, r.state.Prepare = r.state.Prepare, 0
	if err := r.classifier.Update(r.store); err != nil {
		return err
	}
	if v := r.classifier.Voices(); v != nil { // they know their training samples by heart: what they said of those left out
		all := v.Parts()[len(v.Parts())-1]
		r.state.Sums.Loss, r.state.Sums.Accuracy = all.Loss, all.Accuracy
	} else {
		fitted, err := Evaluate(r.classifier, r.data, r.data.Train, r.evaluationBatch())
		if err != nil {
			return err
		}
		r.state.Sums.Loss, r.state.Sums.Accuracy = fitted.Loss, fitted.Accuracy
	}
	r.epochStart = time.Now() // to evaluate is not to fit
	return r.endEpoch()
}

// samplesOf returns the training samples of a data set, until ctx ends.
func samplesOf(ctx context.Context, d *datasets.Dataset) iter.Seq2[[]float32, int32] {
	x := make([]float32, d.Nodes*d.Channels)
	return func(yield func(x []float32, class int32) bool) {
		for _, i := range d.Train {
			d.Signals.Read(i, x)
			if ctx.Err() != nil || !yield(x, d.Labels[i]) {
				return
			}
		}
	}
}
