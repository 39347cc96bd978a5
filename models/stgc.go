package models

import (
	"math"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// recursiveGraphFilters is Deep STGC_K after Li et al. (2018): two layers whose state S, `[joints, units]`, is filtered over the skeleton along
// with the frame X, like an autoregressive moving average over time, by polynomials in the normalised adjacency A of the bones:
//
//	S_t = tanh(Σ_k A^k X_t V_k + Σ_k A^k S_{t−1} W_k + b),  k = 0 … K−1.
//
// The class layer gets the mean of the last layer's states over time. Of the paper only the abstract was to be had: K, the sizes, tanh in the place of
// a bound on W, and the readout are ours.
func recursiveGraphFilters(scope *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	const scales, layers = 3, 2
	units := optionsOf(scope).Units
	x := framesOf(scope, spec, signal, optionsOf(scope).Segments)
	steps, batch, joints := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	a := ConstAsDType(x.Graph(), x.DType(), normalisedBones(bonesOf(graph.Matrix, joints), joints))
	filter := func(scope *model.Scope, in int) func(x *Node) *Node { // x: `[rows, joints, in]`, result `[rows·joints, units]`
		w := nn.NormalVariable(scope, "W", 0, 1/math.Sqrt(float64(scales*in)), x.DType(), scales*in, units).NodeValue(x.Graph())
		w = nn.Decay(scope, w)
		return func(x *Node) *Node {
			hops := []*Node{x}
			for len(hops) < scales {
				hops = append(hops, Einsum("ij,rjv->riv", a, hops[len(hops)-1]))
			}
			return nn.Product(scope, Reshape(Concatenate(hops, -1), x.Shape().Dim(0)*joints, scales*in), w)
		}
	}
	for layer := range layers {
		scope := scope.In("stgc_%d", layer+1)
		in := x.Shape().Dim(3)
		z := filter(scope, in)(Reshape(x, steps*batch, joints, in))
		recurrent := filter(scope.In("recurrent"), units)
		z = Reshape(Add(z, ExpandAxes(nn.Bias(scope, x, units), 0)), steps, batch, joints, units)
		x = unroll(z, func(z *Node, state []*Node) []*Node {
			if state != nil {
				z = Add(z, Reshape(recurrent(state[0]), batch, joints, units))
			}
			return []*Node{Tanh(z)}
		})
	}
	spec.Hidden = nil
	return readout(scope, spec, ReduceMean(x, 0))
}

// normalisedBones is D^−½ A D^−½ of a skeleton, A being 1 where a bone joins two joints, D the number of bones at a joint.
func normalisedBones(bones [][2]int, joints int) [][]float64 {
	degree, a := make([]float64, joints), make([][]float64, joints)
	for i := range a {
		a[i] = make([]float64, joints)
	}
	for _, b := range bones {
		degree[b[0]]++
		degree[b[1]]++
	}
	for _, b := range bones {
		w := 1 / math.Sqrt(degree[b[0]]*degree[b[1]])
		a[b[0]][b[1]], a[b[1]][b[0]] = w, w
	}
	return a
}
