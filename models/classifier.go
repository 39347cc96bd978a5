package models

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// ErrClosed is the error of a classifier that was closed.
var ErrClosed = errors.New("the classifier is closed")

// Classifier is a trained network with its hierarchy frozen. It is safe for concurrent use. Computations run at the same time; only
// compiling, Update and Close wait for those under way and block others.
//
// The variables are parameters of the compiled programs, not constants in them: with XLA on a CPU constants saved no time that
// could be measured, on the digits or on CIFAR-10, and each program would hold its own copy of all weights.
type Classifier struct {
	Metadata
	Graph *affinity.Matrix
	// Hierarchy is how good the hierarchy was when Update froze it; empty if it was loaded frozen.
	Hierarchy Quality
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
	// takesClasses: beside the signals it takes a class for each, int32 `[batch]`.
	takesClasses bool
}

// NewClassifier makes a classifier without weights; Update gives it some.
func NewClassifier(backend compute.Backend, m Metadata, a *affinity.Matrix) (*Classifier, error) {
	c := &Classifier{Metadata: m, Graph: a, backend: backend, store: m.Spec.NewStore(0), plan: newPlan(usualCost)}
	var err error
	if c.freezer, err = m.Spec.freezer(backend, c.store, a); err != nil {
		return nil, err
	}
	network := func(scope *model.Scope, x *graph.Node) *graph.Node {
		return m.Spec.Build(scope, Topology{Matrix: a, Frozen: true}, x)
	}
	c.logits.ready, c.gradients.ready, c.gradients.takesClasses = map[int]bool{}, map[int]bool{}, true
	if c.logits.exec, err = model.NewExec(backend, c.store, network); err != nil {
		return nil, err
	}
	c.gradients.exec, err = model.NewExec(backend, c.store, differentiated(network))
	return c, err
}

// Close waits for the computations under way and frees the weights and the compiled programs, not the backend. Later calls get
// ErrClosed; so does a long Classify under way, between two of its batches.
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

// call runs a program on a batch of signals, and of their classes if it takes them.
func (c *Classifier) call(p program, args ...any) ([]*tensors.Tensor, error) {
	n := args[0].(*tensors.Tensor).Shape().Dim(0)
	c.mu.RLock()
	unlock := c.mu.RUnlock
	compiling := !p.ready[n]
	if compiling { // which changes the store's maps
		c.mu.RUnlock()
		c.mu.Lock()
		unlock = c.mu.Unlock
	}
	defer unlock()
	if c.closed {
		return nil, ErrClosed
	}
	out, err := p.exec.Call(args...)
	if err == nil && compiling {
		p.ready[n] = true
	}
	return out, err
}

// IsWeight says whether a variable belongs to the network and must be kept to classify again: not the optimizer's, not
// what is rebuilt from the graph.
func IsWeight(v *model.Variable) bool {
	return strings.HasPrefix(v.Path(), networkScope) && !strings.HasPrefix(v.Path(), networkScope+GraphScope+"/") &&
		!strings.Contains(v.Path(), "/"+nn.TablesScope+"/")
}

// AverageScope is where training keeps the moving averages of the weights, each under its own path.
const AverageScope = "/average"
