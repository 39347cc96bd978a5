package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/stat/distuv"
)

// Descriptor is one number of each sample that says how it was made.
type Descriptor struct {
	Name string // with %s for the sensor that it is about, if it is about one
	// Sensor is the sensor that it is about.
	Sensor int
	// Artefact says that the number comes of the recording alone. Others, such as the length of a gesture, may be what
	// the classes differ in.
	Artefact bool
	// Graded says that the number tells how finely the values are graded.
	Graded bool
	// Asked says that nobody can tell but who made the recordings, who is thus asked.
	Asked bool
	// Interpolated says that the number tells of what is interpolated before anybody looks at the values.
	Interpolated bool
	// Aside says that the number does not come of the values, such as a place in the file: no classifier sees it.
	Aside bool
	// Column says that the number is a column's, which may be left out whatever else tells the same.
	Column bool
	Values []float64 // NaN where a sample has none
	// With is another number of each sample that must tell the same class; nil if none must.
	With []float64
	// Beside are numbers of each sample which this one may merely follow, as a count follows a length. What is left of it
	// must tell the same class.
	Beside []Followed
}

// Followed is a number of each sample that another one may follow: rising with it, or falling while it rises.
type Followed struct {
	Values  []float64
	Falling bool
}

// Shortcut is a class that a descriptor tells from the others.
type Shortcut struct {
	Descriptor Descriptor
	Class      int
	// Area is the probability that the descriptor of a sample of the class is larger than that of another sample, or
	// smaller if that is likelier (the area under the ROC curve).
	Area float64
	// Deviations are those of Area from chance, by the rank sum.
	Deviations float64
	// Recall is the share of the samples of the class, Others that of the others, that a limit of the descriptor sets
	// apart best. The limit is found in these samples; see [Samples.HeldOut].
	Recall, Others float64

	limit  limit
	chance float64 // that of so many samples of the class on its side of the limit
}

// What makes a shortcut: a chance below one in a thousand that any of all descriptors tells any class so well,
// and a limit that sets apart most of the class and few others.
const (
	shortcutChance = 1e-3
	shortcutArea   = 0.8
	propertyArea   = 0.9  // of what may be the class itself
	gradedArea     = 0.95 // of what how large values were before they were standardised changes a little
	agreeingArea   = 0.75 // of what is left beside what a descriptor may follow
	shortcutRecall = 0.5  // of the class, where hardly any of the others
	shortcutOthers = 0.05 // is on the same side of a limit
	fewestOfClass  = 4    // samples, of which a rank sum says something
)

// Shortcuts lists the descriptors that tell a class from all others, the clearest first, each with the class that it
// tells best.
//
// A descriptor is compared between a class and all other samples by the rank sum of Wilcoxon, Mann and Whitney with
// its correction for ties. The chance is that of the largest of all sums (Bonferroni). Where a part of the class has
// what no other sample has, a limit says more than ranks: then the chance is that of the best of all limits.
func (s *Samples) Shortcuts() (found []Shortcut) {
	descriptors := slices.DeleteFunc(s.descriptors(), func(d Descriptor) bool { return d.Name == ofPlace })
	tests := float64(max(1, len(descriptors)*s.Classes))
	limits := 2 * float64(s.Len()) // between any two values, and either side may be the class
	limit := distuv.UnitNormal.Quantile(1 - shortcutChance/(2*tests))
	for _, d := range descriptors {
		best := s.clearest(d.Values)
		best.Descriptor = d
		clear := best.Deviations >= limit && best.chance*tests <= shortcutChance ||
			best.chance*tests*limits <= shortcutChance
		if !clear || !best.tells() {
			continue
		}
		if d.With != nil && !s.agrees(best, d.With, shortcutArea) ||
			d.Beside != nil && !s.agrees(best, besides(d.Values, d.Beside), agreeingArea) {
			continue
		}
		found = append(found, best)
	}
	slices.SortStableFunc(found, func(a, b Shortcut) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(b.Area, a.Area))
	})
	return distinct(found)
}

// agrees reports whether other values tell the same class, with an area of least or more.
func (s *Samples) agrees(best Shortcut, values []float64, least float64) bool {
	other := s.clearest(values)
	return other.Class == best.Class && (other.Area >= least ||
		other.Recall >= shortcutRecall && other.Others <= shortcutOthers)
}

// tells reports whether so many samples of the class can be told that it matters.
func (s Shortcut) tells() bool {
	least := shortcutArea
	switch {
	case s.Descriptor.Graded:
		least = gradedArea
	case !s.Descriptor.Artefact && !s.Descriptor.Asked:
		return s.Area >= propertyArea
	}
	return s.Area >= least || s.Recall >= shortcutRecall && s.Others <= shortcutOthers
}

// order puts artefacts first, and before others those that make them: interpolation over missing values, and at
// even times, leaves more decimals and finer steps.
func order(s Shortcut) int {
	switch {
	case s.Descriptor.Interpolated:
		return 0
	case s.Descriptor.Artefact:
		return 1
	case s.Descriptor.Asked:
		return 2
	}
	return 3
}

