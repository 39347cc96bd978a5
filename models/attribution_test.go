package models

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linearClassifier scores 3 nodes x 2 channels for 2 classes; raw values 1 and 2 are the training means, 2 and 4 the
// deviations.
func linearClassifier(t testing.TB, backend compute.Backend) *Classifier {
	t.Helper()
	s := Spec{Options: DefaultOptions(), Model: "softmax",
		Info: signal.Info{Nodes: 3, Channels: 2, ClassNames: []string{"a", "b"}, Mean: []float32{1, 2},
			Std: []float32{2, 4}}}
	graph := grid(t, 1, 3)
	store := drawn(t, backend, s, graph)
	// [values, classes]; the third value speaks for one class alone
	w := []float32{1, -1, 2, 0, 0, 3, 0, 0, 5, 1, -4, 2}
	require.NoError(t, store.GetVariable("/model/classes/W").SetValue(tensors.FromFlatDataAndDimensions(w, 6, 2)))
	require.NoError(t, store.GetVariable("/model/classes/b").SetValue(tensors.FromValue([]float32{0.5, -0.5})))
	c, err := NewClassifier(backend, Metadata{Spec: s, Data: "line"}, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	return c
}

// Of a linear model the contributions are weight x normalised input, by either method and in any number of steps.
func TestAttributeLinear(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := linearClassifier(t, backend)
		raw := [][]float32{{3, 6, 1, 10, 5, 2}, {1, 2, 1, 2, 1, 2}} // normalised: 1 1 0 2 2 0, and the baseline itself
		for _, o := range []AttributionOptions{{}, {Method: GradientInput}, {Method: IntegratedGradients},
			{Method: IntegratedGradients, Steps: 1}, {Method: IntegratedGradients, Steps: 70}} {
			got, err := c.Attribute(t.Context(), raw, o)
			require.NoError(t, err)
			require.Len(t, got, 2)
			assert.Equal(t, 0, got[0].Class)
			assert.Equal(t, "a", got[0].Prediction.Name)
			assert.InDeltaSlice(t, []float64{1, 2, 0, 0, 10, 0}, got[0].Values, 1e-5)
			assert.InDeltaSlice(t, []float64{3, 0, 10}, got[0].Nodes, 1e-5)
			assert.Zero(t, got[0].Nodes[1], "a node whose weights and values are zero")
			assert.InDelta(t, 13.5, got[0].Logit, 1e-5)
			assert.InDelta(t, 0.5, got[0].Baseline, 1e-6)
			assert.InDelta(t, 0, got[0].Gap, 1e-5)
			assert.Equal(t, make([]float64, 6), got[1].Values, "the baseline differs in nothing from the baseline")

			o.Classes = []int{1, 1}
			got, err = c.Attribute(t.Context(), raw, o)
			require.NoError(t, err)
			assert.Equal(t, 1, got[0].Class)
			assert.Equal(t, 0, got[0].Prediction.Class)
			assert.InDeltaSlice(t, []float64{-1, 0, 0, 0, 2, 0}, got[0].Values, 1e-5)
			assert.InDelta(t, 0.5, got[0].Logit, 1e-5)
			assert.InDelta(t, -0.5, got[0].Baseline, 1e-6)
		}
	})
}

// A node is compared with its own mean, by each method: of a linear model a contribution is weight x distance from
// it.
func TestAttributeFromEachNodesMean(t *testing.T) {
	backend := backendtest.Go(t)
	c := linearClassifier(t, backend)
	c.Measure(2, slices.Values([][]float32{{3, 5, 90, 1, 6, -2}, {3, 7, 110, 3, 4, -4}}))
	assert.Equal(t, []float32{3, 6, 100, 2, 5, -3}, c.Baseline)
	raw := [][]float32{{5, 6, 102, 10, 5, 1}, slices.Clone(c.Baseline)} // from the means, in deviations: 1 0 1 2 0 1
	for _, method := range []string{GradientInput, IntegratedGradients, Occlusion} {
		got, err := c.Attribute(t.Context(), raw, AttributionOptions{Method: method, Steps: 3, Classes: []int{0, 0}})
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float64{1, 0, -4}, got[0].Nodes, 1e-4, method)
		assert.InDelta(t, -3, got[0].Logit-got[0].Baseline, 1e-4)
		assert.InDelta(t, 0, got[0].Gap, 1e-4)
		assert.InDeltaSlice(t, []float64{0, 0, 0}, got[1].Nodes, 1e-4, method)
	}
	c.Mean = []float32{0, 0}
	c.Measure(1, slices.Values([][]float32{make([]float32, 6)}))
	assert.Nil(t, c.Baseline, "0 tells nothing where the data set says so")
}

