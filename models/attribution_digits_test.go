package models_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/variables"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reader is a network that has learned to read the digits, and the test samples.
func reader(t *testing.T) (c *models.Classifier, signals [][]float32, labels []int) {
	t.Helper()
	config := training.Patch{"levels": "16x12/9,4x16/8,1x24/4", "hidden": 24, "epochs": 15, "ccp_hierarchies": 1,
		"ccp_stem":   nil,
		"ccp_blocks": nil, "ccp_dropout": nil, "ccp_padding": nil, "readout_dropout": nil}
	dir := filepath.Join(t.TempDir(), "digits")
	_, err := training.Train(t.Context(), backendtest.Go(t), config, training.Options{Dir: dir})
	require.NoError(t, err)
	c, err = models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	d, err := datasets.Load(t.Context(), "digits", datasets.Options{})
	require.NoError(t, err)
	for _, i := range d.Test {
		x := make([]float32, d.Nodes)
		d.Signals.Read(i, x)
		signals, labels = append(signals, x), append(labels, int(d.Labels[i]))
	}
	return c, signals, labels
}

// The checks of Adebayo et al. 2018, Sundararajan et al. 2017 and Samek et al. 2017, on a trained network: the
// contributions add up, they are of what it learned, and what contributes most is what it needs.
func TestAttributionsMeanSomething(t *testing.T) {
	c, signals, labels := reader(t)
	accuracy := func(signals [][]float32) (share float64) {
		predictions, err := c.Classify(t.Context(), signals)
		require.NoError(t, err)
		for i, p := range predictions {
			if p.Class == labels[i] {
				share += 1 / float64(len(labels))
			}
		}
		return share
	}
	whole := accuracy(signals)
	require.Greater(t, whole, 0.7, "the network has learned something")
	shuffled := shuffledWeights(t, c)
	random := rand.New(rand.NewPCG(1, 2))
	for _, method := range []string{models.GradientInput, models.IntegratedGradients} {
		t.Run(method, func(t *testing.T) {
			o := models.AttributionOptions{Method: method, Steps: 16, Classes: labels}
			all, err := c.Attribute(t.Context(), signals, o)
			require.NoError(t, err)

			gap, change := 0.0, 0.0
			var top, any [][]float32
			for i, a := range all {
				gap += a.Gap
				change += math.Abs(a.Logit - a.Baseline)
				order := random.Perm(64)
				any = append(any, without(c, signals[i], order[:6]))
				slices.SortFunc(order, func(i, j int) int { return cmp.Compare(a.Nodes[j], a.Nodes[i]) })
				top = append(top, without(c, signals[i], order[:6]))
			}
			if method == models.IntegratedGradients {
				assert.Less(t, gap, 0.01*change, "completeness")
			}
			lost, lostAnyway := whole-accuracy(top), whole-accuracy(any)
			assert.Greater(t, lost, 0.25, "without the top tenth of the nodes")
			assert.Greater(t, lost, 3*lostAnyway, "without a random tenth")

			part := o
			part.Classes = labels[:50]
			other, err := shuffled.Attribute(t.Context(), signals[:50], part)
			require.NoError(t, err)
			correlation := 0.0
			for i, b := range other {
				correlation += math.Abs(rankCorrelation(all[i].Nodes, b.Nodes)) / float64(len(other))
			}
			assert.Less(t, correlation, 0.3, "between the maps of the network and of one with its weights shuffled")
			t.Logf("gap %.4f, accuracy %.3f, lost %.3f by the top, %.3f by random nodes, correlation %.3f", gap/change,
				whole, lost, lostAnyway, correlation)
		})
	}
}

// without is a signal with some nodes set to the baseline.
func without(c *models.Classifier, signal []float32, nodes []int) []float32 {
	signal = slices.Clone(signal)
	for _, node := range nodes {
		signal[node] = c.Baseline[node]
	}
	return signal
}

// shuffledWeights is a classifier with the values within each trained variable in another order.
func shuffledWeights(t *testing.T, c *models.Classifier) *models.Classifier {
	t.Helper()
	other, err := models.NewClassifier(backendtest.Go(t), c.Metadata, c.Graph)
	require.NoError(t, err)
	require.NoError(t, other.Update(c.Store()))
	random := rand.New(rand.NewPCG(5, 6))
	for v := range other.Store().IterVariables() {
		if !variables.IsWeight(v) || v.DType().IsInt() || v.Name() == "frozen_rank" || v.Name() == "variance" {
			continue
		}
		values := tensors.MustCopyFlatData[float32](v.MustValue())
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
	}
	return other
}

// rankCorrelation is Spearman's: the correlation of the positions in the two orders. Ties keep their order.
func rankCorrelation(a, b []float64) float64 {
	positions := func(values []float64) []float64 {
		order, place := make([]int, len(values)), make([]float64, len(values))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
		for p, i := range order {
			place[i] = float64(p)
		}
		return place
	}
	n, square := float64(len(a)), 0.0
	x, y := positions(a), positions(b)
	for i := range x {
		square += (x[i] - y[i]) * (x[i] - y[i])
	}
	return 1 - 6*square/(n*(n*n-1))
}

func TestRankCorrelation(t *testing.T) {
	assert.InDelta(t, 1, rankCorrelation([]float64{1, 5, 9}, []float64{-1, 0, 7}), 1e-12)
	assert.InDelta(t, -1, rankCorrelation([]float64{1, 5, 9}, []float64{3, 2, 1}), 1e-12)
	assert.InDelta(t, 0.5, rankCorrelation([]float64{1, 5, 9}, []float64{2, 1, 3}), 1e-12)
}

// Trains a very small network on the embedded digits and asks which pixels spoke for the digit that it saw.
func ExampleClassifier_Attribute() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	dir = filepath.Join(dir, "digits")
	pureGo, _, err := backend.Open(backend.Options{Name: "go"})
	if err != nil {
		panic(err)
	}
	config := training.Patch{"levels": "8x4/9,1x8/8", "hidden": 16, "epochs": 1}
	if _, err := training.Train(context.Background(), pureGo, config, training.Options{Dir: dir}); err != nil {
		panic(err)
	}
	classifier, err := models.Load(dir, models.LoadOptions{Backend: pureGo})
	if err != nil {
		panic(err)
	}

	signal := make([]float32, 64) // 64 nodes x 1 channel
	why, err := classifier.Attribute(context.Background(), [][]float32{signal},
		models.AttributionOptions{Method: models.IntegratedGradients})
	if err != nil {
		panic(err)
	}
	sum := 0.0
	for _, contribution := range why[0].Nodes {
		sum += contribution
	}
	fmt.Println(len(why[0].Nodes), math.Abs(sum-(why[0].Logit-why[0].Baseline)) < 0.01)
	// Output: 64 true
}
