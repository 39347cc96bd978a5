package datasets

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/internal/extremes"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/suggest"
)

// What counts as odd.
const (
	farDeviations = 100    // an extreme value: that many deviations from the mean of its channel
	unevenClasses = 20     // training samples of the largest class for each of the smallest
	shownOddNodes = 5      // or classes, whose names a warning holds
	narrow        = 10_000 // the size of a node's values, for each unit by which they change
)

// warnOddities warns of a disconnected graph, of self-loops and of classes missing in a split. All are allowed but
// seldom intended.
func (d *Dataset) warnOddities() {
	stats := d.Affinity.Stats()
	if stats.Components > 1 && !d.unlinked() {
		appendf(&d.Warnings, "the graph is disconnected: %d components, %d nodes without neighbours; all of them count, "+
			"but are edges missing?",
			stats.Components, stats.Isolated)
	}
	if stats.Loops > 0 {
		appendf(&d.Warnings, "the graph has self-loops (%d), which the layer leaves out", stats.Loops)
	}
	d.Warnings = append(d.Warnings, suggest.Alike("class", d.ClassNames)...)
	d.Warnings = append(d.Warnings, suggest.Alike("group", slices.Compact(slices.Sorted(slices.Values(d.Groups))))...)
	counts := d.classCounts(loop.Indices(len(d.Labels)))
	var missing []string
	for class, count := range counts {
		if count == 0 {
			missing = append(missing, className(d.ClassNames, class))
		}
	}
	switch name := strings.Join(missing[:min(len(missing), shownOddNodes)], ", "); {
	case missing != nil && !strings.Contains(name, "("):
		appendf(&d.Warnings, "there are no samples of %d of the classes 0 to %d (such as %s); number the classes without "+
			"gaps (numpy.unique(labels, return_inverse=True)[1]), or store labels as strings (labels.astype(str))",
			len(missing), d.Classes()-1, name)
	case missing != nil:
		appendf(&d.Warnings, "there are no samples of %d of the %d classes (such as %s); take these out of class_names and "+
			"labels, or add samples", len(missing), d.Classes(), name)
	}
	for _, split := range d.named() {
		missing = nil
		for class, count := range d.classCounts(split.indices) {
			if count == 0 && counts[class] > 0 {
				missing = append(missing, className(d.ClassNames, class))
			}
		}
		if len(split.indices) > 0 && missing != nil {
			appendf(&d.Warnings, "%s no %s sample", classesHave(missing), split.name)
		}
	}
}

// classesHave begins a sentence about some classes, of which it names the first few: "class a has", "classes a, b and 7
// more have".
func classesHave(names []string) string {
	if len(names) == 1 {
		return "class " + names[0] + " has"
	}
	shown := names[:min(len(names), shownOddNodes)]
	list := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "classes " + list + " have"
}

// gapsAtOnce is how many columns are looked at together: few enough for little memory, and enough for the processor's
// cache lines.
const gapsAtOnce = 64

// warnGaps warns of values that may stand for missing ones: by the extremes that a scan has found, or else those of the
// values that visit goes over. It calls add with each value of the columns from..to.
func (r *npzReader) warnGaps(columns int, visit func(from, to int, add func(column int, value float32)),
	name func(column int) string) {
	count, first := map[float64]int{}, map[float64]string{} // of the columns with each gap
	note := func(column int, of *extremes.Column) {
		for _, gap := range of.Gaps() {
			count[gap.Value]++
			if count[gap.Value] == 1 {
				first[gap.Value] = fmt.Sprint(name(column), " ", gap)
			}
		}
	}
	if r.scan != nil && len(r.scan.extremes) == columns {
		for column := range columns {
			note(column, &r.scan.extremes[column])
		}
		r.tellGaps(count, first)
		return
	}
	var extremes [gapsAtOnce]extremes.Column
	for from := 0; from < columns; from += gapsAtOnce {
		to := min(from+gapsAtOnce, columns)
		for i := range extremes {
			extremes[i].Reset()
		}
		visit(from, to, func(column int, value float32) {
			if value == value {
				extremes[column-from].Add(float64(value))
			}
		})
		for column := from; column < to; column++ {
			note(column, &extremes[column-from])
		}
	}
	r.tellGaps(count, first)
}

