package explain

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// score is a mean over samples.
type score struct{ accuracy, probability float64 }

// TestDeletion sets to the baseline the nodes that contributed most to each sample, a tenth of all, and then as many
// random ones. If contributions mean anything, the first hurts far more. If CCP_CHECKPOINT names the directory of a
// run, its whole test split is tried; -v prints the scores.
func TestDeletion(t *testing.T) {
	backend, dir, most := backendtest.Go(t), os.Getenv("CCP_CHECKPOINT"), 0
	if dir == "" {
		c := training.Patch{"levels": "16x8/9,1x16/8", "hidden": 16, "epochs": 4, "ccp_hierarchies": 1, "ccp_stem": nil,
			"ccp_blocks":  nil,
			"ccp_dropout": nil, "ccp_padding": nil, "readout_dropout": nil}
		dir, most = filepath.Join(t.TempDir(), "run"), 50
		_, err := training.Train(t.Context(), backend, c, training.Options{Dir: dir})
		require.NoError(t, err)
	}
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	config, err := training.ReadConfig(dir)
	require.NoError(t, err)
	data, err := training.LoadFor(t.Context(), classifier.Metadata, config,
		datasets.Options{DataDir: os.Getenv("CCP_DATA")})
	require.NoError(t, err)
	for _, method := range []string{models.GradientInput, models.IntegratedGradients} {
		e := Explanation{Classifier: classifier, Data: data, Split: "test", Class: -1}
		e.Options = models.AttributionOptions{Method: method, Steps: 50}
		require.NoError(t, e.Prepare(most))
		nothing, random, top := deletions(t, &e)
		t.Logf("%s, %d samples: nothing deleted %v, random nodes %v, those that contributed most %v (accuracy, probability "+
			"of the true class)", method, len(e.Samples), nothing, random, top)
		assert.Greater(t, nothing.accuracy, 0.5)
		assert.Greater(t, nothing.probability-top.probability, 2*(nothing.probability-random.probability))
		assert.Less(t, top.accuracy, random.accuracy)
	}
}

// deletions are the scores without a tenth of the nodes; random is the mean of 5 draws.
func deletions(t *testing.T, e *Explanation) (nothing, random, top score) {
	t.Helper()
	const draws = 5
	nodes, channels := e.Data.Nodes, e.Data.Channels
	baseline := e.Classifier.Mean
	if e.Classifier.Baseline != nil {
		baseline = e.Classifier.Baseline
	}
	baseline = slices.Repeat(baseline, nodes*channels/len(baseline)) // in raw units
	deleted := max(1, (nodes+5)/10)
	source := rand.New(rand.NewPCG(1, uint64(nodes)))
	err := e.Each(t.Context(), func(sample int, signal []float32, a models.Attribution) error {
		without := func(order []int) []float32 {
			signal := slices.Clone(signal)
			for _, node := range order[:deleted] {
				copy(signal[node*channels:(node+1)*channels], baseline[node*channels:])
			}
			return signal
		}
		order := make([]int, nodes)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.Nodes[j], a.Nodes[i]) })
		signals := [][]float32{signal, without(order)}
		for range draws {
			signals = append(signals, without(source.Perm(nodes)))
		}
		predictions, err := classify.Predict(t.Context(), e.Classifier, signals)
		for i, p := range predictions {
			sum, weight := &random, 1/float64(len(e.Samples)*draws)
			if i < 2 {
				sum, weight = []*score{&nothing, &top}[i], 1/float64(len(e.Samples))
			}
			label := int(e.Data.Labels[sample])
			sum.probability += weight * p.Probabilities[label]
			if p.Class == label {
				sum.accuracy += weight
			}
		}
		return err
	})
	require.NoError(t, err)
	return nothing, random, top
}
