package serve

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/clusterpool/ccp/models"
)

// errFull says that a model's queue has no room; the client should come back later.
var errFull = errors.New("the queue is full")

// batcher computes the signals of several requests at once. Requests wait in one queue, in order of arrival; whenever the
// computation is free it takes as many as fit into a batch. It waits for more to come, for maxDelay at most, only if there is
// reason to think that they will: a request is being read, or the last batch was of more. So a client alone never waits.
type batcher struct {
	maxSignals int           // of a batch, unless one request has more
	capacity   int           // of the queue, in signals
	maxDelay   time.Duration // that a signal waits for others
	observe    func(signals int, took time.Duration)
	failed     func(text string) // told of panics

	mu      sync.Mutex
	queue   []*job
	waiting int // signals in queue
	closed  bool

	arriving counter       // requests being read
	wake     chan struct{} // of capacity 1: something has come, or closed
	done     chan struct{} // closed when the worker has ended
}

// job is the part of a batch that one request brings.
type job struct {
	ctx         context.Context
	classifier  *models.Classifier
	signals     [][]float32
	predictions []models.Prediction
	err         error
	done        chan struct{}
}

func newBatcher(maxSignals, capacity int, maxDelay time.Duration, observe func(int, time.Duration), failed func(string)) *batcher {
	b := &batcher{maxSignals: maxSignals, capacity: capacity, maxDelay: maxDelay, observe: observe, failed: failed,
		wake: make(chan struct{}, 1), done: make(chan struct{})}
	go b.work()
	return b
}

// classify waits for the predictions of signals by classifier. Its errors are errFull, models.ErrInput, models.ErrClosed,
// ctx's, or what the computation failed with.
func (b *batcher) classify(ctx context.Context, classifier *models.Classifier, signals [][]float32) ([]models.Prediction, error) {
	j := &job{ctx: ctx, classifier: classifier, signals: signals, done: make(chan struct{})}
	b.mu.Lock()
	switch {
	case b.closed:
		b.mu.Unlock()
		return nil, models.ErrClosed
	case b.waiting+len(signals) > b.capacity:
		b.mu.Unlock()
		return nil, errFull
	}
	b.queue = append(b.queue, j)
	b.waiting += len(signals)
	b.mu.Unlock()
	b.ring()
	select {
	case <-j.done:
		return j.predictions, j.err
	case <-ctx.Done(): // the worker passes it over
		return nil, ctx.Err()
	}
}

func (b *batcher) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// length is how many signals wait.
func (b *batcher) length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting
}

// close computes what waits and ends.
func (b *batcher) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.ring()
	<-b.done
}

func (b *batcher) work() {
	defer close(b.done)
	last := 0 // requests of the last batch
	for {
		if !b.await(last) {
			return
		}
		batch := b.take()
		last = len(batch)
		if len(batch) > 0 {
			b.compute(batch)
		}
	}
}

// await returns true when there is something to compute, and false when nothing will come any more. expected is how many
// requests the last batch had, and so how many may come now.
func (b *batcher) await(expected int) bool {
	var timeout <-chan time.Time
	for {
		b.mu.Lock()
		requests, waiting, closed := len(b.queue), b.waiting, b.closed
		b.mu.Unlock()
		switch {
		case requests == 0 && closed:
			return false
		case requests == 0:
		case closed, b.maxDelay <= 0, waiting >= b.maxSignals, requests >= expected && b.arriving.value() == 0:
			return true
		case timeout == nil:
			timeout = time.After(b.maxDelay)
		}
		select {
		case <-b.wake:
		case <-timeout:
			return true
		}
	}
}

// take takes a batch from the queue: jobs of one classifier, in order, those left out that nobody waits for any more.
func (b *batcher) take() (batch []*job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken, signals := 0, 0
	for _, j := range b.queue {
		if j.ctx.Err() == nil {
			if len(batch) > 0 && (j.classifier != batch[0].classifier || signals+len(j.signals) > b.maxSignals) {
				break
			}
			batch = append(batch, j)
			signals += len(j.signals)
		}
		b.waiting -= len(j.signals)
		b.queue[taken] = nil
		taken++
	}
	b.queue = b.queue[taken:]
	if len(b.queue) == 0 {
		b.queue = nil
	}
	return batch
}

// compute gives every job of a batch its answer, whatever happens.
func (b *batcher) compute(batch []*job) {
	defer func() {
		if p := recover(); p != nil {
			b.failed(fmt.Sprintf("%v\n%s", p, debug.Stack()))
			for _, j := range batch {
				j.predictions, j.err = nil, errors.New("the computation failed")
			}
		}
		for _, j := range batch {
			close(j.done)
		}
	}()
	ctx := context.Background()
	if len(batch) == 1 {
		ctx = batch[0].ctx // a long one can end early
	}
	var signals [][]float32
	for _, j := range batch {
		signals = append(signals, j.signals...)
	}
	start := time.Now()
	predictions, unusable, err := batch[0].classifier.ClassifyEach(ctx, signals)
	b.observe(len(signals), time.Since(start))
	begin := 0
	for _, j := range batch {
		end := begin + len(j.signals)
		if j.err = err; err == nil {
			j.predictions = predictions[begin:end:end]
		}
		for _, u := range unusable {
			if err == nil && j.err == nil && u.Index >= begin && u.Index < end {
				j.predictions, j.err = nil, &models.SignalError{Index: u.Index - begin, Reason: u.Reason}
			}
		}
		begin = end
	}
}
