package models

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/ops"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models/along"
	"github.com/clusterpool/ccp/models/conformal"
	"github.com/clusterpool/ccp/models/early"
	"github.com/clusterpool/ccp/models/internal/transforms"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Errors of a classifier that was closed, and of one that has no network to look into.
var (
	ErrClosed    = errors.New("the classifier is closed")
	ErrNoNetwork = errors.New("the transforms predict alone, without a network; ccp train " +
		"--model ccp --set transforms=none trains a network alone")
)

// Classifier is a trained network with its hierarchy frozen. It is safe for concurrent use. Computations run at the
// same time. Only compiling, Update and Close wait for the computations under way and block others.
//
// The variables are parameters of the compiled programs, not constants in them. With constants each program would
// hold its own copy of all weights. On a CPU they saved no measurable time, whether the network was small or large.
type Classifier struct {
	Metadata
	Graph *affinity.Matrix
	// Calibration is nil if no samples were held out of the training.
	Calibration *Calibration
	// Along says how classes follow each other in a stream; nil if the classifier is of no recordings, or from before that
	// was learned.
	Along *along.Model
	// Conformal is nil if no samples were held out of the training, or an earlier version trained.
	Conformal *conformal.Predictor
	// Early says when the class of a recording is decided before it ends; nil if the classifier was not trained for that.
	Early *early.Rule
	// Snapshot is the snapshot of the checkpoint that Load took, such as "best-00001900", and Step is its training
	// step.
	Snapshot string
	Step     int

	backend   compute.Backend
	freezer   *ccp.Freezer
	mu        sync.RWMutex // held for reading while computing, for writing while anything below changes
	store     *model.Store
	logits    *program
	gradients *program // see differentiated
	inference ops.Inference
	used      func(signals int)                        // notes that a program computes signals; nil: nobody wants to know
	ridge     atomic.Pointer[transforms.Classifier]    // nil: the network predicts alone
	ridgeSum  string                                   // its transforms.Classifier.Sum
	looks     atomic.Pointer[[]*transforms.Classifier] // of cut recordings, see Early
	closed    bool
}

// program is a graph on the classifier's store that is compiled for each batch size.
type program struct {
	make         func() (*model.Exec, error)
	exec         *model.Exec
	ready        map[int]bool // the batch sizes that it is compiled for
	takesClasses bool         // beside the signals it takes a class for each, int32 `[batch]`
}

// mostSizes is the number of batch sizes that a program is compiled for at a time. GoMLX refuses one more for good.
const mostSizes = graph.DefaultExecMaxCacheSize

func newProgram(takesClasses bool, make func() (*model.Exec, error)) (*program, error) {
	exec, err := make()
	return &program{make, exec, map[int]bool{}, takesClasses}, err
}

// makeRoom lets the program be compiled for one batch size more. If there are mostSizes, it frees them all.
func (p *program) makeRoom() error {
	if len(p.ready) < mostSizes {
		return nil
	}
	exec, err := p.make()
	if err == nil {
		p.exec.Finalize()
		p.exec = exec
		clear(p.ready)
	}
	return err
}

// NewClassifier returns a classifier without weights. Update gives it some.
func NewClassifier(backend compute.Backend, m Metadata, a *affinity.Matrix) (*Classifier, error) {
	m.Arrange(a)
	c := &Classifier{Metadata: m, Graph: a, backend: backend, store: m.Spec.NewStore(0)}
	var err error
	c.freezer, err = freezerOf(m.Spec, backend, c.store, a)
	if err != nil {
		return nil, err
	}
	network := func(scope *model.Scope, x *graph.Node) *graph.Node {
		ops.Parameters(c.store, x.Graph()) // Update changes them
		return m.Spec.Build(scope, Topology{Matrix: a, Hierarchy: new(ccp.Hierarchy)}, x)
	}
	inference := func(scope *model.Scope, x *graph.Node) *graph.Node {
		scope.SetGraphParam(x.Graph(), ops.InferenceParam, &c.inference)
		return network(scope, x)
	}
	c.logits, err = newProgram(false, func() (*model.Exec, error) { return model.NewExec(backend, c.store, inference) })
	if err != nil {
		return nil, err
	}
	c.gradients, err = newProgram(true, func() (*model.Exec, error) {
		return model.NewExec(backend, c.store, differentiated(network))
	})
	return c, err
}

