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

// openRidge opens the ridge classifier of the store, if there is one.
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
			err = fmt.Errorf("it has %d columns and %d classes, the model %d and %d", v.Columns, v.Classes, columns,
				c.Spec.Classes())
		}
	}
	if err != nil {
		err = fmt.Errorf("the ridge classifier of the checkpoint: %w", err)
	}
	return err
}

// hasNetwork reports whether the network has a weight in the predictions. Otherwise it was not trained.
func (c *Classifier) hasNetwork() bool { v := c.ridge.Load(); return v == nil || v.Weight < 1 }

// PredictedBy names the members of the ensemble that predicts: the network, random kernels, transforms, or several with
// their weights.
func (c *Classifier) PredictedBy() string {
	const networkPercent = 100 / (kernelsWeight + 1) // the weight of a network beside random kernels
	v := c.ridge.Load()
	switch {
	case v != nil:
	case c.Spec.Model == randomKernels:
		return "random kernels"
	case c.Spec.kernels() > 0:
		return fmt.Sprintf("the network (%d%%) and random kernels (%d%%)", networkPercent, 100-networkPercent)
	default:
		return "the network"
	}
	names := v.Predicting()
	text := names[0]
	if last := len(names) - 1; last > 0 {
		text = strings.Join(names[:last], ", ") + " and " + names[last]
	}
	if v.Weight == 1 {
		return text
	}
	percent := int(math.Round(100 * v.Weight))
	return fmt.Sprintf("%s (%d%%), with the network (%d%%)", text, percent, 100-percent)
}

// errNoGradient says that the predictions have no gradient.
var errNoGradient = errors.New("the transforms beside the network have no gradient: take occlusion")

// together returns the logits of points, `[points, classes]`. They are logarithms of the weighted mean of the ridge
// classifier's and the network's probabilities. network has the network's logits; nil if the network has no weight.
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

// rawSample returns what the transforms use of a point: the raw sample. The baseline of a sensor is the same at each time
// point.
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
