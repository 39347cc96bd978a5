package affinity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/clusterpool/ccp/internal/exact"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
)

// Metric is a distance between points.
type Metric int

const (
	// Euclidean is |x − y|.
	Euclidean Metric = iota
	// Cosine is 1 − x·y / (|x||y|).
	Cosine
)

// KNN joins each of n points, row-major `[n, dims]`, to its k nearest other points (Defferrard, Bresson, Vandergheynst
// 2016). An edge joins two points if one of them is among the k nearest points of the other one. Its weight is
// exp(−d²/σ²): d is the distance of the two points, σ the mean distance of a point to its k-th neighbour. If σ = 0, all
// weights are 1. The search is exact; of points equally far, the lower index is nearer. A weight too small for a
// float64 is 0 and leaves no edge.
//
// It is an error if k is not in 1..n-1, or if a coordinate is not finite. With Cosine, no point may be zero. The error
// names the row.
func KNN(points []float64, n, dims, k int, metric Metric) (*Matrix, error) {
	if err := checkPoints(points, n, dims, k); err != nil {
		return nil, err
	}
	if metric == Cosine {
		var err error
		points, err = unitRows(points, dims)
		if err != nil {
			return nil, err
		}
	}
	points = exact.Squarable(points)
	return joined(nearest(points, n, dims, k), k, metric)
}

// Coincident counts the points that lie where more than k others lie, and returns the first of them. KNN joins such a
// point to those of the lowest index, which says nothing of where the points are.
func Coincident(points []float64, dims, k int) (count, first int) {
	row := func(i int) []float64 { return points[i*dims : (i+1)*dims] }
	order := loop.Indices(len(points) / dims)
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(slices.Compare(row(i), row(j)), cmp.Compare(i, j)) })
	for start, end := 0, 0; start < len(order); start = end {
		for end = start; end < len(order) && slices.Compare(row(order[end]), row(order[start])) == 0; {
			end++
		}
		if end-start > k+1 { // each of them has more than k others at its place
			if count == 0 || order[start] < first {
				first = order[start]
			}
			count += end - start
		}
	}
	return count, first
}

// checkPoints returns an error unless there are n points of so many finite coordinates, and more than k of them.
func checkPoints(points []float64, n, dims, k int) error {
	if n < 0 || n > maxNodes || dims < 1 || len(points)%dims != 0 || len(points)/dims != n {
		return fmt.Errorf("%d coordinates, want %d points of %d", len(points), n, dims)
	}
	if k < 1 || k >= n {
		return fmt.Errorf("k=%d nearest neighbours among %d points; k is at least 1 and less than the number of points",
			k, n)
	}
	for at, v := range points {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("row %d: coordinate %d is %v, not a finite number", at/dims, at%dims, v)
		}
	}
	return nil
}

// joined returns the graph in which each point is joined to those that were found near it: k candidates for each point,
// nearest first, at squared Euclidean distances, which joined turns into those of the metric. An edge at distance d
// weighs exp(−(d/σ)²), where σ is the mean distance of a point's k-th neighbour; or 1 if all of these distances are 0.
func joined(near [][]candidate, k int, metric Metric) (*Matrix, error) {
	n, sigma := len(near), 0.0
	for row := range near {
		for i, c := range near[row] {
			// On unit vectors 1 − x·y = |x − y|²/2, which is exact near 0, where 1 − x·y is not.
			near[row][i].distance = c.distance / 2
			if metric == Euclidean {
				near[row][i].distance = math.Sqrt(c.distance)
			}
		}
		sigma += near[row][k-1].distance / float64(n)
	}
	edges := make([]Edge, 0, n*k)
	for row := range near {
		for _, c := range near[row] {
			weight := 1.0
			if sigma > 0 {
				ratio := c.distance / sigma
				weight = math.Exp(-ratio * ratio)
			}
			edges = append(edges, Edge{row, c.node, weight})
		}
	}
	return New(n, edges) // Two points that are each other's neighbours give an edge twice, with equal weights.
}

// unitRows scales each point to length 1.
func unitRows(points []float64, dims int) ([]float64, error) {
	unit := slices.Clone(points)
	for start := 0; start < len(unit); start += dims {
		row := unit[start : start+dims]
		largest := floats.Norm(row, math.Inf(1)) // Dividing by it first keeps the squares from over- and underflow.
		if largest == 0 {
			return nil, fmt.Errorf("row %d is zero and has no direction for the cosine; drop the point or use the "+
				"euclidean distance", start/dims)
		}
		sum := 0.0
		for i := range row {
			row[i] /= largest
			sum += row[i] * row[i]
		}
		length := math.Sqrt(sum)
		for i := range row {
			row[i] /= length
		}
	}
	return unit, nil
}

// candidate is a node that may be among the nearest.
type candidate struct {
	node     int
	distance float64
}

// nearest finds the k nearest other points of every point by squared Euclidean distance, nearest first. Workers take
// blocks of points: the coordinates of a candidate, once in the processor's cache, serve the whole block.
func nearest(points []float64, n, dims, k int) [][]candidate {
	const block = 16
	near := make([][]candidate, n)
	loop.Parallel((n+block-1)/block, func(at int) {
		first, last := at*block, min(at*block+block, n)
		for i := first; i < last; i++ {
			near[i] = make([]candidate, 0, k)
		}
		for j := range n {
			other := points[j*dims : (j+1)*dims]
			for i := first; i < last; i++ {
				if i == j {
					continue
				}
				furthest := math.Inf(1)
				if len(near[i]) == k {
					furthest = near[i][k-1].distance
				}
				distance := squaredDistance(points[i*dims:(i+1)*dims], other, furthest)
				if len(near[i]) < k || distance < furthest {
					near[i] = insert(near[i], candidate{j, distance})
				}
			}
		}
	})
	return near
}

// insert puts c in its place in a list sorted by distance, and drops the last candidate of a full list. Candidates come
// with ascending indices: c goes behind equally far candidates.
func insert(list []candidate, c candidate) []candidate {
	at := sort.Search(len(list), func(i int) bool { return list[i].distance > c.distance })
	return slices.Insert(list[:min(len(list), cap(list)-1)], at, c)
}

// squaredDistance returns |x − y|², with the same bits as |y − x|². If the distance is at least `enough`, the result
// may be any number from enough up to it. Four sums let the processor overlap the additions.
func squaredDistance(x, y []float64, enough float64) float64 {
	const chunk = 32 // coordinates between two looks at the sum
	var a, b, c, d float64
	for len(x) > chunk && len(y) > chunk {
		for i := 0; i < chunk; i += 4 {
			p, q, r, s := x[i]-y[i], x[i+1]-y[i+1], x[i+2]-y[i+2], x[i+3]-y[i+3]
			a += p * p
			b += q * q
			c += r * r
			d += s * s
		}
		// No sum shrinks, rounding included. A point that is too far now stays too far.
		part := (a + b) + (c + d)
		if part >= enough {
			return part
		}
		x, y = x[chunk:], y[chunk:]
	}
	for len(x) >= 4 && len(y) >= 4 {
		p, q, r, s := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		a += p * p
		b += q * q
		c += r * r
		d += s * s
		x, y = x[4:], y[4:]
	}
	for i := range x {
		p := x[i] - y[i]
		a += p * p
	}
	return (a + b) + (c + d)
}
