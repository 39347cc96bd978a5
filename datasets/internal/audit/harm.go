package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Harm is what families cost: the accuracy of the nearest neighbour on samples held out at random, and on whole
// families held out.
type Harm struct {
	Random, Whole float64
	// Deviations is their difference in deviations of its error.
	Deviations float64
	// View is what the samples are near in.
	View string
}

const (
	folds       = 5
	randomFolds = 5 // drawings of folds
	// harmful is the least difference of accuracies, and harmDeviations the least of its deviations, that are told.
	harmful, harmDeviations = 0.02, 2.5
)

// Matters reports whether the difference is more than its error.
func (h Harm) Matters() bool { return h.Random-h.Whole >= harmful && h.Deviations >= harmDeviations }

// HarmOf compares folds of single samples with folds of whole families. family numbers the family of each sample. Of
// the views that classify best on samples held out at random, up to the error, it takes the one that does best on whole
// families: a classifier could use that one.
func (s *Samples) HarmOf(views []view, family []int) (best Harm) {
	members := s.byClass()
	whole := s.wholeFolds(members, family)
	var all []Harm
	for _, v := range views {
		all = append(all, s.harmOf(v, members, whole))
		best.Random = max(best.Random, all[len(all)-1].Random)
	}
	least := best.Random - math.Sqrt(max(0, best.Random*(1-best.Random))/float64(s.Len()))
	best = Harm{}
	for _, h := range all {
		if h.Random >= least && (best.View == "" || h.Whole > best.Whole) {
			best = h
		}
	}
	return best
}

// harmOf compares the folds in one view.
func (s *Samples) harmOf(v view, members [][]int, whole []int) Harm {
	byFamily := s.nearestRight(v, whole)
	byChance := make([]float64, s.Len())
	for draw := range randomFolds {
		for i, right := range s.nearestRight(v, drawnFolds(members, whole, uint64(draw))) {
			byChance[i] += right / randomFolds
		}
	}
	h := Harm{View: v.name}
	mean, squares, n := 0.0, 0.0, float64(s.Len())
	for i := range byChance {
		h.Random += byChance[i] / n
		h.Whole += byFamily[i] / n
		difference := byChance[i] - byFamily[i]
		mean, squares = mean+difference/n, squares+difference*difference/n
	}
	h.Deviations = mean / math.Sqrt(max(squares-mean*mean, 1/n)/n)
	return h
}

// blocks is the largest number of families that each class has if those who stand together in the file are taken for
// one. They are large, so that few of the true families are parted by their ends.
const blocks = folds

const (
	cutNeighbours = 5  // of each sample, by which it is asked where a class can be cut
	cutReach      = 12 // samples of a class, beyond which neighbours are so by chance
)

// cuts returns for each class the places in the file at which blocks end: where the fewest samples have their nearest
// ones on the other side. Where that is at a family's end, a cut that parts one is left out.
func (s *Samples) cuts(v view, members [][]int) [][]int {
	all := make([][]int, len(members))
	for c, class := range members {
		across := crossings(v, class)
		var at []int
		least := len(class)
		for block := 1; block < blocks; block++ {
			aim, best := block*len(class)/blocks, -1
			reach := len(class) / (2 * blocks)
			for cut := max(1, aim-reach); cut < min(len(class), aim+reach+1); cut++ {
				nearer := best >= 0 && across[cut] == across[best] && abs(cut-aim) < abs(best-aim)
				if best < 0 || across[cut] < across[best] || nearer {
					best = cut
				}
			}
			if best > 0 && (len(at) == 0 || best > at[len(at)-1]) {
				at, least = append(at, best), min(least, across[best])
			}
		}
		sum := 0
		for _, count := range across {
			sum += count
		}
		const seldom, half = 4, 2 // times fewer than in the mean
		parted := seldom*least*len(class) < sum
		for _, cut := range at {
			if !parted || half*across[cut]*len(class) < sum {
				all[c] = append(all[c], s.place(class[cut]))
			}
		}
	}
	return all
}

