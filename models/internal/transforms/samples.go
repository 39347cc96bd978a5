package transforms

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
)

// pick returns some of a list.
func pick[T any](all []T, some []int) []T {
	picked := make([]T, len(some))
	for i, at := range some {
		picked[i] = all[at]
	}
	return picked
}

// groupsOf lists the samples of each group, in the order of their first samples.
func groupsOf(samples []Sample) (groups [][]int) {
	known := map[string]int{}
	for i, s := range samples {
		at, found := known[s.Group]
		if !found || s.Group == "" {
			at = len(groups)
			known[s.Group], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// spread returns at most so many samples, evenly spread. Groups stay whole, but for parts of more than a quarter of
// all, which keep their shares of classes. Groups with a class that no group before has come first.
func spread(samples []Sample, most int) (chosen []int) {
	groups := groupsOf(samples)
	order, turn := evenly(len(groups)), golden(len(groups)) // whatever the number taken, they lie evenly
	seen := map[int32]bool{}
	for _, group := range order {
		for _, i := range groups[group] {
			label := samples[i].Label
			if !seen[label] {
				seen[label] = true
				turn[group]-- // which puts the group before all that have no class of their own
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
	for _, group := range order {
		members := groups[group]
		if len(samples) > most && len(members) > most/4 {
			members = stratified(samples, members)[:most/4]
		}
		if len(chosen)+len(members) <= most {
			chosen = append(chosen, members...)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// stratified orders samples. Any number of the first ones has the same share of each class, evenly spread.
func stratified(samples []Sample, members []int) []int {
	count, turn := map[int32]int{}, map[int]float64{}
	for _, i := range members {
		label := samples[i].Label
		_, turn[i] = math.Modf(float64(count[label]) * math.Phi)
		count[label]++
	}
	ordered := slices.Clone(members)
	slices.SortStableFunc(ordered, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
	return ordered
}

// judgesOfClass is how many samples of a class tell what is right for it, if there are too many classes for more.
const judgesOfClass = 6

// judges returns the samples, at most so many, that transforms are chosen by, and whether they are of some classes
// only. Samples that are spread over very many classes would be alone in their classes. Then no held-out one could be
// predicted, and the choice would be left to chance. So they are of fewer classes, evenly spread, each with several
// samples of different groups.
func judges(samples []Sample, most int) (chosen []int, some bool) {
	members := map[int32][]int{}
	for i, s := range samples {
		members[s.Label] = append(members[s.Label], i)
	}
	if len(samples) <= most || len(members)*judgesOfClass <= most {
		return spread(samples, most), false
	}
	var several [][]int // samples of each class that has two groups, of which one can be held out
	for _, label := range slices.Sorted(maps.Keys(members)) {
		ofClass := byTurns(samples, members[label])
		if len(groupsOf(pick(samples, ofClass))) > 1 {
			several = append(several, ofClass[:min(judgesOfClass, len(ofClass))])
		}
	}
	if len(several)*2 <= most/judgesOfClass { // nearly all classes have a single sample or group
		return spread(samples, most), false
	}
	for _, class := range evenly(len(several)) {
		ofClass := several[class]
		if len(chosen)+len(ofClass) <= most {
			chosen = append(chosen, ofClass...)
		}
	}
	slices.Sort(chosen)
	return chosen, true
}

// byTurns orders samples so that their groups take turns.
func byTurns(samples []Sample, members []int) []int {
	turn, count := map[int]int{}, map[string]int{}
	for _, i := range members {
		group := samples[i].Group
		if group != "" {
			turn[i] = count[group]
			count[group]++
		}
	}
	ordered := slices.Clone(members)
	slices.SortStableFunc(ordered, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
	return ordered
}

// evenly orders the numbers below n so that the first ones, however many, lie evenly.
func evenly(n int) []int {
	order, turn := loop.Indices(n), golden(n)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
	return order
}

// golden returns for each number below n the fraction of its multiple of the golden ratio: those below any bound lie
// evenly.
func golden(n int) []float64 {
	turn := make([]float64, n)
	for i := range turn {
		_, turn[i] = math.Modf(float64(i) * math.Phi)
	}
	return turn
}

// numbered returns the samples with the labels 0, 1, … in place of those that they have, and the number of classes.
func numbered(samples []Sample) ([]Sample, int) {
	numbers := map[int32]int32{}
	for _, s := range samples {
		numbers[s.Label] = 0
	}
	for number, label := range slices.Sorted(maps.Keys(numbers)) {
		numbers[label] = int32(number)
	}
	relabelled := slices.Clone(samples)
	for i := range relabelled {
		relabelled[i].Label = numbers[relabelled[i].Label]
	}
	return relabelled, len(numbers)
}
