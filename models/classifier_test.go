package models

import (
	"context"
	"fmt"
	"github.com/clusterpool/ccp/internal/variables"
	"math"
	"sync"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models/internal/prob"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn is a store with a spec's weights as they are drawn at the start, see backendtest.Network.Draw.
func drawn(t testing.TB, backend compute.Backend, s Spec, graph *affinity.Matrix, coordinates ...float64) *model.Store {
	t.Helper()
	store := s.NewStore(3)
	_, err := s.Prepare(t.Context(), backend, store, graph, coordinates, nil)
	require.NoError(t, err)
	built := backendtest.Network(func(scope *model.Scope,
		x *Node) *Node {
		return s.Build(scope, Topology{Matrix: graph}, x)
	})
	return built.Draw(t, backend, store, s.Nodes, s.Channels)
}

// tiny is a small network on a 3x4 grid.
func tiny(t testing.TB) (Metadata, *affinity.Matrix) {
	t.Helper()
	graph, err := affinity.Grid(3, 4, 8)
	require.NoError(t, err)
	return Metadata{
		Spec: Spec{Options: DefaultOptions(), Model: "ccp",
			Levels: mustLevels("4x6/4,1x8/3"), Hidden: []int{8}, Info: signal.Info{Nodes: 12, Channels: 2,
				ClassNames: []string{"red", "green", "blue"}, Mean: []float32{1, -2}, Std: []float32{2, 0.5}}},
		Data: "grid", Provenance: "made here", Command: "the command", Versions: map[string]string{"go": "1"},
	}, graph
}

func tinyClassifier(t testing.TB, backend compute.Backend) *Classifier {
	t.Helper()
	m, graph := tiny(t)
	c, err := NewClassifier(backend, m, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(drawn(t, backend, m.Spec, graph)))
	return c
}

func grid(t testing.TB, height, width int) *affinity.Matrix {
	t.Helper()
	graph, err := affinity.Grid(height, width, 8)
	require.NoError(t, err)
	return graph
}

// The frozen network gives the logits of the one that works out its hierarchy in each step.
func TestFrozenIsLearned(t *testing.T) {
	words, err := affinity.RandomConnected(200, 1200, 1)
	require.NoError(t, err)
	skeleton, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {2, 3}, {1, 4}}, 5, 20)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		graph             *affinity.Matrix
		channels, classes int
		levels            string
		both              bool // on XLA, too, which takes seconds to compile
	}{
		"digits":         {grid(t, 8, 8), 1, 10, "32x64/9,8x128/8,1x256/8", true},
		"image":          {grid(t, 28, 28), 1, 10, "196x32/9,49x64/9,9x128/9,1x256/9", false},
		"small image":    {grid(t, 10, 10), 3, 10, "25x16/16,9x24/16,4x32/8,2x48/4,1x64/2", false},
		"small words":    {words, 1, 20, "50x8/16,16x12/16,8x16/8,4x24/8,2x32/4,1x32/2", true},
		"small skeleton": {skeleton, 6, 60, "32x16/16,16x24/16,8x32/8,4x48/8,1x64/4", false},
		"candidates":     {words, 1, 4, "50x8/16,16x12/16,8x16/8,1x32/8", true},
		"without levels": {grid(t, 3, 4), 2, 3, "none", true},
	} {
		t.Run(name, func(t *testing.T) {
			onBackends(t, c.both, func(t *testing.T, backend compute.Backend) {
				s := Spec{Options: DefaultOptions(), Model: "ccp", Hidden: []int{64},
					Info: signal.Info{Nodes: c.graph.N(), Channels: c.channels, ClassNames: make([]string, c.classes)}}
				if c.levels != "none" {
					s.Levels = mustLevels(c.levels)
				}
				if name == "candidates" {
					s.Levels[0].Candidates, s.Levels[1].Candidates = 3, 2
				}
				require.NoError(t, s.Check())
				store := drawn(t, backend, s, c.graph)
				flat := make([]float32, 0, 4*s.Nodes*s.Channels)
				for _, signal := range signals(s, 4, 2) {
					flat = append(flat, signal...)
				}
				batch := tensors.FromFlatDataAndDimensions(flat, 4, s.Nodes, s.Channels)
				if name == "candidates" {
					require.Equal(t, []int{s.Nodes, 3}, store.GetVariable("/model/level_1/U").Shape().Dimensions)
				}
				learned, err := model.CallOnce(backend,
					store, func(scope *model.Scope, x *Node) *Node {
						return s.Build(scope, Topology{Matrix: c.graph},
							x)
					}, batch)
				require.NoError(t, err)

				classifier, err := NewClassifier(backend, Metadata{Spec: s}, c.graph)
				require.NoError(t, err)
				require.NoError(t, classifier.Update(store))
				frozen, err := classifier.Run(batch)
				require.NoError(t, err)
				require.Equal(t, learned.Shape(), frozen.Shape())
				want := tensors.MustCopyFlatData[float32](learned)
				assert.InDeltaSlice(t, want, tensors.MustCopyFlatData[float32](frozen), 1e-5)
				assert.NotEqual(t, want[:s.Classes()], want[s.Classes():2*s.Classes()], "the signal matters")
			})
		})
	}
}