// Gradients are those of finite differences, through a hierarchy, whatever the batch and whoever asks at the same
// time.
func TestAttributeFiniteDifferences(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		raw := signals(c.Spec, 70, 4)
		all, err := c.Attribute(t.Context(), raw, AttributionOptions{Method: GradientInput})
		require.NoError(t, err)
		predictions, err := c.Classify(t.Context(), raw)
		require.NoError(t, err)
		logit := func(signal []float32, class int) float64 {
			outputs, err := c.batch(t.Context(), c.logits, []point{{signal: signal, share: 1}}, 1)
			require.NoError(t, err)
			return float64(outputs[0][class])
		}
		for i, a := range all {
			require.Equal(t, predictions[i].Class, a.Class)
			require.InDeltaSlice(t, predictions[i].Probabilities, a.Prediction.Probabilities, 1e-5)
		}
		const h = 0.01
		for _, i := range []int{0, 69} {
			for j := range raw[i] {
				up, down := append([]float32(nil), raw[i]...), append([]float32(nil), raw[i]...)
				up[j] += h
				down[j] -= h
				slope := (logit(up, all[i].Class) - logit(down, all[i].Class)) / (2 * h)
				assert.InDelta(t, slope*float64(raw[i][j]-c.Mean[j%2]), all[i].Values[j], 5e-3)
			}
		}
		var group sync.WaitGroup
		for worker := range 4 {
			group.Go(func() {
				for size := range 6 {
					part, err := c.Attribute(t.Context(), raw[worker:worker+size],
						AttributionOptions{Method: GradientInput})
					if !assert.NoError(t, err) {
						return
					}
					for j, a := range part {
						assert.InDeltaSlice(t, all[worker+j].Nodes, a.Nodes, 1e-5)
					}
				}
			})
		}
		group.Wait()
	})
}

// Integrated gradients are complete; a node that no neighbourhood holds contributes nothing.
func TestIntegratedGradientsAreComplete(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		raw := signals(c.Spec, 9, 4)
		got, err := c.Attribute(t.Context(), raw, AttributionOptions{Method: IntegratedGradients})
		require.NoError(t, err)
		gap, change := 0.0, 0.0
		for _, a := range got {
			gap += a.Gap
			change += math.Abs(a.Logit - a.Baseline)
		}
		assert.Positive(t, change)
		assert.Less(t, gap, 0.01*change)
		held := map[int32]bool{}
		neighbourhood := c.store.GetVariable("/model/level_1/frozen_neighbourhood")
		for _, node := range tensors.MustCopyFlatData[int32](neighbourhood.MustValue()) {
			held[node] = true
		}
		assert.Less(t, len(held), c.Spec.Nodes)
		for node, v := range got[0].Nodes {
			if !held[int32(node)] {
				assert.Zero(t, v, "node %d", node)
			}
		}
	})
}

// Every model of the registry can be explained.
func TestAttributeEveryModel(t *testing.T) {
	backend := backendtest.Go(t)
	for _, name := range Names() {
		if name == transformsAlone { // which training fits, and has no gradient
			continue
		}
		t.Run(name, func(t *testing.T) {
			s, graph := body(t, name)
			c := bodyClassifier(t, backend, s, graph)
			got, err := c.Attribute(t.Context(), signals(s, 2, 1),
				AttributionOptions{Method: IntegratedGradients, Steps: 64})
			require.NoError(t, err)
			for _, a := range got {
				assert.LessOrEqual(t, a.Gap, 0.05*math.Abs(a.Logit-a.Baseline)+1e-4)
			}
			if name != "softmax" && name != "svm" { // their weights begin at zero
				assert.NotEqual(t, got[0].Nodes, got[1].Nodes)
			}
		})
	}
}

