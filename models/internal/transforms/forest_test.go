package transforms

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var nan = float32(math.NaN())

// grown returns a forest on rows of a table.
func grown(t *testing.T, samples []Sample) *Classifier {
	columns := len(samples[0].Values)
	v := fitted(t, Config{Columns: columns, Channels: 1, Classes: 2, Table: true, Only: []string{Forest}}, samples)
	v.WeighForest(1)
	return v
}

// The votes are those of a walk from each root by recursion. Trees grow until their leaves are of one class, so that
// all vote for the class of a training sample, and most for that of a new one.
func TestForestDirectly(t *testing.T) {
	samples := xor(rand.New(rand.NewPCG(3, 1)), 500)
	v := grown(t, samples[:300])
	m := v.forest
	require.Len(t, m.roots, mostTrees)
	assert.Equal(t, []int{250, leastTrees}, []int{treesOf(2_000), treesOf(20_000)})
	assert.Equal(t, 300, samplesOf(300, 9_000))
	assert.Equal(t, 7_200, samplesOf(7_200, 300))
	assert.Equal(t, 2_500, samplesOf(7_200, 9_000))
	assert.Equal(t, 10_000, samplesOf(20_000, 1_000))
	var walk func(root, at int, x []float32) int
	walk = func(root, at int, x []float32) int {
		feature, threshold, right := m.nodes[3*at], m.nodes[3*at+1], m.nodes[3*at+2]
		switch {
		case feature < 0:
			return int(-feature) - 1
		case x[int(feature)] < threshold:
			return walk(root, at+1, x)
		}
		return walk(root, root+int(right), x)
	}
	for i, s := range samples {
		want, x := make([]float64, 2), make([]float32, 3)
		for c := range x { // in units of its column, as the forest reads it
			x[c] = (s.Values[c] - v.scaling.Mean[c]) * v.scaling.Scale[c]
		}
		for _, root := range m.roots {
			want[walk(int(root), int(root), x)] += 1. / mostTrees
		}
		got := v.Read(s.Values)
		assert.InDeltaSlice(t, want, got.Forest, 1e-9)
		assert.Zero(t, got.Ridge[0])
		if i < 300 {
			assert.InDelta(t, 1, got.Forest[s.Label], 1e-9)
		}
	}
	assert.GreaterOrEqual(t, rightly(v, samples[300:]), 0.85)
	assert.Equal(t, []string{Forest}, v.Predicting())
}

// Samples that are all alike are a leaf, which votes for one of their classes.
func TestForestOfEqualSamples(t *testing.T) {
	same := []Sample{{Values: []float32{1, 2}}, {Values: []float32{1, 2}, Label: 1},
		{Values: []float32{1, 2}, Label: 1}, {Values: []float32{1, 2}, Label: 1}}
	v := grown(t, same)
	assert.InDelta(t, 0.75, v.Read([]float32{5, 5}).Forest[1], 0.15)
}

// A member without a weight goes.
func TestWeighForest(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(23, 24)), 20, 2, always(40))
	for weight, want := range map[float64][]bool{0: {true, false}, 0.5: {true, true}, 1: {false, true}} {
		v := fitted(t, Config{Columns: 2, Channels: 1, Classes: 2}, samples)
		v.WeighForest(weight)
		assert.Equal(t, want, []bool{v.Names != nil, v.forest != nil})
		again, err := open(t, Config{Columns: 2, Channels: 1, Classes: 2}, v.values())
		require.NoError(t, err)
		again.ForestWeight, again.Smoothing = v.ForestWeight, v.Smoothing // which open leaves out
		p := v.Probabilities(v.Read(samples[0].Values), nil)
		assert.Equal(t, p, again.Probabilities(again.Read(samples[0].Values), nil))
		assert.InDelta(t, 1, p[0]+p[1], 1e-9)
		assert.Equal(t, want[1], slices.Contains(v.Predicting(), Forest))
	}
}

// A damaged tree is an error, not a panic or a walk without an end.
func TestForestDamaged(t *testing.T) {
	samples := xor(rand.New(rand.NewPCG(5, 1)), 40)
	for want, change := range map[string]func(nodes, roots []float32){
		"node 0 splits feature 3 of 3":    func(nodes, _ []float32) { nodes[0] = 3 },
		"leads to node 0 of its tree":     func(nodes, _ []float32) { nodes[2] = 0 },
		"leads to node 90000 of its tree": func(nodes, _ []float32) { nodes[2] = 90_000 },
		"tree 0 begins at node -1":        func(_, roots []float32) { roots[0] = -1 },
		"tree 2 begins at node":           func(_, roots []float32) { roots[3] = 1e6 },
		"is of class 2 of 2":              func(nodes, _ []float32) { nodes[len(nodes)-3] = -3 },
		"is of class NaN of 2":            func(nodes, _ []float32) { nodes[len(nodes)-3] = nan },
		"leads to node NaN of its tree":   func(nodes, _ []float32) { nodes[2] = nan },
	} {
		v := grown(t, samples)
		change(v.forest.nodes, v.forest.roots)
		_, err := open(t, Config{Columns: 3, Channels: 1, Classes: 2}, v.values())
		assert.ErrorContains(t, err, want)
	}
}

// So is a header that no fit writes.
func TestForestOfDamagedHeader(t *testing.T) {
	v := grown(t, xor(rand.New(rand.NewPCG(5, 1)), 40))
	for want, change := range map[string]func(h *header){
		`no transform is called "theirs"`: func(h *header) { h.Forest = []string{"theirs"} },
		"needs a series":                  func(h *header) { h.Forest = []string{"power"} },
		"has 0 trees":                     func(h *header) { h.Trees = 0 },
		"trees of -1 nodes":               func(h *header) { h.Nodes = -1 },
		"trees of 1000000000 nodes":       func(h *header) { h.Nodes = 1e9 },
		`"forest/nodes" has`:              func(h *header) { h.Nodes++ },
	} {
		saved, h := v.values(), v.header
		change(&h)
		raw, err := json.Marshal(h)
		require.NoError(t, err)
		saved[headerPath] = tensors.FromFlatDataAndDimensions(raw, len(raw))
		_, err = open(t, Config{Columns: 3, Channels: 1, Classes: 2, Table: true}, saved)
		assert.ErrorContains(t, err, want)
	}
}

// A fit that is stopped while trees grow ends with the context's error.
func TestForestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Fit(ctx, Config{Columns: 3, Classes: 2, Table: true, Only: []string{Forest}, Backend: backendtest.Go(t)},
		xor(rand.New(rand.NewPCG(7, 1)), 40))
	require.ErrorIs(t, err, context.Canceled)
}
