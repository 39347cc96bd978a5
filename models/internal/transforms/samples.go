package transforms

import (
	"cmp"
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

// spread returns at most so many samples, evenly spread. Groups stay whole, but for parts of more than a quarter of all,
// which keep their shares of classes. Groups with a class that no group before has come first.
func spread(samples []Sample, most int) (chosen []int) {
	groups := groupsOf(samples)
	order, turn := loop.Indices(len(groups)), make([]float64, len(groups))
	for i := range order {
		_, turn[i] = math.Modf(float64(i) * math.Phi) // whatever the number taken, they lie evenly
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
	seen := map[int32]bool{}
	for _, group := range order {
		for _, i := range groups[group] {
			if label := samples[i].Label; !seen[label] {
				seen[label] = true
				turn[group]--
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
	for _, group := range order {
		members := groups[group]
		if part := most / 4; len(samples) > most && len(members) > part {
			members = stratified(samples, members)[:part]
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
