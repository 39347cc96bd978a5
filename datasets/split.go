package datasets

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/datasets/internal/newsgroups"
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

// heldOutImages is the usual number of validation images of CIFAR-10, MNIST and Fashion-MNIST.
const heldOutImages = 5_000

// drawSplits draws stratified splits of all samples: 20% test, or the fold of opts.Fold, then the validation samples.
// The usual share for validation is an eighth of the rest.
func (d *Dataset) drawSplits(opts Options) error {
	if opts.Fold != (Fold{}) {
		return d.drawFold(opts)
	}
	all := upTo(len(d.Labels))
	d.Train, d.Test = d.holdOut(all, share(len(all), testShare), opts.Seed, testStream)
	d.holdOutValidation(share(len(d.Train), opts.validation(defaultValidationShare)), opts)
	return nil
}

// splitTrainTest makes the first samples the training set and the others the test set. The usual number of validation
// samples is 5,000, but at most a tenth of the training samples.
func (d *Dataset) splitTrainTest(train int, opts Options) {
	all := upTo(len(d.Labels))
	d.Train, d.Test = all[:train:train], all[train:]
	count := min(heldOutImages, max(1, train/10))
	if opts.Validation > 0 {
		count = share(train, opts.Validation)
	}
	d.holdOutValidation(count, opts)
}

// holdOutValidation moves a stratified draw of count samples from Train to Validation, if opts asks for validation
// samples.
func (d *Dataset) holdOutValidation(count int, opts Options) {
	if !opts.holdsOut() {
		d.usual = count
		return
	}
	train, seed := d.Train, opts.Seed
	d.Train, d.Validation = d.holdOut(train, count, seed, validationStream)
	if d.Groups != nil && len(d.Validation) == 0 && count > 0 {
		d.Train, d.Validation = holdOut(train, d.Labels, count, seed, validationStream)
		d.warn("no whole group can be held out for validation without the last training samples of a class: held out " +
			"samples of groups that are trained on, whose accuracy says little about others")
	}
}

// HoldOut returns the data set with validation samples, as Load gives it with these options: a share of the training
// samples, or the source's usual number if validation is 0. A data set that has validation samples stays as it is.
//
// Mean and Std, a graph of Options.KNN, and the frames and links of recordings are made anew of the samples that are left
// to train on. HoldOut keeps the statistics and the graph that the caller has put in their place. A warning says if missing
// values stay filled as all training samples let expect. It is an error if the graph cannot be made of these samples.
func (d *Dataset) HoldOut(validation float64, seed uint64) (*Dataset, error) {
	count := d.usual
	if validation > 0 {
		count = share(len(d.Train), validation)
	}
	if len(d.Validation) > 0 || count == 0 {
		return d, nil
	}
	other, usual := *d, *d
	other.Warnings, usual.Warnings = slices.Clone(d.Warnings), nil
	other.holdOutValidation(count, Options{HoldOut: true, Seed: seed})
	usual.rescale()
	own := !slices.Equal(usual.Mean, d.Mean) || !slices.Equal(usual.Std, d.Std)
	if d.reframe != nil && d.Affinity == d.made {
		if err := d.reframe(&other); err != nil {
			return nil, err
		}
		if own {
			other.Form.Scale = d.Form.Scale
		}
		if d.Form.Fill != nil {
			other.warn("missing values stay filled as all training samples let expect, also those held out for validation; load the data with validation samples (HoldOut, Validation) to learn from the others alone")
		}
	}
	if !own {
		other.rescale()
	}
	if d.joined > 0 && d.Affinity == d.made {
		if err := other.join("knn", other.describeNodes(), d.joined); err != nil {
			return nil, fmt.Errorf("data set %s: its graph over the %d samples that are left to train on: %w", d.Name,
				len(other.Train), err)
		}
	}
	return &other, nil
}

// Trial returns a data set that tests on a part of the training samples, from 0 to 1, and trains on the others. Groups stay
// whole. test lists the tested samples, by their positions in d.Train. Mean, Std and the graph stay as they are.
func (d *Dataset) Trial(part float64, seed uint64) (trial *Dataset, test []int) {
	other := *d
	other.Warnings, other.Validation = nil, nil
	other.Train, other.Test = d.holdOut(d.Train, share(len(d.Train), part), seed, validationStream)
	for at, i := range d.Train {
		if _, found := slices.BinarySearch(other.Test, i); found {
			test = append(test, at)
		}
	}
	return &other, test
}

// Table reports whether the samples are rows of an own table: no recordings, no frames of a body, no grid.
func (d *Dataset) Table() bool {
	_, own := d.Signals.(*Floats)
	return own && d.Series == nil && d.Grid == nil && d.Parts == nil
}

// rescale sets Mean and Std from the training samples, as Load does unless the protocol of the source fixes them.
func (d *Dataset) rescale() {
	switch words, text := d.Signals.(*newsgroups.Bags); {
	case text:
		d.scaleWords(words)
	case d.streams > 0:
		d.scaleStreams(d.streams)
	default:
		d.standardise()
	}
}

// holdOut draws about count of the given samples. If there are groups, it draws whole groups.
func (d *Dataset) holdOut(indices []int, count int, seed, stream uint64) (rest, held []int) {
	if d.Groups != nil {
		return holdOutGroups(indices, d.Labels, d.Groups, count, seed, stream)
	}
	return holdOut(indices, d.Labels, count, seed, stream)
}

// upTo returns the numbers from 0 to n-1.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
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

// groupsWhole returns the end of a sentence about drawn splits: that they do not part groups. It is "" if they do.
func (d *Dataset) groupsWhole(drawn ...[]int) string {
	if d.Groups == nil || d.parted(slices.Concat(drawn...)) != nil {
		return ""
	}
	return ", none of the groups in two of them"
}

// parted lists the groups that have training samples and samples among the given ones, sorted.
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

// warnParted warns of groups with samples in the training and in another given split. They make a test look better than
// it is.
func (d *Dataset) warnParted(given []namedSplit) {
	if d.Groups == nil {
		return
	}
	for _, split := range given {
		if names := d.parted(split.indices); names != nil {
			d.warn("split parts %d %s, such as %q, between train and %s: its accuracy says little about groups that were "+
				"not seen", len(names), plural(len(names), "group"), names[0], split.name)
		}
	}
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
