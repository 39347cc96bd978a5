package models

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// neighbourhoods are lists of each node's neighbours and the node itself, padded to a few different lengths.
type neighbourhoods struct {
	groups []neighbourhood
	place  *Node // [nodes, 1]: where each node stands in the concatenated groups
}

// neighbourhood holds the lists of R nodes, all of `width` places.
type neighbourhood struct {
	nodes  *Node // [R, 1]
	from   *Node // [R, width], padded with 0
	again  *Node // from once more: what is gathered with both, the compiler does not keep for a second use
	counts *Node // [R, 1]: how many of a row are no padding
	width  int
	slots  int // how many places of a row are read at once; it divides width
}

// mostSlots is the most rows that are read at once. Each is an operation of the computation, not a turn of a loop in it, so that the
// compiler reads whole rows of a signal.
const mostSlots = 32

// newNeighbourhoods makes the lists in variables of scope. A group ends where padding would be more than a quarter of a list.
func newNeighbourhoods(scope *model.Scope, g *Graph, a *affinity.Matrix) (n neighbourhoods) {
	lists, widths := make([][]int32, a.N()), make([]int, a.N())
	for i := range lists {
		lists[i] = []int32{int32(i)}
		neighbours, _ := a.Row(i)
		for _, j := range neighbours {
			if int(j) != i {
				lists[i] = append(lists[i], j)
			}
		}
		widths[i] = len(lists[i])
	}
	buckets, place := nn.Buckets(widths, func(widest, width int) bool { return 4*width >= 3*widest })
	for _, nodes := range buckets {
		n.groups = append(n.groups, newNeighbourhood(scope.In("width_%d", widths[nodes[0]]), g, lists, nodes))
	}
	n.place = nn.Indices(scope, g, "place", place)
	return n
}

func newNeighbourhood(scope *model.Scope, g *Graph, lists [][]int32, nodes []int32) (n neighbourhood) {
	longest := len(lists[nodes[0]])
	chunks := (longest + mostSlots - 1) / mostSlots
	n.slots = (longest + chunks - 1) / chunks
	n.width = chunks * n.slots
	from, counts := make([]int32, len(nodes)*n.width), make([]int32, len(nodes))
	for at, i := range nodes {
		counts[at] = int32(copy(from[at*n.width:], lists[i]))
	}
	n.nodes, n.counts = nn.Indices(scope, g, "nodes", nodes), nn.Indices(scope, g, "counts", counts)
	n.from = nn.Indices(scope, g, "from", from, len(nodes), n.width)
	n.again = nn.Indices(scope, g, "again", slices.Clone(from), len(nodes), n.width)
	return n
}

// each computes something for the nodes of every group, and puts the results in the order of the nodes. f's results: `[R, …]`,
// result: `[nodes, …]`.
func (n neighbourhoods) each(f func(group neighbourhood) []*Node) []*Node {
	var parts [][]*Node
	for _, group := range n.groups {
		for k, part := range f(group) {
			if k == len(parts) {
				parts = append(parts, nil)
			}
			parts[k] = append(parts[k], part)
		}
	}
	whole := make([]*Node, len(parts))
	for k := range parts {
		whole[k] = Gather(Concatenate(parts[k], 0), n.place)
	}
	return whole
}

// own are the values of the group's nodes, once for all places. x: `[nodes, K]`, result `[R, 1, K]`.
func (n neighbourhood) own(x *Node) *Node { return ExpandAxes(Gather(x, n.nodes), 1) }

// all are the values of all neighbours. x: `[nodes, K]`, result `[R, width, K]`.
func (n neighbourhood) all(x *Node) *Node { return Gather(x, ExpandAxes(n.from, -1)) }

// isPadding says which values are of places that are no neighbours. like: `[R, width, K]`, result: bool, the same shape.
func (n neighbourhood) isPadding(like *Node) *Node {
	at := Iota(like.Graph(), shapes.Make(dtypes.Int32, like.Shape().Dimensions...), 1)
	return GreaterOrEqual(at, ExpandAxes(n.counts, -1))
}

// sum is Σ_s weights[r,s,h]·x[from[r,s],h,:], where from is the group's from or again. weights: `[R, width, H]`, x: `[nodes, H, F]`,
// result `[R, H, F]`.
func (n neighbourhood) sum(from, weights, x *Node) *Node {
	nodes, heads, features := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	r, chunks := from.Shape().Dim(0), n.width/n.slots
	x = Reshape(x, nodes, heads*features)
	from = Reshape(from, r*chunks, n.slots)
	weights = Reshape(weights, r*chunks, n.slots, heads)
	var sum *Node
	for s := range n.slots {
		rows := Reshape(Gather(x, Slice(from, AxisRange(), AxisRange(s, s+1))), r*chunks, heads, features)
		sum = nn.Plus(sum, Mul(rows, Reshape(Slice(weights, AxisRange(), AxisRange(s, s+1)), r*chunks, heads, 1)))
	}
	if chunks == 1 {
		return sum
	}
	sum = Reshape(sum, r, chunks, heads, features)
	var whole *Node
	for c := range chunks { // by additions: a reduction keeps the compiler from making one loop of all of it
		whole = nn.Plus(whole, Squeeze(Slice(sum, AxisRange(), AxisElem(c)), 1))
	}
	return whole
}