// Occlusion finds what each sensor's span of frames adds to a linear logit, and shares it out over the span.
func TestOcclusion(t *testing.T) {
	backend := backendtest.Go(t)
	graph, err := affinity.SpaceTime([][2]int{{0, 1}}, 2, 32)
	require.NoError(t, err)
	s := Spec{Options: DefaultOptions(), Model: "softmax",
		Info: signal.Info{Nodes: 64, Channels: 1, ClassNames: []string{"a", "b"}, Mean: []float32{0},
			Std: []float32{1}}}
	store := drawn(t, backend, s, graph)
	weights := make([]float32, 128)
	for i := range weights {
		// class 1: 1 for the first sensor, 2 for the second, in odd frames twice
		weights[i] = float32(i%2*(i/2%2+1)) * float32(i/4%2+1)
	}
	require.NoError(t, store.GetVariable("/model/classes/W").SetValue(tensors.FromFlatDataAndDimensions(weights, 64,
		2)))
	c, err := NewClassifier(backend, Metadata{Spec: s}, graph)
	require.NoError(t, err)
	require.NoError(t, c.Update(store))
	got, err := c.Attribute(t.Context(), [][]float32{slices.Repeat([]float32{1}, 64)},
		AttributionOptions{Method: Occlusion})
	require.NoError(t, err)
	for node, v := range got[0].Nodes {
		assert.InDelta(t, 1.5*float64(node%2+1), v, 1e-4, "node %d: the mean of an even and an odd frame", node)
	}
	assert.InDelta(t, 0, got[0].Gap, 1e-3)
	assert.Zero(t, got[0].Steps)
	_, err = c.Attribute(t.Context(), [][]float32{slices.Repeat([]float32{3e38}, 64)},
		AttributionOptions{Method: Occlusion, Classes: []int{1}})
	assert.EqualError(t, err, "unusable signal 0: its values are so large that its contributions are not numbers; "+
		"rescale them")
	require.NoError(t, c.Close())
	_, err = c.Attribute(t.Context(), signals(s, 1, 1), AttributionOptions{Method: Occlusion})
	assert.EqualError(t, err, "the attribution of model softmax by occlusion: the classifier is closed")
}

// Each part costs a pass, so many sensors have longer spans.
func TestOcclusionOfManySensors(t *testing.T) {
	backend := backendtest.Go(t)
	const sensors, frames = 19, 128
	var chain [][2]int
	for i := range sensors - 1 {
		chain = append(chain, [2]int{i, i + 1})
	}
	form := &recording.Form{Sensors: make([]string, sensors), Channels: 1, Frames: frames}
	for _, links := range [][][2]int{chain, append(chain, [2]int{0, 9})} { // the frames of a chain look like an image
		graph, err := affinity.SpaceTime(links, sensors, frames)
		require.NoError(t, err)
		s := Spec{Options: DefaultOptions(), Model: "softmax", Info: signal.Info{Nodes: sensors * frames, Channels: 1,
			ClassNames: []string{"a", "b"}, Mean: []float32{0}, Std: []float32{1}, Form: form}}
		c, err := NewClassifier(backend, Metadata{Spec: s}, graph)
		require.NoError(t, err)
		store := drawn(t, backend, s, graph)
		weights := make([]float32, 2*s.Nodes)
		for i := range weights {
			weights[i] = float32(math.Sin(float64(i)))
		}
		require.NoError(t, store.GetVariable("/model/classes/W").SetValue(tensors.FromFlatDataAndDimensions(weights,
			s.Nodes, 2)))
		require.NoError(t, c.Update(store))
		got, err := c.Attribute(t.Context(), signals(s, 1, 1), AttributionOptions{Method: Occlusion})
		require.NoError(t, err)
		parts := map[float64]bool{}
		for _, v := range got[0].Nodes {
			parts[v] = true
		}
		assert.LessOrEqual(t, len(parts), hiddenParts)
		assert.Greater(t, len(parts), hiddenParts/2)
	}
}

