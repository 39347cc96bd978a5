package place

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Misfit says how badly one template fits all k neighbourhoods: the variance of displacements within the slots as a
// share of that over all slots. It is 0 where a slot means one displacement everywhere, and near 1 where it means
// nothing. Arguments are as in Directed.
func Misfit(positions, centres [][]float64, nodes []int32, ranks []float64, k, size int) float64 {
	d := newDirections(positions, centres, nodes, ranks, k, size)
	bySlot, all := make([][][]float64, size), [][]float64{}
	for c, members := range d.members {
		for at, member := range members {
			bySlot[member%size] = append(bySlot[member%size], d.shifts[c][at])
			all = append(all, d.shifts[c][at])
		}
	}
	within := 0.0
	for _, shifts := range bySlot {
		within += scatter(shifts)
	}
	return within / max(scatter(all), math.SmallestNonzeroFloat64)
}

// scatter is the sum of squared distances of points from their mean.
func scatter(points [][]float64) (sum float64) {
	if len(points) == 0 {
		return 0
	}
	mean := make([]float64, len(points[0]))
	for _, p := range points {
		floats.AddScaled(mean, 1/float64(len(points)), p)
	}
	for _, p := range points {
		sum += math.Pow(floats.Distance(p, mean, 2), 2)
	}
	return sum
}
