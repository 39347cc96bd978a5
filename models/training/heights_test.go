package training

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The directions of a graph are the main axes of its positions, in the order of their spread and with the sign of the
// coordinate that grows the most; an axis along which positions hardly differ is none.
func TestHeightsOfPositions(t *testing.T) {
	rng, n := rand.New(rand.NewPCG(5, 6)), 40
	var positions []float64
	for i := range n {
		along, across := float64(i)-20, 8*rng.Float64()
		positions = append(positions, along*math.Cos(0.3)-across*math.Sin(0.3), along*math.Sin(0.3)+across*math.Cos(0.3), 5)
	}
	links, err := affinity.KNN(positions, n, 3, 3, affinity.Euclidean)
	require.NoError(t, err)
	d := &datasets.Dataset{Raw: datasets.Raw{Info: signal.Info{Nodes: n, Channels: 1}}, Affinity: links,
		Coordinates: positions}
	heights := heightsOf(d, links)
	require.Len(t, heights, 2, "all nodes are in one plane")
	for i := range n - 1 {
		assert.Greater(t, heights[0][i+1], heights[0][i])
	}
}

// Of nodes that are sensors at frames, the links that lead one way are those of the sensors.
func TestDirectedSensors(t *testing.T) {
	d := &datasets.Dataset{Raw: datasets.Raw{Info: signal.Info{Nodes: 6, Channels: 1}, Directed: [][2]int{{1, 0}, {4, 3}}}}
	assert.Equal(t, d.Directed, directedSensors(d))
	d.Layout = affinity.Layout{Frames: 2, Sensors: 3}
	assert.Equal(t, [][2]int{{1, 0}}, directedSensors(d))
	d.Layout = affinity.Layout{Frames: 3, Sensors: 2, SensorWise: true}
	d.Directed = [][2]int{{3, 0}, {0, 1}}
	assert.Equal(t, [][2]int{{1, 0}}, directedSensors(d))
}

// Without positions a link leads to the node of more links. A graph whose nodes have as many says nothing.
func TestHeightsOfDegrees(t *testing.T) {
	star := []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 0, J: 2, Weight: 1}, {I: 0, J: 3, Weight: 1}}
	links, err := affinity.New(4, star)
	require.NoError(t, err)
	d := &datasets.Dataset{Raw: datasets.Raw{Info: signal.Info{Nodes: 4, Channels: 1}}, Affinity: links}
	assert.Equal(t, [][]float32{{3, 1, 1, 1}}, heightsOf(d, links))
	ring, err := affinity.New(3, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1},
		{I: 2, J: 0, Weight: 1}})
	require.NoError(t, err)
	assert.Nil(t, heightsOf(d, ring))
	d.Directed = [][2]int{{0, 1}}
	assert.Nil(t, heightsOf(d, links), "the source says which way links lead")
	assert.Nil(t, heightsOf(d, nil))
}
