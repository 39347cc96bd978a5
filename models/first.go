package models

import (
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
	mu         sync.Mutex
	each, done float64                     // multiply-adds for a signal, 0 if not known yet; those asked for so far
	xla        func() (*Classifier, error) // the classifier's copy on XLA; the first call makes it, others wait
	asked      bool                        // xla is or was called
}

// goFirst reports whether pure Go may give the first answers. They are then equal to XLA's but for rounding. In
// bfloat16, and where random kernels compare with thresholds, rounding would show.
func (s Spec) goFirst() bool {
	return s.Settings.Of("").DType != nn.BFloat16 && s.kernels() == 0 && backend.CPUAtHand()
}

// by returns the classifier that computes so many signals: c, or its copy on XLA. After an eighth of firstWork it has
// XLA compile beside the answers. If that fails, the call that takes XLA fails in the same way.
func (c *Classifier) by(signals int) (*Classifier, error) {
	f := c.first
	if f == nil || signals == 0 {
		return c, nil
	}
	f.mu.Lock()
	if f.each == 0 {
		f.each = c.work()
	}
	soon := f.done > firstWork/8
	f.done += f.each * float64(signals)
	now, xla := f.done > firstWork, f.xla
	if soon && !now && !f.asked {
		go func() {
			if x, err := xla(); err == nil {
				_, _ = x.batch(x.logits, make([]point, 1), x.planned(min(signals, maxBatch)))
			}
		}()
	}
	f.asked = f.asked || soon || now
	f.mu.Unlock()
	if now {
		return xla()
	}
	return c, nil
}

// withXLA calls do with the classifier on XLA, if there is one or will be.
func (c *Classifier) withXLA(do func(x *Classifier) error) error {
	f := c.first
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked {
		if x, err := f.xla(); err == nil {
			return do(x)
		}
	}
	return nil
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
func (c *Classifier) onXLA() (x *Classifier, err error) {
	b, err := sharedBackend("")
	if err == nil {
		x, err = NewClassifier(b, c.Metadata, c.Graph)
	}
	if err != nil {
		return nil, err
	}
	return x, x.copyFrom(c)
}

// copyFrom gives a classifier the weights of another one.
func (c *Classifier) copyFrom(other *Classifier) (err error) {
	other.mu.RLock()
	defer other.mu.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if other.closed || c.closed {
		return ErrClosed
	}
	for v := range other.store.IterVariables() {
		if IsWeight(v) {
			err = errors.Join(err, copyValue(v, c.store, v))
		}
	}
	return errors.Join(err, c.answers.Renew())
}
