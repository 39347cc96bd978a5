package explain

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSpread(t *testing.T) {
	assert.Equal(t, []int{4, 6, 8}, spread([]int{4, 5, 6, 7, 8, 9}, 3))
	assert.Equal(t, []int{4, 5, 7}, spread([]int{4, 5, 6, 7, 8}, 3))
	assert.Equal(t, []int{4, 5}, spread([]int{4, 5}, 0))
	assert.Equal(t, []int{4, 5}, spread([]int{4, 5}, 3))
	assert.Empty(t, spread(nil, 3))
}

func TestSums(t *testing.T) {
	graph, err := affinity.New(4, nil)
	require.NoError(t, err)
	nodes := Mean{Samples: 1, Signed: []float64{1, -4, -1, 0}, Absolute: []float64{1, 4, 1, 0.5}}
	for _, parts := range [][][]int{nil, {{1}, {0}}} { // of sensors; of a skeleton, whose joints are in another order
		sensors, frames := sums(nodes, picture.NewLayout(graph, picture.Nodes{Grid: []int{2, 2}, Parts: parts,
			Sensors: []string{"head", "left hand"}}))
		assert.Equal(t, []Contribution{{1, "left hand", -4, 4.5}, {0, "head", 0, 2}}, sensors)
		assert.Equal(t, []Contribution{{0, "0", -3, 5}, {1, "1", -1, 1.5}}, frames)
	}
	series := [][]int32{{0, 1, 2, 3}}
	sensors, _ := sums(nodes, picture.NewLayout(graph, picture.Nodes{Grid: []int{4, 1}, Series: series}))
	assert.Equal(t, []Contribution{{0, "0", -4, 6.5}}, sensors, "without names, numbers")
}

// Nodes that were hidden together are one contribution.
func TestSpans(t *testing.T) {
	graph, err := affinity.New(8, nil)
	require.NoError(t, err)
	names := []string{"a@0", "b@0", "a@1", "b@1", "a@2", "b@2", "a@3", "b@3"}
	e := Explanation{Data: &datasets.Dataset{Nodes: 8, NodeNames: names, ClassNames: []string{"fall"}}}
	mean := Mean{Samples: 1, Signed: []float64{1, -4, 1, -4, 3, -4, 3, 2}, Absolute: []float64{1, 4, 1, 4, 3, 4, 3, 2}}
	layout := picture.NewLayout(graph, picture.Nodes{Grid: []int{4, 2}, Sensors: []string{"a", "b"}})
	hidden := e.class(0, mean, layout, models.Occlusion)
	assert.Equal(t, []Contribution{{1, "b@0 to b@2", -12, 12}, {4, "a@2 to a@3", 6, 6}, {0, "a@0 to a@1", 2, 2},
		{7, "b@3", 2, 2}},
		hidden.Nodes)
	assert.Equal(t, []Contribution{{0, "0 to 1", -6, 10}, {2, "2", -1, 7}, {3, "3", 5, 5}}, hidden.Frames)
	assert.Equal(t, Contribution{1, "b@0", -4, 4}, e.class(0, mean, layout, models.IntegratedGradients).Nodes[0])
}

func TestMean(t *testing.T) {
	var m Mean
	m.Add(models.Attribution{Nodes: []float64{1, -2}})
	m.Add(models.Attribution{Nodes: []float64{-3, -4}})
	assert.Equal(t, Mean{Samples: 2, Signed: []float64{-1, -3}, Absolute: []float64{2, 3}}, m)
}

// If parts are hidden, the time that the training took bounds the samples that are explained.
func TestQuick(t *testing.T) {
	for _, c := range []struct{ train, nodes, want int }{{100, 64, 9}, {40, 600, 2}, {3000, 600, 150}, {9000, 64, 500},
		{10, 40_000, 1}} {
		graph, err := affinity.RandomConnected(c.nodes, 2*c.nodes, 1)
		require.NoError(t, err)
		s := models.Spec{Options: models.DefaultOptions(),
			Model: "softmax", Info: signal.Info{Nodes: c.nodes, Channels: 1, ClassNames: []string{"a", "b"}}}
		classifier, err := models.NewClassifier(backendtest.Go(t), models.Metadata{Spec: s}, graph)
		require.NoError(t, err)
		e := Explanation{Classifier: classifier,
			Data: &datasets.Dataset{Nodes: c.nodes, Channels: 1, Train: make([]int, c.train)}}
		assert.Equal(t, 500, e.Quick(), "gradients take less")
		e.Options.Method = models.Occlusion
		assert.InDelta(t, c.want, e.Quick(), float64(c.want)/5, "%d samples, %d nodes", c.train, c.nodes)
	}
}
