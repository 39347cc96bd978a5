package models

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend"
)

// firstWork is how many multiply-adds pure Go does for a classifier before XLA takes over. Pure Go needs about as long
// for them as XLA for compiling.
const firstWork = 1 << 30

// everything asks a classifier for XLA from now on.
const everything = math.MaxInt

// first lets pure Go give a classifier's first answers, because XLA takes half a second to compile. Which of the two
// answers depends on the work asked for so far, never on time.
type first struct {
	mu     sync.Mutex
	each   float64       // multiply-adds for a signal; 0: not known yet
	done   float64       // multiply-adds asked for so far
	ready  chan struct{} // closed when xla and err are set; nil: nobody has asked for XLA yet
	xla    *Classifier   // with the same weights
	err    error
	closed bool
}

// goFirst reports whether pure Go may give the first answers. They are then equal to XLA's but for rounding. In
// bfloat16, and where random kernels compare with thresholds, rounding would show.
func (s Spec) goFirst() bool {
	return s.Settings.Of("").DType != nn.BFloat16 && s.kernels() == 0 && backend.CPUAtHand()
}

// by returns the classifier that computes so many signals: c, or its copy on XLA. It waits for XLA where the signals
// are XLA's. After an eighth of firstWork it compiles beside the answers.
func (c *Classifier) by(ctx context.Context, signals int) (*Classifier, error) {
	f := c.first
	if f == nil || signals == 0 {
		return c, nil
	}
	f.mu.Lock()
	if f.each == 0 && signals != everything {
		f.each = c.work()
	}
	soon := f.done > firstWork/8
	if f.done += f.each * float64(signals); signals == everything {
		f.done = math.Inf(1)
	}
	now := f.done > firstWork
	if (soon || now) && f.ready == nil && !f.closed {
		f.ready = make(chan struct{})
		go func() {
			defer close(f.ready)
			if f.xla, f.err = c.onXLA(); f.err == nil && !now {
				_, f.err = f.xla.batch(f.xla.logits, make([]point, 1), c.plan[min(signals, maxBatch)])
			}
		}()
	}
	closed := f.closed
	f.mu.Unlock()
	if !now || closed {
		return c, nil
	}
	select {
	case <-f.ready:
		return f.xla, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// work returns about how many multiply-adds the network needs for a signal: those of its products, and one for every
// other value. It is infinite for a network that pure Go cannot compute.
func (c *Classifier) work() (sum float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0
	}
	g, err := c.logits.exec.Compile(shapes.Make(dtypes.Float32, 1, c.Spec.Nodes, c.Spec.Channels))
	if err != nil {
		return math.Inf(1)
	}
	for _, n := range g.Nodes() {
		size := float64(n.Shape().Size())
		if in := n.Inputs(); n.Type() == graph.NodeTypeDotGeneral { // [a, b] x [b, c]: √(ab·bc·ac) = abc
			size = math.Sqrt(size * float64(in[0].Shape().Size()) * float64(in[1].Shape().Size()))
		}
		sum += size
	}
	return sum
}

// onXLA returns a classifier with the same weights on the best backend.
func (c *Classifier) onXLA() (*Classifier, error) {
	b, err := OpenBackend()
	if err != nil {
		return nil, err
	}
	x, err := NewClassifier(b, c.Metadata, c.Graph)
	if err != nil {
		return nil, err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for v := range c.store.IterVariables() {
		if IsWeight(v) {
			err = errors.Join(err, copyValue(v, x.store, v.Path()))
		}
	}
	return x, err
}

// whenReady waits for XLA if it was asked for, and calls f with the classifier there.
func (f *first) whenReady(do func(xla *Classifier) error) error {
	if f == nil || f.ready == nil {
		return nil
	}
	if <-f.ready; f.xla == nil {
		return nil
	}
	return do(f.xla)
}

// close closes the classifier on XLA.
func (f *first) close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return f.whenReady((*Classifier).Close)
}
