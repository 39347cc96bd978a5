package audit

import (
	"math"
	"math/rand/v2"
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
	least := best.Random - math.Sqrt(best.Random*(1-best.Random)/float64(s.Len()))
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
	distances := s.distances(v)
	byFamily := s.nearestRight(distances, whole)
	byChance := make([]float64, s.Len())
	for draw := range randomFolds {
		for i, right := range s.nearestRight(distances, s.drawnFolds(members, uint64(draw))) {
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

// blocks is the number of families that each class has if those who stand together in the file are taken for one. They
// are large, since the true families that lie across their ends are parted.
const blocks = folds

// FamiliesBy numbers the family of each sample as a dependence says: those that stand together in the file, of one
// class; those that are whole rounds apart; or those whose names begin alike.
func (s *Samples) FamiliesBy(d Dependence) []int {
	family := make([]int, s.Len())
	number := map[string]int{}
	members := s.byClass()
	place := make([]int, s.Classes) // the next one in a class
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
			family[i] = int(class)*blocks + place[class]*blocks/len(members[class])
			place[class]++
		}
	}
	return family
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

// drawnFolds draws folds of single samples, as many of each class in each.
func (s *Samples) drawnFolds(members [][]int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 2))
	fold := make([]int, s.Len())
	for _, class := range members {
		for at, place := range rng.Perm(len(class)) {
			fold[class[place]] = at % folds
		}
	}
	return fold
}

// distances returns the squared distances of all samples in a view, `[samples, samples]`.
func (s *Samples) distances(v view) []float32 {
	n := s.Len()
	distances := make([]float32, n*n)
	for i := range n {
		for j := range i {
			d := v.distance(i, j)
			distances[i*n+j], distances[j*n+i] = d, d
		}
	}
	return distances
}

// nearestRight is 1 for each sample whose nearest sample in another fold is of its class, else 0.
func (s *Samples) nearestRight(distances []float32, fold []int) []float64 {
	n := s.Len()
	right := make([]float64, n)
	for i := range n {
		best, least := -1, float32(math.Inf(1))
		for j, d := range distances[i*n : (i+1)*n] {
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
