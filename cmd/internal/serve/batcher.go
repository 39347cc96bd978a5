package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/models"
)

var errFull = refused(http.StatusServiceUnavailable, "the queue is full")

// batcher computes the signals of several requests at once. Requests wait in one queue, in order of arrival. A batch
// takes as many of them as fit. It waits for more, for maxDelay at most, only if more are likely: a request is being
// read, or the last batch had more. So a single client never waits.
type batcher struct {
	maxSignals int           // of a batch, unless one request has more
	capacity   int           // of the queue, in signals
	maxDelay   time.Duration // that a signal waits for others
	observe    func(signals int, took time.Duration)
	failed     func(text string) // receives panics

	mu       sync.Mutex
	queue    []*job
	closed   bool
	waiting  atomic.Int64  // signals in queue; written under mu
	arriving atomic.Int64  // requests being read
	wake     chan struct{} // of capacity 1: a request has come, or the batcher was closed
	done     chan struct{} // closed when the worker has ended
}

// job is the part of a batch that one request brings.
type job struct {
	ctx         context.Context
	classifier  *models.Classifier
	signals     [][]float32
	unread      []*recording.Unread // of recordings to decide early; nil: all are whole
	early       bool                // decide the class of recordings as early as the classifier does
	free        func()              // called once, when the batcher needs classifier and signals no more
	predictions []models.Prediction
	err         error
	done        chan struct{}
}

func newBatcher(maxSignals, capacity int, maxDelay time.Duration, observe func(int, time.Duration),
	failed func(string)) *batcher {
	b := &batcher{maxSignals: maxSignals, capacity: capacity, maxDelay: maxDelay, observe: observe, failed: failed,
		wake: make(chan struct{}, 1), done: make(chan struct{})}
	go b.work()
	return b
}

// classify waits for the predictions of signals by classifier, see answer.
func (b *batcher) classify(ctx context.Context, classifier *models.Classifier, signals [][]float32,
	free func()) ([]models.Prediction, error) {
	return b.answer(&job{ctx: ctx, classifier: classifier, signals: signals, free: free})
}

// answer waits for the predictions of a job's signals, and calls free when it needs these and the classifier no more:
// after an error, that can be later. Its errors are errFull, a models.SignalError, models.ErrClosed, the context's
// error, or an error of the computation.
func (b *batcher) answer(j *job) ([]models.Prediction, error) {
	ctx := j.ctx
	j.done = make(chan struct{})
	err := long(j.classifier, j.signals)
	if err == nil {
		err = b.enqueue(j)
	}
	if err != nil {
		j.free()
		return nil, err
	}
	b.ring()
	select {
	case <-j.done:
		return j.predictions, j.err
	case <-ctx.Done(): // the worker skips it
		return nil, ctx.Err()
	}
}

// A recording may have so many times the time points of the longest of the training, and so many at least.
const (
	mostLonger     = 20
	mostTimepoints = 1 << 16
)

// mostOf returns how many time points a recording, or a window of a stream, may have.
func mostOf(form *recording.Form) int { return max(mostTimepoints, mostLonger*form.Longest) }

// long returns an error if a recording is so long that its prediction would mean nothing, and hold up all others.
func long(c *models.Classifier, signals [][]float32) error {
	if c.Form == nil {
		return nil
	}
	most := mostOf(c.Form)
	for i, s := range signals {
		if timepoints := len(s) / c.Form.Width(); timepoints > most {
			return &models.SignalError{Index: i,
				Reason: fmt.Sprintf("it has %d time points, and the server takes at most %d of a "+
					"recording: cut it, as ?window= does", timepoints, most)}
		}
	}
	return nil
}

// enqueue adds a job to the queue, unless the batcher is closed or the queue is full.
func (b *batcher) enqueue(j *job) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return models.ErrClosed
	}
	if int(b.waiting.Load())+len(j.signals) > b.capacity {
		return errFull
	}
	b.queue = append(b.queue, j)
	b.waiting.Add(int64(len(j.signals)))
	return nil
}

