package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/loop"
)

// This file asks whether a descriptor only follows another one.

// besides returns what the ranks of other numbers leave of the ranks of values: the residuals of a linear regression,
// where values follow these as they may.
func besides(values []float64, others []Followed) []float64 {
	left := ranksThere(values)
	var used [][]float64 // orthogonal to one another
	for _, other := range others {
		own := ranksThere(other.Values)
		for i := range own {
			if left[i] != left[i] {
				own[i] = math.NaN()
			}
		}
		for _, before := range used {
			takeOff(own, before, slopeOf(own, before))
		}
		if slope := slopeOf(left, own); slope < 0 == other.Falling {
			takeOff(left, own, slope)
			used = append(used, own)
		}
	}
	const rounding = 1e-6 // of ranks, so that what is equal stays equal
	for i := range left {
		left[i] = math.Round(left[i]/rounding) * rounding
	}
	return left
}

// ranksThere returns the ranks of values less their mean, NaN where there is none.
func ranksThere(values []float64) []float64 {
	there := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v != v })
	ranks, _ := ranksOf(there)
	all, at := make([]float64, len(values)), 0
	for i, value := range values {
		all[i] = math.NaN()
		if value == value {
			all[i] = ranks[at] - float64(len(there)+1)/2
			at++
		}
	}
	return all
}

// slopeOf returns by how much a rises with b; 0 if b is constant.
func slopeOf(a, b []float64) float64 {
	product, square := 0.0, 0.0
	for i := range a {
		if a[i] == a[i] && b[i] == b[i] {
			product, square = product+a[i]*b[i], square+b[i]*b[i]
		}
	}
	if square == 0 {
		return 0
	}
	return product / square
}

// takeOff takes from a what b explains of it.
func takeOff(a, b []float64, slope float64) {
	for i := range a {
		if b[i] == b[i] {
			a[i] -= slope * b[i]
		}
	}
}

// ranksOf returns the rank of each value from 1, the mean rank of equal ones, and the share of the variance of ranks
// that ties leave.
func ranksOf(values []float64) (ranks []float64, ties float64) {
	order := loop.Indices(len(values))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks = make([]float64, len(values))
	lost := 0.0
	for first := 0; first < len(order); {
		end := first
		for end < len(order) && values[order[end]] == values[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			ranks[i] = float64(first+end+1) / 2
		}
		size := float64(end - first)
		lost += size*size*size - size
		first = end
	}
	n := float64(len(values))
	return ranks, 1 - lost/max(1, n*n*n-n)
}
