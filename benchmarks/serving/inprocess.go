package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/core/tensors"
)

// inProcess times Classify of 1 to 64 signals beside the bare computation of the same batches, in turns, and prints the medians. The
// bare computation is of those of the sizes given that are fastest.
func inProcess(dir string, seconds float64) error {
	ctx := context.Background()
	c, err := models.Load(dir)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.Compile(ctx); err != nil {
		return err
	}
	fmt.Println("model,signals,computed_at_once,compute_ms,classify_ms,share_of_raw_throughput")
	sizes := []int{1, 4, 16, 64}
	for _, n := range sizes {
		signals := make([][]float32, n)
		random := rand.New(rand.NewPCG(1, 1))
		for i := range signals {
			signals[i] = make([]float32, c.Spec.Nodes*c.Spec.Channels)
			for j := range signals[i] {
				signals[i][j] = float32(random.IntN(256))
			}
		}
		raw, whole := map[int][]float64{}, []float64{}
		for begin := time.Now(); time.Since(begin).Seconds() < seconds || len(whole) < 5; {
			for _, size := range sizes[:slices.Index(sizes, n)+1] {
				batch := tensors.FromFlatDataAndDimensions(slices.Concat(signals[:size]...), size, c.Spec.Nodes, c.Spec.Channels)
				start := time.Now()
				for range n / size {
					out, err := c.Run(batch)
					if err != nil {
						return err
					}
					out.MustFinalizeAll()
				}
				raw[size] = append(raw[size], 1e3*time.Since(start).Seconds())
				batch.MustFinalizeAll()
			}
			start := time.Now()
			if _, err := c.Classify(ctx, signals); err != nil {
				return err
			}
			whole = append(whole, 1e3*time.Since(start).Seconds())
		}
		best := n
		for size, times := range raw {
			if median(times) < median(raw[best]) {
				best = size
			}
		}
		compute, classify := median(raw[best]), median(whole)
		fmt.Printf("%s,%d,%d,%.3f,%.3f,%.3f\n", c.Data, n, best, compute, classify, compute/classify)
	}
	return nil
}

func median(times []float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
