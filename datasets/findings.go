package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/datasets/internal/audit"
)

// Findings are reasons to doubt the figures that a data set will give, the gravest first.
type Findings []Finding

// Finding is one reason to doubt. Its String says what is seen and what to do.
type Finding struct {
	// Kind says what it is about: "copies" (samples that are equal), "overlap" (recordings that are in part another),
	// "shortcut" (a class that can be told by how recordings were made), "descriptors" (all that says how they were made,
	// where there is a shortcut), "families" (samples that belong together),
	// "order" (classes that were recorded one after another), "links" (a graph that is not that of the values), "mistakes"
	// (that stand together in the file), "owners" (whose recordings these are), "values" (that are extreme, or never
	// change), "sensors" (that seem to have failed in some samples), "classes" (of very different sizes) or "graph" (hubs,
	// one weight for all, distances as weights).
	Kind string
	// Level says how grave it is: a "warning" that a figure is not what new samples will give, a "question" that no file
	// can answer, or a "note".
	Level string
	// What is what tells a class (the descriptor of a shortcut), or how samples that are alike stand (of families).
	What string
	// Class is the class that a shortcut tells; "" where a finding is about all.
	Class string
	// Samples are the indices of some samples that show it, and Count is the number of all of them.
	Samples []int
	Count   int
	// Accuracy is the share of held-out samples that a shortcut tells right if there are as many of its class as others
	// (0.5 by chance), Recall the share of the class, and Others that of the others, that it takes for the class. Of
	// descriptors, Accuracy is that of all of them together, each class weighing as much (Chance by chance), and Artefacts
	// that of those that come of the recording alone.
	Accuracy, Chance, Artefacts float64
	Recall, Others              float64
	// Table has the descriptors, those that tell most first.
	Table []Descriptor
	// Random is the accuracy of a classifier, By, on samples held out at random, Whole that on whole families held out.
	By            string
	Random, Whole float64
	// Seen is the share of samples whose nearest sample stands as What says, Drawn that where places are drawn anew.
	Seen, Drawn float64
	// Places are those in the file of some samples, each with that of the nearest sample of its class.
	Places [][2]int
	// Families is the number of families, and Largest the number of samples of the largest.
	Families, Largest int

	names      [2]string // of the first two of Samples
	dependence audit.Dependence
	family     map[int]int // of samples, if the dependence does not say it
	some       audit.Some  // of the samples, among which overlaps were looked for; nothing if among all
	text       string      // if it is known, as from a file
}

// Descriptor is a number of each sample that says how it was made, with the class that it tells best of held-out
// samples.
type Descriptor struct {
	Name string `json:"name"`
	// Artefact says that it comes of the recording alone. Others may be what the classes differ in.
	Artefact bool   `json:"artefact"`
	Class    string `json:"class"`
	// Area is the probability that it sets a sample of the class apart from another one (the area under the ROC curve).
	Area float64 `json:"area"`
	// Accuracy, Recall and Others are those of a shortcut; see [Finding].
	Accuracy float64 `json:"accuracy"`
	Recall   float64 `json:"recall"`
	Others   float64 `json:"others"`
}

// Stated returns the findings as they are read from a file: each says what it said, and Families knows nothing more.
func (f Findings) Stated() (stated Findings) {
	for _, one := range f {
		one.text, one.names, one.dependence, one.family = one.String(), [2]string{}, audit.Dependence{}, nil
		one.some = audit.Some{}          // which the text has, too
		one.Families, one.Largest = 0, 0 // which the text has
		stated = append(stated, one)
	}
	return stated
}

// OfFamilies reports whether FamilyNames names the families of the finding.
func (f Finding) OfFamilies() bool {
	return f.Kind == ofFamilies && (f.dependence.Deviations > 0 || f.family != nil)
}

// matters are the least difference of accuracies, in deviations of its error, and as such, that is told.
const mattersDeviations, mattersDifference = 2.5, 0.02

// IsWarning reports whether the finding says that a figure is not what new samples will give.
func (f Finding) IsWarning() bool { return f.Level == warning }

// IsNote reports whether the finding is only worth knowing.
func (f Finding) IsNote() bool { return f.Level == note }

// Unjudged returns the finding as a note of what is seen, without what it costs.
func (f Finding) Unjudged() Finding {
	f.Level, f.By, f.Random, f.Whole = note, "", 0, 0
	return f
}

// Judged returns the finding with what families cost a classifier: right says of each sample that was held out whether
// it was predicted right, and whole whether it was with its whole family held out. If they flatter it is a warning, or
// a question where values cannot say whether they are families; or else a note.
func (f Finding) Judged(by string, right, whole []bool) Finding {
	n, difference, squares := float64(len(right)), 0.0, 0.0
	f.By, f.Random, f.Whole, f.Level = by, 0, 0, note
	for i, is := range right {
		one := 0.0
		if is {
			f.Random += 1 / n
			one++
		}
		if whole[i] {
			f.Whole += 1 / n
			one--
		}
		difference, squares = difference+one/n, squares+one*one/n
	}
	deviation := math.Sqrt(max(squares-difference*difference, 1/n) / n)
	if difference >= mattersDifference && difference >= mattersDeviations*deviation {
		f.Level = warning
		if f.family != nil {
			f.Level = question
		}
	}
	return f
}

