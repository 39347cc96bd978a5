package skeleton

import (
	"context"
	"fmt"
	"iter"

	"github.com/clusterpool/ccp/benchmarks/paper/networks/internal/grids"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"
)

// A class's nominal curve is made of at most nominalSamples of its training recordings, spread evenly over them.
const (
	nominalSamples = 64
	nominalRounds  = 25
)

// Nominal computes the nominal curve of each class for LieGroup, `[classes, frames, values]`. It begins with the curve
// of one recording. In each of 25 rounds it warps all recordings to the curve so far and takes their mean. A class
// without recordings has a curve of zeros. The samples are raw, with their classes. The network reads them normalised.
// Errors come from the context and the backend.
func Nominal(ctx context.Context, backend compute.Backend, b Body, samples iter.Seq2[[]float32, int32],
	normalize func(dst, raw []float32)) (*tensors.Tensor, error) {
	curves, err := NewExec(backend, b.geometry)
	if err != nil {
		return nil, err
	}
	defer curves.Finalize()
	means, err := NewExec(backend, func(x, weights, nominal *Node) *Node {
		warped := Einsum("bst,btv->bsv", Squeeze(warpTo(x, ExpandAxes(nominal, 0)), 1), x)
		return Einsum("bsv,b->sv", warped, weights)
	})
	if err != nil {
		return nil, err
	}
	defer means.Finalize()
	var flat []float32
	size := b.Frames * b.Bodies * len(b.Bones) * (len(b.Bones) - 1) * 5
	for class, recordings := range choose(b.Classes, samples, normalize) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		curve := make([]float32, size)
		if len(recordings) > 0 {
			curve, err = b.nominalCurve(curves, means, recordings)
			if err != nil {
				return nil, fmt.Errorf("nominal curve of class %d: %w", class, err)
			}
		}
		flat = append(flat, curve...)
	}
	return tensors.FromFlatDataAndDimensions(flat, b.Classes, b.Frames, size/b.Frames), nil
}

// choose returns the recordings of each class that its nominal curve is made of, normalised.
func choose(classes int, samples iter.Seq2[[]float32, int32], normalize func(dst, raw []float32)) [][][]float32 {
	counts := make([]int, classes)
	for _, class := range samples {
		counts[class]++
	}
	chosen, seen := make([][][]float32, classes), make([]int, classes)
	for x, class := range samples {
		n, k := counts[class], seen[class]
		seen[class]++
		if kept := min(n, nominalSamples); k*kept/n == len(chosen[class]) { // the first of each of as many equal shares
			normalised := make([]float32, len(x))
			normalize(normalised, x)
			chosen[class] = append(chosen[class], normalised)
		}
	}
	return chosen
}

// nominalCurve computes the curve of one class. Zeros without weight fill up the batch, because then one program serves
// all classes.
func (b Body) nominalCurve(curves, means *Exec, recordings [][]float32) ([]float32, error) {
	nodes := b.Frames * b.Joints
	flat, weights := make([]float32, nominalSamples*nodes*b.Channels), make([]float32, nominalSamples)
	for i, x := range recordings {
		copy(flat[i*len(x):], x)
		weights[i] = 1 / float32(len(recordings))
	}
	batch := tensors.FromFlatDataAndDimensions(flat, nominalSamples, nodes, b.Channels)
	defer batch.MustFinalizeAll()
	x, err := curves.Call(batch)
	if err != nil {
		return nil, err
	}
	defer x[0].MustFinalizeAll() // its memory is the device's
	first := make([]float32, x[0].Shape().Size()/nominalSamples)
	if err := tensors.ConstFlatData(x[0], func(all []float32) { copy(first, all) }); err != nil {
		return nil, err
	}
	nominal := tensors.FromFlatDataAndDimensions(first, x[0].Shape().Dim(1), x[0].Shape().Dim(2))
	for range nominalRounds {
		next, err := means.Call(x[0], weights, nominal)
		if err != nil {
			return nil, err
		}
		nominal.MustFinalizeAll()
		nominal = next[0]
	}
	defer nominal.MustFinalizeAll()
	return tensors.CopyFlatData[float32](nominal)
}

