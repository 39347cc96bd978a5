package datasets

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/clusterpool/ccp/internal/npz"
)

// readGroups reads `groups`, integers or strings: what each sample belongs to.
func (r *npzReader) readGroups() error {
	if !r.Has("groups") {
		return nil
	}
	a, err := npz.Vector(r, "groups", r.samples, "samples of features")
	if err != nil {
		return err
	}
	groups, named := a.Data.([]string)
	if !named {
		numbers, err := a.Ints()
		if err != nil {
			return fmt.Errorf("groups: %w, or strings", err)
		}
		for _, number := range numbers {
			groups = append(groups, strconv.FormatInt(number, 10))
		}
	}
	if len(groups) > 0 && !slices.ContainsFunc(groups, func(g string) bool { return g != groups[0] }) {
		return fmt.Errorf("groups puts all %d samples into one group, %q; name the subject or site of each, or leave the array out", len(groups), groups[0])
	}
	r.d.Groups = groups
	return nil
}

// checkDrawn says why no test was drawn, where groups are the reason.
func (r *npzReader) checkDrawn() error {
	if r.d.Groups == nil || !r.labelled() || len(r.d.Test) > 0 {
		return nil
	}
	return errors.New("groups: no whole group can be held out for the test without taking the last samples of a class from the training; " +
		"mark the test yourself (split), or leave groups out")
}

// groupsWhole says, after a sentence about splits that were drawn, that they do not part groups.
func (d *Dataset) groupsWhole(drawn ...[]int) string {
	if d.Groups == nil || d.parted(slices.Concat(drawn...)) != nil {
		return ""
	}
	return ", none of the groups in two of them"
}

// parted lists, sorted, the groups of some samples that the training has samples of, too.
func (d *Dataset) parted(indices []int) (names []string) {
	learned := map[string]bool{}
	for _, i := range d.Train {
		learned[d.Groups[i]] = true
	}
	for _, i := range indices {
		if learned[d.Groups[i]] {
			names = append(names, d.Groups[i])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// warnParted warns of groups with samples in the training and in another split that was given, which makes a test look better than it is.
func (d *Dataset) warnParted(given []namedSplit) {
	if d.Groups == nil {
		return
	}
	for _, split := range given {
		if names := d.parted(split.indices); names != nil {
			d.warn("split parts %d %s, such as %q, between train and %s: its accuracy says little about groups that were not seen",
				len(names), plural(len(names), "group"), names[0], split.name)
		}
	}
}

// holdOutGroups draws whole groups, about count of the given samples in all, each class as near to its proportion as groups allow, and
// returns the other samples and the drawn, both in ascending order. Groups are looked at in a random order, and one is drawn if that
// brings the drawn nearer to the proportions: if Σ (drawn − wanted)² / all, over the classes, falls. If none does, the one is drawn that
// raises it least. No class gives up its last sample.
func holdOutGroups(indices []int, labels []int32, groups []string, count int, seed, stream uint64) (rest, held []int) {
	members, all := map[string][]int{}, map[int32]float64{}
	for _, i := range indices {
		members[groups[i]] = append(members[groups[i]], i)
		all[labels[i]]++
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(seed, stream))
	rng.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })

	part := float64(count) / float64(max(1, len(indices)))
	drawn := map[int32]float64{}
	// gain is how much nearer a group brings the drawn; possible, whether it leaves a sample of each class.
	gain := func(name string) (nearer float64, possible bool) {
		own := map[int32]float64{}
		for _, i := range members[name] {
			own[labels[i]]++
		}
		for class := int32(0); len(own) > 0; class++ { // in order: sums of floats depend on it
			n, ok := own[class]
			if !ok {
				continue
			}
			delete(own, class)
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
