package partition

import (
	"context"
	"fmt"
	"math"

	"github.com/clusterpool/ccp/ccp/affinity"
)

// Coarsen is the next level's affinity under a hard clustering: D^−½·P·D^−½ with P = Mᵀ·A0·M and D its row sums, its
// diagonal included, as the layer makes it. The result has k nodes.
func Coarsen(m *affinity.Matrix, cluster []int32, k int) (*affinity.Matrix, error) {
	sums := make([]float64, k)
	pooled := make([]map[int32]float64, k)
	for c := range pooled {
		pooled[c] = map[int32]float64{}
	}
	for i, a := range cluster {
		neighbours, weights := m.Row(i)
		for e, j := range neighbours {
			if int(j) == i {
				continue
			}
			b := cluster[j]
			sums[a] += weights[e]
			if a <= b {
				pooled[a][b] += weights[e]
			}
		}
	}
	var edges []affinity.Edge
	for a := range pooled {
		for b, w := range pooled[a] {
			edges = append(edges, affinity.Edge{I: a, J: int(b), Weight: w / math.Sqrt(sums[a]*sums[b])})
		}
	}
	return affinity.New(k, edges)
}

// Level of a hierarchy to search: the number of clusters, and the most nodes that one may hold.
type Level struct{ Clusters, MaxSize int }

// Hierarchy searches a clustering of m for each level in turn, each on the coarse graph that the one before it leaves. A level whose
// clusters cannot hold its nodes within MaxSize is searched without that limit; o's own is not used.
func Hierarchy(ctx context.Context, m *affinity.Matrix, levels []Level, o Options) (clusters [][]int32, err error) {
	for i, level := range levels {
		o := o
		o.MaxSize, o.level = 0, i+1
		if level.MaxSize*level.Clusters >= m.N() {
			o.MaxSize = level.MaxSize
		}
		cluster, _, err := Search(ctx, m, level.Clusters, o)
		if err != nil {
			return nil, fmt.Errorf("level %d: %w", i+1, err)
		}
		clusters = append(clusters, cluster)
		if m, err = Coarsen(m, cluster, level.Clusters); err != nil {
			return nil, fmt.Errorf("level %d: %w", i+1, err)
		}
	}
	return clusters, nil
}

// Objective is C of a hard clustering of m into k clusters.
func Objective(m *affinity.Matrix, cluster []int32, k int) float64 {
	return newState(m.WithoutLoops(), k, cluster).total()
}
