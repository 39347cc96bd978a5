package models

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// stem filters the signal at every node's own neighbourhood before anything is pooled: ELU(norm(filter)), then residual blocks
// ELU(x + norm(filter(ELU(norm(filter(x)))))). signal: `[batch, nodes, channels]`, result `[batch, nodes, filters]`.
func stem(scope, tables *model.Scope, spec Spec, graph Topology, signal *Node) *Node {
	o := spec.Settings.Of("")
	if o.Stem == 0 {
		return signal
	}
	around := nearest(graph.Matrix, o.Reach)
	nodes, present := make([]int32, len(around)), make([]float32, len(around))
	for i, node := range around {
		if node >= 0 {
			nodes[i], present[i] = node, 1
		}
	}
	g, reach := signal.Graph(), len(around)/spec.Nodes
	neighbourhood := nn.Indices(tables, g, "nodes", nodes, spec.Nodes, reach)
	gate := nn.Constant(tables, g, "present", tensors.FromFlatDataAndDimensions(present, spec.Nodes, reach))
	convolve := func(scope *model.Scope, x *Node) *Node {
		channels := x.Shape().Dim(2)
		std := math.Sqrt(2 / float64(reach*channels))
		w := nn.NormalVariable(scope, "W", 0, std, dtypes.Float32, o.Stem, reach, channels).NodeValue(g)
		return nn.BatchNorm(scope, ccp.Filter(x, neighbourhood, gate, nn.Decay(scope, w)), nn.Bias(scope, x, o.Stem))
	}
	first := scope.In("stem")
	x := nn.ELU(convolve(first, signal))
	for i := range o.Blocks {
		scope := scope.In("block_%d", i+1)
		x = nn.ELU(Add(x, convolve(scope.In("2"), nn.ELU(convolve(scope.In("1"), x)))))
	}
	return nn.Dropout(first, x, o.Dropout)
}

// nearest lists each node's size nearest by hops, itself among them, in the order of their numbers; -1 where there are fewer.
func nearest(m *affinity.Matrix, size int) []int32 {
	size = min(size, m.N())
	all := make([]int32, 0, m.N()*size)
	for i := range m.N() {
		found := []int32{int32(i)}
		for at, end := 0, 1; at < len(found) && len(found) < size; {
			type link struct {
				to int32
				w  float64
			}
			var next []link
			for ; at < end; at++ {
				to, w := m.Row(int(found[at]))
				for e, j := range to {
					if !slices.Contains(found, j) && !slices.ContainsFunc(next, func(l link) bool { return l.to == j }) {
						next = append(next, link{j, w[e]})
					}
				}
			}
			slices.SortStableFunc(next, func(a, b link) int { return cmp.Or(cmp.Compare(b.w, a.w), cmp.Compare(a.to, b.to)) })
			for _, l := range next[:min(len(next), size-len(found))] {
				found = append(found, l.to)
			}
			end = len(found)
		}
		slices.Sort(found)
		for len(found) < size {
			found = append(found, -1)
		}
		all = append(all, found...)
	}
	return all
}
