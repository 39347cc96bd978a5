package transforms

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/loop"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The score of a transform alone is that of a classifier that has no other.
func TestJudgeAlone(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(5, 6)), 60, 2, always(60))
	for i := range samples { // so that some are wrong
		if i%5 == 0 {
			samples[i].Label = 1 - samples[i].Label
		}
	}
	held := samples[40:]
	for _, name := range []string{"power", "values", "minirocket"} {
		c := Config{Columns: 2, Classes: 2, Only: []string{name}, Held: Held{held, []float64{0.5, 0.5}}}
		v := fitted(t, c, samples[:40])
		got, loss, predicted, labels := v.Parts()[0].Score, 0.0, make([]int, len(held)), make([]int32, len(held))
		for i, s := range held {
			p := v.Probabilities(v.Read(s.Values), nil)
			loss -= math.Log(p[s.Label]) / float64(len(held))
			labels[i] = s.Label
			if p[1] > p[0] {
				predicted[i] = 1
			}
		}
		assert.InDelta(t, loss, got.Loss, 1e-4, name)
		assert.InDelta(t, Accuracy(predicted, labels, []float64{0.5, 0.5}), got.Accuracy, 1e-9, name)
		assert.Equal(t, []int{20, 0}, []int{got.Samples, got.Groups}, name)
	}
	for i := range held {
		held[i].Group = string(rune('a' + i/10))
	}
	c := Config{Columns: 2, Classes: 2, Only: []string{"power"}, Held: Held{held, []float64{0.5, 0.5}}}
	v := fitted(t, c, samples[:40])
	assert.Equal(t, 2, v.Parts()[0].Groups)
}

// Who predicts one class for all has the share of that class right, whatever its share of the held-out samples.
func TestAccuracyOfOneClass(t *testing.T) {
	labels := []int32{0, 0, 0, 1}
	assert.InDelta(t, 0.5, Accuracy([]int{0, 0, 0, 0}, labels, []float64{0.5, 0.5}), 1e-12)
	assert.InDelta(t, 0.5, Accuracy([]int{1, 1, 1, 1}, labels, []float64{0.5, 0.5}), 1e-12)
	assert.InDelta(t, 0.2, Accuracy([]int{0, 0, 0, 0}, labels, []float64{0.2, 0.8}), 1e-12)
	assert.InDelta(t, 1, Accuracy([]int{0, 0, 0, 1}, labels, []float64{0.2, 0.3, 0.5}), 1e-12,
		"of a class without labels nothing is known")
	assert.InDelta(t, 0.5*2/3, Accuracy([]int{0, 1, 0, 0}, labels, []float64{0.5, 0.5}), 1e-12)
}

// Too few samples are told from all other errors.
func TestTooFew(t *testing.T) {
	samples := noise(rand.New(rand.NewPCG(5, 6)), 6, 1, always(20))
	c := Config{Columns: 1, Classes: 2, Backend: backendtest.Go(t)}
	fail := func(change func(s *Sample)) error {
		own := append([]Sample(nil), samples...)
		for i := range own {
			change(&own[i])
		}
		_, err := Fit(t.Context(), c, own)
		require.Error(t, err)
		return err
	}
	require.ErrorIs(t, fail(func(s *Sample) { s.Label = 1 }), ErrTooFew)
	require.ErrorIs(t, fail(func(s *Sample) { s.Group = "all" }), ErrTooFew)
	require.NotErrorIs(t, fail(func(s *Sample) { s.Values = make([]float32, 20) }), ErrTooFew)
}

// linkedBy is a ring, and links that tell who helped to make them.
func linkedBy(t *testing.T, some []int, nodes int) *affinity.Matrix {
	t.Helper()
	edges := []affinity.Edge{{I: 0, J: 2 + len(some)%10, Weight: 1}}
	for at := range nodes {
		edges = append(edges, affinity.Edge{I: at, J: (at + 1) % nodes, Weight: 1})
	}
	for _, i := range some {
		edges = append(edges, affinity.Edge{I: i % 10, J: 10 + i/10, Weight: 1})
	}
	m, err := affinity.New(nodes, edges)
	require.NoError(t, err)
	return m
}

// Where links follow from samples, a sample is averaged along links that all samples made but those of its part. Parts
// have the same classes, and groups are in one part. New samples are averaged along the links of all.
func TestSamplesAreReadByLinksOfOthers(t *testing.T) {
	rng, n, nodes := rand.New(rand.NewPCG(3, 4)), 24, 20
	samples := make([]Sample, n)
	for i := range samples {
		samples[i] = Sample{Values: make([]float32, nodes), Label: int32(i % 2), Group: string(rune('a' + i/2%8*2 + i%2))}
		for at := range samples[i].Values {
			samples[i].Values[at] = float32(rng.NormFloat64())
		}
	}
	linked := func(some []int) *affinity.Matrix { return linkedBy(t, some, nodes) }
	all := loop.Indices(n)
	var calls [][]int
	c := Config{Columns: nodes, Channels: 1, Classes: 2, Table: true, Links: linked(all), Backend: backendtest.Go(t),
		Only: []string{"averages", "values", Forest}, Relink: func(some []int) (*affinity.Matrix, error) {
			calls = append(calls, some)
			return linked(some), nil
		}}
	columnsOf := func(c Config) (*extractor, []float32) {
		p, err := c.plan(samples)
		require.NoError(t, err)
		e, err := p.extractor(t.Context())
		require.NoError(t, err)
		_, read, err := e.extractAll(t.Context())
		require.NoError(t, err)
		columns, err := read.columns(loop.Indices(n))
		require.NoError(t, err)
		return e, columns
	}
	e, columns := columnsOf(c)
	require.Len(t, calls, mostParts)
	perClass := map[[2]int]int{}
	for i, s := range e.samples {
		part := e.partOf[i]
		perClass[[2]int{part, int(s.Label)}]++
		assert.NotContains(t, calls[part], i, "a sample does not help to make its own links")
		for j, other := range e.samples {
			if other.Group == s.Group {
				assert.Equal(t, part, e.partOf[j])
			} else if e.partOf[j] != part {
				assert.Contains(t, calls[part], j)
			}
		}
		own := c
		own.Links = linked(calls[part])
		own.Relink = func([]int) (*affinity.Matrix, error) { return own.Links, nil }
		own.Relink = func([]int) (*affinity.Matrix, error) { return own.Links, nil }
		_, want := columnsOf(own)
		for j := range e.classifier.forest.width {
			assert.InDelta(t, want[j*n+i], columns[j*n+i], 1e-6, "the forest's features")
		}
	}
	for part := range mostParts {
		assert.Equal(t, perClass[[2]int{part, 0}], perClass[[2]int{part, 1}], "classes of part %d", part)
	}
	v, err := Fit(t.Context(), c, samples)
	require.NoError(t, err)
	want := make([]float32, v.forest.width)
	w := new(work)
	w.takeSample(v.scaling, samples[0].Values)
	copy(want, v.forest.features(w))
	plain := c
	plain.Relink = func([]int) (*affinity.Matrix, error) { return plain.Links, nil }
	u, err := Fit(t.Context(), plain, samples)
	require.NoError(t, err)
	assert.Equal(t, u.forest.features(w), want, "new samples are averaged along the links of all")

	failure := errors.New("no links")
	c.Relink = func([]int) (*affinity.Matrix, error) { return nil, failure }
	_, err = Fit(t.Context(), c, samples)
	require.ErrorIs(t, err, failure)
	c.Only = []string{"values"}
	_, err = Fit(t.Context(), c, samples)
	require.NoError(t, err, "nothing is averaged")
}
