package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/clusterpool/ccp/internal/scale"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// batchSizes are the sizes that a classifier compiles for. A batch is cut into such sizes, and the rest is padded.
var batchSizes = [...]int{1, 4, 16, maxBatch}

// maxBatch is the most signals that are computed at once.
const maxBatch = 64

// plan holds for each number of signals up to maxBatch which of batchSizes to compute first for the least sum of costs.
// On a CPU the largest batch is often not the cheapest, because its intermediate values leave the caches.
type plan [maxBatch + 1]int

// newPlan finds the cheapest cuts, where cost returns what a batch of a size costs.
func newPlan(cost func(size int) float64) (p plan) {
	var least [maxBatch + 1]float64
	for n := 1; n <= maxBatch; n++ {
		for _, size := range batchSizes {
			if total := cost(size) + least[max(0, n-size)]; p[n] == 0 || total < least[n] {
				p[n], least[n] = size, total
			}
		}
	}
	return p
}

// usualCost is the cost before anything has been measured. Starting a batch costs what eight signals cost.
func usualCost(size int) float64 { return float64(8 + size) }

// point is an input of the network: a share of the way from a baseline to a raw signal. class is for a program that
// takes classes.
type point struct {
	signal   []float32 // nil: the baseline
	baseline []float32 // normalised; nil if the point is a whole signal, or fills up a batch
	hidden   []int32   // nodes that are as in the baseline
	share    float32
	class    int32
}

// fill writes the normalised values of a point to input, which is zero before.
func (c *Classifier) fill(input []float32, p point) {
	if p.signal == nil {
		copy(input, p.baseline)
		return
	}
	scale.Normalize(input, p.signal, c.Mean, c.Std)
	if p.share != 1 {
		for k, b := range p.baseline {
			input[k] = b + p.share*(input[k]-b)
		}
	}
	for _, node := range p.hidden {
		from, to := int(node)*c.Spec.Channels, (int(node)+1)*c.Spec.Channels
		copy(input[from:to], p.baseline[from:to])
	}
}

// planned returns the batch size to compute first for n signals.
func (c *Classifier) planned(n int) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.plan[n]
}

// compute runs a program on points in the batches of the plan. It calls visit in order, with each point's part of every
// output.
func (c *Classifier) compute(ctx context.Context, p *program, points []point,
	visit func(i int, outputs [][]float32)) error {
	i := 0
	for chunk := range slices.Chunk(points, maxBatch) {
		for len(chunk) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			size := c.planned(len(chunk))
			taken := min(size, len(chunk))
			outputs, err := c.batch(p, chunk[:taken], size)
			if err != nil {
				return err
			}
			for j := range taken {
				own := make([][]float32, len(outputs))
				for k, output := range outputs {
					width := len(output) / size
					own[k] = output[j*width : (j+1)*width]
				}
				visit(i, own)
				i++
			}
			chunk = chunk[taken:]
		}
	}
	return nil
}

// batch runs a program on points as one batch, which baselines fill up to size. It returns each output, flat.
func (c *Classifier) batch(p *program, points []point, size int) (outputs [][]float32, err error) {
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
	return outputs, nil
}

// Compile compiles the program of every batch size, which can take seconds, and measures the time of a batch of each
// size. The first Classify is then as fast as later ones, and all use the batches that suit this machine. An error says
// what does not fit, such as weights of another version's network.
func (c *Classifier) Compile(ctx context.Context) error {
	c, err := c.by(everything)
	if err != nil {
		return err
	}
	cost := map[int]float64{}
	for _, size := range batchSizes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := c.batch(c.logits, make([]point, 1), size); err != nil {
			return fmt.Errorf("compiling for %d signals at once (are the weights of another version of this program? "+
				"then train anew): %w", size, err)
		}
		for run, begin := 0, time.Now(); run < 3 || run < 10 && time.Since(begin) < 50*time.Millisecond; run++ {
			start := time.Now()
			if _, err := c.batch(c.logits, make([]point, 1), size); err != nil {
				return err
			}
			if seconds := time.Since(start).Seconds(); run == 0 || seconds < cost[size] {
				cost[size] = seconds
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plan = newPlan(func(size int) float64 { return cost[size] })
	return nil
}
