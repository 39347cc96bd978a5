package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// attentionSlope is that of LeakyReLU below zero.
const attentionSlope = 0.2

// gatConvolution is the layer of Veličković et al. (2018), a convolution with one attention head. With h = x·W,
//
//	e[i,j] = LeakyReLU(a_target·h_i + a_source·h_j),  α[i,·] = softmax of e[i,·] over N(i) ∪ {i},  out_i = Σ_j α[i,j]·h_j + b.
//
// N(i) are the nodes that the graph joins with i: how strongly does not matter. Attentions are not dropped out.
func gatConvolution(scope *model.Scope, graph *affinity.Matrix, x *Node, filters, order int) *Node {
	nodes, batch, channels := signalOf(graph, x, filters, order)
	g, dtype := x.Graph(), x.DType()
	scope = scope.In("convolution")
	w := kernelOf(scope, g, dtype, channels, channels, filters)
	h := nn.Product(scope, Reshape(x, nodes*batch, channels), w)

	logit := func(name string) *Node { // [nodes, batch]
		std := math.Sqrt(1 / float64(filters))
		a := nn.Decay(scope, nn.NormalVariable(scope, name, 0, std, dtype, filters, 1).NodeValue(g))
		return Reshape(Dot(h, a).Product(), nodes, batch)
	}
	n := newNeighbourhoods(scope.In(nn.TablesScope), g, graph)
	out := n.attend(Reshape(h, nodes, batch, filters), logit("a_source"), logit("a_target"))
	return withBias(scope, out)
}

// attend is out_i = Σ_j α[i,j]·h_j over the neighbours j of i, α[i,·] the softmax of LeakyReLU(target_i + source_j). h:
// `[nodes, H, F]`, source and target: `[nodes, H]`, result `[nodes, H, F]`; H counts samples and heads.
//
// With v the gradient of out, β = α·LeakyReLU', and r_i = v_i·out_i, that of the logit of edge (i, j) is β[i,j]·(v_i·h_j − r_i). Its
// sums over j and over i are differences of sums of h_j and v_i that β weighs, so that no scalar product is taken along an edge. The
// graph is symmetric: what node j gives to its neighbours is found by running over j's own list.
func (n neighbourhoods) attend(h, source, target *Node) *Node {
	sumF := func(x *Node) *Node { return ReduceSum(x, -1) }
	alphas, slopes := map[*Node]*Node{}, map[*Node]*Node{} // by group, `[R, width, H]`
	var out, total *Node                                   // total: `[nodes, H]`, log Σ_j exp e[i,j]
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
	return nn.WithGradient(forward, backward, h, source, target)
}

func leakyReLU(x *Node) *Node { return Mul(x, leakySlope(x)) }

// leakySlope is the derivative of LeakyReLU.
func leakySlope(x *Node) *Node {
	one := OnesLike(x)
	return Where(IsPositive(x), one, MulScalar(one, attentionSlope))
}

// gatAverage is graph attention (Veličković et al. 2018) without coarsening: a graph attention layer of each level's filters, batch norm
// and ELU, then each filter's average over the nodes, then the readout. Of a level only its filters count.
func gatAverage(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	x := TransposeAllDims(signal, 1, 0, 2) // what is gathered are rows: a node's whole batch
	for i, level := range spec.Levels {
		scope := scope.In("level_%d", i+1)
		x = nn.ELU(nn.BatchNorm(scope, gatConvolution(scope, graph.Matrix, x, level.Filters, 1), nil))
	}
	return readout(scope, spec, ExpandAxes(ReduceMean(x, 0), 1))
}
