package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/internal/audit"
	"github.com/clusterpool/ccp/internal/loop"
)

const (
	auditedSamples = 1_000      // of more, blocks of neighbours in the file are looked at
	toldCopies     = 0.02       // of all samples
	auditedValues  = 16_000_000 // of signals, which are read for it
)

// Audit looks for reasons to doubt the accuracy that a classifier of this data set will have: samples that are the same
// twice, classes that can be told by how recordings were made, and samples in families that a split parts.
//
// It looks at the training samples, of which it takes some if they are very many. It is an error if there are none.
func Audit(d *Dataset) (Findings, error) {
	if len(d.Train) == 0 {
		return nil, errors.New("no training samples to look at")
	}
	samples, chosen := d.audited()
	report := audit.Of(samples, d.familiesOf(chosen), d.Groups != nil)
	found := slices.Concat(d.oddities(), d.familyFindings(report.Known))
	if links := d.linkFinding(samples, found); links != nil {
		found = append(found, *links)
	}
	found = append(found, d.shortcutFindings(samples, report.Shortcuts, d.unitsOf(chosen, samples, report.Families))...)
	found = append(found, d.numberFindings(samples, report.Shortcuts)...)
	for _, c := range report.Families {
		found = append(found, familyFinding(c))
	}
	if report.Gap.Size > 0 {
		found = append(found, gapFinding(report.Gap, chosen))
	}
	gravity := []string{warning, question, note}
	slices.SortStableFunc(found, func(a, b Finding) int {
		return slices.Index(gravity, a.Level) - slices.Index(gravity, b.Level)
	})
	return found, nil
}

// audited returns some of the training samples as an audit takes them, and their indices.
func (d *Dataset) audited() (*audit.Samples, []int) {
	most := auditedSamples
	width := d.Nodes * d.Channels
	if d.Series != nil {
		width = d.Form.Width()
	} else {
		most = min(most, max(1, auditedValues/width))
	}
	chosen := chosenOf(d.Train, most)
	s := &audit.Samples{Classes: d.Classes(), Width: width, Places: chosen, ClassNames: d.ClassNames}
	values := make([][]float32, len(chosen))
	for at, i := range chosen {
		values[at] = d.Input(i, make([]float32, d.Nodes*d.Channels))
		s.Labels = append(s.Labels, d.Labels[i])
		s.Made = append(s.Made, d.madeOf(i, values[at], width))
		if d.SampleNames != nil {
			s.Names = append(s.Names, d.SampleNames[i])
		}
	}
	s.Values = func(at int) []float32 { return values[at] }
	return s, chosen
}

// simpleClassifier is the one by whose accuracies families are judged before anything is trained.
const simpleClassifier = "the nearest neighbour has"

// familyFinding says how samples that belong together stand.
func familyFinding(c audit.Costly) Finding {
	f := Finding{Kind: ofFamilies, Level: note, What: placed(c.Dependence), Seen: c.Seen, Drawn: c.Drawn,
		Places: c.Places, dependence: c.Dependence}
	switch {
	case c.Kind == audit.Drift && c.Confounded:
		return Finding{Kind: ofOrder, Level: warning}
	case c.Kind == audit.Drift:
		return Finding{Kind: ofOrder, Level: note}
	case c.Harm.Matters():
		f.Level, f.By, f.Random, f.Whole = warning, simpleClassifier, c.Harm.Random, c.Harm.Whole
	case c.Confounded:
		return Finding{Kind: ofOrder, Level: question}
	}
	return f
}

// gapFinding says that samples come in families of any order. Values cannot tell these from clusters: it is asked where
// they are of one class each and cost something.
func gapFinding(gap audit.Gap, chosen []int) Finding {
	f := Finding{Kind: ofFamilies, Level: note, Largest: gap.Size}
	if !gap.AreOfOneClass() {
		return f
	}
	if gap.Harm.Matters() {
		f.Level, f.By, f.Random, f.Whole = question, simpleClassifier, gap.Harm.Random, gap.Harm.Whole
	}
	f.family = map[int]int{}
	for at, i := range chosen {
		f.family[i] = gap.Family[at]
	}
	return f
}

