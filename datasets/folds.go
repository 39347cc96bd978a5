package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Fold is one part of a cross-validation. Its samples are the test, and all other samples are to learn from. The zero
// value is no cross-validation. The text of a fold is "2/5", the second of five, or "2/groups".
type Fold struct {
	Number int // from 1
	Of     int // number of folds, at least 2; 0 if each group is a fold, in the order of their names
}

// String returns the fold's text, "" for none.
func (f Fold) String() string {
	switch {
	case f == Fold{}:
		return ""
	case f.Of == 0:
		return fmt.Sprintf("%d/groups", f.Number)
	}
	return fmt.Sprintf("%d/%d", f.Number, f.Of)
}

// MarshalText returns String.
func (f Fold) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what String writes.
func (f *Fold) UnmarshalText(text []byte) error {
	*f = Fold{}
	if len(text) == 0 {
		return nil
	}
	var read Fold
	var err error
	if number, groups := strings.CutSuffix(string(text), "/groups"); groups {
		read.Number, err = strconv.Atoi(number)
	} else {
		_, err = fmt.Sscanf(string(text), "%d/%d", &read.Number, &read.Of)
	}
	if err != nil || read.check() != nil || read.String() != string(text) {
		return errors.New("is not a fold such as 2/5, the second of five, or 2/groups")
	}
	*f = read
	return nil
}

// check finds numbers that are wrong for every data set.
func (f Fold) check() error {
	if f != (Fold{}) && (f.Number < 1 || f.Of < 0 || f.Of == 1 || f.Of > 0 && f.Number > f.Of) {
		return fmt.Errorf("fold %d of %d: there must be at least 2 folds, numbered from 1", f.Number, f.Of)
	}
	return nil
}

var errNoGroups = errors.New("there are no groups, so that none can be a fold; store the subject or site of each " +
	"sample as an array groups, or give a number of folds")

// Split returns the split whose test is the fold, without validation samples. It is an error if there is no such fold
// of these samples.
func (f Fold) Split(labels []int32, groups, classes []string, seed uint64) (s Split, err error) {
	folds, err := f.share(labels, groups, classes, seed)
	if err != nil {
		return s, err
	}
	s.Test = folds[f.Number-1]
	s.Train = slices.Concat(slices.Delete(folds, f.Number-1, f.Number)...)
	slices.Sort(s.Train)
	return s, nil
}

// share shares out all samples to the folds that f is one of, each in ascending order.
func (f Fold) share(labels []int32, groups, classes []string, seed uint64) ([][]int, error) {
	if f.Of == 0 && groups == nil {
		return nil, errNoGroups
	}
	units := unitsOf(labels, groups)
	if f.Of == 0 {
		if f.Number > len(units) {
			return nil, fmt.Errorf("there are %d groups", len(units))
		}
		return units, nil
	}
	counts := make([]int, len(classes))
	for _, label := range labels {
		counts[label]++
	}
	present := slices.DeleteFunc(slices.Clone(counts), func(n int) bool { return n == 0 })
	smallest := slices.Index(counts, slices.Min(append(present, len(labels)))) // there may be no samples
	switch n := counts[smallest]; {
	case n < 2:
		return nil, fmt.Errorf("class %s has a single sample, which cannot be learned from and tested on; take it out of "+
			"the data", className(classes, smallest))
	case n < f.Of:
		return nil, fmt.Errorf("class %s has %d samples, fewer than folds: give 2 to %[2]d folds",
			className(classes, smallest), n)
	case len(units) < f.Of:
		return nil, fmt.Errorf("there are %d groups, fewer than folds, and a fold has whole groups: give 2 to %[1]d folds",
			len(units))
	}
	return stratify(units, labels, f.Of, seed), nil
}

// unitsOf returns the sets of samples that no fold parts: the samples of each group, by the groups' names, or else each
// sample.
func unitsOf(labels []int32, groups []string) (units [][]int) {
	if groups == nil {
		for i := range labels {
			units = append(units, []int{i})
		}
		return units
	}
	members := map[string][]int{}
	for i, name := range groups {
		members[name] = append(members[name], i)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		units = append(units, members[name])
	}
	return units
}

// stratify deals units out to k folds, each class as evenly as whole units allow. It deals from the largest unit to the
// smallest, and units of one size class by class, in a random order. A unit goes to the fold where Σ (samples in the
// fold)² / all, over the classes, grows least; of several, to the smallest fold.
//
// Units of one sample give folds that differ by at most one sample, in each class and in all. If there are at least k
// units, no fold is empty.
func stratify(units [][]int, labels []int32, k int, seed uint64) [][]int {
	all := map[int32]float64{}
	for _, label := range labels {
		all[label]++
	}
	units = slices.Clone(units)
	rng := rand.New(rand.NewPCG(seed, foldStream))
	rng.Shuffle(len(units), func(a, b int) { units[a], units[b] = units[b], units[a] })
	slices.SortStableFunc(units, func(a, b []int) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(labels[a[0]], labels[b[0]]))
	})
	folds, dealt := make([][]int, k), make([]map[int32]float64, k)
	for i := range dealt {
		dealt[i] = map[int32]float64{}
	}
	for _, unit := range units {
		best, least := 0, 0.0
		for i := range folds {
			// If a fold has x samples of a class, n more add (2·x·n + n²) / all. In all folds, n² / all is the same.
			growth := 0.0
			for _, sample := range unit {
				growth += dealt[i][labels[sample]] / all[labels[sample]]
			}
			if i == 0 || growth < least || growth == least && len(folds[i]) < len(folds[best]) {
				best, least = i, growth
			}
		}
		for _, sample := range unit {
			dealt[best][labels[sample]]++
		}
		folds[best] = append(folds[best], unit...)
	}
	for _, fold := range folds {
		slices.Sort(fold)
	}
	return folds
}

// className returns a class as messages show it: its number, and its name if that says more.
func className(names []string, class int) string {
	if name := names[class]; name != fmt.Sprint(class) {
		return fmt.Sprintf("%d (%s)", class, strings.Join(strings.Fields(name), " ")) // on one line
	}
	return fmt.Sprint(class)
}
