package transforms

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clusterpool/ccp/models/internal/transforms/features"
	"github.com/clusterpool/ccp/models/onnx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// longest is a transform of one feature: the length of the recording.
type longest struct{}

func (longest) Width() int { return 1 }

func (longest) Features(r *features.Recording, out []float32) { out[0] = float32(r.Timepoints) }

func (longest) Export(g *onnx.Graph, x string) string { return g.To(onnx.Float, g.Length(x)) }

// Another transform costs a file, and a line in the list of transforms: it is fitted, weighed, saved, opened and
// exported like the others.
func TestAnotherTransform(t *testing.T) {
	before := features.All
	features.All = append(before[:len(before):len(before)], features.Transform{Name: "longest", Option: "longest",
		Lacks: features.LacksSeries, New: func(features.Shape) features.Map { return longest{} }, Prior: 1})
	t.Cleanup(func() { features.All = before })
	rng := rand.New(rand.NewPCG(8, 9))
	var samples []Sample
	for i := range 40 {
		x := make([]float32, 20+10*(i%2)+rng.IntN(5))
		for p := range x {
			x[p] = float32(rng.NormFloat64())
		}
		samples = append(samples, Sample{Values: x, Label: int32(i % 2)})
	}
	c := Config{Columns: 1, Channels: 1, Classes: 2}
	v := fitted(t, c, samples)
	assert.Contains(t, v.Predicting(), "longest")
	assert.InDelta(t, 1, rightly(v, samples), 0.03)
	again, err := open(t, c, v.values())
	require.NoError(t, err)
	assert.Equal(t, v.Read(samples[0].Values), again.Read(samples[0].Values))
	assert.NotEmpty(t, v.Export(new(onnx.Graph), "series", 0, ""))
}

// counted counts how often features are computed.
type counted struct {
	features.Map
	times *atomic.Int64
}

func (m counted) Features(r *features.Recording, out []float32) {
	m.times.Add(1)
	m.Map.Features(r, out)
}

// The forest and the ridge classifier read the same features, which are computed once for a recording, in a fit and
// in a prediction.
func TestComputedOnce(t *testing.T) {
	before, times := features.All, new(atomic.Int64)
	features.All = slices.Clone(before)
	t.Cleanup(func() { features.All = before })
	plain := features.Find("power").New
	features.Find("power").New = func(s features.Shape) features.Map { return counted{plain(s), times} }
	samples := noise(rand.New(rand.NewPCG(25, 26)), 20, 2, always(40))
	c := Config{Columns: 2, Channels: 1, Classes: 2, Only: []string{"power", Forest}}
	v := fitted(t, c, samples)
	assert.EqualValues(t, 20, times.Load())
	got := v.Read(samples[0].Values)
	assert.EqualValues(t, 21, times.Load())
	assert.NotNil(t, got.Forest)
	c.Only = c.Only[:1]
	assert.Equal(t, fitted(t, c, samples).Read(samples[0].Values).Ridge, got.Ridge)
}
