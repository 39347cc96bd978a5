package training

import (
	"math"
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

// The weight is that of the least loss with a prior around equal parts, which many units outweigh and few do not.
func TestWeightOf(t *testing.T) {
	// The log-loss of samples, and of units of so many samples, whose members are right in shares a and b of the probability.
	of := func(samples, unit int, a, b float64) func(float64) (float64, float64, float64) {
		return func(weight float64) (loss, ofUnits, accuracy float64) {
			loss = -float64(samples) * math.Log(weight*a+(1-weight)*b)
			return loss, loss / float64(unit), 0
		}
	}
	alone := func(samples int, a float64) float64 { return -float64(samples) * math.Log(a) }
	assert.Equal(t, 0.5, weightOf(alone(8, 0.9), 1, of(8, 1, 0.9, 0.9)), "the same is told of both")
	assert.Equal(t, 0.7, weightOf(alone(8, 0.9), 2, of(8, 1, 0.9, 0.9)), "of three members each has about a third")
	assert.Equal(t, 0.5, weightOf(alone(38, 0.85), 2, of(38, 1, 0.85, 0.98)), "38 samples tell a little")
	assert.Equal(t, 0.1, weightOf(alone(1000, 0.85), 2, of(1000, 1, 0.85, 0.98)), "1,000 tell more")
	assert.Equal(t, 0.6, weightOf(alone(1000, 0.85), 2, of(1000, 100, 0.85, 0.98)), "and less if they are of ten people")
	assert.Equal(t, 1., weightOf(alone(100, 0.9), 1, of(100, 1, 0.9, 0.1)), "the network makes it worse by more than a nat")
	assert.Equal(t, 0.9, weightOf(alone(8, 0.9), 1, of(8, 1, 0.9, 0.1)), "only this weight makes it worse by less")

	d := &datasets.Dataset{Train: []int{4, 3, 2, 1}}
	assert.Equal(t, []int{0, 1, 2}, units(d, []int{4, 3, 1}))
	d.Groups = []string{"", "b", "a", "a", "b"}
	assert.Equal(t, []int{0, 1, 1, 0}, units(d, []int{4, 3, 2, 1}))
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
