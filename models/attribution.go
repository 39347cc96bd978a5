package models

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
)

// The methods of attribution. Both compare with a baseline: the signal whose normalised values are all 0, so that its raw values
// are the mean over the training samples, channel by channel, or 0 where the data set sets the mean to 0 (words, skeletons).
const (
	// GradientInput is the gradient of the logit times the normalised input: what the logit would lose, were it linear, if
	// the value went back to the baseline's. It costs one pass.
	GradientInput = "gradient"
	// IntegratedGradients is the mean gradient along the straight line from the baseline to the input, times the input
	// (Sundararajan et al. 2017). Its contributions add up to the logit less the baseline's, as exactly as its steps are fine.
	IntegratedGradients = "integrated"
)

// DefaultSteps is how many gradients IntegratedGradients takes by default.
const DefaultSteps = 50

// AttributionOptions say how to attribute. The zero value: gradient x input, for the class that the classifier predicts.
type AttributionOptions struct {
	Method string // GradientInput, also if "", or IntegratedGradients
	Steps  int    // of IntegratedGradients; 0 for DefaultSteps
	// Classes holds, for each signal, the class whose logit is to be explained; nil for the predicted one.
	Classes []int
}

func (o AttributionOptions) check(signals, classes int) error {
	switch {
	case o.Method != "" && o.Method != GradientInput && o.Method != IntegratedGradients:
		return fmt.Errorf("there is no method of attribution %q; there are %s and %s", o.Method, GradientInput, IntegratedGradients)
	case o.Steps < 0:
		return fmt.Errorf("integrated gradients in %d steps; there must be at least 1", o.Steps)
	case o.Classes != nil && len(o.Classes) != signals:
		return fmt.Errorf("%d classes for %d signals; there must be one for each", len(o.Classes), signals)
	}
	for i, class := range o.Classes {
		if class < 0 || class >= classes {
			return fmt.Errorf("signal %d is to be explained for class %d; the model has classes 0 to %d", i, class, classes-1)
		}
	}
	return nil
}

// Attribution says how much each value of a signal contributed to a logit, and so how much each node did. Contributions are in
// units of the logit; a positive one speaks for the class.
type Attribution struct {
	Prediction Prediction // what the classifier says of the signal
	Class      int        // whose logit is explained
	Logit      float64    // of the signal
	Baseline   float64    // the same logit of the baseline
	Values     []float64  // contributions of the values, `[nodes, channels]` row-major
	Nodes      []float64  // contributions of the nodes: sums over channels
	// Gap is |Σ Values − (Logit − Baseline)|: 0 for a method that is complete.
	Gap float64
}

// Attribute explains what a classifier says of signals, which are as Classify takes them; so are the errors. It computes through
// the frozen hierarchy, as Classify does. The first time a batch size comes its program is compiled, which can take seconds.
func (c *Classifier) Attribute(ctx context.Context, signals [][]float32, o AttributionOptions) ([]Attribution, error) {
	if err := o.check(len(signals), c.Spec.Classes); err != nil {
		return nil, err
	}
	for i, s := range signals {
		if reason := c.unusable(s); reason != "" {
			return nil, &SignalError{i, reason}
		}
	}
	if len(signals) == 0 {
		return nil, ctx.Err()
	}
	attributions, err := c.gradientInput(ctx, signals, o.Classes)
	if err == nil && o.Method == IntegratedGradients {
		if o.Steps == 0 {
			o.Steps = DefaultSteps
		}
		err = c.integrate(ctx, signals, attributions, o.Steps)
	}
	if err != nil {
		return nil, err
	}
	for i := range attributions {
		if !attributions[i].sum(c.Spec.Channels) {
			return nil, &SignalError{i, "its values are so large that the network's gradient is not a number; rescale them"}
		}
	}
	return attributions, nil
}

// sum fills in what follows from Values. It says whether that is a number.
func (a *Attribution) sum(channels int) bool {
	total := 0.0
	a.Nodes = make([]float64, len(a.Values)/channels)
	for j, v := range a.Values {
		a.Nodes[j/channels] += v
		total += v
	}
	a.Gap = math.Abs(total - (a.Logit - a.Baseline))
	return !math.IsNaN(a.Gap) && !math.IsInf(a.Gap, 0)
}

// gradientInput gives the attributions of gradient x input, up to their sums.
func (c *Classifier) gradientInput(ctx context.Context, signals [][]float32, classes []int) ([]Attribution, error) {
	attributions, baseline := make([]Attribution, len(signals)), []float32(nil)
	point := func(i int) point {
		p := point{class: -1}
		if i > 0 { // the first is the baseline
			p.signal, p.share = signals[i-1], 1
			if classes != nil {
				p.class = classes[i-1]
			}
		}
		return p
	}
	err := c.differentiate(ctx, 1+len(signals), point, func(i int, logits, input, gradient []float32) {
		if i == 0 {
			baseline = append(baseline, logits...)
			return
		}
		a := &attributions[i-1]
		a.Prediction = c.predict(logits)
		if a.Class = a.Prediction.Class; classes != nil {
			a.Class = classes[i-1]
		}
		a.Logit, a.Baseline = float64(logits[a.Class]), float64(baseline[a.Class])
		a.Values = make([]float64, len(input))
		for j, x := range input {
			a.Values[j] = float64(gradient[j]) * float64(x)
		}
	})
	return attributions, err
}

