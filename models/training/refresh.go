package training

import (
	"iter"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/ml/train"
)

// Reuse is the Spec of a batch whose step uses the neighbourhoods that an earlier one selected, see ccp.ParamRefresh.
// GoMLX's trainer builds a graph for each Spec.
const Reuse = "reuse"

// refreshing marks the batches of a data set, from step `from` on, whose steps do not select anew.
type refreshing struct {
	train.Dataset
	from, every int
}

// selectEvery is a spec's ccp.ParamRefresh.
func selectEvery(spec models.Spec) int {
	every, ok := spec.Params[ccp.ParamRefresh].(float64)
	if !ok || spec.FrozenInTraining() {
		return 1
	}
	return int(every)
}

// Iter implements train.Dataset.
func (r refreshing) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		step := r.from
		for batch, err := range r.Dataset.Iter() {
			if step%r.every != 0 {
				batch.Spec = Reuse
			}
			step++
			if !yield(batch, err) {
				return
			}
		}
	}
}