// tellGaps warns of gaps that so many columns have, each with a sentence about the first of them.
func (r *npzReader) tellGaps(count map[float64]int, first map[float64]string) {
	for _, gap := range slices.Sorted(maps.Keys(count)) {
		also := ""
		if count[gap] > 1 {
			also = fmt.Sprintf(" (so in %d columns)", count[gap])
		}
		appendf(&r.raw.Warnings, "%s: if it stands for a missing value, store NaN in its place%s", first[gap], also)
	}
}

// equals are samples that equal an earlier one in the order of the splits.
type equals struct {
	count      int
	first      int // of them, in the order of the splits
	before     int // the sample that it equals
	firstPlace int32
}

// add counts the sample at a place in the order of the splits.
func (e *equals) add(place int32, sample, before int) {
	if e.count == 0 || place < e.firstPlace {
		e.first, e.before, e.firstPlace = sample, before, place
	}
	e.count++
}

// repeated counts the samples that equal an earlier one of another class, and by the name of their split those that
// equal a training sample. It sorts the samples by their hashes, which takes less memory than a table of them.
func (d *Dataset) repeated() (copies map[string]*equals, clashes equals) {
	hashes, _ := d.allHashes(false)
	hash := func(sample int32) uint64 { return binary.BigEndian.Uint64(hashes[int(sample)*hashSize:]) }
	places := make([]int32, d.Signals.Len()) // of the samples, those of the splits in turn
	samples := make([]int32, 0, len(places))
	for _, split := range d.named() {
		for _, i := range split.indices {
			places[i] = int32(len(samples))
			samples = append(samples, int32(i))
		}
	}
	slices.SortFunc(samples, func(a, b int32) int { return cmp.Compare(hash(a), hash(b)) })
	copies = map[string]*equals{"validation": {}, "test": {}}
	for len(samples) > 0 {
		alike := 1
		for alike < len(samples) && hash(samples[alike]) == hash(samples[0]) {
			alike++
		}
		first := slices.MinFunc(samples[:alike], func(a, b int32) int { return cmp.Compare(places[a], places[b]) })
		for _, i := range samples[:alike] {
			if i == first {
				continue
			}
			if d.Labels[i] != d.Labels[first] {
				clashes.add(places[i], int(i), int(first))
			}
			if split := d.splitAt(places[i]); split != "train" && d.splitAt(places[first]) == "train" {
				copies[split].add(places[i], int(i), int(first))
			}
		}
		samples = samples[alike:]
	}
	return copies, clashes
}

// splitAt returns the name of the split that has a place in the order of the splits.
func (d *Dataset) splitAt(place int32) string {
	switch at := int(place); {
	case at < len(d.Train):
		return "train"
	case at < len(d.Train)+len(d.Validation):
		return "validation"
	}
	return "test"
}

// oddities reads every sample and reports what is allowed but seldom intended, in no order: Audit sorts it among its
// findings.
//   - extreme values;
//   - nodes that are constant over the training samples;
//   - sensors that seem to have failed in some of these;
//   - test or validation samples that are also training samples;
//   - equal samples of different classes;
//   - classes of very different sizes;
//   - hubs of the graph, a graph that links all nodes alike, and weights that are distances.
func (d *Dataset) oddities() (found Findings) {
	values := d.survey()
	equal := warning
	if d.families != nil && d.families.byChance {
		equal = note
	}
	for _, part := range []struct {
		kind, level string
		lines       []string
	}{{ofValues, warning, values.extreme()}, {ofCopies, equal, d.copies()}, {ofValues, note, values.unchanging()},
		{ofSensors, question, d.remarks()}, {ofClasses, warning, d.uneven()}, {ofGraph, warning, d.graphOddities()}} {
		for _, line := range part.lines {
			found = append(found, Finding{Kind: part.kind, Level: part.level, text: line})
		}
	}
	return found
}

// survey is what the values of a data set say.
type survey struct {
	*Dataset
	low, high []float32 // of each value of a sample, over the training samples
	far       int       // values that are extreme
	farthest  float64   // deviations of the most extreme one
	where     string    // it is
}

