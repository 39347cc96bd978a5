package training

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The figures are those of scikit-learn 1.9.1 on the same probabilities: roc_auc_score(y == k, p[:, k]) and
// average_precision_score(y == k, p[:, k]), their means over k, balanced_accuracy_score(y, p.argmax(1)), and by hand
// ((p - onehot(y))**2).sum(1).mean().
func TestRanking(t *testing.T) {
	p := [][]float64{{0.7, 0.2, 0.1}, {0.4, 0.4, 0.2}, {0.1, 0.8, 0.1}, {0.5, 0.3, 0.2}, {0.2, 0.2, 0.6},
		{0.3, 0.3, 0.4}, {0.6, 0.1, 0.3}, {0.1, 0.5, 0.4}}
	y := []int32{0, 0, 1, 1, 2, 2, 2, 0}
	score := func(y []int32) Ranking {
		e, counts, all := Evaluation{Samples: len(y)}, confusions{}, judgedFor(y, 3, false)
		for i, label := range y {
			best := 0
			for k := range p[i] {
				if p[i][k] > p[i][best] {
					best = k
				}
			}
			counts[[2]int{int(label), best}]++
			all.add(p[i])
		}
		e.count(counts, []string{"a", "b", "c"})
		return all.ranking(e.PerClass)
	}
	got := score(y)
	require.NotNil(t, got.AUROC)
	assert.InDelta(t, 0.7527777778, *got.AUROC, 1e-9)
	assert.InDelta(t, 0.7101851852, *got.AveragePrecision, 1e-9)
	assert.InDelta(t, 0.6111111111, got.BalancedAccuracy, 1e-9)
	assert.InDelta(t, 0.55, got.Brier, 1e-9)
	assert.InDelta(t, 3./8, got.MajorityBaseline, 1e-9)

	without := score([]int32{0, 0, 1, 1, 0, 0, 0, 0}) // a class without samples
	assert.InDelta(t, 0.7083333333, *without.AUROC, 1e-9)
	assert.InDelta(t, 0.5, without.BalancedAccuracy, 1e-9)
	one := score(make([]int32, 8))
	assert.Nil(t, one.AUROC)
	assert.Nil(t, one.AveragePrecision)
	assert.InDelta(t, 1, one.MajorityBaseline, 1e-9)
}