// integrate puts integrated gradients in the place of gradient x input: the mean over the midpoints of equal steps.
func (c *Classifier) integrate(ctx context.Context, signals [][]float32, attributions []Attribution, steps int) error {
	for i := range attributions {
		clear(attributions[i].Values)
	}
	midpoint := func(i int) point {
		return point{signals[i/steps], (float32(i%steps) + 0.5) / float32(steps), attributions[i/steps].Class}
	}
	return c.differentiate(ctx, steps*len(signals), midpoint, func(i int, _, input, gradient []float32) {
		// The input is the share of the way that has been gone; the method wants all of it.
		weight := 1 / (float64(steps) * float64(midpoint(i).share))
		values := attributions[i/steps].Values
		for j, x := range input {
			values[j] += weight * float64(gradient[j]) * float64(x)
		}
	})
}

// point is where to take a gradient: a share of the way from the baseline to a raw signal, and of which class's logit; -1 is
// for the greatest.
type point struct {
	signal []float32
	share  float32
	class  int
}

// differentiate computes the network and its gradient at n points, as many at once as the largest batch holds, and gives visit, in
// order, each point's logits, normalised input and gradient. These are used again.
func (c *Classifier) differentiate(ctx context.Context, n int, at func(i int) point, visit func(i int, logits, input, gradient []float32)) error {
	for from := 0; from < n; from += maxBatch {
		if err := ctx.Err(); err != nil {
			return err
		}
		points := make([]point, min(maxBatch, n-from))
		for j := range points {
			points[j] = at(from + j)
		}
		visitPoint := func(j int, logits, input, gradient []float32) { visit(from+j, logits, input, gradient) }
		if err := c.differentiateBatch(points, visitPoint); err != nil {
			return err
		}
	}
	return nil
}

// differentiateBatch is differentiate for one batch, padded with baselines to the next of batchSizes.
func (c *Classifier) differentiateBatch(points []point, visit func(j int, logits, input, gradient []float32)) error {
	size := maxBatch
	for _, s := range batchSizes {
		if s >= len(points) {
			size = s
			break
		}
	}
	width := c.Spec.Nodes * c.Spec.Channels
	inputs, classes := make([]float32, size*width), make([]int32, size)
	for j, p := range points {
		classes[j] = int32(p.class)
		if p.signal == nil {
			continue // the baseline is 0
		}
		input := inputs[j*width : (j+1)*width]
		c.normalize(input, p.signal)
		for k := range input {
			input[k] *= p.share
		}
	}
	outputs, err := c.gradientsOf(inputs, classes)
	if err != nil {
		return err
	}
	for j := range points {
		first, last := j*width, (j+1)*width
		visit(j, outputs[0][j*c.Spec.Classes:(j+1)*c.Spec.Classes], inputs[first:last], outputs[1][first:last])
	}
	return nil
}

// gradientsOf gives logits and gradients of a batch of inputs, see differentiated.
func (c *Classifier) gradientsOf(inputs []float32, classes []int32) (outputs [2][]float32, err error) {
	batch, err := tensors.FromShapeForBackend(c.backend, 0, shapes.Make(dtypes.Float32, len(classes), c.Spec.Nodes, c.Spec.Channels))
	if err != nil {
		return outputs, err
	}
	defer batch.MustFinalizeAll()
	if err = tensors.MutableFlatData(batch, func(flat []float32) { copy(flat, inputs) }); err != nil {
		return outputs, err
	}
	of := tensors.FromFlatDataAndDimensions(classes, len(classes))
	defer of.MustFinalizeAll()
	out, err := c.call(c.gradients, batch, of)
	if err != nil {
		return outputs, fmt.Errorf("the gradient of model %s: %w", c.Spec.Model, err)
	}
	for i := range outputs {
		if outputs[i], err = tensors.CopyFlatData[float32](out[i]); err != nil {
			return outputs, err
		}
		out[i].MustFinalizeAll()
	}
	return outputs, nil
}

// MeanAttribution is what attributions have in common, such as all of one class. Its zero value is ready for use.
type MeanAttribution struct {
	Samples  int
	Signed   []float64 // the mean contribution of each node
	Absolute []float64 // the mean of its absolute value
}

// Add takes one more into the means.
func (m *MeanAttribution) Add(a Attribution) {
	if m.Samples == 0 {
		m.Signed, m.Absolute = make([]float64, len(a.Nodes)), make([]float64, len(a.Nodes))
	}
	m.Samples++
	for node, v := range a.Nodes {
		m.Signed[node] += (v - m.Signed[node]) / float64(m.Samples)
		m.Absolute[node] += (math.Abs(v) - m.Absolute[node]) / float64(m.Samples)
	}
}