// survey reads every value once.
func (d *Dataset) survey() *survey {
	sample := make([]float32, d.Nodes*d.Channels)
	s := &survey{Dataset: d, low: make([]float32, len(sample)), high: make([]float32, len(sample))}
	for _, split := range d.named() {
		for at, i := range split.indices {
			d.Signals.Read(i, sample)
			s.addExtremes(i, sample)
			switch {
			case split.name != "train":
			case at == 0:
				copy(s.low, sample)
				copy(s.high, sample)
			default:
				for j, value := range sample {
					s.low[j], s.high[j] = min(s.low[j], value), max(s.high[j], value)
				}
			}
		}
	}
	return s
}

// addExtremes counts the extreme values of sample i.
func (s *survey) addExtremes(i int, sample []float32) {
	for j, value := range sample {
		scale := j % len(s.Mean)
		deviations := math.Abs(float64(value-s.Mean[scale])) / float64(s.Std[scale])
		if !(deviations > farDeviations) {
			continue
		}
		s.far++
		if deviations > s.farthest {
			s.farthest = deviations
			s.where = fmt.Sprintf("sample %d, node %d, channel %d is %g", i, j/s.Channels, j%s.Channels, value)
		}
	}
}

// extreme tells of values far from all others.
func (s *survey) extreme() (lines []string) {
	if s.far > 0 {
		appendf(&lines, "%d values lie over %d deviations from the mean of their channel, the farthest %.0f: %s; clip "+
			"them, or take logarithms", s.far, farDeviations, s.farthest, s.where)
	}
	return lines
}

// unchanging tells of nodes that change little over the training samples, or not at all.
func (s *survey) unchanging() (lines []string) {
	var constant, flat []int
	for node := range s.Nodes {
		first, end := node*s.Channels, (node+1)*s.Channels
		if slices.Equal(s.low[first:end], s.high[first:end]) {
			constant = append(constant, node)
		}
		for j := first; j < end; j++ {
			change := s.high[j] - s.low[j]
			if change > 0 && change < max(s.high[j], -s.low[j])/narrow {
				flat = append(flat, node)
				break
			}
		}
	}
	if flat != nil {
		appendf(&lines, "%d of %d nodes change by less than 1/%d of their size, and float32 keeps 7 digits (the first: "+
			"%d); subtract their mean before you store them", len(flat), s.Nodes, narrow, flat[0])
	}
	if constant != nil {
		appendf(&lines, "%d of %d nodes never change over the training samples (the first: %v); they cost time and "+
			"tell nothing",
			len(constant), s.Nodes, constant[:min(len(constant), shownOddNodes)])
	}
	return lines
}

// copies tells of equal samples, in two splits or of two classes.
func (d *Dataset) copies() (lines []string) {
	copies, clashes := d.repeated()
	for _, split := range []string{"validation", "test"} {
		if found := copies[split]; found.count > 0 {
			appendf(&lines, "%d %s samples are training samples, too (sample %d is sample %d): the %s accuracy will be too "+
				"good; keep copies together in split", found.count, split, found.first, found.before, split)
		}
	}
	if clashes.count > 0 {
		class := func(sample int) string { return className(d.ClassNames, int(d.Labels[sample])) }
		appendf(&lines, "%d samples equal a sample of another class (sample %d, class %s, is sample %d, class %s): no "+
			"classifier can tell them apart; check labels",
			clashes.count, clashes.first, class(clashes.first), clashes.before, class(clashes.before))
	}
	return lines
}

// uneven tells of a class that has few training samples beside another.
func (d *Dataset) uneven() (lines []string) {
	counts := d.classCounts(d.Train)
	present := slices.DeleteFunc(slices.Clone(counts), func(n int) bool { return n == 0 })
	largest, smallest := slices.Index(counts, slices.Max(present)), slices.Index(counts, slices.Min(present))
	if counts[largest] >= unevenClasses*counts[smallest] {
		appendf(&lines, "class %s has %d training samples, class %s only %d: accuracy says little about the small one; "+
			"look at recall in ccp eval", className(d.ClassNames, largest), counts[largest], className(d.ClassNames, smallest),
			counts[smallest])
	}
	return lines
}