func onBackends(t *testing.T, both bool, f func(t *testing.T, backend compute.Backend)) {
	if both {
		backendtest.Run(t, f)
	} else {
		f(t, backendtest.Go(t))
	}
}

// A classifier in training is updated again and again: its hierarchy and weights must follow.
func TestUpdateFollows(t *testing.T) {
	backend := backendtest.Go(t)
	c := tinyClassifier(t, backend)
	first, err := c.Classify(t.Context(), signals(c.Spec, 1, 1))
	require.NoError(t, err)
	m, graph := tiny(t)
	store := drawn(t, backend, m.Spec, graph)
	require.NoError(t, c.Update(store))
	same, err := c.Classify(t.Context(), signals(c.Spec, 1, 1))
	require.NoError(t, err)
	assert.Equal(t, first, same)

	scale := func(path string) {
		v := store.GetVariable(path)
		values := tensors.MustCopyFlatData[float32](v.MustValue())
		for i := range values {
			values[i] *= -2
		}
		require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
	}
	for v := range store.IterVariables() {
		if variables.IsWeight(v) {
			assert.Equal(t, v.Trainable, c.Store().GetVariable(v.Path()).Trainable, v.Path())
		}
	}
	for _, path := range []string{"/model/level_1/U", "/model/level_1/W", "/model/classes/W"} {
		scale(path)
		require.NoError(t, c.Update(store))
		changed, err := c.Classify(t.Context(), signals(c.Spec, 1, 1))
		require.NoError(t, err)
		assert.NotEqual(t, first, changed, path)
		anew, err := NewClassifier(backend, m, graph) // what is kept beside the weights follows them
		require.NoError(t, err)
		require.NoError(t, anew.Update(store))
		expected, err := anew.Classify(t.Context(), signals(c.Spec, 1, 1))
		require.NoError(t, err)
		assert.Equal(t, expected, changed, path)
	}

	// Averaged weights are taken instead of those in training.
	average, err := store.CreateVariable("/average/model/classes/W", tensors.FromScalarAndDimensions(float32(0), 8, 3))
	require.NoError(t, err)
	require.NotNil(t, average)
	require.NoError(t, c.Update(store))
	p, err := c.Classify(t.Context(), signals(c.Spec, 1, 1))
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{1. / 3, 1. / 3, 1. / 3}, p[0].Probabilities, 1e-6)
}

// Predictions come from kernels that hold the batch norm, with gates kept as tables. They are those of the program
// with gradients, also after the weights have changed.
func TestFoldedKernelsPredictAlike(t *testing.T) {
	onBackends(t, true, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		all := signals(c.Spec, 3, 1)
		alike := func() {
			predictions, err := c.Classify(t.Context(), all)
			require.NoError(t, err)
			for i, s := range all {
				err = c.compute(t.Context(), c.gradients, []point{{signal: s, share: 1, class: -1}},
					func(_ int, outputs [][]float32) {
						assert.InDeltaSlice(t, prob.Softmax(outputs[0]), predictions[i].Probabilities, 1e-6)
					})
				require.NoError(t, err)
			}
		}
		alike()
		kernel := c.store.GetVariable("/model/level_1/W").Shape()
		for name, size := range map[string]int{"kernel": kernel.Size(), "shift": kernel.Dim(0),
			"gate": 4 * kernel.Dim(1)} {
			table := c.store.GetVariable("/model/level_1/tables/" + name)
			require.NotNil(t, table, name)
			assert.Equal(t, size, table.Shape().Size(), name)
			assert.False(t, variables.IsWeight(table), "it is not saved")
		}
		for _, name := range []string{"W", "b", "alpha", "batch_norm/mean", "batch_norm/variance"} {
			v := c.store.GetVariable("/model/level_1/" + name)
			value, err := v.Value()
			require.NoError(t, err)
			flat := tensors.MustCopyFlatData[float32](value)
			for i := range flat {
				flat[i] += 0.1 * float32(i%3+1)
			}
			require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(flat, v.Shape().Dimensions...)))
		}
		require.NoError(t, c.Update(c.Store()))
		alike()
	})
}

