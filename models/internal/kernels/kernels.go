// Package kernels classifies signals on a graph by random convolutional kernels.
//
// The kernels are MiniRocket's (Dempster et al. 2021): nine slots, of which three weigh 2 and six weigh -1. There are
// 84 of them, each at several dilations. A kernel first adds a random set of channels with random signs. Its features
// are shares: for each of its thresholds, the share of the positions where its response is above. If the graph is no
// series, each of four clusters has such shares, too. A ridge classifier reads the features.
package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
)

// Slots and Count are the sizes of SlotWeights.
const (
	Slots = 9
	Count = 84 // kernels: the ways to choose the three slots that weigh 2

	slots, count = Slots, Count
)

// SlotWeights returns the weight of each slot in each kernel, `[slots, kernels]`.
func SlotWeights() []float32 {
	weights, k := slices.Repeat([]float32{-1}, slots*count), 0
	for a := range slots {
		for b := a + 1; b < slots; b++ {
			for c := b + 1; c < slots; c++ {
				weights[a*count+k], weights[b*count+k], weights[c*count+k] = 2, 2, 2
				k++
			}
		}
	}
	return weights
}

// Signs draws which channels each kernel adds at each dilation, and with which sign: `[channels, kernels]` of -1, 0 and
// 1. Half of the kernels add no more channels than the square root of all.
func Signs(dilations, channels int, seed uint64) (all [][]float32) {
	rng := rand.New(rand.NewPCG(seed, 0x6b65726e656c73))
	for range dilations {
		signs := make([]float32, channels*count)
		for k := range count {
			n := int(math.Pow(2, rng.Float64()*math.Log2(float64(channels+1))))
			for _, c := range rng.Perm(channels)[:n] {
				signs[c*count+k] = float32(1 - 2*rng.IntN(2))
			}
		}
		all = append(all, signs)
	}
	return all
}

// signs returns Signs as tensors.
func (v *View) signs(seed uint64) (all []*tensors.Tensor) {
	for _, signs := range Signs(len(v.steps), v.Channels, seed) {
		all = append(all, tensors.FromFlatDataAndDimensions(signs, v.Channels, count))
	}
	return all
}

// responses returns the responses of the kernels at a dilation. The last position of x, `[positions + 1, batch,
// channels]`, is zero. signs: `[channels, kernels]`, result `[positions, batch, kernels]`.
func (v *View) responses(tables *model.Scope, i int, x, signs *Node) *Node {
	g, batch := x.Graph(), x.Shape().Dim(1)
	w := Mul(Reshape(Const(g, SlotWeights()), slots, 1, count), ExpandAxes(signs, 0))
	seen := Gather(x, ops.Indices(tables, g, "slots", v.dilations[i], v.Positions, slots, 1))
	seen = Reshape(Transpose(seen, 1, 2), v.Positions*batch, slots*v.Channels)
	return Reshape(Dot(seen, Reshape(w, slots*v.Channels, count)).Product(), v.Positions, batch, count)
}

// each calls use with the responses at each dilation, the dilation's scope, and the scope of its tables. x: `[batch,
// nodes, channels]`.
func (v *View) each(scope *model.Scope, x *Node, use func(i int, scope, tables *model.Scope, response *Node) *Node) (
	all []*Node) {
	batch, channels := x.Shape().Dim(0), x.Shape().Dim(2)
	if v.sensorWise {
		x = Transpose(Reshape(x, batch, v.Sensors, v.Positions, channels), 1, 2)
	}
	x = Transpose(Reshape(x, batch, v.Positions, v.Channels), 0, 1)
	x = Concatenate([]*Node{x, ZerosLike(SliceAxis(x, 0, AxisElem(0)))}, 0)
	for i := range v.steps {
		dilation := scope.In("dilation_%d", i+1)
		tables := dilation.In(variables.Tables)
		signs := fixed(dilation, x.Graph(), "signs", v.Channels, count)
		all = append(all, use(i, dilation, tables, v.responses(tables, i, x, signs)))
	}
	return all
}

// responsesOf returns the responses at all dilations, `[positions, batch, kernels]` each.
func (v *View) responsesOf(scope *model.Scope, x *Node) []*Node {
	return v.each(scope, x, func(_ int, _, _ *model.Scope, response *Node) *Node { return response })
}

// fixed is a variable that is not trained.
func fixed(scope *model.Scope, g *Graph, name string, dims ...int) *Node {
	v := scope.WithInitializer(initializer.Zero).VariableWithShape(name, shapes.Make(dtypes.Float32, dims...))
	return v.SetTrainable(false).NodeValue(g)
}

// thresholds returns the number of thresholds of a kernel at each dilation, for about so many features.
func (v *View) thresholds(features int) (all []int) {
	for _, share := range v.shares {
		all = append(all, max(1, int(math.Round(share*float64(features)/float64(count*v.pools())))))
	}
	return all
}

// weights returns what each position adds to the shares of each kernel at a dilation, `[positions, kernels]` for each
// pool. Every second kernel leaves out the positions that lack a slot, if the pool has others.
func (v *View) weights(i int) (all [][]float32) {
	for pool := range v.pools() {
		var inside, whole []int
		for p := range v.Positions {
			if pool > 0 && v.clusters[p] != int32(pool-1) {
				continue
			}
			inside = append(inside, p)
			if !slices.Contains(v.dilations[i][p*slots:(p+1)*slots], int32(v.Positions)) {
				whole = append(whole, p)
			}
		}
		weights := make([]float32, v.Positions*count)
		for k := range count {
			counted := inside
			if len(whole) > 0 && (k+i)%2 == 1 {
				counted = whole
			}
			for _, p := range counted {
				weights[p*count+k] = 1 / float32(len(counted))
			}
		}
		all = append(all, weights)
	}
	return all
}

// mostAbove is the most comparisons in one operation. XLA keeps them in memory.
const mostAbove = 1 << 25

// shareCount returns the number of shares for about so many features.
func (v *View) shareCount(features int) (n int) {
	for _, q := range v.thresholds(features) {
		n += q * count * v.pools()
	}
	return n
}

// values returns the number of values of a signal that the ridge classifier uses: all, or none if they outnumber the features.
func (v *View) values(features int) int {
	if n := v.Positions * v.Channels; n <= features {
		return n
	}
	return 0
}

// Features returns the shares, and behind them the signal, `[batch, features]`. x: `[batch, nodes, channels]`.
func (v *View) Features(scope *model.Scope, x *Node, features int) *Node {
	thresholds, batch, g := v.thresholds(features), x.Shape().Dim(0), x.Graph()
	all := v.each(scope, x, func(i int, scope, tables *model.Scope, response *Node) *Node {
		t := fixed(scope, g, "thresholds", thresholds[i], count)
		var shares []*Node
		together := max(1, mostAbove/response.Shape().Size())
		for pool, flat := range v.weights(i) {
			weights := ops.Constant(tables, g, fmt.Sprintf("weights_%d", pool),
				tensors.FromFlatDataAndDimensions(flat, v.Positions, 1, 1, count))
			for from := 0; from < thresholds[i]; from += together {
				some := SliceAxis(t, 0, AxisRange(from, min(from+together, thresholds[i])))
				above := ConvertDType(GreaterThan(ExpandAxes(response, 2), ExpandAxes(some, 0, 1)), dtypes.Float32)
				shares = append(shares, Reshape(ReduceSum(Mul(above, weights), 0), batch, -1))
			}
		}
		return Concatenate(shares, 1)
	})
	if v.values(features) > 0 {
		all = append(all, Reshape(x, batch, -1))
	}
	return Concatenate(all, 1)
}
