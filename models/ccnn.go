package models

import (
	"slices"

	"github.com/clusterpool/ccp/ccp/nn"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// clipCNN is C-CNN + MTLN of Ke et al. (2017). A recording becomes three clips of pictures: for each joint that begins a limb, the vectors from
// it to all joints in cylindrical coordinates around the upright axis y, which are distance, angle and height; a picture's rows are frames and its columns
// joints, part by part. The same convolutions see all pictures: 16, 32 and 64 filters of 3x3, batch norm, ReLU and the larger of each 2x2, then the
// mean over time. For each of the joints a fully connected layer of 512 and a class layer, the same for all, answer from its three
// pictures. All answers have a loss, and a prediction is the mean of their probabilities. Theirs has a network of images, trained before, in the
// place of the convolutions. The graph's edges have no part in it.
func clipCNN(scope *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	const wide = 512
	x := placesOf(spec, signal)
	batch, frames, joints, bodies := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2), x.Shape().Dim(3)
	starts := spec.Parts
	if len(starts) > 1 { // the first is the trunk
		starts = starts[1:]
	}
	var pictures []*Node
	for _, part := range starts {
		from := Sub(x, SliceAxis(x, 2, AxisElem(part[0])))
		axis := func(i int) *Node { return Squeeze(SliceAxis(from, 4, AxisElem(i)), 4) }
		pictures = append(pictures, radius(axis(2), axis(0)), angle(axis(2), axis(0)), axis(1))
	}
	n := len(pictures)
	x = Reshape(Stack(pictures, 1), batch*n, frames, joints, bodies)
	var columns []*Node
	for _, joint := range slices.Concat(spec.Parts...) {
		columns = append(columns, SliceAxis(x, 2, AxisElem(joint)))
	}
	x = Concatenate(columns, 2)
	for i, filters := range []int{16, 32, 64} {
		scope := scope.In("conv_%d", i+1)
		x = nn.BatchNorm(scope, convLayer(scope, x, filters, 3, 1), nil)
		x = relu(MaxPool(x).Window(2).Strides(2).PadSame().Done())
	}
	x = ReduceMean(x, 1)
	x = Reshape(x, batch*len(starts), x.Shape().Size()/(batch*len(starts)))
	classes := scope.In("classes")
	x = relu(nn.Dense(scope.In("hidden"), x, wide, 1))
	x = nn.Dropout(classes, x, optionsOf(classes).ReadoutDropout)
	return Reshape(nn.Dense(classes, x, spec.Classes, 1), batch, len(starts), spec.Classes)
}
