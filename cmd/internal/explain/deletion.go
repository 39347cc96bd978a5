package explain

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/models"
)

const (
	deletedShare = 0.1 // of the nodes
	randomDraws  = 5   // over which the random deletion is averaged
)

// Deletion is how a classifier does on signals that lack nodes.
type Deletion struct {
	Subject
	Nodes   int   `json:"nodes"`
	Deleted int   `json:"deleted"` // nodes of each sample
	Nothing Score `json:"nothing"`
	Random  Score `json:"random"` // means over draws
	Draws   int   `json:"-"`
	Top     Score `json:"top"`
}

// Score is a mean over samples.
type Score struct {
	Accuracy    float64 `json:"accuracy"`
	Probability float64 `json:"probability"` // of the true class
}

// Delete puts the baseline in the place of the nodes that contributed most to each sample, and of as many drawn at random: if
// contributions mean anything, the former hurts far more.
func (e *Explanation) Delete(ctx context.Context) (Deletion, error) {
	d := Deletion{Subject: e.subject(), Draws: randomDraws, Nodes: e.Data.Nodes, Deleted: max(1, int(deletedShare*float64(e.Data.Nodes)+0.5))}
	random := rand.New(rand.NewPCG(1, uint64(e.Data.Nodes)))
	err := e.each(ctx, func(sample int, signal []float32, a models.Attribution) error {
		most := make([]int, e.Data.Nodes)
		for i := range most {
			most[i] = i
		}
		slices.SortStableFunc(most, func(i, j int) int { return cmp.Compare(a.Nodes[j], a.Nodes[i]) })
		signals := [][]float32{signal, e.without(signal, most[:d.Deleted])}
		scores := []*Score{&d.Nothing, &d.Top}
		for range randomDraws {
			signals, scores = append(signals, e.without(signal, random.Perm(e.Data.Nodes)[:d.Deleted])), append(scores, &d.Random)
		}
		predictions, err := e.Classifier.Classify(ctx, signals)
		if err != nil {
			return err
		}
		for i, p := range predictions {
			weight, label := 1/float64(len(e.samples)), int(e.Data.Labels[sample])
			if scores[i] == &d.Random {
				weight /= randomDraws
			}
			scores[i].Probability += weight * p.Probabilities[label]
			if p.Class == label {
				scores[i].Accuracy += weight
			}
		}
		return nil
	})
	return d, err
}

// without is a signal with some nodes set to the baseline, which is Mean in raw units.
func (e *Explanation) without(signal []float32, nodes []int) []float32 {
	signal = slices.Clone(signal)
	for _, node := range nodes {
		copy(signal[node*e.Data.Channels:(node+1)*e.Data.Channels], e.Data.Mean)
	}
	return signal
}
