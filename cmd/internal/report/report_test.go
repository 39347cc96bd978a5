package report

import (
	"bytes"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/picture"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Of many epochs the page has the clusters of some: the first, the last, the one shown, and others between them.
func TestEpochsAreThinned(t *testing.T) {
	spec := models.Spec{Info: signal.Info{Nodes: 2}, Levels: []models.Level{{Clusters: 2}}}
	for _, c := range []struct{ n, shown, kept int }{{1, 0, 1}, {3, 1, 3}, {mostEpochs, 7, mostEpochs},
		{26, 0, mostEpochs}, {1000, 611, mostEpochs + 1}} {
		epochs := make([]training.HierarchyEpoch, c.n)
		for i := range epochs {
			epochs[i] = training.HierarchyEpoch{Epoch: i + 1, Clusters: [][]int32{{0, 1}}}
		}
		h := hierarchyOf(spec, nil, epochs, c.shown)
		require.Len(t, h.Epochs, c.n, "%+v", c)
		var kept []int
		for i, e := range h.Epochs {
			if e.Clusters != nil {
				kept = append(kept, i)
			}
		}
		assert.Len(t, kept, c.kept, "%+v", c)
		assert.Subset(t, kept, []int{0, c.shown, c.n - 1})
		for i := range kept[1:] {
			assert.LessOrEqual(t, kept[i+1]-kept[i], 1+c.n/(mostEpochs-1))
		}
	}
}

func TestColours(t *testing.T) {
	ring, err := affinity.New(4, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1},
		{I: 2, J: 3, Weight: 1}, {I: 0, J: 3, Weight: 1}})
	require.NoError(t, err)
	spec := models.Spec{Info: signal.Info{Nodes: 4}, Levels: []models.Level{{Clusters: 4}}}
	epochs := []training.HierarchyEpoch{{Epoch: 1, Clusters: [][]int32{{0, 1, 2, 1}}}}
	h := hierarchyOf(spec, picture.NewLayout(ring, picture.Nodes{}), epochs, 0)
	colours := h.Levels[0].Colours
	require.Len(t, colours, 4, "also a cluster without nodes")
	assert.NotEqual(t, colours[0], colours[1])
	assert.NotEqual(t, colours[1], colours[2])
	for _, k := range colours {
		assert.Less(t, k, len(h.Palette))
	}
	assert.Empty(t, hierarchyOf(spec, nil, epochs, 0).Levels[0].Colours, "nothing is drawn")
}

func TestGallery(t *testing.T) {
	samples := func(truth ...int) (all []*Sample) {
		for i, k := range truth {
			all = append(all, &Sample{Index: i, Truth: k})
		}
		return all
	}
	right, wrong := samples(0, 0, 2), samples(1, 1, 1)
	var truths, indices []int
	for _, s := range gallery(right, wrong, 3, mostGallery) {
		truths, indices = append(truths, s.Truth), append(indices, s.Index)
	}
	assert.Equal(t, []int{0, 0, 1, 1, 1, 2}, truths)
	assert.Equal(t, []int{0, 1, 0, 1, 2, 2}, indices)
	assert.Empty(t, gallery(nil, nil, 3, mostGallery))
	assert.Len(t, gallery(samples(make([]int, 40)...), nil, 2, mostGallery), mostGallery)
}

// A page of 10,000 nodes, six levels and thirty epochs is to stay below 5 MB.
func TestSize(t *testing.T) {
	r := words(t)
	assert.Len(t, r.Hierarchy.Epochs, 30)
	assert.Len(t, slices.DeleteFunc(slices.Clone(r.Hierarchy.Epochs),
		func(e training.HierarchyEpoch) bool { return e.Clusters == nil }), mostEpochs)
	assert.Equal(t, 20, r.Hierarchy.Epochs[r.Hierarchy.Shown].Epoch)
	var page bytes.Buffer
	require.NoError(t, Write(&page, r))
	t.Logf("%d bytes", page.Len())
	assert.Less(t, page.Len(), 5_000_000)
}