// warpTo chooses a frame of a curve for each frame of a nominal curve. Dynamic time warping pairs the frames of both
// curves in order, first with first and last with last, for the least sum of squared distances. If several frames are
// paired with one frame of the nominal curve, the nearest is chosen. Nothing here has a gradient.
//
// x: `[batch, frames, values]`, nominal: `[classes, steps, values]`, result `[batch, classes, steps, frames]`. One
// value in each row of the result is 1, and all others are 0.
func warpTo(x, nominal *Node) *Node {
	x, nominal = StopGradient(x), StopGradient(nominal)
	g, dtype, batch, classes := x.Graph(), x.DType(), x.Shape().Dim(0), nominal.Shape().Dim(0)
	frames, steps := x.Shape().Dim(1), nominal.Shape().Dim(1)
	const never = 1e30
	cost := MulScalar(Einsum("bfv,csv->bcfs", x, nominal), -2)
	cost = Add(cost, Reshape(ReduceSum(Square(x), 2), batch, 1, frames, 1))
	cost = activation.Relu(Add(cost, Reshape(ReduceSum(Square(nominal), 2), 1, classes, 1, steps)))
	// XLA's CPU compiler computes a cheap value anew for each of its uses. Each sum has three uses, so sums on diagonal
	// d would be computed 3^d times. The compiler takes a square root for costly and keeps it. So the sums are kept as
	// their squares, and the path as square roots of its ones and zeros.
	//
	// Diagonal d has the pairs (i, d − i). In rows that are one longer than the diagonals, each i shifts by one.
	diagonals := frames + steps - 1
	slanted := Reshape(grids.Extend(cost, 3, frames, never), batch, classes, frames*(diagonals+1))
	slanted = Reshape(SliceAxis(slanted, 2, AxisRange(0, frames*diagonals)), batch, classes, frames, diagonals)
	slanted = TransposeAllDims(slanted, 3, 0, 1, 2)
	none := BroadcastToShape(Scalar(g, dtype, never), shapes.Make(dtype, batch, classes, frames))
	after := func(x *Node, first float64) *Node { // what is at i−1, at i
		shifted := Concatenate([]*Node{BroadcastToDims(Scalar(g, dtype, first), batch, classes, 1), x}, 2)
		return SliceAxis(shifted, 2, AxisRange(0, frames))
	}
	before, last := none, none
	var came [][3]*Node // 1 where the least sum of a pair comes from (i−1, j−1), from (i−1, j) and from (i, j−1), else 0
	for d := range diagonals {
		here := element(slanted, 0, d)
		first := never
		if d == 0 {
			first = 0 // the pair (0, 0) is where all begins
		}
		both, one, other := after(before, first), after(last, never), last
		least := Min(both, Min(one, other))
		fromBoth := LessOrEqual(both, least)
		fromOne := LogicalAnd(LogicalNot(fromBoth), LessOrEqual(one, least))
		fromOther := LogicalNot(LogicalOr(fromBoth, fromOne))
		number := func(x *Node) *Node { return ConvertDType(x, dtype) }
		came = append(came, [3]*Node{number(fromBoth), number(fromOne), number(fromOther)})
		before, last = last, Square(Add(here, Sqrt(least)))
	}
	ahead := func(x *Node) *Node { // what is at i+1, at i
		return SliceAxis(grids.Extend(x, 2, 1, 0), 2, AxisRangeToEnd(1))
	}
	path := make([]*Node, diagonals)
	for d := diagonals - 1; d >= 0; d-- {
		if d == diagonals-1 { // the pair of the last
			last := Equal(Iota(g, shapes.Make(dtypes.Int32, 1, 1, frames), 2), Scalar(g, dtypes.Int32, frames-1))
			path[d] = BroadcastToDims(ConvertDType(last, dtype), batch, classes, frames)
			continue
		}
		path[d] = Add(ahead(Mul(path[d+1], came[d+1][1])), Mul(path[d+1], came[d+1][2]))
		if d+2 < diagonals {
			path[d] = Add(path[d], ahead(Mul(path[d+2], came[d+2][0])))
		}
		path[d] = Sqrt(path[d])
	}
	paired := Reshape(TransposeAllDims(Stack(path, 0), 1, 2, 3, 0), batch, classes, frames*diagonals)
	paired = Reshape(grids.Extend(paired, 2, frames, 0), batch, classes, frames, diagonals+1)
	paired = SliceAxis(paired, 3, AxisRange(0, steps))
	cost = Where(IsPositive(paired), cost, BroadcastToShape(Scalar(g, dtype, never), cost.Shape()))
	return OneHot(ArgMin(cost, 2, dtypes.Int32), frames, dtype)
}
