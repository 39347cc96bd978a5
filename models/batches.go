package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// batchSizes are the sizes that a classifier compiles for. Signals are cut into the largest batches of such sizes that
// pad them by at most a third.
var batchSizes = [...]int{64, 16, 4, 1}

// point is an input of the network: a share of the way from a baseline to a raw sample. class is for a program that
// takes classes.
type point struct {
	signal   []float32 // see classify; nil: the baseline
	baseline []float32 // normalised; nil if the point is a whole signal, or fills up a batch
	hidden   []int32   // nodes that are as in the baseline
	share    float32
	class    int32
}

// fill writes the normalised values of a point to input, which is zero before.
func (c *Metadata) fill(input []float32, p point) {
	if p.signal == nil {
		copy(input, p.baseline)
		return
	}
	sample := c.sample(p)
	if c.Form != nil {
		recording.Resample(input, sample, c.Form.Width())
		sample = input
	}
	c.Normalize(input, sample)
	if p.share != 1 {
		for k, b := range p.baseline {
			input[k] = b + p.share*(input[k]-b)
		}
	}
}

// sample returns the raw sample of a point, in which hidden nodes are as in the baseline. In a recording a node is all
// time points of a sensor's frame.
func (c *Metadata) sample(p point) []float32 {
	if p.hidden == nil {
		return p.signal
	}
	hidden, channels, base := slices.Clone(p.signal), c.Spec.Channels, c.Baseline
	if base == nil {
		base = c.Mean
	}
	sensors, frames, timepoints := c.Spec.Nodes, 1, 1 // of a signal
	if c.Form != nil {
		sensors, frames, timepoints = len(c.Form.Sensors), c.Form.Frames, len(hidden)/c.Form.Width()
	}
	for _, node := range p.hidden {
		frame, sensor := int(node)/sensors, int(node)%sensors
		for timepoint := frame * timepoints / frames; timepoint < (frame+1)*timepoints/frames; timepoint++ {
			for column := sensor * channels; column < (sensor+1)*channels; column++ {
				hidden[timepoint*sensors*channels+column] = base[column%len(base)]
			}
		}
	}
	return hidden
}

// compute runs a program on points in batches of batchSizes. It calls visit in order, with each point's part of every
// output.
func (c *Classifier) compute(ctx context.Context, p *program, points []point,
	visit func(i int, outputs [][]float32)) error {
	for i := 0; i < len(points); {
		if err := ctx.Err(); err != nil {
			return err
		}
		left := points[i:]
		size := batchSizes[slices.IndexFunc(batchSizes[:], func(size int) bool { return 3*(size-len(left)) <= len(points) })]
		left = left[:min(size, len(left))]
		outputs, err := c.batch(ctx, p, left, size)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		for j := range left {
			own := make([][]float32, len(outputs))
			for k, output := range outputs {
				width := len(output) / size
				own[k] = output[j*width : (j+1)*width]
			}
			visit(i+j, own)
		}
		i += len(left)
	}
	return nil
}

// Probabilities computes the probabilities of classes for n samples, without temperature, and gives them to visit, in
// order. sample returns a signal as Classify takes it, or a series as Recording.Series has it.
func (c *Classifier) Probabilities(ctx context.Context, n int, sample func(i int) []float32,
	visit func(i int, probabilities []float64)) error {
	points := make([]point, n)
	for i := range points {
		points[i] = point{signal: sample(i), share: 1}
		if reason := c.unusable(points[i].signal); reason != "" {
			return &SignalError{Index: i, Reason: reason}
		}
	}
	return c.compute(ctx, c.logits, points, func(i int, outputs [][]float32) { visit(i, c.plain(outputs[0])) })
}

// batch runs a program on points as one batch, which baselines fill up to size. It returns each output, flat.
func (c *Classifier) batch(ctx context.Context, p *program, points []point, size int) (outputs [][]float32, err error) {
	c.mu.RLock()
	closed, ridge := c.closed, c.ridge.Load()
	c.mu.RUnlock()
	if p == c.logits && ridge != nil && ridge.Weight == 1 {
		if closed {
			return nil, ErrClosed
		}
		all := make([]float32, size*c.Spec.Classes())
		copy(all, c.together(ctx, points, nil))
		return [][]float32{all}, nil
	}
	shape := shapes.Make(dtypes.Float32, size, c.Spec.Nodes, c.Spec.Channels)
	batch, err := tensors.FromShapeForBackend(c.backend, 0, shape)
	if err != nil {
		return nil, err
	}
	defer batch.MustFinalizeAll() // not when the garbage collector sees fit: its memory is XLA's
	width, classes := c.Spec.Nodes*c.Spec.Channels, make([]int32, size)
	err = tensors.MutableFlatData(batch, func(flat []float32) {
		for j, p := range points {
			classes[j] = p.class
			c.fill(flat[j*width:(j+1)*width], p)
		}
	})
	if err != nil {
		return nil, err
	}
	args := []any{batch}
	if p.takesClasses {
		of := tensors.FromFlatDataAndDimensions(classes, size)
		defer of.MustFinalizeAll()
		args = append(args, of)
	}
	out, err := c.call(p, args...)
	if err != nil {
		return nil, err
	}
	for _, o := range out {
		defer o.MustFinalizeAll()
		flat, err := tensors.CopyFlatData[float32](o)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, flat)
	}
	if p == c.logits && ridge != nil {
		copy(outputs[0], c.together(ctx, points, outputs[0]))
	}
	return outputs, nil
}

// compile compiles the program of every batch size, which can take seconds. The first Classify is then as fast as later
// ones. An error says what does not fit, such as weights of another version's network.
func compile(ctx context.Context, c *Classifier) error {
	for _, size := range batchSizes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := c.batch(ctx, c.logits, make([]point, 1), size); err != nil {
			return fmt.Errorf("compiling for %d signals at once (are the weights of another version of this program? "+
				"then train anew): %w", size, err)
		}
	}
	return nil
}
