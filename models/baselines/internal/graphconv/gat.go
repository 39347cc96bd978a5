package graphconv

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// GAT is the Filter of Veličković et al. (2018) with one attention head. With h = x·W,
//
//	e[i,j] = LeakyReLU(a_target·h_i + a_source·h_j),  α[i,·] = softmax of e[i,·] over N(i) ∪ {i},
//	out_i = Σ_j α[i,j]·h_j + b.
//
// N(i) are the nodes that the graph joins with i, whatever the weight. Attentions are not dropped out.
func GAT(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node {
	nodes, batch, channels := signalOf(graph, x, filters, order)
	scope = scope.In("convolution")
	h := nn.Product(scope, Reshape(x, nodes*batch, channels), kernel(scope, x, channels, channels, filters))
	logit := func(name string) *Node { // [nodes, batch]
		std := math.Sqrt(1 / float64(filters))
		a := ops.NormalVariable(scope, name, 0, std, x.DType(), filters, 1).NodeValue(x.Graph())
		return Reshape(Dot(h, nn.Decay(scope, a)).Product(), nodes, batch)
	}
	n := newNeighbourhoods(scope.In(variables.Tables), x.Graph(), graph)
	return withBias(scope, n.attend(Reshape(h, nodes, batch, filters), logit("a_source"), logit("a_target")))
}

// attend returns out_i = Σ_j α[i,j]·h_j over the neighbours j of i. α[i,·] is the softmax of LeakyReLU(target_i +
// source_j). h: `[nodes, batch, F]`, source and target: `[nodes, batch]`, result `[nodes, batch, F]`.
//
// Let v be the gradient of out, β = α·LeakyReLU' and r_i = v_i·out_i. The gradient of the logit of edge (i, j) is
// β[i,j]·(v_i·h_j − r_i). Its sums over j and over i are differences of sums of h_j and v_i with the weights β. No
// scalar product is taken along an edge. The graph is symmetric. So j's own list lists the nodes that j gives to.
func (n neighbourhoods) attend(h, source, target *Node) *Node {
	sumF := func(x *Node) *Node { return ReduceSum(x, -1) }
	alphas, slopes := map[*Node]*Node{}, map[*Node]*Node{} // by group, `[R, width, batch]`
	var out, total *Node                                   // total: `[nodes, batch]`, log Σ_j exp e[i,j]
	forward := func() *Node {
		parts := n.each(func(group neighbourhood) []*Node {
			logits := Add(group.own(target), group.all(source))
			e := Where(group.isPadding(logits), Infinity(logits.Graph(), logits.DType(), -1), leakyReLU(logits))
			largest := ReduceAndKeep(e, ReduceMax, 1)
			p := Exp(Sub(e, largest))
			z := ReduceAndKeep(p, ReduceSum, 1)
			alpha := Div(p, z)
			alphas[group.nodes], slopes[group.nodes] = alpha, leakySlope(logits)
			return []*Node{group.sum(group.from, alpha, h), Squeeze(Add(largest, Log(z)), 1)}
		})
		out, total = parts[0], parts[1]
		return out
	}
	backward := func(v *Node) []*Node {
		r := sumF(Mul(v, out))
		parts := n.each(func(group neighbourhood) []*Node {
			// From the group's nodes j to their neighbours i.
			logits := Add(group.own(source), group.all(target))
			alpha := Exp(Sub(leakyReLU(logits), group.all(total)))
			alpha = Where(group.isPadding(alpha), ZerosLike(alpha), alpha)
			beta := Mul(alpha, leakySlope(logits))
			sent, weighed := group.sum(group.from, alpha, v), group.sum(group.again, beta, v)
			weighedR := ReduceSum(Mul(beta, group.all(r)), 1)
			// From the neighbours j to the group's nodes i.
			beta = Mul(alphas[group.nodes], slopes[group.nodes])
			return []*Node{sent, weighed, weighedR, group.sum(group.again, beta, h), ReduceSum(beta, 1)}
		})
		dh, weighed, weighedR, received, share := parts[0], parts[1], parts[2], parts[3], parts[4]
		dSource := Sub(sumF(Mul(h, weighed)), weighedR)
		dTarget := Sub(sumF(Mul(v, received)), Mul(r, share))
		return []*Node{dh, dSource, dTarget}
	}
	return ops.WithGradient(forward, backward, h, source, target)
}

func leakyReLU(x *Node) *Node { return Mul(x, leakySlope(x)) }

// leakySlope returns the derivative of LeakyReLU.
func leakySlope(x *Node) *Node {
	one := OnesLike(x)
	return Where(IsPositive(x), one, MulScalar(one, 0.2))
}

// neighbourhoods lists each node and its neighbours. Lists are padded to a few different lengths.
type neighbourhoods struct {
	groups []neighbourhood
	place  *Node // [nodes, 1]: where each node stands in the concatenated groups
}

// neighbourhood holds the lists of R nodes, all of `width` places.
type neighbourhood struct {
	nodes  *Node // [R, 1]
	from   *Node // [R, width], padded with 0
	again  *Node // from once more: the compiler does not keep for a second use what was gathered with both
	counts *Node // [R, 1]: how many places of a row are no padding
	width  int
	slots  int // how many places of a row are read at once; it divides width
}

// mostSlots is the most rows that are read at once. Each is an operation of its own, not a turn of a loop, because then
// the compiler reads whole rows of a signal.
const mostSlots = 32

// newNeighbourhoods makes the lists in variables of scope. A group ends where padding would be more than a quarter of a
// list.
func newNeighbourhoods(scope *model.Scope, g *Graph, a *affinity.Matrix) (n neighbourhoods) {
	lists, widths := make([][]int32, a.N()), make([]int, a.N())
	for i := range lists {
		neighbours, _ := a.Row(i)
		others := slices.DeleteFunc(slices.Clone(neighbours), func(j int32) bool { return int(j) == i })
		lists[i] = append([]int32{int32(i)}, others...)
		widths[i] = len(lists[i])
	}
	buckets, place := ops.Buckets(widths, func(widest, width int) bool { return 4*width >= 3*widest })
	for _, nodes := range buckets {
		n.groups = append(n.groups, newNeighbourhood(scope.In("width_%d", widths[nodes[0]]), g, lists, nodes))
	}
	n.place = ops.Indices(scope, g, "place", place)
	return n
}

// newNeighbourhood makes the tables of the neighbours of some nodes, of which the first has the most. Long lists are
// read in chunks of equally many slots.
func newNeighbourhood(scope *model.Scope, g *Graph, lists [][]int32, nodes []int32) (n neighbourhood) {
	longest := len(lists[nodes[0]])
	chunks := (longest + mostSlots - 1) / mostSlots
	n.slots = (longest + chunks - 1) / chunks
	n.width = chunks * n.slots
	from, counts := make([]int32, len(nodes)*n.width), make([]int32, len(nodes))
	for at, i := range nodes {
		counts[at] = int32(copy(from[at*n.width:], lists[i]))
	}
	n.nodes, n.counts = ops.Indices(scope, g, "nodes", nodes), ops.Indices(scope, g, "counts", counts)
	n.from = ops.Indices(scope, g, "from", from, len(nodes), n.width)
	n.again = ops.Indices(scope, g, "again", slices.Clone(from), len(nodes), n.width)
	return n
}

// each calls f for every group, and puts the results in the order of the nodes. f's results: `[R, …]`, results:
// `[nodes, …]`.
func (n neighbourhoods) each(f func(group neighbourhood) []*Node) (whole []*Node) {
	var results [][]*Node
	for _, group := range n.groups {
		results = append(results, f(group))
	}
	for k := range results[0] {
		var parts []*Node
		for _, of := range results {
			parts = append(parts, of[k])
		}
		whole = append(whole, Gather(Concatenate(parts, 0), n.place))
	}
	return whole
}

// own returns the values of the group's nodes, once for all places. x: `[nodes, K]`, result `[R, 1, K]`.
func (n neighbourhood) own(x *Node) *Node { return ExpandAxes(Gather(x, n.nodes), 1) }

// all returns the values of all neighbours. x: `[nodes, K]`, result `[R, width, K]`.
func (n neighbourhood) all(x *Node) *Node { return Gather(x, ExpandAxes(n.from, -1)) }

// isPadding reports which places are padding. like: `[R, width, K]`, result: bool, the same shape.
func (n neighbourhood) isPadding(like *Node) *Node {
	at := Iota(like.Graph(), shapes.Make(dtypes.Int32, like.Shape().Dimensions...), 1)
	return GreaterOrEqual(at, ExpandAxes(n.counts, -1))
}

// sum returns Σ_s weights[r,s,b]·x[from[r,s],b,:], where from is the group's from or again. weights:
// `[R, width, batch]`, x: `[nodes, batch, F]`, result `[R, batch, F]`.
func (n neighbourhood) sum(from, weights, x *Node) *Node {
	nodes, batch, features := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	r, chunks := from.Shape().Dim(0), n.width/n.slots
	x = Reshape(x, nodes, batch*features)
	from = Reshape(from, r*chunks, n.slots)
	weights = Reshape(weights, r*chunks, n.slots, batch)
	var sum *Node
	for s := range n.slots {
		at := AxisRange(s, s+1)
		rows := Reshape(Gather(x, SliceAxis(from, 1, at)), r*chunks, batch, features)
		sum = ops.Plus(sum, Mul(rows, Reshape(SliceAxis(weights, 1, at), r*chunks, batch, 1)))
	}
	sum = Reshape(sum, r, chunks, batch, features)
	var whole *Node
	for c := range chunks { // by additions: a reduction keeps the compiler from making one loop of all of it
		whole = ops.Plus(whole, Squeeze(SliceAxis(sum, 1, AxisElem(c)), 1))
	}
	return whole
}
