package datasets

import (
	"errors"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/internal/params"
)

// readSplit reads `split`, 0 train, 1 validation, 2 test, or draws the splits.
func (r *npzReader) readSplit() error {
	if r.Has("split") && r.opts.Fold == (Fold{}) {
		if r.opts.SplitFamilies || r.opts.NoTest {
			return params.Errorf("split", r.opts.split(), "the file has a split of its own; leave it out")
		}
		return r.readMarks()
	}
	if !r.labelled() { // splits are drawn class by class
		return nil
	}
	r.findFamilies()
	return r.drawSplits()
}

// drawSplits draws a fold, or the splits of a file that does not mark them.
func (r *npzReader) drawSplits() error {
	raw := r.raw
	err := raw.choose(r.opts)
	if err != nil || r.opts.Fold != (Fold{}) || r.opts.Whole || r.opts.SplitFamilies { // which are drawn at the end
		return err
	}
	s := raw.Split
	if r.opts.NoTest {
		return nil
	}
	appendf(&raw.Warnings, "no array split: drew stratified splits of %d training, %d validation and %d test samples "+
		"from seed %d%s",
		len(s.Train), len(s.Validation), len(s.Test), r.opts.Seed, raw.groupsWhole(s.Validation, s.Test))
	if raw.Groups != nil && len(s.Test) == 0 {
		return errors.New("groups: no whole group can be held out for the test without taking the last samples of a class " +
			"from the training; mark the test yourself (split), or leave groups out")
	}
	return nil
}

// findFamilies finds the samples that no draw may part, where no groups say so and the file is not one to test on.
func (r *npzReader) findFamilies() {
	raw := r.raw
	if raw.Groups != nil || r.opts.Graph != nil || r.opts.Whole || !r.labelled() ||
		raw.Signals == nil && (r.series == nil || r.series.values == nil) {
		return
	}
	if r.series == nil {
		raw.lookForFamilies()
		return
	}
	var values []float32
	raw.families = findFamilies(sampleValues{labels: raw.Labels, width: r.nodes * raw.Channels, timePoints: r.timepoints,
		stored: r.sample, series: func(i int) []float32 {
			values = values[:0]
			for _, value := range r.recording(i).Values {
				values = append(values, float32(value))
			}
			return values
		}})
}

// splitFamilies draws whole families if that is asked for.
func (r *npzReader) splitFamilies() error {
	if !r.opts.SplitFamilies || r.raw.Split == nil || r.opts.Whole {
		return nil
	}
	err := r.raw.drawFamilies(r.opts)
	if s := r.raw.Split; err == nil && r.opts.Fold == (Fold{}) {
		appendf(&r.raw.Notes, "drew whole families of samples that seem to belong together: %d training, %d validation and "+
			"%d test samples from seed %d", len(s.Train), len(s.Validation), len(s.Test), r.opts.Seed)
	}
	return err
}

// readMarks makes the splits that the array split marks. Unless it marks validation samples, some are held out if the
// training wants any.
func (r *npzReader) readMarks() error {
	marks, err := npz.Elements(r, "split", r.samples, r.samplesOf(), (*npz.Array).Ints)
	if err != nil {
		return fmt.Errorf("%w; mark samples to train on by 0, to validate by 1, to test on by 2", err)
	}
	raw := r.raw
	raw.Split, err = marked(marks)
	if err != nil {
		return err
	}
	r.findFamilies()
	held := r.labelled() && r.opts.holdsOut()
	if held {
		*raw.Split = raw.HoldOut(*raw.Split, r.opts.Validation, r.opts.Seed)
	}
	s, given := raw.Split, raw.Split.named()[1:]
	switch {
	case !slices.Contains(marks, 1):
		given = given[1:]
		if held {
			appendf(&raw.Warnings,
				"split marks no validation sample (1): held out %d training samples, stratified, from seed %d%s",
				len(s.Validation), r.opts.Seed, raw.groupsWhole(s.Validation))
		}
	case r.opts.Validation > 0:
		appendf(&raw.Warnings, "split marks %d validation samples (1), so validation=%g holds out no others; leave "+
			"validation out, or mark none", len(s.Validation), r.opts.Validation)
	}
	if r.labelled() {
		r.warnParted(given)
	}
	var empty []error
	for mark, split := range s.named() {
		if len(split.indices) == 0 && (split.name != "validation" || held) {
			empty = append(empty, fmt.Errorf("split marks no %s sample (%d); mark some, or leave the array out to have "+
				"splits drawn", split.name, mark))
		}
	}
	return errors.Join(empty...)
}

// marked returns the splits that marks make: 0 train, 1 validation, 2 test.
func marked(marks []int64) (*Split, error) {
	var wrong npz.Wrong
	s := &Split{}
	for i, mark := range marks {
		switch mark {
		case 0:
			s.Train = append(s.Train, i)
		case 1:
			s.Validation = append(s.Validation, i)
		case 2:
			s.Test = append(s.Test, i)
		default:
			wrong.Add("split[%d] is %d; want 0 train, 1 validation or 2 test", i, mark)
		}
	}
	return s, wrong.Err("split")
}

// warnParted warns of groups that are in the training and in a split that the file marks, too. Groups must be those of
// the samples.
func (r *npzReader) warnParted(given []namedSplit) {
	if r.raw.Groups == nil {
		return
	}
	for _, split := range given {
		names := r.raw.Split.parted(r.raw.Groups, split.indices)
		if names != nil {
			appendf(&r.raw.Warnings, "split parts %d %s, such as %q, between train and %s: its accuracy says little about "+
				"groups that were not seen", len(names), plural(len(names), "group"), names[0], split.name)
		}
	}
}

// groupsWhole returns the end of a sentence about drawn splits: that they do not part groups. It is "" if they do.
func (r *Raw) groupsWhole(drawn ...[]int) string {
	if r.Groups == nil || r.Split.parted(r.Groups, slices.Concat(drawn...)) != nil {
		return ""
	}
	return ", none of the groups in two of them"
}
