package export

import (
	"math"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	_ "github.com/clusterpool/ccp/models/baselines"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byHand is a classifier of one level, K = 1, L = 2, C = 1, two filters, of two classes, whose weights are set here.
func byHand(t *testing.T) *models.Classifier {
	t.Helper()
	unit := models.DefaultOptions()
	unit.BatchNormEpsilon = 1
	graph, err := affinity.New(3, []affinity.Edge{{I: 0, J: 2, Weight: 1}})
	require.NoError(t, err)
	c, err := models.NewClassifier(backendtest.Go(t), models.Metadata{Spec: models.Spec{
		Model: "ccp", Levels: []models.Level{{Clusters: 1, Filters: 2, Neighbours: 2}},
		Info: signal.Info{Nodes: 3, Channels: 1, ClassNames: []string{"no", "yes"}, Mean: []float32{10},
			Std: []float32{2}},
		Options: unit,
	}}, graph)
	require.NoError(t, err)
	set := func(path string, value any) {
		_, err := c.Store().CreateVariable("/model/"+path, tensors.MustFromAnyValue(value))
		require.NoError(t, err)
	}
	set("level_1/clusters", []int32{0, 0, 0})
	set("level_1/frozen_neighbourhood", [][]int32{{2, 0}})
	set("level_1/frozen_rank", [][]float32{{3, 1}})
	set("level_1/alpha", [][]float32{{0.5}})
	set("level_1/beta", [][]float32{{-0.5}})
	set("level_1/W", [][][]float32{{{1}, {2}}, {{-3}, {4}}})
	set("level_1/b", []float32{0.25, -0.25})
	set("level_1/batch_norm/scale", []float32{2, 3})
	set("level_1/batch_norm/offset", []float32{5, 7})
	set("level_1/batch_norm/mean", []float32{0.5, 1})
	set("level_1/batch_norm/variance", []float32{3, 8}) // with ε = 1 the deviations are 2 and 3
	set("classes/W", [][]float32{{1, -1}, {0.5, 2}})
	set("classes/b", []float32{0.125, 0})
	return c
}

func TestFoldByHand(t *testing.T) {
	n, err := Fold(byHand(t))
	require.NoError(t, err)
	require.Len(t, n.Levels, 1)
	l := n.Levels[0]
	assert.Equal(t, []int32{2, 0}, l.Nodes)
	assert.InDeltaSlice(t, []float32{float32(1 / (1 + math.Exp(-1))), 0.5}, l.Gates, 1e-7)
	// Both scales are 1: kernel[l, filter] is W[filter, l]; bias = b − mean + offset.
	assert.Equal(t, []float32{1, -3, 2, 4}, l.Kernel)
	assert.Equal(t, []float32{4.75, 5.75}, l.Bias)
	assert.Equal(t, []Dense{{2, 2, []float32{1, -1, 0.5, 2}, []float32{0.125, 0}}}, n.Dense)
	assert.Equal(t, 2, n.Spec.Classes())

	c := byHand(t)
	edit(t, c.Store(), "/model/level_1/batch_norm/scale", func(i int, x float32) float32 { return 2 * x })
	n, err = Fold(c)
	require.NoError(t, err)
	assert.Equal(t, []float32{2, -6, 4, 8}, n.Levels[0].Kernel)
	assert.Equal(t, []float32{4.5, 4.5}, n.Levels[0].Bias)
}

func TestFoldErrors(t *testing.T) {
	nan := func(path string) func(c *models.Classifier) { return func(c *models.Classifier) { spoil(t, c, path) } }
	for _, c := range []struct {
		damage func(c *models.Classifier)
		want   string
	}{
		{func(c *models.Classifier) { c.Spec.Model = "gcn" }, `"gcn" … exported … ccp`},
		{func(c *models.Classifier) { c.Spec.Hidden = []int{4} }, "/model/fc_1/W … checkpoint"},
		{func(c *models.Classifier) { c.Spec.Levels[0].Neighbours = 3 },
			"/model/level_1/frozen_neighbourhood … (Int32)[1, 2] … (Int32)[1, 3]"},
		{func(c *models.Classifier) {
			v := c.Store().GetVariable("/model/level_1/frozen_neighbourhood")
			require.NoError(t, v.SetValue(tensors.MustFromAnyValue([][]int32{{3, 0}})))
		}, "/model/level_1/frozen_neighbourhood … element 0 … node 3 … 0 to 2 … damaged"},
		{nan("level_1/alpha"), "/model/level_1 … gate 0 … NaN … damaged"},
		{nan("level_1/W"), "/model/level_1 … kernel 2 … NaN … damaged"},
		{nan("level_1/batch_norm/variance"),
			"/model/level_1 … kernel 1 … NaN … damaged"},
		{nan("classes/b"), "/model/classes … bias 1 … NaN … damaged"},
	} {
		damaged := byHand(t)
		c.damage(damaged)
		_, err := Fold(damaged)
		messagetest.Names(t, err, c.want)
	}
}

// spoil makes the second element of a variable, or its only one, no number.
func spoil(t *testing.T, c *models.Classifier, path string) {
	t.Helper()
	last := min(1, c.Store().GetVariable("/model/"+path).Shape().Size()-1)
	edit(t, c.Store(), "/model/"+path, func(i int, x float32) float32 {
		if i == last {
			return float32(math.NaN())
		}
		return x
	})
}

// TestFoldAllTogether: the stem and its block come first, and the levels of pooling hold all hierarchies, each with
// nodes of its own.
func TestFoldAllTogether(t *testing.T) {
	n, err := Fold(classifier(t, variants["all together"]))
	require.NoError(t, err)
	assert.Equal(t, 4, n.Hierarchies)
	var clusters, channels []int
	var skips []bool
	for _, l := range n.Levels {
		clusters, channels, skips = append(clusters, l.Clusters), append(channels, l.Channels), append(skips, l.Skip)
	}
	assert.Equal(t, []int{12, 12, 12, 24, 12, 4}, clusters)
	assert.Equal(t, []int{2, 4, 4, 4, 5, 7}, channels)
	assert.Equal(t, []bool{false, false, true, false, false, false}, skips)
	stem, first, second := n.Levels[0], n.Levels[3], n.Levels[4]
	assert.Contains(t, stem.Gates, float32(0), "the two nodes apart have fewer than 6 around them")
	assert.Contains(t, first.Gates, float32(0), "and their cluster fewer than 9")
	assert.Less(t, slices.Max(first.Nodes), int32(12), "all hierarchies have the same input")
	for i, node := range second.Nodes {
		assert.Equal(t, i/(3*3), int(node)/6, "hierarchy of place %d", i)
	}
	assert.Equal(t, 6, n.Dense[0].In, "of one hierarchy")
}