// placed says which samples are nearest to one another.
func placed(d audit.Dependence) string {
	switch d.Kind {
	case audit.Rounds:
		return fmt.Sprintf("samples that stand %d places apart in the file, or a multiple of that,", d.Period)
	case audit.Prefix:
		return "samples whose names begin alike"
	default:
		return "samples that stand together in the file"
	}
}

// descriptor returns the name of a descriptor with that of the sensor that it is about.
func (d *Dataset) descriptor(of audit.Descriptor) string {
	if !strings.Contains(of.Name, "%s") {
		return of.Name
	}
	if d.Form == nil {
		return strings.Replace(of.Name, "%s", d.NodeName(of.Sensor/d.Channels), 1)
	}
	return strings.Replace(of.Name, "%s", d.Column(of.Sensor, d.Form.Width()), 1)
}

// shortcutFindings tells of classes that descriptors tell, and of all descriptors if there is such a class. family
// numbers the samples that are held out together; nil if each is held out alone.
func (d *Dataset) shortcutFindings(samples *audit.Samples, shortcuts []audit.Shortcut, family []int) (found Findings) {
	if shortcuts == nil {
		return nil
	}
	for _, s := range shortcuts {
		told := samples.HeldOut(s, family)
		if told.Accuracy() <= 0.5 { // a limit that does not hold beyond the samples that it was found in tells nothing
			continue
		}
		f := Finding{Kind: ofShortcut, Level: note, What: d.descriptor(s.Descriptor),
			Class: className(d.ClassNames, s.Class), Accuracy: told.Accuracy(), Recall: told.Recall, Others: told.Others}
		switch {
		case s.Descriptor.Artefact:
			f.Level = warning
		case s.Descriptor.Asked:
			f.Level = question
		}
		found = append(found, f)
	}
	if found == nil {
		return nil
	}
	rows, artefacts, all := samples.Table(family)
	table := Finding{Kind: ofDescriptors, Level: note, Accuracy: all, Artefacts: artefacts,
		Chance: 1 / float64(d.Classes())}
	for _, row := range rows {
		table.Table = append(table.Table, Descriptor{d.descriptor(row.Descriptor), row.Descriptor.Artefact,
			className(d.ClassNames, row.Class), row.Area, row.Told.Accuracy(), row.Told.Recall, row.Told.Others})
	}
	return append(found, table)
}

// numberFindings tells of columns that may number the samples, but for those that tell a class, which are told of
// already.
func (d *Dataset) numberFindings(samples *audit.Samples, shortcuts []audit.Shortcut) (found Findings) {
	for _, column := range samples.Numbers() {
		told := slices.ContainsFunc(shortcuts, func(s audit.Shortcut) bool {
			return s.Descriptor.Column && s.Descriptor.Sensor == column
		})
		if !told {
			found = append(found, Finding{Kind: ofSensors, Level: note, text: fmt.Sprintf("%s has another whole number in "+
				"each sample, such as %.0f: if it numbers or names them, it measures nothing; leave it out (ccp data import "+
				"--leave)",
				d.descriptor(audit.Descriptor{Name: "%s", Sensor: column}), samples.Values(0)[column])})
		}
	}
	return found
}

// unitsOf numbers the families of some samples for folds that leave them whole: their groups, or else what the audit
// has found; nil if there are none.
func (d *Dataset) unitsOf(chosen []int, samples *audit.Samples, found []audit.Costly) (family []int) {
	if d.Groups != nil {
		number := map[string]int{}
		for _, i := range chosen {
			if _, known := number[d.Groups[i]]; !known {
				number[d.Groups[i]] = len(number)
			}
			family = append(family, number[d.Groups[i]])
		}
		return family
	}
	for _, c := range found {
		if c.Kind != audit.Drift {
			return samples.FamiliesBy(c.Dependence)
		}
	}
	return d.familiesOf(chosen)
}

