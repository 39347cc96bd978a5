package datasets

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
)

// Streams of random numbers from one split seed. The test set has a stream of its own: it does not depend on the share
// held out for validation.
const (
	testStream       = 1
	validationStream = 2
	foldStream       = 3
)

// Shares of the samples of a source without splits: 20% test, and an eighth of the other 80% (10% of all) validation.
const (
	testShare              = 0.2
	defaultValidationShare = 0.125
)

// Split shares samples out: the indices of those to train on, to validate by and to test on. They do not overlap.
type Split struct {
	Train, Validation, Test []int
	// NoTest says that Test is empty on purpose.
	NoTest bool
	// Warning says what a draw could not keep to; "" for nothing.
	Warning string
}

type namedSplit struct {
	name    string
	indices []int
}

// named lists the three parts in the order of reports.
func (s Split) named() []namedSplit {
	return []namedSplit{{"train", s.Train}, {"validation", s.Validation}, {"test", s.Test}}
}

// whole reports whether each of n samples is a test.
func (s Split) whole(n int) bool { return n > 0 && len(s.Test) == n }

// Drawn returns a stratified split of all samples, of which 20% are the test and none for validation. Groups, if there
// are any, stay whole. Drawn panics if there are not as many groups as labels, as HoldOut and Trial do.
func Drawn(labels []int32, groups []string, seed uint64) (s Split) {
	s.Train, s.Test = draw(loop.Indices(len(labels)), labels, groups, share(len(labels), testShare), seed, testStream)
	return s
}

// HoldOut moves a stratified draw of about count training samples to the validation. Groups stay whole, unless none can
// be spared. A split that has validation samples, or whose samples have no labels, stays as it is.
func (s Split) HoldOut(labels []int32, groups []string, count int, seed uint64) Split {
	if len(s.Validation) > 0 || count <= 0 || len(labels) == 0 {
		return s
	}
	train := s.Train
	s.Train, s.Validation = draw(train, labels, groups, count, seed, validationStream)
	if groups != nil && len(s.Validation) == 0 {
		s.Train, s.Validation = holdOut(train, labels, count, seed, validationStream)
		s.Warning = "no whole group can be held out for validation without the last training samples of a class: held out " +
			"samples of groups that are trained on, whose accuracy says little about others"
	}
	return s
}

// Trial tests on a part of the training samples, from 0 to 1, and trains on the others. Groups stay whole.
func (s Split) Trial(labels []int32, groups []string, part float64, seed uint64) (trial Split) {
	trial.Train, trial.Test = draw(s.Train, labels, groups, share(len(s.Train), part), seed, validationStream)
	return trial
}

// draw draws about count of the given samples. If two of them are of one group, it draws whole groups. Groups of one
// sample each say nothing, and neither do groups that a given sample shares with others alone: the draw from a training
// set does not depend on what is in the test.
func draw(indices []int, labels []int32, groups []string, count int, seed, stream uint64) (rest, held []int) {
	if groups != nil && len(groups) != len(labels) {
		panic(fmt.Sprintf("datasets: %d groups for %d labels; name the group of each sample, or give nil", len(groups),
			len(labels)))
	}
	if anyTogether(indices, groups) {
		return holdOutGroups(indices, labels, groups, count, seed, stream)
	}
	return holdOut(indices, labels, count, seed, stream)
}

// anyTogether reports whether two samples are of one group. groups may be nil.
func anyTogether(indices []int, groups []string) bool {
	if groups == nil {
		return false
	}
	seen := map[string]bool{}
	for _, i := range indices {
		if seen[groups[i]] {
			return true
		}
		seen[groups[i]] = true
	}
	return false
}

// share returns a share of n samples as a whole number.
func share(n int, part float64) int { return int(math.Round(float64(n) * part)) }