// Classify is Run on normalised signals, and softmax.
func TestClassify(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		raw := signals(c.Spec, 3, 1)
		predictions, err := c.Classify(t.Context(), raw)
		require.NoError(t, err)
		require.Len(t, predictions, 3)
		for i, p := range predictions {
			flat := make([]float32, len(raw[i]))
			for j, v := range raw[i] {
				flat[j] = []float32{(v - 1) / 2, (v + 2) / 0.5}[j%2]
			}
			out, err := c.Run(tensors.FromFlatDataAndDimensions(flat, 1, 12, 2))
			require.NoError(t, err)
			logits := tensors.MustCopyFlatData[float32](out)
			sum := 0.0
			for _, v := range logits {
				sum += math.Exp(float64(v))
			}
			total := 0.0
			for k, v := range logits {
				assert.InDelta(t, math.Exp(float64(v))/sum, p.Probabilities[k], 1e-5)
				assert.LessOrEqual(t, p.Probabilities[k], p.Probability)
				total += p.Probabilities[k]
			}
			assert.InDelta(t, 1, total, 1e-12)
			assert.Equal(t, p.Probabilities[p.Class], p.Probability)
			assert.Equal(t, c.ClassNames[p.Class], p.Name)
		}
		none, err := c.Classify(t.Context(), nil)
		require.NoError(t, err)
		assert.Empty(t, none)
	})
}

// A signal's prediction is the same alone, in front of others and behind them, whatever it is padded to.
func TestPredictionsDoNotDependOnTheBatch(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		all := signals(c.Spec, 131, 1)
		want, err := c.Classify(t.Context(), all)
		require.NoError(t, err)
		require.Len(t, want, len(all))
		for _, part := range [][2]int{{0, 1}, {130, 131}, {60, 67}, {63, 72}, {1, 65}} {
			got, err := c.Classify(t.Context(), all[part[0]:part[1]])
			require.NoError(t, err)
			for i := range got {
				assert.InDeltaSlice(t, want[part[0]+i].Probabilities, got[i].Probabilities, 1e-5, "%v", part)
			}
		}
	})
}

func TestClassifyConcurrently(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		all := signals(c.Spec, 40, 1)
		want, err := c.Classify(t.Context(), all)
		require.NoError(t, err)
		var group sync.WaitGroup
		for worker := range 8 {
			group.Go(func() {
				for i := range 12 {
					from := (worker*7 + i*5) % 32
					got, err := c.Classify(t.Context(), all[from:from+1+i%8])
					if !assert.NoError(t, err) {
						return
					}
					for j, p := range got {
						assert.InDeltaSlice(t, want[from+j].Probabilities, p.Probabilities, 1e-5)
					}
				}
			})
		}
		group.Wait()
	})
}

func TestUnusableSignals(t *testing.T) {
	c := tinyClassifier(t, backendtest.Go(t))
	for want, spoil := range map[string]func(s [][]float32){
		"unusable signal 1: it has 23 values; the model needs 12 nodes x 2 channels = " +
			"24": func(s [][]float32) { s[1] = s[1][:23] },
		"unusable signal 0: it has 0 values":          func(s [][]float32) { s[0] = nil },
		"unusable signal 2: node 5, channel 1 is NaN": func(s [][]float32) { s[2][11] = float32(math.NaN()) },
		"unusable signal 2: node 11, channel 0 is -Inf": func(s [][]float32) {
			s[2][22] = float32(math.Inf(-1))
		},
		"unusable signal 65: its values are so large that": func(s [][]float32) { s[65][3] = 3e38 },
	} {
		s := signals(c.Spec, 70, 1)
		spoil(s)
		_, err := c.Classify(t.Context(), s)
		require.ErrorAs(t, err, new(*SignalError), want)
		assert.ErrorContains(t, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Classify(ctx, signals(c.Spec, 1, 1))
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorAs(t, err, new(*SignalError))
}

func TestProbabilities(t *testing.T) {
	assert.InDeltaSlice(t, []float64{0.25, 0.75}, prob.Softmax([]float32{0, float32(math.Log(3))}), 1e-7)
	assert.Equal(t, []float64{0, 1, 0}, prob.Softmax([]float32{-3e38, 3e38, 0}), "no overflow")
	assert.Equal(t, []float64{1}, prob.Softmax([]float32{-700}))
}

func TestClassifierOfAWrongGraph(t *testing.T) {
	m, _ := tiny(t)
	c, err := NewClassifier(backendtest.Go(t), m, grid(t, 2, 2))
	require.NoError(t, err)
	err = c.Update(m.Spec.NewStore(1))
	require.ErrorContains(t, err, fmt.Sprintf("the signal has shape (%s)[1, 12, 2], but the graph needs [batch, 4, "+
		"channels]", dtypes.Float32))
}
