package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
)

// The methods of attribution. All compare a signal with a baseline, which tells nothing: see Metadata.Baseline.
const (
	// IntegratedGradients is the mean gradient along the straight line from the baseline to the input, times the
	// difference of input and baseline (Sundararajan et al. 2017). Its contributions add up to the logit minus the
	// logit of the baseline. More steps make this more exact.
	IntegratedGradients = "integrated"
	// GradientInput is the gradient of the logit times the difference of input and baseline. A linear logit would
	// lose this much if the value went back to the baseline. The method costs one pass.
	GradientInput = "gradient"
	// Occlusion is the fall of the logit when a part of the signal is hidden. A node goes back to the baseline, of
	// more than 128 nodes or sensors some in a row along the links, over all frames. On a series it is a span of a
	// sensor's frames, which goes back to the baseline too if the series is rough. If it is smooth it becomes a
	// straight line between its ends; then the whole sensor goes back to the baseline, and what its spans lack of
	// that fall is shared out. A span is a sixteenth of the frames, with more than 8 sensors up to a quarter: each
	// part costs a pass. Occlusion needs no gradient, which transforms lack. It need not add up to the logit's
	// change.
	Occlusion = "occlusion"
)

// Occlusion hides about hiddenParts parts of a series, one at a time: from fewestSpans to mostSpans of each sensor.
const (
	hiddenParts = 128
	mostSpans   = 16
	fewestSpans = 4
)

// If AttributionOptions.Steps is 0, a signal gets fewestSteps gradients, and then three times as many until the gap
// is at most tolerance of the logit's change, or until mostSteps. Of three times as many midpoints, a third is known.
const (
	tolerance   = 0.01
	fewestSteps = 10
	mostSteps   = 270
)

// AttributionOptions say how to attribute. The zero value explains the class predicted. It means accurate integrated
// gradients, or Occlusion if transforms predict.
type AttributionOptions struct {
	Method string // IntegratedGradients, GradientInput or Occlusion; "" is what suits the model
	Steps  int    // of IntegratedGradients; 0 takes as many as a gap of at most tolerance needs
	// Classes has a class for each signal, whose logit is explained. nil means the classes predicted.
	Classes []int
}

// check returns an error if the options do not suit so many signals of a model with so many classes.
func (o AttributionOptions) check(signals, classes int) error {
	switch {
	case !slices.Contains([]string{IntegratedGradients, GradientInput, Occlusion}, o.Method):
		return fmt.Errorf("there is no method of attribution %q; there are %s, %s and %s", o.Method,
			IntegratedGradients, GradientInput, Occlusion)
	case o.Steps < 0:
		return fmt.Errorf("integrated gradients in %d steps; there must be at least 1, or 0 for as many as needed",
			o.Steps)
	case o.Classes != nil && len(o.Classes) != signals:
		return fmt.Errorf("%d classes for %d signals; there must be one for each", len(o.Classes), signals)
	}
	for i, class := range o.Classes {
		if class < 0 || class >= classes {
			return fmt.Errorf("signal %d is to be explained for class %d; the model has classes 0 to %d", i, class,
				classes-1)
		}
	}
	return nil
}

// Attribution says how much each value of a signal, and each node, contributed to a logit. Contributions are in units
// of the logit. A positive one speaks for the class.
type Attribution struct {
	Method     string     // how it was attributed
	Prediction Prediction // what the classifier says of the signal
	Class      int        // its logit is explained
	Logit      float64    // of the signal
	Baseline   float64    // the same logit of the baseline
	Values     []float64  // contributions of the values, `[nodes, channels]` row-major
	Nodes      []float64  // contributions of the nodes: sums over channels
	Steps      int        // gradients taken: 1 for GradientInput, 0 for Occlusion
	// Gap is |Σ Values − (Logit − Baseline)|: 0 for a method that is complete.
	Gap float64
}

