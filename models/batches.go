package models

import (
	"context"
	"fmt"
	"time"
)

// batchSizes are the sizes that a classifier compiles for; a batch is cut into some of them, and its rest padded.
var batchSizes = [...]int{1, 4, 16, maxBatch}

// maxBatch is the most signals that are computed at once.
const maxBatch = 64

// plan says for each number of signals up to maxBatch which of batchSizes to compute first: the cuts whose costs have the
// least sum. On a CPU the largest batch is often not the cheapest, for its intermediate values leave the caches.
type plan [maxBatch + 1]int

// newPlan finds the cheapest cuts when a batch of the size given costs cost(size).
func newPlan(cost func(size int) float64) (p plan) {
	var least [maxBatch + 1]float64
	for n := 1; n <= maxBatch; n++ {
		for _, size := range batchSizes {
			if total := cost(size) + least[max(0, n-size)]; p[n] == 0 || total < least[n] {
				p[n], least[n] = size, total
			}
		}
	}
	return p
}

// usualCost stands in for what has not been measured: starting a batch costs as much as eight signals.
func usualCost(size int) float64 { return float64(8 + size) }

func (c *Classifier) batchFor(n int) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.plan[n]
}

// Compile compiles the program of every batch size now, which can take seconds, and measures how long each takes to compute,
// so that the first Classify is as fast as the others and all are cut into the batches that suit this machine. Errors say what
// does not fit, such as weights of another version's network.
func (c *Classifier) Compile(ctx context.Context) error {
	cost := map[int]float64{}
	signals := [][]float32{make([]float32, c.Spec.Nodes*c.Spec.Channels)}
	for _, size := range batchSizes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := c.compute(signals, []int{0}, size); err != nil {
			return fmt.Errorf("compiling for %d signals at once (are the weights of another version of this program? then train anew): %w", size, err)
		}
		for run, begin := 0, time.Now(); run < 3 || run < 10 && time.Since(begin) < 50*time.Millisecond; run++ {
			start := time.Now()
			if _, err := c.compute(signals, []int{0}, size); err != nil {
				return err
			}
			if seconds := time.Since(start).Seconds(); run == 0 || seconds < cost[size] {
				cost[size] = seconds
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plan = newPlan(func(size int) float64 { return cost[size] })
	return nil
}
