package skeleton

import (
	"slices"

	"github.com/clusterpool/ccp/benchmarks/paper/networks/internal/grids"
	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
)

// RecursiveFilters returns the features of Deep STGC_K after Li et al. (2018). Two layers have a state S,
// `[joints, units]`. Polynomials in the normalised adjacency A of the bones filter the state and the frame X over the
// skeleton.
//
//	S_t = tanh(Σ_k A^k X_t V_k + Σ_k A^k S_{t−1} W_k + b),  k = 0 … K−1.
//
// The features are the mean of the last layer's states over time. We had only the abstract of the paper. K, the sizes,
// tanh as a bound, and the readout are ours.
func RecursiveFilters(scope *model.Scope, b Body, signal *Node) *Node {
	const scales, layers = 3, 2
	x := b.steps(scope, signal)
	steps, batch := x.Shape().Dim(0), x.Shape().Dim(1)
	a := adjacency(x, b.Bones, b.Joints)
	filter := func(scope *model.Scope, in int) func(x *Node) *Node { // `[rows, joints, in]` to `[rows·joints, units]`
		w := kernel(scope, x, scales*in, scales*in, b.Units)
		return func(x *Node) *Node {
			hops := []*Node{x}
			for len(hops) < scales {
				hops = append(hops, Einsum("ij,rjv->riv", a, hops[len(hops)-1]))
			}
			return nn.Product(scope, Reshape(Concatenate(hops, -1), x.Shape().Dim(0)*b.Joints, scales*in), w)
		}
	}
	for layer := range layers {
		scope := scope.In("stgc_%d", layer+1)
		in := x.Shape().Dim(3)
		z := filter(scope, in)(Reshape(x, steps*batch, b.Joints, in))
		recurrent := filter(scope.In("recurrent"), b.Units)
		z = Reshape(Add(z, ExpandAxes(nn.Bias(scope, x, b.Units), 0)), steps, batch, b.Joints, b.Units)
		x = unroll(z, func(z *Node, state []*Node) []*Node {
			if state != nil {
				z = Add(z, Reshape(recurrent(state[0]), batch, b.Joints, b.Units))
			}
			return []*Node{Tanh(z)}
		})
	}
	return ReduceMean(x, 0)
}

// TensorGraphCNN returns the features of the tensor graph convolutional network after Zhang et al. (2018). The network
// remembers what it saw in a graph S of a few salient nodes, the parts of the body. With each frame X it convolves over
// the cross graph. The cross graph has a node for each pair of a node of S and a joint. Its adjacency is a Kronecker
// sum, A = α·A_S ⊗ I + β·I ⊗ A_X with learned α and β. It is never formed: A_S acts along S, A_X along the joints.
//
//	F(p, q) = (1 + S_{t−1}(p) W_S) ∘ X_t(q) W_X;  Z = F V₀ + (A F) V₁ + b;  S_t(p) = tanh(max_q Z(p, q))
//
// F is a product of tensors with factors of rank Units. The maximum over the joints is the pooling that keeps the
// salient nodes. The features are the mean of S over time. We had only the abstract of the paper, which names the cross
// graph, its parametrised Kronecker sum, the pooling and the recursion. The formulas of F and Z, the parts as nodes and
// the readout are ours.
func TensorGraphCNN(scope *model.Scope, b Body, signal *Node) *Node {
	units, joints, parts := b.Units, b.Joints, len(b.Parts)
	x := b.steps(scope, signal)
	steps, batch := x.Shape().Dim(0), x.Shape().Dim(1)
	alongJoints, alongParts := adjacency(x, b.Bones, joints), adjacency(x, partBones(b.Bones, b.Parts), parts)
	weights := func(name string, in int) *Node { return kernel(scope.In("%s", name), x, in, in, units) }
	one := func(name string) *Node { // α or β, 1 at first
		return ExpandLeftToRank(OnePlus(nn.Bias(scope.In("%s", name), x, 1)), 4)
	}
	fromState, fromFrame := weights("state", units), weights("frame", b.Channels)
	own, across := weights("own", units), weights("across", units)
	alpha, beta := one("alpha"), one("beta")
	bias := nn.Bias(scope.In("cross"), x, units)
	frames := nn.Product(scope, Reshape(x, steps*batch*joints, b.Channels), fromFrame)
	step := func(x *Node, state []*Node) []*Node {
		f := BroadcastToDims(x, batch, parts, joints, units)
		if state != nil {
			s := nn.Product(scope, Reshape(state[0], batch*parts, units), fromState)
			f = Mul(f, OnePlus(Reshape(s, batch, parts, 1, units)))
		}
		af := Mul(alpha, Einsum("ps,bsju->bpju", alongParts, f))
		af = Add(af, Mul(beta, Einsum("ij,bpju->bpiu", alongJoints, f)))
		rows := batch * parts * joints
		z := nn.Product(scope, Reshape(f, rows, units), own)
		z = Add(z, nn.Product(scope, Reshape(af, rows, units), across))
		z = Reshape(Add(z, ExpandAxes(bias, 0)), batch, parts, joints, units)
		return []*Node{Tanh(ReduceMax(z, 2))}
	}
	return ReduceMean(unroll(Reshape(frames, steps, batch, 1, joints, units), step), 0)
}

