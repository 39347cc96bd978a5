package affinity

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/exact"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
)

const (
	nearTrees = 4
	nearLeaf  = 512 // points that are compared with each other
)

// NearKNN is KNN by Euclidean distance for points that are too many to compare all pairs. Four trees of random cuts
// (Dasgupta and Freund 2008) part the points: each node of a tree halves its points at the median of their
// projections on a random direction, until at most 512 are left, and these are compared with each other. So time and
// memory grow with n·log(n), and a neighbour that no leaf shares is missed. The cuts follow from the seed. Up to 512
// points the result is KNN's.
func NearKNN(points []float64, n, dims, k int, seed uint64) (*Matrix, error) {
	if err := checkPoints(points, n, dims, k); err != nil {
		return nil, err
	}
	most := max(nearLeaf, 4*k)
	if n <= most {
		return KNN(points, n, dims, k, Euclidean)
	}
	points = exact.Squarable(points)
	near := make([][]candidate, n)
	for i := range near {
		near[i] = make([]candidate, 0, k)
	}
	for tree := range uint64(nearTrees) {
		leaves := part(points, dims, loop.Indices(n), most, rand.New(rand.NewPCG(seed, tree)))
		loop.Parallel(len(leaves), func(i int) { compare(points, dims, k, leaves[i], near) })
	}
	return joined(near, k, Euclidean)
}

// part makes the leaves of a tree of random cuts: it halves the points whose numbers are nodes at the median of their
// projections on a random direction, and each half likewise, until a part has at most `most` of them. The leaves are
// parts of the list nodes, which it reorders.
func part(points []float64, dims int, nodes []int, most int, rng *rand.Rand) [][]int {
	if len(nodes) <= most {
		slices.Sort(nodes) // insert takes candidates with ascending numbers
		return [][]int{nodes}
	}
	direction := make([]float64, dims)
	for i := range direction {
		direction[i] = rng.NormFloat64()
	}
	type projected struct {
		node int
		at   float64 // on the direction
	}
	line := make([]projected, len(nodes))
	loop.Parallel(len(nodes), func(i int) {
		node := nodes[i]
		line[i] = projected{node, floats.Dot(direction, points[node*dims:(node+1)*dims])}
	})
	slices.SortFunc(line, func(a, b projected) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.node, b.node))
	})
	for i, p := range line {
		nodes[i] = p.node
	}
	half := len(nodes) / 2
	return append(part(points, dims, nodes[:half], most, rng), part(points, dims, nodes[half:], most, rng)...)
}

// compare compares the points of a leaf with each other, and puts those that are nearer than the known ones into near.
func compare(points []float64, dims, k int, leaf []int, near [][]candidate) {
	for _, i := range leaf {
		x, list := points[i*dims:(i+1)*dims], near[i]
		for _, j := range leaf {
			if i == j {
				continue
			}
			c, full := candidate{j, 0}, len(list) == k
			enough := math.Inf(1)
			if full {
				enough = list[k-1].distance
			}
			c.distance = squaredDistance(x, points[j*dims:(j+1)*dims], enough)
			if full && c.distance >= enough ||
				slices.Contains(list, c) { // another tree has found it
				continue
			}
			list = insert(list, c)
		}
		near[i] = list
	}
}
