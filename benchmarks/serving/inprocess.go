package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/clusterpool/ccp/benchmarks/internal/turns"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/core/tensors"
)

// inProcess times Classify of 1 to 64 signals and the bare computation of the same signals in batches of each size, in turn, and
// prints the table. Classify reaches the least of the inverse ratios as its share of the bare computation's throughput.
func inProcess(dir string, seconds float64) (err error) {
	ctx := context.Background()
	c, err := models.Load(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Compile(ctx); err != nil {
		return err
	}
	table := turns.NewTable(os.Stdout, backend.ThisMachine().CPU, "")
	sizes := []int{1, 4, 16, 64}
	random := rand.New(rand.NewPCG(1, 1))
	signals := make([][]float32, sizes[len(sizes)-1])
	for i := range signals {
		signals[i] = make([]float32, c.Spec.Nodes*c.Spec.Channels)
		for j := range signals[i] {
			signals[i][j] = float32(random.IntN(256))
		}
	}
	const rounds = 5
	for k, n := range sizes {
		classify := func() error { _, err := c.Classify(ctx, signals[:n]); return err }
		first, err := turns.Time(1, 1, classify)
		if err != nil {
			return err
		}
		steps := max(1, int(1e3*seconds/(rounds*float64(k+2)*first.MedianMS)))
		timed := func(name string, step func() error) turns.Contender {
			return turns.Contender{Name: name, Measure: func() (turns.Figures, error) { return turns.Time(0, steps, step) }}
		}
		contenders := []turns.Contender{timed("classify", classify)}
		for _, size := range sizes[:k+1] {
			batch := tensors.FromFlatDataAndDimensions(slices.Concat(signals[:size]...), size, c.Spec.Nodes, c.Spec.Channels)
			defer batch.MustFinalizeAll()
			contenders = append(contenders, timed(fmt.Sprintf("compute, %d at once", size), func() error {
				for range n / size {
					out, err := c.Run(batch)
					if err != nil {
						return err
					}
					out.MustFinalizeAll()
				}
				return nil
			}))
		}
		if err := table.Compare(fmt.Sprintf("%s, %d signals", c.Data, n), fmt.Sprintf("%d steps", steps), rounds, contenders); err != nil {
			return err
		}
	}
	return nil
}