func (b *batcher) ring() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
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
	for last := 0; b.await(last); { // last: requests of the last batch
		batch := b.take()
		last = len(batch)
		if last > 0 {
			b.compute(batch)
		}
	}
}

// await returns true when there is something to compute, and false when nothing more will come. It expects as many
// requests as the last batch had.
func (b *batcher) await(expected int) bool {
	var timeout <-chan time.Time
	for {
		b.mu.Lock()
		requests, waiting, closed := len(b.queue), int(b.waiting.Load()), b.closed
		b.mu.Unlock()
		switch {
		case requests == 0 && closed:
			return false
		case requests == 0:
		case closed, b.maxDelay <= 0, waiting >= b.maxSignals, requests >= expected && b.arriving.Load() == 0:
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

// goesWith reports that two jobs can be computed at once.
func (j *job) goesWith(other *job) bool {
	return j.classifier == other.classifier && j.early == other.early
}

// take takes a batch from the queue: jobs that go with one another, in order. It drops jobs that nobody waits for any
// more.
func (b *batcher) take() (batch []*job) {
	var late []*job
	b.mu.Lock()
	b.queue = slices.DeleteFunc(b.queue, func(j *job) bool {
		given := j.ctx.Err() != nil
		if given {
			late = append(late, j)
		}
		return given
	})
	signals, waiting := 0, 0
	for _, j := range b.queue {
		if waiting > 0 || len(batch) > 0 && (!j.goesWith(batch[0]) || signals+len(j.signals) > b.maxSignals) {
			waiting += len(j.signals)
			continue
		}
		batch = append(batch, j)
		signals += len(j.signals)
	}
	b.waiting.Store(int64(waiting))
	b.queue = slices.Delete(b.queue, 0, len(batch))
	b.mu.Unlock()
	for _, j := range late {
		j.free()
	}
	return batch
}

// compute answers every job of a batch, also after a panic.
func (b *batcher) compute(batch []*job) {
	defer func() {
		if p := recover(); p != nil {
			b.failed(fmt.Sprintf("%v\n%s", p, debug.Stack()))
			for _, j := range batch {
				j.predictions, j.err = nil, errors.New("the computation failed")
			}
		}
		for _, j := range batch {
			j.free()
			close(j.done)
		}
	}()
	ctx, end := context.WithCancel(context.Background()) // until nobody waits for an answer
	defer end()
	var signals [][]float32
	var unread []*recording.Unread
	var waits atomic.Int64
	waits.Store(int64(len(batch)))
	for _, j := range batch {
		signals = append(signals, j.signals...)
		unread = append(unread, j.unread...)
		unread = append(unread, make([]*recording.Unread, len(signals)-len(unread))...)
		defer context.AfterFunc(j.ctx, func() {
			if waits.Add(-1) == 0 {
				end()
			}
		})()
	}
	start := time.Now()
	predict := classify.Predict
	if batch[0].early {
		predict = func(ctx context.Context, c *models.Classifier, series [][]float32) ([]models.Prediction, error) {
			return c.ClassifyEarly(ctx, series, unread)
		}
	}
	predictions, err := predict(ctx, batch[0].classifier, signals)
	var unusable []*models.SignalError
	if first, ok := errors.AsType[*models.SignalError](err); ok {
		unusable, err = append([]*models.SignalError{first}, first.More...), nil
	}
	b.observe(len(signals), time.Since(start))
	begin := 0
	for _, j := range batch {
		end := begin + len(j.signals)
		j.err = err
		if err == nil {
			j.predictions = predictions[begin:end:end]
		}
		for _, u := range unusable {
			if j.err == nil && u.Index >= begin && u.Index < end {
				j.predictions, j.err = nil, &models.SignalError{Index: u.Index - begin, Reason: u.Reason}
			}
		}
		begin = end
	}
}
