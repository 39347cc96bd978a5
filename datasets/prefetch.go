package datasets

import (
	"runtime"
	"sync"

	"github.com/gomlx/gomlx/ml/train"
)

// queued is the number of batches that wait, ready or in work, for the consumer.
const queued = 4

// prepare builds batches ahead, on all cores but one. Each batch has its own slot: the slots are filled in any order and
// emptied in the order of the batches. stop ends the goroutines and waits for them; the garbage collector takes batches that
// nobody took, as their tensors are in host memory.
func (b *Batches) prepare() (slots chan chan train.Batch, stop func()) {
	slots = make(chan chan train.Batch, queued)
	free := make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))
	quit := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer close(slots)
		for epoch, samples := range b.plan {
			slot := make(chan train.Batch, 1) // room for the result: it never waits for the consumer
			select {
			case slots <- slot:
			case <-quit:
				return
			}
			select {
			case free <- struct{}{}:
			case <-quit:
				return
			}
			group.Go(func() {
				slot <- b.build(epoch, samples)
				<-free
			})
		}
	})
	return slots, func() {
		close(quit)
		group.Wait()
	}
}