// holdOut draws count of the given samples, each class in proportion (largest remainder; lower class first at ties). It
// returns the other samples and the drawn samples, both ascending. No class gives up its last sample. Fewer than count
// may be drawn. The draw depends on the arguments only.
func holdOut(indices []int, labels []int32, count int, seed, stream uint64) (rest, held []int) {
	members := map[int32][]int{}
	for _, i := range indices {
		members[labels[i]] = append(members[labels[i]], i)
	}
	classes := slices.Sorted(maps.Keys(members))
	quotas := proportions(classes, members, count, len(indices))
	rng := rand.New(rand.NewPCG(seed, stream))
	drawn := 0
	for _, quota := range quotas {
		drawn += quota
	}
	rest, held = slices.Grow(rest, len(indices)-drawn), slices.Grow(held, drawn)
	for _, class := range classes {
		samples := members[class]
		rng.Shuffle(len(samples), func(a, b int) { samples[a], samples[b] = samples[b], samples[a] })
		held = append(held, samples[:quotas[class]]...)
		rest = append(rest, samples[quotas[class]:]...)
	}
	slices.Sort(rest)
	slices.Sort(held)
	return rest, held
}

// proportions divides count over the classes by largest remainder, leaving at least one sample in each class.
func proportions(classes []int32, members map[int32][]int, count, total int) map[int32]int {
	quotas := make(map[int32]int, len(classes))
	remainder := make(map[int32]float64, len(classes))
	left := count
	for _, class := range classes {
		exact := float64(count) * float64(len(members[class])) / float64(total)
		quotas[class] = min(int(exact), len(members[class])-1)
		remainder[class] = exact - math.Floor(exact)
		left -= quotas[class]
	}
	byRemainder := slices.Clone(classes)
	slices.SortStableFunc(byRemainder, func(a, b int32) int { return cmp.Compare(remainder[b], remainder[a]) })
	for progress := true; left > 0 && progress; {
		progress = false
		for _, class := range byRemainder {
			if left > 0 && quotas[class] < len(members[class])-1 {
				quotas[class]++
				left--
				progress = true
			}
		}
	}
	return quotas
}

// parted lists the groups that have training samples and samples among the given ones, sorted.
func (s Split) parted(groups []string, indices []int) (names []string) {
	learned := map[string]bool{}
	for _, i := range s.Train {
		learned[groups[i]] = true
	}
	for _, i := range indices {
		if learned[groups[i]] {
			names = append(names, groups[i])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// holdOutGroups draws whole groups, with about count of the given samples in all. It returns the other samples and the
// drawn samples, both ascending. Each class comes as near to its proportion as groups allow.
//
// The distance to the proportions is Σ (drawn − wanted)² / all, over the classes. Groups are looked at in a random
// order, and a group is drawn if that lowers the distance. If no group does, the group that raises it least is drawn.
// No class gives up its last sample.
func holdOutGroups(indices []int, labels []int32, groups []string, count int, seed, stream uint64) (rest, held []int) {
	members, all := map[string][]int{}, map[int32]float64{}
	for _, i := range indices {
		members[groups[i]] = append(members[groups[i]], i)
		all[labels[i]]++
	}
	names := slices.Sorted(maps.Keys(members))
	rng := rand.New(rand.NewPCG(seed, stream))
	rng.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })

	part := float64(count) / float64(max(1, len(indices)))
	drawn := map[int32]float64{}
	// gain returns by how much a group lowers the distance, and whether it leaves a sample of each class.
	gain := func(name string) (nearer float64, possible bool) {
		own := map[int32]float64{}
		for _, i := range members[name] {
			own[labels[i]]++
		}
		for _, class := range slices.Sorted(maps.Keys(own)) { // sums of floats depend on the order
			n := own[class]
			if drawn[class]+n >= all[class] {
				return 0, false
			}
			before := drawn[class] - part*all[class]
			nearer -= n * (2*before + n) / all[class]
		}
		return nearer, true
	}
	draw := func(name string) {
		for _, i := range members[name] {
			drawn[labels[i]]++
		}
		held = append(held, members[name]...)
		delete(members, name)
	}
	best, least := "", 0.0
	for _, name := range names {
		nearer, possible := gain(name)
		switch {
		case possible && nearer > 0:
			draw(name)
		case possible && held == nil && (best == "" || nearer > least):
			best, least = name, nearer
		}
	}
	if _, ok := members[best]; ok && held == nil && count > 0 {
		draw(best)
	}
	for _, samples := range members {
		rest = append(rest, samples...)
	}
	slices.Sort(rest)
	slices.Sort(held)
	return rest, held
}

// plural returns a noun for a count.
func plural(count int, noun string) string {
	if count == 1 {
		return noun
	}
	return noun + "s"
}

// appendf appends a line.
func appendf(lines *[]string, format string, args ...any) {
	*lines = append(*lines, fmt.Sprintf(format, args...))
}
