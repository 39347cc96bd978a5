package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/clusterpool/ccp/models"
	"github.com/spf13/cobra"
)

const (
	deletedShare = 0.1 // of the nodes
	randomDraws  = 5   // over which the random deletion is averaged
)

// deletionJSON is what `ccp explain --deletion --json` prints.
type deletionJSON struct {
	Command string         `json:"command"`
	Data    string         `json:"data"`
	Split   string         `json:"split"`
	Samples int            `json:"samples"`
	Method  string         `json:"method"`
	Steps   int            `json:"steps,omitempty"`
	Nodes   int            `json:"nodes"`
	Deleted int            `json:"deleted"` // nodes of each sample
	Nothing deletionResult `json:"nothing"`
	Random  deletionResult `json:"random"` // means over draws
	Top     deletionResult `json:"top"`
}

// deletionResult is how the classifier does on signals that lack nodes.
type deletionResult struct {
	Accuracy    float64 `json:"accuracy"`
	Probability float64 `json:"probability"` // of the true class, on average
}

// checkByDeletion puts the baseline in the place of the nodes that contributed most to each sample, and of as many drawn at
// random: if contributions mean anything, the former hurts far more.
func (e *explanation) checkByDeletion(cmd *cobra.Command, asJSON bool) error {
	j := deletionJSON{Command: "explain", Data: e.data.Name, Split: e.split, Samples: len(e.samples), Method: e.options.Method,
		Nodes: e.data.Nodes, Deleted: max(1, int(deletedShare*float64(e.data.Nodes)+0.5))}
	if j.Method == models.IntegratedGradients {
		j.Steps = e.options.Steps
	}
	random := rand.New(rand.NewPCG(1, uint64(e.data.Nodes)))
	err := e.each(cmd, func(sample int, signal []float32, a models.Attribution) error {
		most := make([]int, e.data.Nodes)
		for i := range most {
			most[i] = i
		}
		slices.SortStableFunc(most, func(i, j int) int { return cmp.Compare(a.Nodes[j], a.Nodes[i]) })
		signals := [][]float32{signal, e.without(signal, most[:j.Deleted])}
		for range randomDraws {
			signals = append(signals, e.without(signal, random.Perm(e.data.Nodes)[:j.Deleted]))
		}
		return e.score(cmd.Context(), sample, signals, &j)
	})
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), j)
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s, %s split: %s, %d of %d nodes set to the baseline\n\n", j.Data, j.Split, count(j.Samples, "sample"), j.Deleted, j.Nodes)
	fmt.Fprintf(w, "%-40s  accuracy  probability of the true class\n", "deleted")
	for _, row := range []struct {
		name string
		deletionResult
	}{
		{"nothing", j.Nothing},
		{fmt.Sprintf("random nodes, mean of %d draws", randomDraws), j.Random},
		{"nodes that contributed most (" + j.Method + ")", j.Top},
	} {
		fmt.Fprintf(w, "%-40s  %7.2f%%  %29.3f\n", row.name, 100*row.Accuracy, row.Probability)
	}
	return nil
}

// without is a signal with some nodes set to the baseline, which is Mean in raw units.
func (e *explanation) without(signal []float32, nodes []int) []float32 {
	signal = slices.Clone(signal)
	for _, node := range nodes {
		copy(signal[node*e.data.Channels:(node+1)*e.data.Channels], e.data.Mean)
	}
	return signal
}

// score adds to j how the classifier does on a sample: whole, without the top nodes, and without random ones.
func (e *explanation) score(ctx context.Context, sample int, signals [][]float32, j *deletionJSON) error {
	predictions, err := e.classifier.Classify(ctx, signals)
	if err != nil {
		return err
	}
	label := int(e.data.Labels[sample])
	for i, p := range predictions {
		result, weight := &j.Random, 1/float64(len(e.samples)*randomDraws)
		if i < 2 {
			result, weight = []*deletionResult{&j.Nothing, &j.Top}[i], 1/float64(len(e.samples))
		}
		result.Probability += weight * p.Probabilities[label]
		if p.Class == label {
			result.Accuracy += weight
		}
	}
	return nil
}
