package explain

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/cmd/internal/picture"
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
	nodes := models.MeanAttribution{Samples: 1, Signed: []float64{1, -4, -1, 0}, Absolute: []float64{1, 4, 1, 0.5}}
	for _, parts := range [][][]int{nil, {{1}, {0}}} { // of sensors; of a skeleton, whose joints are in another order
		names := []string{"head@0", "left hand@0", "head@1", "left hand@1"}
		sensors, frames := sums(nodes, picture.NewLayout(graph, []int{2, 2}, parts, nil, names))
		assert.Equal(t, []Contribution{{1, "left hand", -4, 4.5}, {0, "head", 0, 2}}, sensors)
		assert.Equal(t, []Contribution{{0, "frame 0", -3, 5}, {1, "frame 1", -1, 1.5}}, frames)
	}
	sensors, _ := sums(nodes, picture.NewLayout(graph, []int{4, 1}, nil, nil, nil))
	assert.Equal(t, []Contribution{{0, "0", -4, 6.5}}, sensors, "without names, numbers")
}