// Of many nodes or sensors, those in a row along the links are hidden together, over all frames, and share what they
// are worth.
func TestOcclusionOfManyNodes(t *testing.T) {
	backend := backendtest.Go(t)
	graph, err := affinity.RandomConnected(300, 600, 1)
	require.NoError(t, err)
	var links [][2]int
	for _, e := range graph.EdgeList() {
		links = append(links, [2]int{e.I, e.J})
	}
	overTime, err := affinity.SpaceTime(links, 300, 4)
	require.NoError(t, err)
	order := walk(graph)
	assert.Equal(t, loop.Indices(300), slices.Sorted(slices.Values(loop.Convert[int](order))))
	for frames, graph := range map[int]*affinity.Matrix{1: graph, 4: overTime} {
		s := Spec{Options: DefaultOptions(), Model: "softmax", Info: signal.Info{Nodes: 300 * frames, Channels: 1,
			ClassNames: []string{"a", "b"}, Mean: []float32{0}, Std: []float32{1}}}
		c, err := NewClassifier(backend, Metadata{Spec: s}, graph)
		require.NoError(t, err)
		require.NoError(t, c.Update(drawn(t, backend, s, graph)))
		o := AttributionOptions{Method: Occlusion}
		assert.Equal(t, 100, c.Passes(o))
		assert.Zero(t, c.Passes(AttributionOptions{}))
		got, err := c.Attribute(t.Context(), signals(s, 1, 1), o)
		require.NoError(t, err)
		for piece := range slices.Chunk(order, 3) {
			for _, sensor := range piece {
				for frame := range frames {
					assert.InDelta(t, got[0].Nodes[piece[0]], got[0].Nodes[frame*300+int(sensor)], 1e-12)
				}
			}
		}
		assert.InDelta(t, 0, got[0].Gap, 1e-3, "a linear model")
	}
}

// Without a number of steps, each signal gets as many as its sum needs. The steps that are added one by one give what
// they give together.
func TestAttributeUntilAccurate(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		c := tinyClassifier(t, backend)
		raw := signals(c.Spec, 40, 4)
		for _, signal := range raw {
			for i := range signal {
				signal[i] *= 20 // far from the baseline: over many kinks
			}
		}
		got, err := c.Attribute(t.Context(), raw, AttributionOptions{})
		require.NoError(t, err)
		most := 0
		for i, a := range got {
			most = max(most, a.Steps)
			assert.LessOrEqual(t, a.Gap, tolerance*math.Abs(a.Logit-a.Baseline))
			same, err := c.Attribute(t.Context(), raw[i:i+1],
				AttributionOptions{Method: IntegratedGradients, Steps: a.Steps})
			require.NoError(t, err)
			assert.InDeltaSlice(t, same[0].Values, a.Values, 1e-4*math.Abs(a.Logit-a.Baseline))
		}
		assert.Greater(t, most, fewestSteps, "some signal needs more than the fewest steps")
	})
}

func TestAttributeRefuses(t *testing.T) {
	c := linearClassifier(t, backendtest.Go(t))
	good := make([]float32, 6)
	for want, o := range map[string]AttributionOptions{
		`there is no method of attribution "saliency"; there are integrated, gradient and occlusion`: {Method: "saliency"},
		"integrated gradients in -1 steps; there must be at least 1, or 0 for as many as needed":     {Steps: -1},
		"2 classes for 1 signals; there must be one for each":                                        {Classes: []int{0, 1}},
		"signal 0 is to be explained for class 2; the model has classes 0 to 1":                      {Classes: []int{2}},
	} {
		_, err := c.Attribute(t.Context(), [][]float32{good}, o)
		require.EqualError(t, err, want)
	}
	for want, signal := range map[string][]float32{
		"unusable signal 1: it has 5 values":                    make([]float32, 5),
		"unusable signal 1: node 0, channel 1 is NaN":           {0, float32(math.NaN()), 0, 0, 0, 0},
		"unusable signal 1: its values are so large that its c": {0, 0, 3e38, 0, 3e38, 3e38},
	} {
		for _, method := range []string{GradientInput, IntegratedGradients} {
			got, err := c.Attribute(t.Context(), [][]float32{good, signal}, AttributionOptions{Method: method})
			require.ErrorAs(t, err, new(*SignalError), want)
			require.ErrorContains(t, err, want)
			assert.Nil(t, got)
		}
	}
	got, err := c.Attribute(t.Context(), nil, AttributionOptions{})
	require.NoError(t, err)
	assert.Empty(t, got)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Attribute(ctx, [][]float32{good}, AttributionOptions{})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, c.Close())
	_, err = c.Attribute(t.Context(), [][]float32{good}, AttributionOptions{})
	require.ErrorIs(t, err, ErrClosed)
}
