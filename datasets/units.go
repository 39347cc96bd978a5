package datasets

import (
	"fmt"

	"github.com/clusterpool/ccp/datasets/internal/audit"
)

// Units names the unit of each sample, which no draw parts: its group or, where there are no groups, the family of
// equal samples and of recordings that overlap to which it belongs. A sample that is alone is a unit of its own. It is
// nil if all are.
func (r *Raw) Units() []string {
	if r.Groups != nil || r.families == nil || r.families.of == nil {
		return r.Groups
	}
	names := make([]string, len(r.families.of))
	for i, first := range r.families.of {
		names[i] = fmt.Sprintf("sample %d", first)
	}
	return names
}

// Unit returns the unit of sample i that it shares with others, see [Raw.Units]; "" if it is alone.
func (r *Raw) Unit(i int) string {
	if r.Groups != nil {
		return r.Groups[i]
	}
	if r.families == nil || r.families.of == nil || r.families.size[r.families.of[i]] == 1 {
		return ""
	}
	return fmt.Sprintf("sample %d", r.families.of[i])
}

// Together returns the data set in which samples of one name are of one unit as well, so that no draw parts them; ""
// is no name. If there are groups, it is the data set as it is. names has one for each sample.
func (d *Dataset) Together(names []string) *Dataset {
	if d.Groups != nil || names == nil {
		return d
	}
	other := *d
	other.families = d.families.with(names)
	return &other
}

// families are sets of samples of which one tells what another is: copies, and recordings that overlap.
type families struct {
	byChance bool            // equal samples have few values, and are of several classes: they were not copied
	copied   int             // samples that equal an earlier one
	copy     [2]int          // the first of them, and the one that it equals
	overlaps []audit.Overlap // samples that overlap another
	some     audit.Some      // of the samples, among which overlaps were looked for; nothing if among all
	of       []int           // the first sample of the family of each; nil if each is alone
	size     []int           // of the family of each first sample
}

// with returns families that also join samples with one name; "" joins none.
func (f *families) with(names []string) *families {
	all := families{}
	if f != nil {
		all = *f
	}
	joined, first := newUnion(len(names)), map[string]int{}
	for i, name := range names {
		if all.of != nil {
			joined.join(all.of[i], i)
		}
		if before, known := first[name]; known && name != "" {
			joined.join(before, i)
		} else {
			first[name] = i
		}
	}
	all.of, all.size = joined.all(), make([]int, len(names))
	for _, at := range all.of {
		all.size[at]++
	}
	return &all
}

// union joins samples to sets (union-find). The first sample stands for its set.
type union struct{ parent []int }

func newUnion(n int) *union {
	u := &union{parent: make([]int, n)}
	for i := range u.parent {
		u.parent[i] = i
	}
	return u
}

// first returns the first sample of the set of sample i.
func (u *union) first(i int) int {
	for u.parent[i] != i {
		u.parent[i] = u.parent[u.parent[i]]
		i = u.parent[i]
	}
	return i
}

func (u *union) join(a, b int) {
	a, b = u.first(a), u.first(b)
	u.parent[max(a, b)] = min(a, b)
}

// all returns the first sample of the set of each sample.
func (u *union) all() []int {
	first := make([]int, len(u.parent))
	for i := range first {
		first[i] = u.first(i)
	}
	return first
}
