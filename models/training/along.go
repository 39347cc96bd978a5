package training

// This file learns how classes follow each other in the streams that samples are windows of.

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// alongOf returns how classes follow each other in the training samples of a data set of recordings, by the stretches
// that they are windows of. Whole recordings tell of none. It is nil for other data.
func alongOf(d *datasets.Dataset) *along.Model {
	if d.Form == nil || d.Form.Longest < 2 {
		return nil
	}
	windows := make([]int, d.Classes())
	for _, i := range d.Train {
		windows[d.Labels[i]]++
	}
	if d.Windows == nil || d.Form.Cut == nil {
		whole := float64(d.Form.Longest) / cmp.Or(d.Form.Rate, 1)
		return along.Fit(nil, windows, whole, whole)
	}
	cut := *d.Form.Cut
	first := d.Windows[d.Train[0]]
	window, step := first.End-first.Start, first.End-first.Start
	if cut.Step.Length > 0 {
		step *= cut.Step.Length / cut.Window.Length
	}
	return along.Fit(trainedStretches(d), windows, window, step)
}

// trainedStretches returns the stretches of the training windows. Those between which there is another one are of
// different recordings here, as nothing is known of what followed what.
func trainedStretches(d *datasets.Dataset) (all []along.Stretch) {
	trained := make([]bool, len(d.Stretches))
	for _, i := range d.Train {
		trained[d.Windows[i].Stretch] = true
	}
	run := 0
	for at, s := range d.Stretches {
		if !trained[at] {
			continue
		}
		follows := at > 0 && trained[at-1] && d.Stretches[at-1].Recording == s.Recording
		if !follows {
			run++
		}
		all = append(all, along.Stretch{Recording: run, Class: s.Class, Lasts: s.End - s.Start})
	}
	return all
}

// chooseAlong chooses how much a window tells, and when the class changes, by the held-out samples of a trial in the
// order of their streams.
func (r *run) chooseAlong(t *heldOutTrial, m transforms.Mixture) {
	d := t.data
	if r.state.Along == nil || !r.state.Along.Learned {
		return
	}
	order := loop.Indices(len(d.Test))
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := d.Windows[d.Test[a]], d.Windows[d.Test[b]]
		return cmp.Or(cmp.Compare(x.Stretch, y.Stretch), cmp.Compare(x.Start, y.Start))
	})
	var seen []along.Seen
	for _, at := range order {
		var network []float64
		if t.network != nil {
			network = t.network[at]
		}
		seen = append(seen, along.Seen{Probabilities: m.Probabilities(t.readings[at], network), Class: int(t.labels[at])})
	}
	r.state.Along.Choose(seen)
	if h := r.state.Along.HeldOut; h != nil {
		r.notice(alongNotice(h, d.Form.Lasting))
	}
}

// alongNotice says how right and how late held-out stretches are told; lasting writes a duration.
func alongNotice(h *along.HeldOut, lasting func(duration float64) string) string {
	line := fmt.Sprintf("along time, %.1f%% of %d windows of held-out stretches are told right (%.1f%% alone), with %d "+
		"changes of class for %d true ones (%d alone)", 100*h.Accuracy, h.Windows, 100*h.RawAccuracy, h.Told, h.Changes,
		h.Raw)
	if h.Changes > h.Missed {
		line += fmt.Sprintf("; a change is told %s after the first whole window of the new class, in the mean",
			lasting(h.Delay))
	}
	return line
}