// differentiated returns a network's logits, `[batch, classes]`, and gradients. A signal's gradient is that of one of
// its logits. class, int32 `[batch]`, says which logit; a negative number means the greatest. The shape of the
// signals and of the gradients is `[batch, nodes, channels]`. Outside of training, signals do not see each other. One
// gradient, of the sum of all chosen logits, therefore serves the batch.
func differentiated(network func(scope *model.Scope, signal *graph.Node) *graph.Node) func(scope *model.Scope,
	signal, class *graph.Node) (logits, gradient *graph.Node) {
	return func(scope *model.Scope, signal, class *graph.Node) (logits, gradient *graph.Node) {
		logits = network(scope, signal)
		class = graph.Where(graph.IsNegative(class), graph.ArgMax(logits, -1, dtypes.Int32), class)
		chosen := graph.Mul(logits, graph.OneHot(class, logits.Shape().Dim(1), logits.DType()))
		return logits, graph.Gradient(graph.ReduceAllSum(chosen), signal)[0]
	}
}

// Close waits for the computations under way. It frees the weights and the compiled programs, not the backend. Later
// calls return ErrClosed. So does a long Classify under way, between two of its batches.
func (c *Classifier) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.logits.exec.Finalize()
		c.gradients.exec.Finalize()
		c.freezer.Close()
		c.store.Finalize()
	}
	return nil
}

// Update copies the network's variables from a store in training, and freezes the hierarchy anew. Where a variable
// has a moving average, it copies the average. It is an error if the store is of another training than the transforms
// and the temperature that the classifier has already; the classifier then stays as it was.
func (c *Classifier) Update(from *model.Store) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if err := c.suits(from); err != nil {
		return err
	}
	var opened map[string]bool // of the ridge classifier, which does not change in training
	if v := c.ridge.Load(); v != nil {
		opened = v.Paths()
	}
	for v := range from.IterVariables() {
		if !variables.IsWeight(v) || opened[v.Path()] {
			continue
		}
		source := v
		if average := from.GetVariable(variables.Average + v.Path()); average != nil {
			source = average
		}
		if err := copyValue(source, c.store, v); err != nil {
			return fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	if err := cmp.Or(c.openRidge(), c.openLooks()); err != nil {
		return err
	}
	if c.Spec.Learns() && !c.ridge.Load().Alone() {
		if _, err := c.freezer.Freeze(); err != nil {
			return err
		}
	}
	return c.inference.Renew()
}

// copyValue gives a store the variable v with the value of from.
func copyValue(from *model.Variable, to *model.Store, v *model.Variable) error {
	value, err := from.Value()
	if err != nil {
		return err
	}
	value, err = value.LocalClone()
	if err != nil {
		return err
	}
	copied := to.GetVariable(v.Path())
	if copied != nil {
		return copied.SetValue(value)
	}
	copied, err = to.CreateVariable(v.Path(), value)
	if err == nil {
		copied.SetTrainable(v.Trainable)
	}
	return err
}

// Store returns the classifier's variables, for reading and saving. Whoever changes their values calls Update
// with the store itself.
func (c *Classifier) Store() *model.Store { return c.store }

// Parameters returns the number of trainable values, memberships, gates, filters, dense layers and batch norm's scale
// and offset. Without a network it is the number of the ridge classifier's values.
func (c *Classifier) Parameters() int {
	if v := c.ridge.Load(); v.Alone() {
		return v.Size()
	}
	return parametersOf(c.Spec, c.backend, c.Graph)
}

// Run computes the logits `[batch, classes]` of normalised signals `[batch, nodes, channels]`. The caller finalizes
// them: their memory is the device's, and Go's garbage collector does not see how large it is. The first call with a
// batch size compiles a program, which can take seconds. A classifier keeps the programs of 32 batch sizes. One more
// frees them all, so pad batches of many sizes.
func (c *Classifier) Run(signals *tensors.Tensor) (*tensors.Tensor, error) {
	out, err := c.call(c.logits, signals)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// call runs a program on a batch of signals, and of their classes if it takes them.
func (c *Classifier) call(p *program, args ...any) ([]*tensors.Tensor, error) {
	n := args[0].(*tensors.Tensor).Shape().Dim(0)
	if c.used != nil {
		c.used(n)
	}
	c.mu.RLock()
	unlock := c.mu.RUnlock
	compiling := !p.ready[n]
	if compiling { // compiling changes the store's maps
		c.mu.RUnlock()
		c.mu.Lock()
		unlock = c.mu.Unlock
	}
	defer unlock()
	if c.closed {
		return nil, ErrClosed
	}
	if compiling && !p.ready[n] {
		if err := p.makeRoom(); err != nil {
			return nil, err
		}
	}
	out, err := p.exec.Call(args...)
	if err == nil && compiling {
		p.ready[n] = true
	}
	return out, err
}
