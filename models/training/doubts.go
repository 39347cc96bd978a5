package training

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// doubts are the reasons to doubt the accuracy of a training, and what the training itself says of them.
type doubts struct {
	findings datasets.Findings
	families [][]string // of each sample, by each finding of families, see datasets.Finding.FamilyNames
	units    []string   // of each sample, see datasets.Finding.UnitNames; nil without a finding
}

// doubtsOf looks for reasons to doubt what a training on a data set will say. What families cost is left to the
// transforms, if there are any.
func doubtsOf(d *datasets.Dataset, hasTransforms bool) (doubts, error) {
	found, err := datasets.Audit(d)
	if err != nil {
		return doubts{}, err
	}
	var families [][]string
	var units []string
	for i := range found {
		if hasTransforms && found[i].OfFamilies() {
			if units == nil {
				units = found[i].UnitNames(d)
			}
			families = append(families, found[i].FamilyNames(d))
			found[i] = found[i].Unjudged()
		}
	}
	return doubts{found, families, units}, nil
}

// noteDoubts gives notice of what should be known before anything is trained. Notes are in the result.
func (r *run) noteDoubts() {
	for _, f := range r.state.Findings {
		if !f.IsNote() {
			r.notice(f.Level + ": " + f.String())
		}
	}
}

// withFamilies names the families of the samples of a fit, which come in the order of the training samples, and then
// perhaps their mirror images in that order.
func (r *run) withFamilies(d *datasets.Dataset, samples []transforms.Sample) []transforms.Sample {
	for at := range samples {
		for _, families := range r.options.doubts.families {
			samples[at].Families = append(samples[at].Families, families[d.Train[at%len(d.Train)]])
		}
	}
	return samples
}

// together returns the data in which samples that seem to belong together are held out together, so that no weight goes
// by what neighbours share, and gives notice of it.
func (r *run) together(d *datasets.Dataset) *datasets.Dataset {
	if !r.holdsFamilies(d) {
		return d
	}
	r.notice(togetherNotice)
	return d.Together(r.options.doubts.units)
}

// holdsFamilies reports whether samples of a data set are held out together because they seem to belong together: the
// audit has found families, and there are no groups.
func (r *run) holdsFamilies(d *datasets.Dataset) bool {
	return r.options.doubts.units != nil && d.Groups == nil
}

// judgeDoubts says what families cost the ridge classifier, and where its mistakes on held-out samples stand together
// in the file.
func (r *run) judgeDoubts(d *datasets.Dataset, held transforms.HeldOut) {
	r.judgeFamilies(held.Ways)
	if held.Right == nil {
		return
	}
	var samples []int
	var right []bool
	for i, at := range held.Samples {
		if at < len(d.Train) { // else it is a mirror image
			samples, right = append(samples, d.Train[at]), append(right, held.Right[i])
		}
	}
	if found := d.Mistakes(samples, right); found != nil {
		r.state.Findings = append(r.state.Findings, *found)
		r.notice(found.Level + ": " + found.String())
	}
}

// judgeFamilies says what the families of each finding cost the ridge classifier. ways are in the order of the
// findings.
func (r *run) judgeFamilies(ways []transforms.Way) {
	r.state.Findings = slices.Clone(r.state.Findings)
	for at, f := range r.state.Findings {
		if len(ways) == 0 || !f.OfFamilies() {
			continue
		}
		way := ways[0]
		ways = ways[1:]
		if way.Families == 0 {
			continue
		}
		judged := f.Judged("transforms have", way.Random, way.Whole)
		r.state.Findings[at] = judged
		switch {
		case judged.IsWarning():
			r.notice(fmt.Sprintf("warning: %s %.1f%% right of samples held out at random, and %.1f%% of whole families "+
				"(%s): expect the latter of new families", judged.By, 100*judged.Random, 100*judged.Whole,
				strings.TrimSuffix(judged.What, ",")))
		case !judged.IsNote():
			r.notice(judged.Level + ": " + judged.String())
		}
	}
}
