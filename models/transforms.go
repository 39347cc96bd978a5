package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/clusterpool/ccp/models/onnx"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// openRidge opens the ridge classifier of the store, if there is one.
func (c *Classifier) openRidge() (err error) {
	if c.ridge.Load() != nil || transforms.Weight(c.store) == 0 { // else each Update would look for frames in the graph
		return nil
	}
	of, _ := transforms.For(&c.Info, c.Graph, transforms.All) // which is no wrong option
	v, err := transforms.Open(c.store, transforms.Scope, of)
	if err == nil {
		c.ridgeSum, err = v.Sum(c.store)
	}
	if err != nil {
		return fmt.Errorf("the ridge classifier of the checkpoint: %w", err)
	}
	c.ridge.Store(v)
	return nil
}

// errOtherStore says why a classifier does not take the weights of a store.
var errOtherStore = errors.New("the store is of another training than the classifier")

// suits returns an error if the weights of a store do not belong to the transforms and to the temperature of the
// classifier: those of two trainings together predict worse than either. If the store is the classifier's own, and
// has other transforms now, they are opened anew.
func (c *Classifier) suits(from *model.Store) error {
	const instead = "make a classifier of the store's own with NewClassifier, and Update that"
	if from != c.store && c.Calibration != nil {
		return fmt.Errorf("%w: the temperature of the classifier, %.3g, is by its own weights alone; %s",
			errOtherStore, c.Calibration.Temperature,
			instead)
	}
	v := c.ridge.Load()
	if v == nil {
		return nil
	}
	sum, err := v.Sum(from)
	if err != nil || sum == c.ridgeSum {
		return err
	}
	if from != c.store {
		return fmt.Errorf("%w: it has not the transforms %s, fitted as here, beside its network; %s", errOtherStore,
			strings.Join(v.Predicting(), ", "), instead)
	}
	c.ridge.Store(nil)
	return c.openRidge()
}

// noNetwork is the network of the model that has none: the ridge classifier predicts.
func noNetwork(_ *model.Scope, spec Spec, _ Topology, signal *Node) *Node {
	return Zeros(signal.Graph(), shapes.Make(signal.DType(), signal.Shape().Dim(0), spec.Classes()))
}

// checkAlone returns an error if the model without a network has no transforms either.
func checkAlone(s Spec, _ *affinity.Matrix) error {
	if s.Options.Transforms == transforms.None {
		return params.Errorf("transforms", transforms.None, "model %s predicts nothing without them; leave it out", s.Model)
	}
	return nil
}

// byNetwork is what PredictedBy returns if the network predicts alone.
const byNetwork = "the network"

// PredictedBy names the members of the ensemble that predicts: the network, transforms, or both with their weights.
func (c *Classifier) PredictedBy() string {
	v := c.ridge.Load()
	if v == nil {
		return byNetwork
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

// Export adds the nodes of an ONNX model from raw samples to the logits that predict, before their temperature.
// network adds the nodes of the network's logits, and is called if it has a part. The error is network's.
func (c *Classifier) Export(g *onnx.Graph, samples string, network func() (string, error)) (logits string, err error) {
	v, other := c.ridge.Load(), ""
	if !v.Alone() {
		other, err = network()
		if v == nil || err != nil {
			return other, err
		}
	}
	values := 0
	if c.Form == nil {
		values = c.Spec.Nodes * c.Spec.Channels
	}
	return g.Op("Log", v.Export(g, samples, values, other)), nil
}

// C returns a C99 file without dependencies that predicts from what Form.Series returns, as Classify does. The error
// names a part of the classifier that has no form in C.
func (c *Classifier) C() ([]byte, error) {
	switch {
	case !c.ridge.Load().Alone():
		return nil, transforms.NoC(byNetwork)
	case c.Form == nil:
		return nil, errors.New("only a classifier of recordings has a form in C; this one's samples are signals on " +
			"a graph, or rows")
	}
	temperature := 1.0
	if c.Calibration != nil {
		temperature = c.Calibration.Temperature
	}
	return c.ridge.Load().C(c.ClassNames, temperature)
}

// together returns the logits of points, `[points, classes]`. They are logarithms of the weighted mean of the
// members' probabilities. network has the network's logits; nil if the network has no weight. If ctx ends meanwhile,
// the rest is zero.
func (c *Classifier) together(ctx context.Context, points []point, network []float32) []float32 {
	v, classes, all := c.ridge.Load(), c.Spec.Classes(), make([]float32, len(points)*c.Spec.Classes())
	loop.Parallel(len(points), func(i int) {
		if ctx.Err() != nil {
			return
		}
		var other []float64
		if network != nil {
			other = prob.Softmax(network[i*classes : (i+1)*classes])
		}
		copy(all[i*classes:], prob.Logits(v.Probabilities(v.Read(c.rawSample(points[i])), other)))
	})
	return all
}

// rawSample returns what the transforms use of a point: the raw sample. The baseline of a sensor is the same at each
// time point.
func (c *Metadata) rawSample(p point) []float32 {
	if p.signal != nil {
		return c.sample(p)
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
