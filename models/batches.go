package models

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/stat"
)

// batchSizes are the sizes that a classifier compiles for. Signals are cut into the largest batches of such sizes
// that pad them by at most a third.
var batchSizes = [...]int{64, 16, 4, 1}

// point is an input of the network: a share of the way from a baseline to a raw sample. class is for a program that
// takes classes.
type point struct {
	signal   []float32       // see classify; nil: the baseline
	baseline []float32       // normalised; nil if the point is a whole signal, or fills up a batch
	hidden   []int32         // nodes of a span of a sensor's frames, or one node: see sample
	outline  affinity.Layout // of the hidden nodes
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

// sample returns the raw sample of a point. In a smooth series a hidden span becomes a straight line between the
// values around it, at an end of the series the one neighbour's value, since a constant would make steps, which
// transforms see. All else that is hidden is as in the baseline. In a recording a frame is all its time points.
func (c *Metadata) sample(p point) []float32 {
	if p.hidden == nil {
		return p.signal
	}
	hidden, l := slices.Clone(p.signal), p.outline
	base := c.Baseline
	if base == nil {
		base = c.Mean
	}
	// A span is a part of a sensor's frames, or all frames of one of several sensors.
	for span := range slices.Chunk(p.hidden, l.Frames) {
		first, sensor := l.At(span[0])
		smooth := c.smooth(p.signal, l, sensor)
		for channel := range c.Spec.Channels {
			at := c.series(p.signal, l, sensor, channel)
			from, to := first*len(at)/l.Frames, (first+len(span))*len(at)/l.Frames
			// The neighbours of the span. A whole series has none.
			ends := slices.Concat(at[max(from-1, 0):from], at[to:min(to+1, len(at))])
			for i, k := range at[from:to] {
				hidden[k] = base[k%len(base)]
				if smooth && len(ends) > 0 {
					left, right := p.signal[ends[0]], p.signal[ends[len(ends)-1]]
					hidden[k] = left + (right-left)*float32(i+1)/float32(to-from+1)
				}
			}
		}
	}
	return hidden
}

// series returns where a raw sample has the values of a sensor's channel, in time.
func (c *Metadata) series(signal []float32, l affinity.Layout, sensor, channel int) []int {
	l.Frames = len(signal) / (l.Sensors * c.Spec.Channels) // of a recording, its time points
	at := make([]int, l.Frames)
	for i := range at {
		at[i] = int(l.Node(i, sensor))*c.Spec.Channels + channel
	}
	return at
}

// smooth reports whether each channel of a sensor differs less from its last value than from its mean, squared. In a
// rough series neighbours say nothing of a value (von Neumann 1941).
func (c *Metadata) smooth(signal []float32, l affinity.Layout, sensor int) bool {
	for channel := range c.Spec.Channels {
		values, steps := []float64{}, 0.0
		for i, k := range c.series(signal, l, sensor, channel) {
			values = append(values, float64(signal[k]))
			steps += math.Pow(values[i]-values[max(i-1, 0)], 2)
		}
		if len(values) < 2 || steps >= stat.Variance(values, nil)*float64(len(values)-1) {
			return false
		}
	}
	return true
}

// compute runs a program on points in batches of batchSizes. It calls visit in order, with each point's part of every
// output.
func (c *Classifier) compute(ctx context.Context, p *program, points []point,
	visit func(i int, outputs [][]float32)) error {
	source := func(i int) (point, error) { return points[i], nil }
	return c.stream(ctx, p, len(points), 0, source, func(i int, outputs [][]float32) error {
		visit(i, outputs)
		return nil
	})
}

// stream runs a program on n points, which it takes from source in order, a batch at a time, so that no more of them
// are in memory. Each batch has size points, or as many as suit n if size is 0; baselines fill up the last one.
// stream calls visit in order, with each point's part of every output. It ends with the first error of source, of
// visit or of the context.
func (c *Classifier) stream(ctx context.Context, p *program, n, size int, source func(i int) (point, error),
	visit func(i int, outputs [][]float32) error) error {
	for from := 0; from < n; {
		size := cmp.Or(size, batchSize(n-from, n))
		points := make([]point, 0, size)
		for i := from; i < min(from+size, n); i++ {
			next, err := source(i)
			if err != nil {
				return err
			}
			points = append(points, next)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		outputs, err := c.batch(ctx, p, points, size)
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			return err
		}
		for j := range points {
			if err := visit(from+j, rowOf(outputs, j, size)); err != nil {
				return err
			}
		}
		from += len(points)
	}
	return nil
}

// batchSize returns the size of the next batch if left of all points are left: the largest of batchSizes that pads
// all points by at most a third.
func batchSize(left, all int) int {
	return batchSizes[slices.IndexFunc(batchSizes[:], func(size int) bool { return 3*(size-left) <= all })]
}

// rowOf returns row j of each output of a batch of so many rows.
func rowOf(outputs [][]float32, j, rows int) [][]float32 {
	row := make([][]float32, len(outputs))
	for k, output := range outputs {
		width := len(output) / rows
		row[k] = output[j*width : (j+1)*width]
	}
	return row
}

// Probabilities computes the probabilities of classes for n samples, without temperature, and gives them to visit, in
// order. sample returns a signal as Classify takes it, or a series as Recording.Series has it; it is asked for the
// samples of a batch just before they are computed. size is the number of samples in a batch of the network, which is
// filled up if there are fewer, so that one program serves all; it is what suits n if size is 0. Probabilities ends
// with the first error of visit.
func (c *Classifier) Probabilities(ctx context.Context, n, size int, sample func(i int) []float32,
	visit func(i int, probabilities []float64) error) error {
	source := func(i int) (point, error) {
		p := point{signal: sample(i), share: 1}
		if wrong := c.unusable(i, p.signal); wrong != nil {
			return p, wrong
		}
		return p, nil
	}
	return c.stream(ctx, c.logits, n, size, source, func(i int, outputs [][]float32) error {
		return visit(i, prob.Softmax(outputs[0]))
	})
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

// compile compiles the program of batch sizes, which can take seconds. The first Classify is then as fast as later
// ones. An error says what does not fit, such as weights of another version's network.
func compile(ctx context.Context, c *Classifier, sizes []int) error {
	for _, size := range sizes {
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
