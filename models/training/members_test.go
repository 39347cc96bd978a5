package training

import (
	"slices"
	"testing"

	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Transforms use mirror images after the samples. Each is held out with its sample, and the samples stay as they are.
func TestTransformSamplesOfMirrorImages(t *testing.T) {
	d, err := datasets.Load(t.Context(), writeRing(t, 12), datasets.Options{})
	require.NoError(t, err)
	before := transformSamples(d)
	d.Mirror = slices.Reverse[[]float32]
	after, n := transformSamples(d), len(d.Train)
	require.Len(t, after, 2*n)
	for i := range n {
		mirrored := slices.Clone(before[i].Values)
		slices.Reverse(mirrored)
		assert.Equal(t, before[i].Values, after[i].Values)
		assert.Equal(t, mirrored, after[n+i].Values)
		assert.Equal(t, before[i].Label, after[n+i].Label)
		assert.Equal(t, after[i].Group, after[n+i].Group)
		assert.NotEmpty(t, after[i].Group)
	}
	assert.NotEqual(t, after[0].Group, after[1].Group)
}

// Samples of a group are one unit, and any other sample is one of its own.
func TestUnitsOf(t *testing.T) {
	d := &datasets.Dataset{Train: []int{4, 3, 2, 1}}
	assert.Equal(t, []int{0, 1, 2}, unitsOf(d, []int{4, 3, 1}))
	d.Groups = []string{"", "b", "a", "a", "b"}
	assert.Equal(t, []int{0, 1, 1, 0}, unitsOf(d, []int{4, 3, 2, 1}))
}

// A trial of little work is pure Go's, whatever trains the network.
func TestTrialBackend(t *testing.T) {
	backend := backendtest.XLA(t)
	spec := models.Spec{Model: "ccp", Info: signal.Info{Nodes: 12, Channels: 1, ClassNames: make([]string, 2)},
		Options: models.DefaultOptions(),
		Levels:  []models.Level{{Clusters: 4, Filters: 8, Neighbours: 4}, {Clusters: 1, Filters: 8, Neighbours: 4}}}
	spec.Options.Hierarchy, spec.Options.Hierarchies = ccp.Prepared, 8
	of := func(steps, test int, change func(s *models.Spec)) string {
		s := spec
		change(&s)
		b, err := trialBackend(backend, Config{Training: Training{Batch: 16, Steps: steps}}, s, test)
		require.NoError(t, err)
		return b.Name()
	}
	same := func(*models.Spec) {}
	pure := backendtest.Go(t).Name()
	require.NotEqual(t, pure, backend.Name())
	assert.Equal(t, pure, of(150, 40, same)) // 384 multiply-adds a signal and hierarchy: 3·16·150·384 + 8·40·384
	assert.Equal(t, backend.Name(), of(150*10_000, 40, same))
	assert.Equal(t, backend.Name(), of(150, 4_000_000, same), "predictions are work, too")
	assert.Equal(t, backend.Name(), of(150, 40, func(s *models.Spec) { s.Options.Hierarchy = ccp.Learned }))
	assert.Equal(t, backend.Name(), of(150, 40, func(s *models.Spec) { s.Options.DType = nn.BFloat16 }))
	assert.Equal(t, backend.Name(), of(150, 40, func(s *models.Spec) { s.Model, s.Levels = "softmax", nil }))
}

// Groups are held out if others know their classes. Else samples are.
func TestUngrouped(t *testing.T) {
	d := &datasets.Dataset{Labels: []int32{0, 0, 1, 1, 2, 2}, Train: []int{0, 1, 2, 3, 4, 5}}
	for _, c := range []struct {
		groups []string
		alone  bool
	}{
		{nil, false}, {[]string{"a", "a", "b", "b", "c", "c"}, true}, {[]string{"a", "b", "a", "b", "c", "c"}, false},
		{[]string{"a", "b", "c", "c", "d", "d"}, true}, {[]string{"", "", "", "", "", ""}, false},
	} {
		d.Groups = c.groups
		got, alone := ungrouped(d)
		assert.Equal(t, c.alone, alone, c.groups)
		assert.Equal(t, c.alone || c.groups == nil, got.Groups == nil, c.groups)
		assert.Equal(t, c.groups, d.Groups)
	}
}