// Attribute explains what a classifier says of signals as Classify takes them, or of series as Recording.Series has
// them, and returns the errors of these. The first use of a batch size compiles its program, which can take seconds.
func (c *Classifier) Attribute(ctx context.Context, signals [][]float32, o AttributionOptions) ([]Attribution, error) {
	if o.Method == "" && o.Steps > 0 && c.ridge.Load() != nil {
		return nil, fmt.Errorf("%d steps are of integrated gradients, which this model has not: leave them out",
			o.Steps)
	}
	o.Method = c.method(o)
	if err := o.check(len(signals), c.Spec.Classes()); err != nil {
		return nil, err
	}
	if c.ridge.Load() != nil && o.Method != Occlusion {
		return nil, errors.New("transforms predict, which have no gradient: take occlusion")
	}
	for i, s := range signals {
		if wrong := c.unusable(i, s); wrong != nil {
			return nil, wrong
		}
	}
	if len(signals) == 0 {
		return nil, ctx.Err()
	}
	e := &explanation{c, o, signals, make([]Attribution, len(signals))}
	err := e.begin(ctx)
	if err == nil && o.Method == Occlusion {
		err = e.occlude(ctx)
	} else if err == nil {
		err = e.integrate(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("the attribution of model %s by %s: %w", c.Spec.Model, o.Method, err)
	}
	for i := range e.of {
		if !e.of[i].sum(c.Spec.Channels) {
			return nil, &SignalError{Index: i, Reason: "its values are so large that its contributions are not " +
				"numbers; rescale them"}
		}
	}
	return e.of, nil
}

// method returns the method that Attribute takes.
func (c *Classifier) method(o AttributionOptions) string {
	if c.ridge.Load() != nil {
		return cmp.Or(o.Method, Occlusion)
	}
	return cmp.Or(o.Method, IntegratedGradients)
}

// Passes returns how many predictions Attribute makes for a signal at most, if it hides parts; 0 if it takes
// gradients.
func (c *Classifier) Passes(o AttributionOptions) int {
	if c.method(o) != Occlusion {
		return 0
	}
	outline, parts, whole := c.hiding()
	if outline.Frames == 1 { // a node is its own sensor
		whole = nil
	}
	return len(parts) + len(whole)
}

// explanation is an Attribute under way.
type explanation struct {
	*Classifier
	AttributionOptions
	signals [][]float32
	of      []Attribution // of each signal
}

// baseline returns the normalised signal that contributions compare with.
func (m *Metadata) baseline() []float32 {
	input := make([]float32, m.Spec.Nodes*m.Spec.Channels)
	if n := len(m.Baseline); n > 0 && len(input)%n == 0 {
		m.Normalize(input, slices.Repeat(m.Baseline, len(input)/n))
	}
	return input
}

// sum fills in what follows from Values, and reports whether the result is finite.
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

// begin fills in all but contributions and their sums.
func (e *explanation) begin(ctx context.Context) error {
	var baseline []float32
	points := []point{{baseline: e.baseline(), class: -1}} // -1 is the class of the greatest logit
	for _, signal := range e.signals {
		points = append(points, point{signal: signal, share: 1, class: -1})
	}
	return e.compute(ctx, e.logits, points, func(i int, outputs [][]float32) {
		logits := outputs[0]
		if i == 0 {
			baseline = logits
			return
		}
		a := &e.of[i-1]
		a.Method, a.Prediction = e.Method, e.predict(logits)
		a.Values = make([]float64, e.Spec.Nodes*e.Spec.Channels)
		a.Class = a.Prediction.Class
		if e.Classes != nil {
			a.Class = e.Classes[i-1]
		}
		a.Logit, a.Baseline = float64(logits[a.Class]), float64(baseline[a.Class])
	})
}

// integrate fills in the values: the mean gradient over the midpoints of equal steps, or the gradient at the signal.
// If no number of steps is given, each signal gets three times as many, see refine, until its values add up to the
// change of the logit, or mostSteps are reached.
func (e *explanation) integrate(ctx context.Context) error {
	first, last := cmp.Or(e.Steps, fewestSteps), cmp.Or(e.Steps, mostSteps)
	offset := float32(0.5) // where in its step a gradient is taken: in the middle
	if e.Method == GradientInput {
		first, last = 1, 1
		offset = 1 // at the end of the only step, which is the signal
	}
	inaccurate := loop.Indices(len(e.signals))
	for n := first; len(inaccurate) > 0 && n <= last; n *= 3 {
		if err := e.refine(ctx, inaccurate, n, offset); err != nil {
			return err
		}
		var left []int
		for _, i := range inaccurate {
			a := &e.of[i]
			finite := a.sum(e.Spec.Channels)
			if finite && a.Gap > tolerance*math.Abs(a.Logit-a.Baseline) {
				left = append(left, i)
			}
		}
		inaccurate = left
	}
	return nil
}

// refine makes the values of some signals the means of n gradients. Of three times as many midpoints as before, every
// third is known already.
func (e *explanation) refine(ctx context.Context, signals []int, n int, offset float32) error {
	baseline := e.baseline()
	var points []point
	var of []int // the signal of each point
	for _, i := range signals {
		a := &e.of[i]
		for j := range a.Values { // the mean becomes one over n steps
			a.Values[j] *= float64(a.Steps) / float64(n)
		}
		for step := range n {
			if a.Steps == 0 || step%3 != 1 {
				share := (float32(step) + offset) / float32(n)
				points = append(points, point{signal: e.signals[i], baseline: baseline, share: share,
					class: int32(a.Class)})
				of = append(of, i)
			}
		}
		a.Steps = n
	}
	return e.compute(ctx, e.gradients, points, func(i int, outputs [][]float32) {
		input, gradient := make([]float32, len(outputs[1])), outputs[1]
		e.fill(input, point{signal: points[i].signal, share: 1})
		for j, x := range input {
			e.of[of[i]].Values[j] += float64(gradient[j]) * float64(x-baseline[j]) / float64(n)
		}
	})
}

// occlude fills in the values by Occlusion. All values of a part get the same. A line between its ends keeps a level,
// so each smooth sensor is hidden whole at last, and what its spans lack of that fall is shared out over them.
func (e *explanation) occlude(ctx context.Context) error {
	channels, baseline := e.Spec.Channels, e.baseline()
	outline, parts, wholes := e.hiding()
	for i := range e.of {
		a, parts := &e.of[i], slices.Clip(parts)
		for sensor, whole := range wholes {
			if e.smooth(e.signals[i], outline, sensor) {
				parts = append(parts, whole)
			}
		}
		points := make([]point, len(parts))
		for j, part := range parts {
			points[j] = point{signal: e.signals[i], baseline: baseline, share: 1, hidden: part, outline: outline}
		}
		err := e.compute(ctx, e.logits, points, func(j int, outputs [][]float32) {
			fall := a.Logit - float64(outputs[0][a.Class])
			for _, node := range parts[j] {
				fall -= floats.Sum(a.Values[int(node)*channels : (int(node)+1)*channels])
			}
			for _, node := range parts[j] {
				floats.AddConst(fall/float64(len(parts[j])*channels),
					a.Values[int(node)*channels:(int(node)+1)*channels])
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// hiding returns which nodes occlude hides together. Each of the parts is a span of frames of one sensor. With more
// than hiddenParts sensors it is a piece of the sensors' graph over all frames. whole has the nodes of each sensor, as
// occlude also hides whole smooth sensors; it is nil where parts are pieces of the graph. outline says which node is
// which sensor at which frame; without frames each node is a sensor.
func (c *Classifier) hiding() (outline affinity.Layout, parts, whole [][]int32) {
	outline = c.Layout // also a guessed one: nodes along a path are near each other, in time or not
	if outline.Frames == 0 || outline.Guessed && c.Spec.Grid != nil {
		outline = affinity.Layout{Frames: 1, Sensors: c.Spec.Nodes}
	}
	whole = outline.Spans(1)
	if outline.Sensors <= hiddenParts {
		return outline, outline.Spans(max(fewestSpans, min(mostSpans, hiddenParts/outline.Sensors))), whole
	}
	links := c.Graph
	if outline.Frames > 1 {
		links = outline.Links(links)
	}
	for piece := range slices.Chunk(walk(links), (outline.Sensors+hiddenParts-1)/hiddenParts) {
		var part []int32
		for _, sensor := range piece {
			part = append(part, whole[sensor]...)
		}
		parts = append(parts, part)
	}
	return outline, parts, nil
}

// walk lists the nodes of a graph depth first, so that those in a row are near each other.
func walk(graph *affinity.Matrix) (order []int32) {
	seen := make([]bool, graph.N())
	for first := range seen {
		for next := []int32{int32(first)}; len(next) > 0; { // no recursion, which a path of millions of nodes would exhaust
			node := next[len(next)-1]
			next = next[:len(next)-1]
			if seen[node] {
				continue
			}
			seen[node], order = true, append(order, node)
			neighbours, _ := graph.Row(int(node))
			for _, to := range slices.Backward(neighbours) { // the first of them is visited first
				next = append(next, to)
			}
		}
	}
	return order
}