// oneFact is the correlation of ranks from which on two descriptors say the same.
const oneFact = 0.7

// distinct leaves out shortcuts that say what an earlier one says, but for some columns.
func distinct(found []Shortcut) (kept []Shortcut) {
	var ranks [][]float64
	columns := 0
	for _, s := range found {
		values := slices.Clone(s.Descriptor.Values)
		for i, value := range values {
			if value != value {
				values[i] = math.Inf(1)
			}
		}
		own, _ := ranksOf(values)
		same := slices.ContainsFunc(ranks, func(of []float64) bool { return math.Abs(correlation(own, of)) >= oneFact })
		if s.Descriptor.Column {
			columns++
			same = same && columns > mostColumns
		}
		if !same {
			kept, ranks = append(kept, s), append(ranks, own)
		}
	}
	return kept
}

// clearest returns the class that values tell best from all others. Samples without a value are left out.
func (s *Samples) clearest(values []float64) (best Shortcut) {
	counts := make([]int, s.Classes)
	var there []float64
	var labels []int32
	for i, value := range values {
		if value == value {
			there, labels = append(there, value), append(labels, s.Labels[i])
			counts[s.Labels[i]]++
		}
	}
	ranks, ties := ranksOf(there)
	for class, count := range counts {
		if count < fewestOfClass || len(there)-count < fewestOfClass {
			continue
		}
		area, deviations := rankSum(ranks, ties, labels, int32(class), count)
		if deviations > best.Deviations {
			best = Shortcut{Class: class, Area: max(area, 1-area), Deviations: deviations}
		}
	}
	if best.Deviations > 0 {
		best.limit = bestLimit(there, labels, int32(best.Class), counts[best.Class])
		best.Recall, best.Others = best.limit.recall, best.limit.others
		of := counts[best.Class]
		rest := len(there) - of
		best.chance = chanceOf(int(math.Round(best.Recall*float64(of))), of, int(math.Round(best.Others*float64(rest))), rest)
	}
	return best
}

// rankSum returns the area under the ROC curve of a class, and how many deviations of chance it is from a half.
func rankSum(ranks []float64, ties float64, labels []int32, class int32, count int) (area, deviations float64) {
	sum := 0.0
	for i, label := range labels {
		if label == class {
			sum += ranks[i]
		}
	}
	n, m := float64(len(labels)), float64(count)
	area = (sum - m*(m+1)/2) / (m * (n - m))
	deviation := math.Sqrt((n + 1) / (12 * m * (n - m)) * ties)
	if deviation == 0 {
		return 0.5, 0
	}
	return area, math.Abs(area-0.5) / deviation
}

// chanceOf returns the probability that a draw of inside + others of all samples has inside of a class of count or
// more, where rest samples are not of the class (hypergeometric). The rank sum is about normal, and says too much where
// few values differ.
func chanceOf(inside, count, others, rest int) (chance float64) {
	drawn := inside + others
	choose := func(n, k int) float64 {
		whole, _ := math.Lgamma(float64(n + 1))
		part, _ := math.Lgamma(float64(k + 1))
		left, _ := math.Lgamma(float64(n - k + 1))
		return whole - part - left
	}
	for k := inside; k <= min(count, drawn); k++ {
		if drawn-k <= rest {
			chance += math.Exp(choose(count, k) + choose(rest, drawn-k) - choose(count+rest, drawn))
		}
	}
	return chance
}

// limit is a value of a descriptor that sets a class apart.
type limit struct {
	value float64
	above bool // whether the class has larger values
	// recall and others are the shares of the class, and of the others, that lie on its side. Both are 0 if no limit sets
	// anything apart.
	recall, others float64
}

// holds reports whether a value is on the side of the class.
func (l limit) holds(value float64) bool {
	if l.recall == 0 {
		return false
	}
	return l.above && value > l.value || !l.above && value <= l.value
}

// bestLimit returns the limit of the values that sets a class of so many samples and the others apart best.
func bestLimit(values []float64, labels []int32, class int32, count int) (best limit) {
	order := loop.Indices(len(values))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	below, otherBelow := 0.0, 0.0
	rest := float64(len(labels) - count)
	for at, i := range order {
		if labels[i] == class {
			below += 1 / float64(count)
		} else {
			otherBelow += 1 / rest
		}
		if at+1 == len(order) || values[order[at+1]] == values[i] {
			continue
		}
		middle := (values[i] + values[order[at+1]]) / 2
		if below-otherBelow > best.recall-best.others {
			best = limit{middle, false, below, otherBelow}
		}
		if otherBelow-below > best.recall-best.others {
			best = limit{middle, true, 1 - below, 1 - otherBelow}
		}
	}
	const rounding = 1e-9 // of sums of shares
	best.recall = math.Round(best.recall/rounding) * rounding
	best.others = math.Abs(math.Round(best.others/rounding) * rounding)
	return best
}
