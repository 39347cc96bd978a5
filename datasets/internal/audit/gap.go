package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
)

// Gap is evidence that samples come in families of a certain size, in any order: the next neighbour beyond the family
// is farther than chance lets expect.
type Gap struct {
	Size       int // samples in a family
	View       string
	Deviations float64
	// Ratio is how many times as wide the gap is as those further out.
	Ratio float64
	// Family numbers the family of each sample, and Harm is what they cost.
	Family []int
	Harm   Harm
	// Pure is how much more often two samples of a family are of one class than samples that are drawn, in deviations.
	Pure float64
}

// pure is the least of Gap.Pure that clusters of samples of all classes do not have.
const pure = 3.0

// AreOfOneClass reports whether families are of one class each. Clusters that are not cannot flatter.
func (g Gap) AreOfOneClass() bool { return g.Pure >= pure }

const (
	ladder        = 20 // neighbours that are looked at
	largestFamily = 8
	leastLadder   = 8 // samples of a class that has a ladder
	leastRatio    = 1.5
	leastGap      = 6.0 // deviations
	// The ladder falls by leastFall within two rungs of a family's end. Where samples lie on a line or a surface, as waves
	// of any frequency do, it falls slowly.
	leastFall = 1.6
)

// Families looks for a gap in the distances from a sample to its neighbours of the same class. Where samples are
// independent, k times the logarithm of the ratio of the distances of neighbour k+1 and neighbour k has the same mean
// for all k, and is exponential (Rényi's representation of spacings). Clusters that are of the phenomenon have a gap,
// too, so that it is no more than a reason to ask, and only where families are of one class and cost something.
func (s *Samples) Families(views []view) Gap {
	best, in := s.widestGap(views)
	if best.Size > 0 {
		best.Family = s.nearFamilies(in, best.Size)
		best.Harm = s.HarmOf(views, best.Family)
		best.Pure = s.purity(best.Family)
	}
	return best
}

// purity returns how much more often two samples of a family are of one class than where classes are drawn anew, in
// deviations of the draws.
func (s *Samples) purity(family []int) float64 {
	ofFamily := map[int][]int{}
	for i, f := range family {
		ofFamily[f] = append(ofFamily[f], i)
	}
	count := func(labels []int32) (equal float64) {
		for _, members := range ofFamily {
			for at, i := range members {
				for _, j := range members[:at] {
					if labels[i] == labels[j] {
						equal++
					}
				}
			}
		}
		return equal
	}
	rng := rand.New(rand.NewPCG(5, 5))
	drawn := slices.Clone(s.Labels)
	sum, squares := 0.0, 0.0
	for range draws {
		rng.Shuffle(len(drawn), func(a, b int) { drawn[a], drawn[b] = drawn[b], drawn[a] })
		one := count(drawn)
		sum, squares = sum+one/draws, squares+one*one/draws
	}
	return (count(s.Labels) - sum) / max(math.Sqrt(max(0, squares-sum*sum)), 1)
}

// nearFamilies numbers the families of samples of which each is within the other's gap in a view: the widest of its
// ladder, up to half as many again as the size of a family, since some are larger.
//
// It does not ask for their classes: else a family would be one that its nearest samples of other classes are left out
// of, and parting it would cost something where there are no families.
func (s *Samples) nearFamilies(v view, size int) []int {
	n, most := s.Len(), min(size+(size+1)/2, s.Len()-1)
	within := make([][]int, n) // the samples within the gap of each
	order := make([]int, n)
	distance := make([]float64, n)
	for i := range n {
		for j := range n {
			order[j], distance[j] = j, math.Sqrt(float64(v.distance(i, j)))
		}
		distance[i] = -1
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
		widest, count := 0.0, 0
		for k := 1; k < most; k++ {
			gap := float64(k) * math.Log(distance[order[k+1]]/max(distance[order[k]], math.SmallestNonzeroFloat64))
			if gap > widest {
				widest, count = gap, k
			}
		}
		within[i] = slices.Clone(order[1 : count+1])
	}
	type pair struct {
		i, j     int
		distance float32
	}
	var pairs []pair
	for i := range n {
		for _, j := range within[i] {
			if i < j && slices.Contains(within[j], i) {
				pairs = append(pairs, pair{i, j, v.distance(i, j)})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	family, members := loop.Indices(n), make([][]int, n)
	for i := range n {
		members[i] = []int{i}
	}
	for _, p := range pairs {
		a, b := family[p.i], family[p.j]
		if a == b || len(members[a])+len(members[b]) > most {
			continue
		}
		for _, i := range members[b] {
			family[i] = a
		}
		members[a] = append(members[a], members[b]...)
	}
	return family
}

// widestGap returns the clearest gap, and the view that has it.
func (s *Samples) widestGap(views []view) (best Gap, in view) {
	for _, v := range views {
		sums, counts := make([]float64, ladder), make([]float64, ladder)
		for _, class := range s.byClass() {
			if len(class) >= leastLadder {
				addGaps(v, class, sums, counts)
			}
		}
		for k := 1; k < largestFamily; k++ {
			far, n := 0.0, 0.0
			for at := k + 2; at < ladder; at++ {
				far, n = far+sums[at], n+counts[at]
			}
			if counts[k-1] == 0 || n == 0 || far == 0 {
				continue
			}
			at := func(rung int) float64 { return sums[rung] / max(1, counts[rung]) }
			if at(k-1) < leastFall*min(at(k), at(k+1)) {
				continue
			}
			ratio := at(k-1) / (far / n)
			deviations := (ratio - 1) * math.Sqrt(counts[k-1]/2) // neighbours come in pairs: half as many are independent
			if ratio >= leastRatio && deviations >= leastGap && deviations > best.Deviations {
				best, in = Gap{Size: k + 1, View: v.name, Deviations: deviations, Ratio: ratio}, v
			}
		}
	}
	return best, in
}

// addGaps adds the gaps of the samples of a class to the sums and counts for each neighbour.
func addGaps(v view, class []int, sums, counts []float64) {
	distances := make([]float64, 0, len(class))
	for _, i := range class {
		distances = distances[:0]
		for _, j := range class {
			if i != j {
				distances = append(distances, math.Sqrt(float64(v.distance(i, j))))
			}
		}
		slices.Sort(distances)
		const copied = 1e-3 // of the median distance
		if distances[0] <= copied*distances[len(distances)/2] {
			continue // copies are told by themselves
		}
		for k := 1; k <= min(ladder, len(distances)-1); k++ {
			sums[k-1] += float64(k) * math.Log(distances[k]/distances[k-1])
			counts[k-1]++
		}
	}
}
