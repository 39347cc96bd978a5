package partition_test

import (
	"context"
	"testing"
	"time"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/ccp/partition"
	"github.com/stretchr/testify/require"
)

func TestTry(t *testing.T) {
	m, err := affinity.Grid(32, 32, 8)
	require.NoError(t, err)
	for _, sweeps := range []int{200, 1000, 4000, 10000} {
		for seed := range uint64(2) {
			start := time.Now()
			_, c, err := partition.Hierarchy(context.Background(), m, []partition.Level{{256, 16}, {64, 16}, {16, 8}, {4, 8}, {1, 4}}, partition.Options{Sweeps: sweeps, Seed: seed})
			require.NoError(t, err)
			sum := 0.0
			for _, v := range c {
				sum += v
			}
			t.Logf("sweeps %d seed %d: %.2f %.2f in %v", sweeps, seed, sum, c, time.Since(start))
		}
	}
}