// crossings counts, for each sample of a class in the order of the file, those before it that have one of their nearest
// samples from it on, and the other way round.
func crossings(v view, class []int) []int {
	across := make([]int, len(class)+1) // differences of counts
	near := make([]int, 0, len(class))
	for a, i := range class {
		near = near[:0]
		distance := make([]float32, len(class))
		for b, j := range class {
			if b != a {
				near, distance[b] = append(near, b), v.distance(i, j)
			}
		}
		slices.SortFunc(near, func(b, c int) int { return cmp.Compare(distance[b], distance[c]) })
		for _, b := range near[:min(len(near), cutNeighbours)] {
			if abs(a-b) <= cutReach {
				across[min(a, b)+1]++
				across[max(a, b)+1]--
			}
		}
	}
	for cut := 1; cut <= len(class); cut++ {
		across[cut] += across[cut-1]
	}
	return across
}

// FamiliesBy numbers the family of each sample as a dependence says: those that stand together in the file, of one
// class or of all; those that are whole rounds apart; or those whose names begin alike.
func (s *Samples) FamiliesBy(d Dependence) []int {
	family := make([]int, s.Len())
	number := map[string]int{}
	for i, class := range s.Labels {
		switch d.Kind {
		case Rounds:
			family[i] = s.place(i) % d.Period
		case Prefix:
			stem := Stem(s.Names[i])
			if _, known := number[stem]; !known {
				number[stem] = len(number)
			}
			family[i] = number[stem]
		default:
			block, _ := slices.BinarySearch(d.Cuts[class], s.place(i)+1)
			family[i] = block
			if !d.Across {
				family[i] += int(class) * blocks
			}
		}
	}
	return family
}

// stretches is the number of parts of a file of which samples of all classes are alike where they stand together.
const stretches = 2 * blocks

// UnitsBy numbers for each sample the unit with which it is best held out, for a choice that is to hold for samples of
// other times: its family, or a stretch of the file, of one class or of all, of those who stand together. Stretches are
// of one length: where families end, new samples may well come nearer.
func (s *Samples) UnitsBy(d Dependence) []int {
	if d.Kind != Near {
		return s.FamiliesBy(d)
	}
	unit, n := make([]int, s.Len()), s.Len()
	if d.Across {
		for i := range unit {
			unit[i] = i * stretches / n
		}
		return unit
	}
	for class, members := range s.byClass() {
		for at, i := range members {
			unit[i] = class*blocks + at*blocks/len(members)
		}
	}
	return unit
}

// wholeFolds gives every sample of a family one fold: the families in their order, each to the fold that has the fewest
// samples of the classes that it brings.
func (s *Samples) wholeFolds(members [][]int, family []int) []int {
	fold := make([]int, s.Len())
	of := map[int]int{}     // the fold of a family
	count := [folds][]int{} // samples of each class
	size := map[int]map[int32]int{}
	for i, f := range family {
		if size[f] == nil {
			size[f] = map[int32]int{}
		}
		size[f][s.Labels[i]]++
	}
	for k := range count {
		count[k] = make([]int, s.Classes)
	}
	for i, f := range family {
		if _, known := of[f]; !known {
			best, least := 0, math.Inf(1)
			for k := range folds {
				load := 0.0
				for class, more := range size[f] {
					load += float64(count[k][class]+more) / float64(len(members[class]))
				}
				if load < least {
					best, least = k, load
				}
			}
			of[f] = best
			for class, more := range size[f] {
				count[best][class] += more
			}
		}
		fold[i] = of[f]
	}
	return fold
}

// drawnFolds draws folds of single samples, of which each has as many of each class as the folds of whole families.
func drawnFolds(members [][]int, whole []int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 2))
	fold := make([]int, len(whole))
	for _, class := range members {
		for at, place := range rng.Perm(len(class)) {
			fold[class[place]] = whole[class[at]]
		}
	}
	return fold
}

// nearestRight is 1 for each sample whose nearest sample in another fold, in a view, is of its class, else 0.
func (s *Samples) nearestRight(v view, fold []int) []float64 {
	right := make([]float64, s.Len())
	for i := range right {
		best, least := -1, float32(math.Inf(1))
		for j, d := range v.distancesOf(i) {
			if fold[j] != fold[i] && d < least {
				best, least = j, d
			}
		}
		if best >= 0 && s.Labels[best] == s.Labels[i] {
			right[i] = 1
		}
	}
	return right
}
