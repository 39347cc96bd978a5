package datasets

import (
	"runtime"
	"sync"

	"github.com/gomlx/gomlx/ml/train"
)

// queued is the number of batches that wait, ready or in work, for the consumer.
const queued = 4

// pipeline prepares batches ahead. A planner hands out the batches in order, each with a slot of its own for the
// result; workers fill the slots in any order; the consumer empties them in order.
type pipeline struct {
	slots chan chan train.Batch
	quit  chan struct{}
	group sync.WaitGroup
}

// job is a batch to build.
type job struct {
	epoch   int
	samples []int
	slot    chan train.Batch
}

// prepare starts a pipeline. It must be stopped.
func (b *Batches) prepare() *pipeline {
	p := &pipeline{slots: make(chan chan train.Batch, queued), quit: make(chan struct{})}
	jobs := make(chan job)
	p.group.Go(func() {
		defer close(p.slots)
		defer close(jobs)
		b.plan(func(epoch int, samples []int) bool {
			slot := make(chan train.Batch, 1) // room for the result: a worker never waits for the consumer
			select {
			case p.slots <- slot:
			case <-p.quit:
				return false
			}
			select {
			case jobs <- job{epoch, samples, slot}:
				return true
			case <-p.quit:
				return false
			}
		})
	})
	for range max(1, runtime.GOMAXPROCS(0)-1) {
		p.group.Go(func() {
			for j := range jobs {
				j.slot <- b.build(j.epoch, j.samples)
			}
		})
	}
	return p
}

// next waits for the next batch; false after the last.
func (p *pipeline) next() (train.Batch, bool) {
	slot, ok := <-p.slots
	if !ok {
		return train.Batch{}, false
	}
	return <-slot, true
}

// stop ends the goroutines and waits for them. Batches that nobody took are left to the garbage collector: their
// tensors have never left the host's memory.
func (p *pipeline) stop() {
	close(p.quit)
	p.group.Wait()
}
