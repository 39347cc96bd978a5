package training

// This file says what early decisions cannot be learned from, and gives notice of how they fare and of what keeps them
// late.

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/internal/text"
	"github.com/clusterpool/ccp/models/early"
)

// checkEarly returns an error if early decisions are asked for and cannot be learned from a data set.
func (c Config) checkEarly(d *datasets.Dataset) error {
	wrong := func(format string, values ...any) error {
		return params.Errorf("early", nil, format+" leave out %v", append(values, params.Named("early"))...)
	}
	switch {
	case c.Early == notEarly:
		return nil
	case d.Form == nil || d.Series == nil:
		return wrong("data set %s has no recordings, whose class could be told before they end: time has to be an axis of "+
			"its samples;", d.Name)
	case len(early.LooksAt(d.Form.Longest, leastTimepoints)) < fewestLooks:
		return wrong("the longest recording of data set %s has %d time points, and a decision takes %d looks from time "+
			"point %d on, before the end;", d.Name, d.Form.Longest, fewestLooks, leastTimepoints)
	case len(d.Train) < fewestEarly && len(d.Labels) >= fewestEarly:
		return wrong("data set %s has %d training samples of %d; to choose when to decide takes at least %d: train on all "+
			"with %v, if the file has no split of its own, or", d.Name, len(d.Train), len(d.Labels), fewestEarly,
			params.With("split", splitOfNone))
	case len(d.Train) < fewestEarly:
		return wrong("data set %s has %d training samples; to choose when to decide takes at least %d;", d.Name,
			len(d.Train), fewestEarly)
	}
	units := map[string]bool{}
	for _, i := range d.Train {
		units[cmp.Or(d.Unit(i), fmt.Sprintf("sample %d", i))] = true
	}
	if len(units) < fewestGroups {
		return wrong("the training samples of data set %s are of %s; to choose when to decide, one is held out, and a fit "+
			"to the others takes two: leave the groups out of the file, so that single samples are held out and new groups may "+
			"be decided less rightly, or", d.Name, text.Count(len(units), "group"))
	}
	return nil
}

// noteEarly gives notice of how early decisions fare on held-out recordings, and of recordings that know their future.
// lone are the classes that only one group has.
func (r *run) noteEarly(rule *early.Rule, lone []string) {
	unknown := ""
	switch {
	case len(lone) == 1:
		unknown = "class " + lone[0] + " has"
	case len(lone) > 1:
		unknown = "each of the classes " + strings.Join(lone, ", ") + " has"
	}
	if unknown != "" {
		unknown += " recordings of one group alone, or that seem to belong together: while these are held out, nothing is " +
			"known of the class. Recordings of it in another group would help; without groups in the file single ones are " +
			"held out, and new groups may be decided less rightly"
	}
	if len(rule.Looks) == 0 {
		why := ""
		if unknown != "" {
			why = ". Groups are a reason: " + unknown
		}
		r.notice("warning: nothing is decided early: cut anywhere before their end, held-out recordings are predicted no " +
			"better than by the shares of the classes" + why)
		return
	}
	if unknown != "" {
		r.notice("warning: decisions may be late for want of groups: " + unknown)
	}
	c, best := rule.Chosen, rule.Best
	line := fmt.Sprintf("decided early, %.1f%% of %d held-out recordings are right, after %.0f%% of a recording in the "+
		"mean; at the end %.1f%% are; harmonic mean %.3f", 100*c.Accuracy, c.Samples, 100*c.Seen, 100*c.AtEnd, c.Mean)
	if rule.By == early.ByLoss {
		line += fmt.Sprintf(", the largest %.3f by %.1f%% right after %.0f%%", best.Mean, 100*best.Accuracy, 100*best.Seen)
	}
	if _, alone := ungrouped(r.data); alone {
		line += "; these were held out without regard to groups, and new groups may be decided less rightly"
	}
	r.notice(line)
	if scaled := scaledWhole(r.data); scaled != "" {
		r.notice("warning: " + scaled + ", as if scaled over its whole length: then its begin tells of what comes later, " +
			"which no recording does that has not ended. Train on the values as measured")
	}
}
