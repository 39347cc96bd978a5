package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/clusterpool/ccp/models/internal/transforms"
)

// openRidge opens the transforms of the classifier's store, if there are any.
func (c *Classifier) openRidge() (err error) {
	if c.ridge.Load() != nil {
		return nil
	}
	v, err := transforms.Open(c.store)
	if err == nil && v != nil {
		columns := c.Spec.Nodes * c.Spec.Channels
		if c.Form != nil {
			columns = c.Form.Width()
		}
		if c.ridge.Store(v); v.Columns != columns || v.Classes != c.Spec.Classes() {
			err = fmt.Errorf("they are of %d columns and %d classes, the model of %d and %d", v.Columns, v.Classes, columns,
				c.Spec.Classes())
		}
	}
	if err != nil {
		err = fmt.Errorf("the transforms of the checkpoint: %w", err)
	}
	return err
}

// hasNetwork reports whether the network counts in the predictions. Otherwise it was not trained.
func (c *Classifier) hasNetwork() bool { v := c.ridge.Load(); return v == nil || v.Share < 1 }

// PredictedBy says what makes the classifier's predictions: the network, random kernels, transforms, or several with their
// shares.
func (c *Classifier) PredictedBy() string {
	const share = 100 / (kernelsWeight + 1) // of a network beside random kernels
	v := c.ridge.Load()
	switch {
	case v != nil:
	case c.Spec.Model == randomKernels:
		return "random kernels"
	case c.Spec.kernels() > 0:
		return fmt.Sprintf("the network (%d%%) and random kernels (%d%%)", share, 100-share)
	default:
		return "the network"
	}
	names := v.Predicting()
	text := names[0]
	if last := len(names) - 1; last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	if v.Share == 1 {
		return text
	}
	percent := int(math.Round(100 * v.Share))
	return fmt.Sprintf("%s (%d%%), with the network (%d%%)", text, percent, 100-percent)
}

// errNoGradient says that the predictions have no gradient.
var errNoGradient = errors.New("transforms beside the network have no gradient: take occlusion")

// together returns the logits of points, `[points, classes]`. They are logarithms of the mean of the transforms' and the
// network's probabilities. network has the network's logits; nil if the network does not count.
// If ctx ends meanwhile, the rest is zero.
func (c *Classifier) together(ctx context.Context, points []point, network []float32) []float32 {
	v, classes, all := c.ridge.Load(), c.Spec.Classes(), make([]float32, len(points)*c.Spec.Classes())
	var workers sync.WaitGroup
	step := runtime.GOMAXPROCS(0)
	for first := range min(step, len(points)) {
		workers.Go(func() {
			for i := first; i < len(points) && ctx.Err() == nil; i += step {
				own := v.Logits(c.rawSample(points[i]))
				if network != nil {
					for k, p := range v.Probabilities(own, prob.Softmax(network[i*classes:(i+1)*classes])) {
						own[k] = float32(math.Log(max(p, math.SmallestNonzeroFloat32)))
					}
				}
				copy(all[i*classes:], own)
			}
		})
	}
	workers.Wait()
	return all
}

// rawSample returns what transforms use of a point: the raw sample. The baseline of a sensor is the same in each time point.
func (c *Classifier) rawSample(p point) []float32 {
	switch {
	case p.signal != nil:
		return c.sample(p)
	case c.Baseline != nil && c.Form == nil:
		return c.Baseline
	}
	base, width := c.Baseline, c.Spec.Nodes*c.Spec.Channels
	if base == nil {
		base = c.Mean
	}
	if c.Form != nil {
		width = c.Form.Width() * max(1, c.Form.Shortest)
	}
	return slices.Repeat(base, width/len(base))
}