// Families names the family of each sample of d as Finding.FamilyNames does, by the gravest finding of families. It is
// nil if no finding says which samples are of one family.
func (f Findings) Families(d *Dataset) []string {
	if at := slices.IndexFunc(f, Finding.OfFamilies); at >= 0 {
		return f[at].FamilyNames(d)
	}
	return nil
}

// FamilyNames names the family of each training sample of d that was looked at for a finding that is OfFamilies; "" of
// all others.
func (f Finding) FamilyNames(d *Dataset) []string { return f.numbered(d, (*audit.Samples).FamiliesBy) }

// UnitNames names in the same way what a sample is best held out with, for choices that are to hold for new families:
// its family, or a stretch of the file. It is nil if nothing but the values of samples says which belong together,
// because clusters do not.
func (f Finding) UnitNames(d *Dataset) []string {
	if f.family != nil {
		return nil
	}
	return f.numbered(d, (*audit.Samples).UnitsBy)
}

// numbered names what a number stands for that number gives each training sample, unless the finding knows its family.
func (f Finding) numbered(d *Dataset, number func(*audit.Samples, audit.Dependence) []int) []string {
	names := make([]string, len(d.Labels))
	for i, family := range f.family {
		names[i] = fmt.Sprintf("family %d", family)
	}
	if f.family != nil {
		return names
	}
	train := slices.Sorted(slices.Values(d.Train))
	samples := &audit.Samples{Classes: d.Classes(), Places: train}
	for _, i := range train {
		samples.Labels = append(samples.Labels, d.Labels[i])
		if d.SampleNames != nil {
			samples.Names = append(samples.Names, d.SampleNames[i])
		}
	}
	for at, family := range number(samples, f.dependence) {
		names[train[at]] = fmt.Sprintf("family %d", family)
	}
	return names
}

// The levels and kinds of findings.
const (
	warning, question, note = "warning", "question", "note"

	ofCopies   = "copies"
	ofOverlap  = "overlap"
	ofShortcut = "shortcut"
	ofFamilies = "families"

	ofDescriptors = "descriptors"

	ofOrder    = "order"
	ofLinks    = "links"
	ofMistakes = "mistakes"
	ofOwners   = "owners"
	ofValues   = "values"
	ofSensors  = "sensors"
	ofClasses  = "classes"
	ofGraph    = "graph"
)

// String says what is seen and what to do.
func (f Finding) String() string {
	if f.text != "" {
		return f.text
	}
	switch f.Kind {
	case ofCopies:
		return fmt.Sprintf("%d samples equal another one (such as %s and %s). Copies stay together in every draw",
			f.Count, f.names[0], f.names[1])
	case ofOverlap:
		if f.Count == 0 {
			return "no recordings that overlap were found" + f.lookedAt()
		}
		return fmt.Sprintf("%d recordings are in part another one (such as %s and %s): recordings were cut into windows "+
			"that overlap. Windows that overlap stay together in every draw (%d families; the largest has %d windows)%s%s. "+
			"If more windows are of one recording or person than these, name their groups",
			f.Count, f.names[0], f.names[1], f.Families, f.Largest, f.lookedAt(), f.cost())
	case ofLinks:
		switch f.What {
		case perhapsText:
			return "edges begin with node 1, and node 0 has none; if they count from 1, subtract 1 (edges - 1)"
		case distanceText:
			return fmt.Sprintf("heavier links join nodes that are less alike (rank correlation %.2f of the weights with the "+
				"correlations of linked nodes), as if weights were distances; a weight says how near two are: store %s", f.Seen,
				similarity)
		case weightText:
			return fmt.Sprintf("most nodes are linked, and those with heavier links are no more alike than others (rank "+
				"correlation %.2f): is the order of the nodes in the graph that of the values?", f.Seen)
		case fromOneText:
			return "the edges seem to count nodes from 1: none names node 0, and linked nodes are alike only if 1 is " +
				"subtracted. Subtract 1"
		}
		return fmt.Sprintf("linked nodes are no more alike (mean correlation %.3f) than any other two (%.3f): is the "+
			"order of the nodes in the graph that of the values?", f.Seen, f.Drawn)
	case ofOwners:
		return "whose recordings are these? If several are of one person, device or session, name their groups: else the " +
			"accuracy is that on new recordings of the same ones. No file can tell this from values"
	case ofMistakes:
		return fmt.Sprintf("%d of the %d mistakes on held-out training samples are among the %d of these from sample "+
			"%s to sample %s, which stand together in the file: are labels wrong there, or was this part recorded in "+
			"another way?", f.Count, f.Families,
			f.Largest, f.names[0], f.names[1])
	case ofShortcut:
		return f.shortcut()
	case ofDescriptors:
		return f.descriptors()
	case ofOrder:
		if f.Level == note {
			return "samples that stand near in the file are alike, whatever their class: something changed along the file, " +
				"such as a site, a device or the time. If it is one of these, name the groups of samples"
		}
		return "each class stands in one stretch of the file, and samples that stand near are alike: if that is the order " +
			"of recording, whatever changed meanwhile tells the classes, and no part of this file can say how well new " +
			"ones will be told. Record the classes in turns"
	default:
		return f.families()
	}
}

