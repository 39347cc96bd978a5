package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// ErrInput is what every error about a signal wraps: the caller's data, not the classifier, is at fault.
var ErrInput = errors.New("unusable signal")

// batchSizes are the sizes that a classifier compiles for; a batch is padded to the next of them.
var batchSizes = []int{1, 8, 64}

// Prediction is what a classifier says of one signal.
type Prediction struct {
	Class         int       // the most probable class
	Name          string    // its name
	Probability   float64   // its probability
	Probabilities []float64 // of every class, summing to 1
}

// Classifier is a trained network with its hierarchy frozen. It is safe for concurrent use.
type Classifier struct {
	Metadata
	Graph *affinity.Matrix
	// Hierarchy is how good the hierarchy was when Update froze it; empty if it was loaded frozen.
	Hierarchy Hierarchy

	backend compute.Backend
	mu      sync.Mutex
	store   *model.Store
	freezer *ccp.Freezer
	logits  *model.Exec
}

// NewClassifier makes a classifier without weights; Update gives it some.
func NewClassifier(backend compute.Backend, m Metadata, a *affinity.Matrix) (*Classifier, error) {
	c := &Classifier{Metadata: m, Graph: a, backend: backend, store: m.Spec.NewStore(0)}
	signal := shapes.Make(dtypes.Float32, 1, m.Spec.Nodes, m.Spec.Channels)
	var err error
	network := func(scope *model.Scope, x *graph.Node) *graph.Node { return m.Spec.Build(scope, a, x) }
	if c.freezer, err = ccp.NewFreezer(backend, c.store, signal, network); err != nil {
		return nil, err
	}
	c.logits, err = model.NewExec(backend, c.store, network)
	return c, err
}

// Update takes over the network's variables from a store in training, the averaged ones where there are, and freezes
// the hierarchy anew.
func (c *Classifier) Update(from *model.Store) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for v := range from.IterVariables() {
		if !IsWeight(v) {
			continue
		}
		source := v
		if average := from.GetVariable(AverageScope + v.Path()); average != nil {
			source = average
		}
		if err := copyValue(source, c.store, v.Path()); err != nil {
			return fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	if c.Spec.FrozenInTraining() {
		c.Loaded()
		return nil
	}
	var err error
	c.Hierarchy.Objective, c.Hierarchy.Coverage, err = c.freezer.Freeze()
	return err
}

func copyValue(from *model.Variable, to *model.Store, path string) error {
	value, err := from.Value()
	if err != nil {
		return err
	}
	if value, err = value.LocalClone(); err != nil {
		return err
	}
	if v := to.GetVariable(path); v != nil {
		return v.SetValue(value)
	}
	_, err = to.CreateVariable(path, value)
	return err
}

// Store holds the classifier's variables. It is for reading and saving.
func (c *Classifier) Store() *model.Store { return c.store }

// Loaded says that the store's weights were just read from a snapshot of a frozen classifier.
func (c *Classifier) Loaded() { MarkFrozen(c.store) }

// Parameters counts the trainable values, see Spec.Parameters.
func (c *Classifier) Parameters() int { return c.Spec.Parameters(c.backend, c.Graph) }

// Run computes the logits `[batch, classes]` of normalised signals `[batch, nodes, channels]`.
func (c *Classifier) Run(signals *tensors.Tensor) (*tensors.Tensor, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.logits.Call1(signals)
}

// Classify predicts the class of each signal, `[nodes, channels]` row-major in raw units, as the data set gives them. Errors
// about a signal wrap ErrInput and name the signal, node and channel.
func (c *Classifier) Classify(ctx context.Context, signals [][]float32) ([]Prediction, error) {
	size := c.Spec.Nodes * c.Spec.Channels
	for i, s := range signals {
		if len(s) != size {
			return nil, fmt.Errorf("%w %d: it has %d values; the model needs %d nodes x %d channels = %d",
				ErrInput, i, len(s), c.Spec.Nodes, c.Spec.Channels, size)
		}
		if bad := slices.IndexFunc(s, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }); bad >= 0 {
			return nil, fmt.Errorf("%w %d: node %d, channel %d is %v; replace it by a number", ErrInput, i, bad/c.Spec.Channels, bad%c.Spec.Channels, s[bad])
		}
	}
	predictions := make([]Prediction, 0, len(signals))
	for chunk := range slices.Chunk(signals, batchSizes[len(batchSizes)-1]) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		padded := batchSizes[slices.IndexFunc(batchSizes, func(b int) bool { return b >= len(chunk) })]
		flat := make([]float32, padded*size)
		for i, s := range chunk {
			c.normalize(flat[i*size:(i+1)*size], s)
		}
		out, err := c.Run(tensors.FromFlatDataAndDimensions(flat, padded, c.Spec.Nodes, c.Spec.Channels))
		if err != nil {
			return nil, err
		}
		logits, err := tensors.CopyFlatData[float32](out)
		if err != nil {
			return nil, err
		}
		for i := range chunk {
			p := c.predict(logits[i*c.Spec.Classes : (i+1)*c.Spec.Classes])
			if math.IsNaN(p.Probabilities[0]) {
				return nil, fmt.Errorf("%w %d: its values are so large that the network's output is not a number; rescale them", ErrInput, len(predictions))
			}
			predictions = append(predictions, p)
		}
	}
	return predictions, nil
}

func (c *Classifier) normalize(dst, raw []float32) {
	for j, v := range raw {
		channel := j % c.Spec.Channels
		dst[j] = (v - c.Mean[channel]) / c.Std[channel]
	}
}

func (c *Classifier) predict(logits []float32) Prediction {
	p := Prediction{Probabilities: Probabilities(logits)}
	for k, probability := range p.Probabilities {
		if probability > p.Probability {
			p.Class, p.Probability = k, probability
		}
	}
	p.Name = c.ClassNames[p.Class]
	return p
}

// Probabilities are the softmax of logits.
func Probabilities(logits []float32) []float64 {
	top, sum := float64(slices.Max(logits)), 0.0
	out := make([]float64, len(logits))
	for k, v := range logits {
		out[k] = math.Exp(float64(v) - top)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// IsWeight says whether a variable belongs to the network and must be kept to classify again: not the optimizer's, not
// what is rebuilt from the graph.
func IsWeight(v *model.Variable) bool {
	return strings.HasPrefix(v.Path(), "/model/") && !strings.HasPrefix(v.Path(), "/model/"+GraphScope+"/") &&
		!strings.Contains(v.Path(), "/"+ccp.TablesScope+"/")
}

// AverageScope is where training keeps the moving averages of the weights, each under its own path.
const AverageScope = "/average"
