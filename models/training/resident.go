package training

import (
	"errors"
	"fmt"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/augment"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	. "github.com/gomlx/gomlx/core/graph"
)

// The variables that hold what datasets.Dataset.Pack returns. They are no weights, and in no snapshot.
const (
	residentSamples = "/resident/samples"
	residentTable   = "/resident/table"
)

// resident makes the inputs of a training step, on the device, from the samples that are kept there and from a batch's indices, see
// Options.Resident. They are the host's to the bit. The table is there for that: XLA divides by a deviation with another rounding.
type resident struct {
	moves   *augment.CropAndFlip // nil without augmentation
	columns int                  // of the indices
}

// checkResident says why the training samples of a data set cannot be kept on the device.
func checkResident(d *datasets.Dataset, spec models.Spec, c Config) error {
	switch {
	case spec.Fitted():
		return fmt.Errorf("--resident: model %s is not trained step by step; leave --resident out", spec.Model)
	case c.changesSignals():
		return errors.New("--resident: noise, scale and stretch change the samples on the host; leave --resident out, or these")
	case c.Augment && d.Augment != nil && d.Moves == nil:
		return fmt.Errorf("--resident: %s augments its samples on the host; leave --resident out, or give --augment=false", d.Name)
	}
	return nil
}

// keepOnDevice adds a data set's training samples to a store.
func keepOnDevice(store *model.Store, d *datasets.Dataset, augmented bool) (*resident, error) {
	samples, table := d.Pack(d.Train)
	for path, value := range map[string]*tensors.Tensor{residentSamples: samples, residentTable: table} {
		if value == nil {
			continue
		}
		v, err := store.CreateVariable(path, value)
		if err != nil {
			return nil, err
		}
		v.SetTrainable(false)
	}
	r := &resident{columns: d.IndexColumns(augmented)}
	if augmented {
		r.moves = d.Moves
	}
	return r, nil
}

// inputs are the normalised, augmented samples `[size, nodes, channels]` of the indices of datasets.BatchOptions.
func (r *resident) inputs(store *model.Store, indices *Node) *Node {
	g, size := indices.Graph(), indices.Shape().Dim(0)
	at, inside := Slice(indices, AxisRange(), AxisRange(0, 1)), (*Node)(nil)
	if r.moves != nil {
		var pixels *Node
		pixels, inside = r.sources(indices)
		nodes := pixels.Shape().Dim(1)
		at = Concatenate([]*Node{BroadcastToDims(Reshape(at, size, 1, 1), size, nodes, 1), Reshape(pixels, size, nodes, 1)}, -1)
	}
	x := Gather(store.GetVariable(residentSamples).NodeValue(g), at)
	if table := store.GetVariable(residentTable); table != nil {
		channels := x.Shape().Dim(2)
		x = ConvertDType(x, dtypes.Int32)
		x = Add(MulScalar(x, channels), Iota(g, x.Shape(), 2))
		x = Gather(Reshape(table.NodeValue(g), 256*channels), ExpandAxes(x, -1))
	}
	if inside != nil {
		x = Where(BroadcastToShape(Reshape(inside, size, x.Shape().Dim(1), 1), x.Shape()), x, ZerosLike(x))
	}
	return x
}

// sources are the pixels `[size, nodes]` that the draws move to each node, see augment.Move, and whether there are such: where not, it
// is pixel 0.
func (r *resident) sources(indices *Node) (pixels, inside *Node) {
	g, size, height, width := indices.Graph(), indices.Shape().Dim(0), r.moves.Height, r.moves.Width
	places := shapes.Make(dtypes.Int32, size, height, width)
	draw := func(column int) *Node { return Reshape(Slice(indices, AxisRange(), AxisElem(column)), size, 1, 1) }
	y, x := Add(Iota(g, places, 1), draw(1)), Iota(g, places, 2)
	x = Add(x, Mul(draw(3), AddScalar(MulScalar(x, -2), width-1)))
	x = Add(x, draw(2))
	within := func(v *Node, n int) *Node {
		return LogicalAnd(GreaterOrEqual(v, ScalarZero(g, dtypes.Int32)), LessThan(v, Scalar(g, dtypes.Int32, n)))
	}
	inside = LogicalAnd(within(y, height), within(x, width))
	pixels = Add(MulScalar(y, width), x)
	pixels = Where(inside, pixels, ZerosLike(pixels))
	return Reshape(pixels, size, height*width), Reshape(inside, size, height*width)
}