// lookedAt says of how many samples an overlap is known, if not of all.
func (f Finding) lookedAt() string {
	if f.some.WithAll == 0 {
		return ""
	}
	return fmt.Sprintf(". There are so many that only %d were compared with one another, and %d with those beside them "+
		"in the file: more may overlap", f.some.WithAll, f.some.Beside)
}

// shortcut says what tells a class.
func (f Finding) shortcut() string {
	seen := fmt.Sprintf("class %s can be told by %s alone: %.0f%% of held-out samples right, by chance 50%% (a limit "+
		"finds %.0f%% of the class and %.0f%% of the others)", f.Class, f.What, 100*f.Accuracy, 100*f.Recall, 100*f.Others)
	switch f.Level {
	case note:
		return seen + ". That may be what the class is, or how it was recorded"
	case question:
		return seen + ". " + remedy(f.What)
	}
	return seen + ". If new recordings will not have it, the test accuracy is not what you will get. " + remedy(f.What)
}

// descriptors says how much all of them tell together.
func (f Finding) descriptors() string {
	together := fmt.Sprintf("all that says how the recordings were made tells the class of %.0f%% of held-out samples "+
		"(each class weighing as much; by chance %.0f%%)", 100*f.Accuracy, 100*f.Chance)
	if f.Artefacts > 0 {
		together += fmt.Sprintf(", and what comes of the recording alone that of %.0f%%", 100*f.Artefacts)
	}
	return together
}

// remedies say what to do about a shortcut, by a word of its descriptor.
var remedies = []struct{ word, text string }{
	{"rises", "If it only counts, leave it out"},
	{"goes up", "If it numbers cases or people, leave it out (ccp data import --leave)"},
	{"for each class", "Is it the class once more, or known only with the class? Then leave it out (ccp data " +
		"import --leave)"},
	{"never changes within", "If it says who or what was recorded, such as a number of the person or the device, leave " +
		"it out (ccp data import --leave)"},
	{"range", "Were sensors at the end of their range, and in this class alone? Then record all classes in one range"},
	{"time of", "Were the classes recorded at different times? Then whatever else changed tells them, too: record them " +
		"in turns"},
	{"name that", "Are these of another device, person or session? Then whatever else is its own tells the class, too: " +
		"name the groups, or record all classes alike"},
	{"run", "If it fills recordings up to one length, store NaN there, or the array lengths [samples]"},
	{"missing", "See that values are missing for the same reasons in all classes, or leave such sensors out"},
	{"made up", "See that values are lost for the same reasons in all classes, or leave such recordings out"},
	{"first value", "Cut all recordings alike"},
	{"rounding", "Round the values of all classes alike"},
	{"step", "Round the values of all classes alike"},
	{"decimals", "Round the values of all classes alike"},
	{"times", "Bring all recordings to the lowest rate before you store them"},
	{"hum", "Filter the mains out of all recordings"},
}

func remedy(what string) string {
	for _, r := range remedies {
		if strings.Contains(what, r.word) {
			return r.text
		}
	}
	return "Record all classes alike"
}

// families says which samples seem to belong together, and what that costs.
func (f Finding) families() string {
	const ask = "If they are of one person, device or recording, name their groups"
	if f.Seen == 0 {
		return fmt.Sprintf("samples of a class come in families of about %d that are more alike than chance lets them: "+
			"repeats of one person or recording, or clusters%s. %s", f.Largest, f.cost(), ask)
	}
	return fmt.Sprintf("%s are alike: for %.0f%% of all samples such a one is the nearest of the class, by chance for "+
		"%.0f%%%s. %s", f.What, 100*f.Seen, 100*f.Drawn, f.cost(), ask)
}

// cost says how much families flatter; "" if they do not.
func (f Finding) cost() string {
	if f.By == "" {
		return ""
	}
	return fmt.Sprintf(". Of samples that are held out at random %s %.0f%% right, of whole families that are held "+
		"out %.0f%%", f.By, 100*f.Random, 100*f.Whole)
}