// partBones lists the pairs of parts of a body that a bone joins.
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

// TemporalConvolution returns the features of the Res-TCN of Kim and Reiter (2017). All channels of all joints are the
// features of a frame. Over the frames runs a convolution with 64 filters of length 8. Three blocks of three residual
// units follow, with 64, 128 and 256 filters of length 8. The second and the third block halve the frames. The features
// are the averages over time after batch norm and ReLU. A unit adds batch norm, ReLU, dropout and a convolution to its
// input, which a 1x1 convolution brings to the shape. We decay the squares of the kernels, they decay the absolute
// values. The edges of the graph are not used.
func TemporalConvolution(scope *model.Scope, b Body, signal *Node) *Node {
	const length, units, dropout = 8, 3, 0.5
	x := Reshape(signal, signal.Shape().Dim(0), b.Frames, b.Joints*b.Channels)
	x = grids.Conv(scope.In("conv"), x, 64, length, 1)
	for block, filters := range []int{64, 128, 256} {
		for unit := range units {
			scope := scope.In("block_%d_unit_%d", block+1, unit+1)
			stride := 1
			if block > 0 && unit == 0 {
				stride = 2
			}
			y := nn.Dropout(scope, activation.Relu(nn.BatchNorm(scope, x, nil)), dropout)
			y = grids.Conv(scope, y, filters, length, stride)
			if stride > 1 {
				x = Slice(x, AxisRange(), AxisRange().Stride(stride), AxisRange())
				x = grids.Conv(scope.In("shortcut"), x, filters, 1, 1)
			}
			x = Add(x, y)
		}
	}
	return grids.Average(activation.Relu(nn.BatchNorm(scope.In("last"), x, nil)))
}

// ClipCNN returns the logits of C-CNN + MTLN (Ke et al. 2017), `[batch, predictions, classes]`. A recording becomes
// three clips of pictures. They hold the vectors from the first joint of each limb to all joints, in cylindrical
// coordinates: distance, angle and height. A picture's rows are frames and its columns joints, part by part. The same
// convolutions see all pictures: 16, 32 and 64 filters of 3x3, batch norm, max pooling of 2x2 and ReLU. Then comes the
// mean over time. Each of the joints predicts from its three pictures, by a fully connected layer of 512 and a class
// layer that all share. Each prediction has a loss, and a prediction is the mean of their probabilities. Instead of our
// convolutions they use a network of images that was trained before. The edges of the graph are not used.
func ClipCNN(scope *model.Scope, b Body, signal *Node) *Node {
	const wide = 512
	x := b.positions(signal)
	batch, starts := x.Shape().Dim(0), b.Parts
	if len(starts) > 1 { // the first is the trunk
		starts = starts[1:]
	}
	var pictures, columns []*Node
	for _, part := range starts {
		from := Sub(x, SliceAxis(x, 2, AxisElem(part[0])))
		axis := func(i int) *Node { return element(from, 4, i) }
		pictures = append(pictures, radius(axis(2), axis(0)), angle(axis(2), axis(0)), axis(1))
	}
	n := len(pictures)
	x = Reshape(Stack(pictures, 1), batch*n, b.Frames, b.Joints, b.Bodies)
	for _, joint := range slices.Concat(b.Parts...) {
		columns = append(columns, SliceAxis(x, 2, AxisElem(joint)))
	}
	x = Concatenate(columns, 2)
	for i, filters := range []int{16, 32, 64} {
		scope := scope.In("conv_%d", i+1)
		x = nn.BatchNorm(scope, grids.Conv(scope, x, filters, 3, 1), nil)
		x = activation.Relu(MaxPool(x).Window(2).Strides(2).PadSame().Done())
	}
	x = ReduceMean(x, 1)
	x = Reshape(x, batch*len(starts), x.Shape().Size()/(batch*len(starts)))
	classes := scope.In("classes")
	x = activation.Relu(nn.Dense(scope.In("hidden"), x, wide, 1))
	x = nn.Dropout(classes, x, b.Dropout)
	return Reshape(nn.Dense(classes, x, b.Classes, 1), batch, len(starts), b.Classes)
}
