package models

import (
	"errors"
	"fmt"
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

// ErrClosed is what a classifier says that was closed.
var ErrClosed = errors.New("the classifier is closed")

// Classifier is a trained network with its hierarchy frozen. It is safe for concurrent use, and its computations run at the same
// time: only compiling, Update and Close wait for those under way, and keep others waiting.
//
// The variables are parameters of the compiled programs, not constants in them: with XLA on a CPU constants saved no time that
// could be measured, on the digits or on CIFAR-10, and each program would hold its own copy of all weights.
type Classifier struct {
	Metadata
	Graph *affinity.Matrix
	// Hierarchy is how good the hierarchy was when Update froze it; empty if it was loaded frozen.
	Hierarchy Hierarchy
	// Snapshot is the snapshot of the checkpoint that Load took, such as "best-00001900", and Step the training step it is of.
	Snapshot string
	Step     int

	backend   compute.Backend
	freezer   *ccp.Freezer
	mu        sync.RWMutex // held for reading while computing, for writing while anything below changes
	store     *model.Store
	logits    program
	gradients program // see differentiated
	plan      plan
	closed    bool
}

// program is a graph on the classifier's store that is compiled for each batch size.
type program struct {
	exec  *model.Exec
	ready map[int]bool // batch sizes that it is compiled for
}

// NewClassifier makes a classifier without weights; Update gives it some.
func NewClassifier(backend compute.Backend, m Metadata, a *affinity.Matrix) (*Classifier, error) {
	c := &Classifier{Metadata: m, Graph: a, backend: backend, store: m.Spec.NewStore(0), plan: newPlan(usualCost)}
	signal := shapes.Make(dtypes.Float32, 1, m.Spec.Nodes, m.Spec.Channels)
	var err error
	if c.freezer, err = ccp.NewFreezer(backend, c.store, signal, func(scope *model.Scope, x *graph.Node) *graph.Node {
		return m.Spec.Build(scope, Topology{Matrix: a}, x)
	}); err != nil {
		return nil, err
	}
	network := func(scope *model.Scope, x *graph.Node) *graph.Node {
		return m.Spec.Build(scope, Topology{Matrix: a, Frozen: true}, x)
	}
	c.logits.ready, c.gradients.ready = map[int]bool{}, map[int]bool{}
	if c.logits.exec, err = model.NewExec(backend, c.store, network); err != nil {
		return nil, err
	}
	c.gradients.exec, err = model.NewExec(backend, c.store, differentiated(network))
	return c, err
}

// Close waits for the computations under way and frees the weights and the compiled programs, not the backend. What is asked
// of the classifier afterwards is answered by ErrClosed; so is a long Classify under way, between two of its batches.
func (c *Classifier) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.logits.exec.Finalize()
		c.gradients.exec.Finalize()
		c.store.Finalize()
	}
	return nil
}

// Update takes over the network's variables from a store in training, the averaged ones where there are, and freezes
// the hierarchy anew.
func (c *Classifier) Update(from *model.Store) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
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
	if !c.Spec.freezes() {
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

// Parameters counts the trainable values, see Spec.Parameters.
func (c *Classifier) Parameters() int { return c.Spec.Parameters(c.backend, c.Graph) }

// Run computes the logits `[batch, classes]` of normalised signals `[batch, nodes, channels]`. The first time a batch size
// comes its program is compiled, which can take seconds.
func (c *Classifier) Run(signals *tensors.Tensor) (*tensors.Tensor, error) {
	out, err := c.call(c.logits, signals)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// call runs a program on a batch: signals, and what else it needs of each.
func (c *Classifier) call(p program, signals *tensors.Tensor, more ...any) ([]*tensors.Tensor, error) {
	n := signals.Shape().Dim(0)
	args := append([]any{signals}, more...)
	c.mu.RLock()
	if c.closed || p.ready[n] {
		defer c.mu.RUnlock()
		return c.run(p, args)
	}
	c.mu.RUnlock()
	// Compiling changes the store's maps.
	c.mu.Lock()
	defer c.mu.Unlock()
	out, err := c.run(p, args)
	if err == nil {
		p.ready[n] = true
	}
	return out, err
}

func (c *Classifier) run(p program, args []any) ([]*tensors.Tensor, error) {
	if c.closed {
		return nil, ErrClosed
	}
	return p.exec.Call(args...)
}

// IsWeight says whether a variable belongs to the network and must be kept to classify again: not the optimizer's, not
// what is rebuilt from the graph.
func IsWeight(v *model.Variable) bool {
	return strings.HasPrefix(v.Path(), networkScope) && !strings.HasPrefix(v.Path(), networkScope+GraphScope+"/") &&
		!strings.Contains(v.Path(), "/"+ccp.TablesScope+"/")
}

// AverageScope is where training keeps the moving averages of the weights, each under its own path.
const AverageScope = "/average"
