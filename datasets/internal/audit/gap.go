package audit

import (
	"math"
	"slices"
)

// Gap is evidence that samples come in families of a certain size, in any order: the next neighbour beyond the family
// is farther than chance lets expect.
type Gap struct {
	Size       int // samples in a family
	View       string
	Deviations float64
	// Ratio is how many times as wide the gap is as those further out.
	Ratio float64
}

const (
	ladder        = 20 // neighbours that are looked at
	largestFamily = 8
	leastLadder   = 8 // samples of a class that has a ladder
	leastRatio    = 1.5
	leastGap      = 6.0 // deviations
)

// Families looks for a gap in the distances from a sample to its neighbours of the same class. Where samples are
// independent, k times the logarithm of the ratio of the distances of neighbour k+1 and neighbour k has the same mean
// for all k, and is exponential (Rényi's representation of spacings). Clusters that are of the phenomenon have a gap,
// too, so that it is no more than a reason to ask.
func (s *Samples) Families(views []view) (best Gap) {
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
			ratio := sums[k-1] / counts[k-1] / (far / n)
			deviations := (ratio - 1) * math.Sqrt(counts[k-1]/2) // neighbours come in pairs: half as many are independent
			if ratio >= leastRatio && deviations >= leastGap && deviations > best.Deviations {
				best = Gap{Size: k + 1, View: v.name, Deviations: deviations, Ratio: ratio}
			}
		}
	}
	return best
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
