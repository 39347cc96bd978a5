package ccp

import (
	"hash/fnv"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// The values of Options.Slots that order slots otherwise than by rank.
const (
	randomSlots   = "random"
	directedSlots = "directed"
)

// zeroPadding is the value of Options.Padding that leaves out nodes of rank zero.
const zeroPadding = "zeros"

// slots draws the permutations of randomSlots for k clusters of the level in the scope of that path. Place `size·c +
// l` says which node of cluster c's neighbourhood, counted by rank, meets tap l of its filter. They depend on nothing
// else.
func slots(path string, k, size int) []int32 {
	name := fnv.New64a()
	_, _ = name.Write([]byte(path)) // a hash's Write cannot fail
	random := rand.New(rand.NewPCG(name.Sum64(), uint64(size)))
	order := make([]int32, 0, k*size)
	for range k {
		for _, l := range random.Perm(size) {
			order = append(order, int32(l))
		}
	}
	return order
}

// shuffled puts neighbourhoods of `size` nodes and their ranks into the order of randomSlots, on the host.
func shuffled(path string, nodes []int32, ranks []float64, size int) ([]int32, []float64) {
	newNodes, newRanks := make([]int32, len(nodes)), make([]float64, len(ranks))
	for i, l := range slots(path, len(nodes)/size, size) {
		from := i - i%size + int(l)
		newNodes[i], newRanks[i] = nodes[from], ranks[from]
	}
	return newNodes, newRanks
}

// shuffled puts the level's neighbourhoods into the order of randomSlots.
func (l *Layer) shuffled(level Level) Level {
	of := slots(l.scope.Scope(), l.clusters, l.size)
	order := Const(level.Rank.Graph(), tensors.FromFlatDataAndDimensions(of, l.clusters, l.size))
	at := Stack([]*Node{Iota(level.Rank.Graph(), order.Shape(), 0), order}, -1)
	level.Neighbourhood, level.Rank = Gather(level.Neighbourhood, at), Gather(level.Rank, at)
	return level
}
