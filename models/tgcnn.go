package models

import (
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// tensorGraphCNN is the tensor graph convolutional network after Zhang et al. (2018). It remembers what it saw in a graph S of a few salient nodes,
// the parts of the body. With each frame X it convolves over the cross graph, which has a node for each pair of one of S and a joint, and whose
// adjacency is a Kronecker sum, A = α·A_S ⊗ I + β·I ⊗ A_X with learned α and β. It is never formed: A_S acts along S, A_X along the joints.
//
//	F(p, q) = (1 + S_{t−1}(p) W_S) ∘ X_t(q) W_X;  Z = F V₀ + (A F) V₁ + b;  S_t(p) = tanh(max_q Z(p, q))
//
// F is a product of tensors with factors of rank `units`, and the maximum, over joints, is the pooling that keeps the salient nodes. The class layer
// gets the mean of S over time. Of the paper only the abstract was to be had: it names the cross graph, its parametrised Kronecker sum, the pooling and
// the recursion; the formulas of F and Z, the parts as nodes and the readout are ours.
func tensorGraphCNN(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	units := optionsOf(scope).Units
	x := framesOf(scope, spec, signal, optionsOf(scope).Segments)
	steps, batch, joints, parts := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2), len(spec.Parts)
	g, dtype := x.Graph(), x.DType()
	bones := bonesOf(graph.Matrix, joints)
	alongJoints, alongParts := ConstAsDType(g, dtype, normalisedBones(bones, joints)), ConstAsDType(g, dtype, normalisedBones(partBones(bones, spec.Parts), parts))
	weights := func(name string, in int) *Node {
		return nn.Decay(scope, nn.NormalVariable(scope.In("%s", name), "W", 0, 1/math.Sqrt(float64(in)), dtype, in, units).NodeValue(g))
	}
	one := func(name string) *Node { // α or β, 1 at first
		return OnePlus(nn.Bias(scope.In("%s", name), x, 1))
	}
	fromState, fromFrame := weights("state", units), weights("frame", spec.Channels)
	own, across := weights("own", units), weights("across", units)
	alpha, beta := one("alpha"), one("beta")
	b := nn.Bias(scope.In("cross"), x, units)
	frames := nn.Product(scope, Reshape(x, steps*batch*joints, spec.Channels), fromFrame)
	states := unroll(Reshape(frames, steps, batch, 1, joints, units), func(x *Node, state []*Node) []*Node {
		f := BroadcastToDims(x, batch, parts, joints, units)
		if state != nil {
			s := nn.Product(scope, Reshape(state[0], batch*parts, units), fromState)
			f = Mul(f, OnePlus(Reshape(s, batch, parts, 1, units)))
		}
		af := Add(Mul(ExpandLeftToRank(alpha, 4), Einsum("ps,bsju->bpju", alongParts, f)), Mul(ExpandLeftToRank(beta, 4), Einsum("ij,bpju->bpiu", alongJoints, f)))
		rows := batch * parts * joints
		z := Add(nn.Product(scope, Reshape(f, rows, units), own), nn.Product(scope, Reshape(af, rows, units), across))
		z = Reshape(Add(z, ExpandAxes(b, 0)), batch, parts, joints, units)
		return []*Node{Tanh(ReduceMax(z, 2))}
	})
	spec.Hidden = nil
	return readout(scope, spec, ReduceMean(states, 0))
}

// partBones are the pairs of parts of a body that a bone joins.
func partBones(bones [][2]int, parts [][]int) (joined [][2]int) {
	of := func(joint int) int {
		return slices.IndexFunc(parts, func(part []int) bool { return slices.Contains(part, joint) })
	}
	for _, b := range bones {
		p, q := of(b[0]), of(b[1])
		if pair := [2]int{min(p, q), max(p, q)}; p != q && pair[0] >= 0 && !slices.Contains(joined, pair) {
			joined = append(joined, pair)
		}
	}
	return joined
}