// chosenOf returns at most so many of some samples, in the order of the file.
func chosenOf(samples []int, most int) (chosen []int) {
	sorted := slices.Sorted(slices.Values(samples))
	for _, at := range audit.Chosen(len(sorted), most) {
		chosen = append(chosen, sorted[at])
	}
	return chosen
}

// madeOf returns how sample i was made.
func (d *Dataset) madeOf(i int, values []float32, width int) audit.Making {
	var made audit.Making
	switch {
	case d.made[i] != nil:
		made = *d.made[i]
	case d.Form != nil:
		made = audit.Made(values, width, d.Form.Rate)
	default:
		made = audit.Made(values, width, 0)
	}
	if d.asRead != nil {
		made.AsRead(d.asRead[i])
	}
	return made
}

// familyFindings tells of copies and overlaps that stay together.
func (d *Dataset) familyFindings(cost audit.Harm) (found Findings) {
	f := d.families
	if f == nil || f.of == nil {
		return nil
	}
	names := func(a, b int) [2]string { return [2]string{d.SampleName(a), d.SampleName(b)} }
	if float64(f.copied) > toldCopies*float64(len(d.Labels)) {
		found = append(found, Finding{Kind: ofCopies, Level: note, Count: f.copied, Samples: f.copy[:],
			names: names(f.copy[0], f.copy[1])})
	}
	if first, count := d.unforeseen(f.overlaps); count > 0 {
		one := Finding{Kind: ofOverlap, Level: warning, Count: count,
			Samples: []int{first.Earlier, first.Later},
			names:   names(first.Earlier, first.Later), some: f.some}
		if cost.Matters() {
			one.By, one.Random, one.Whole = simpleClassifier, cost.Random, cost.Whole
		}
		for _, size := range f.size {
			if size > 1 {
				one.Families, one.Largest = one.Families+1, max(one.Largest, size)
			}
		}
		found = append(found, one)
	}
	return found
}

// unforeseen returns the first overlap, and the number of samples that overlap another, without windows that an import
// has cut of one recording: that these overlap was asked for.
func (d *Dataset) unforeseen(overlaps []audit.Overlap) (first audit.Overlap, count int) {
	overlapping := map[int]bool{}
	for _, o := range overlaps {
		if d.Windows != nil && d.recordingOf(o.Earlier) == d.recordingOf(o.Later) {
			continue
		}
		if len(overlapping) == 0 {
			first = o
		}
		overlapping[o.Earlier], overlapping[o.Later] = true, true
	}
	return first, len(overlapping)
}

// recordingOf returns the recording of which an import has cut window i.
func (d *Dataset) recordingOf(i int) int { return d.Stretches[d.Windows[i].Stretch].Recording }

// familiesOf numbers the families of some samples; nil if none are known, or if there are groups.
func (d *Dataset) familiesOf(chosen []int) (family []int) {
	if d.Groups != nil || d.families == nil || d.families.of == nil {
		return nil
	}
	for _, i := range chosen {
		family = append(family, d.families.of[i])
	}
	return family
}

// Mistakes looks for a stretch of the file in which a classifier's mistakes stand together: a session with swapped
// labels, or one that was recorded in another way. right says of each of some samples, whether it was predicted right
// when it was held out. It returns nil if there is no such stretch.
func (d *Dataset) Mistakes(samples []int, right []bool) *Finding {
	order := loop.Indices(len(samples))
	slices.SortFunc(order, func(a, b int) int { return samples[a] - samples[b] })
	wrong, all := make([]bool, len(order)), 0
	for at, i := range order {
		wrong[at] = !right[i]
		if wrong[at] {
			all++
		}
	}
	found, ok := audit.MistakesTogether(wrong)
	if !ok {
		return nil
	}
	f := Finding{Kind: ofMistakes, Level: question, Count: found.Mistakes, Families: all, Largest: found.To - found.From}
	for _, i := range order[found.From:found.To] {
		f.Samples = append(f.Samples, samples[i])
	}
	f.names = [2]string{d.SampleName(f.Samples[0]), d.SampleName(f.Samples[len(f.Samples)-1])}
	return &f
}
