package models

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loadFirst loads a tiny classifier whose first answers are pure Go's, and one on XLA.
func loadFirst(t *testing.T) (early, xla *Classifier) {
	t.Helper()
	dir, xla := saveTiny(t, backendtest.XLA(t))
	t.Setenv(compute.ConfigEnvVar, "")
	early, err := Load(dir)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, early.Close()) })
	if early.first == nil {
		t.Skip("XLA is not what this machine would take")
	}
	return early, xla
}

func sameAnswers(t *testing.T, want, got *Classifier, n int) {
	t.Helper()
	some := signals(want.Spec, n, 1)
	expected, err := want.Classify(t.Context(), some)
	require.NoError(t, err)
	answers, err := got.Classify(t.Context(), some)
	require.NoError(t, err)
	for i := range answers {
		assert.InDeltaSlice(t, expected[i].Probabilities, answers[i].Probabilities, 1e-5)
	}
}

// The first answers need no XLA. It compiles after an eighth of firstWork, and answers after all of it.
func TestFirstAnswers(t *testing.T) {
	early, xla := loadFirst(t)
	sameAnswers(t, xla, early, 5)
	f := early.first
	require.False(t, f.asked, "so few signals need no XLA")
	assert.InDelta(t, 5*f.each, f.done, 1e-6)

	f.done = firstWork/8 + 1
	sameAnswers(t, xla, early, 1)
	require.True(t, f.asked, "from now on XLA is worth while")
	fast, err := f.xla()
	require.NoError(t, err)
	assert.Eventually(t, func() bool {
		fast.mu.RLock()
		defer fast.mu.RUnlock()
		return fast.logits.ready[1]
	}, time.Minute, time.Millisecond, "it is compiled for as many signals")
	by, err := early.by(1)
	require.NoError(t, err)
	assert.Same(t, early, by, "it depends on the work, not on time, who answers")

	f.done = firstWork
	by, err = early.by(1)
	require.NoError(t, err)
	assert.Same(t, fast, by)
	sameAnswers(t, xla, early, 5)
}

// A large request, and what needs XLA's speed or its gradients, waits for XLA.
func TestXLAAtOnce(t *testing.T) {
	for name, ask := range map[string]func(c *Classifier) error{
		"Compile": func(c *Classifier) error { return c.Compile(t.Context()) },
		"Attribute": func(c *Classifier) error {
			_, err := c.Attribute(t.Context(), signals(c.Spec, 1, 1), AttributionOptions{})
			return err
		},
		"many signals": func(c *Classifier) error {
			c.first.each = firstWork / 2
			_, err := c.Classify(t.Context(), signals(c.Spec, 3, 1))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			early, xla := loadFirst(t)
			require.NoError(t, ask(early))
			assert.True(t, early.first.asked)
			assert.Empty(t, early.logits.ready)
			sameAnswers(t, xla, early, 2)
		})
	}
}

// C of large learned levels are products of dense matrices, which XLA computes.
func TestXLAComputesObjectives(t *testing.T) {
	early, xla := loadFirst(t)
	want, err := xla.objectives(0)
	require.NoError(t, err)
	few, err := early.objectives(0)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, few, 1e-5)
	require.False(t, early.first.asked, "small ones need no XLA")

	early.first.xla = func() (*Classifier, error) { return xla, nil }
	early.Spec.Levels = slices.Clone(early.Spec.Levels)
	early.Spec.Levels[0].Clusters = 1 << 15
	many, err := early.objectives(0)
	require.NoError(t, err)
	assert.Equal(t, want, many)
	assert.True(t, early.first.asked)
}

// Both follow an update, close together, and pass on that XLA failed.
func TestFirstFollows(t *testing.T) {
	early, xla := loadFirst(t)
	require.NoError(t, early.Compile(t.Context()))
	other := drawn(t, xla.backend, xla.Spec, xla.Graph)
	before, err := xla.Classify(t.Context(), signals(xla.Spec, 1, 1))
	require.NoError(t, err)
	for v := range other.IterVariables() {
		if v.Shape().Rank() == 1 && v.Shape().Size() == xla.Spec.Classes {
			require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions([]float32{3, 2, 1}, 3)))
		}
	}
	require.NoError(t, xla.Update(other))
	require.NoError(t, early.Update(other))
	after, err := xla.Classify(t.Context(), signals(xla.Spec, 1, 1))
	require.NoError(t, err)
	require.Greater(t, after[0].Probabilities[0], before[0].Probabilities[0]+0.01)
	sameAnswers(t, xla, early, 2)

	fast, err := early.first.xla()
	require.NoError(t, err)
	early.first.xla = func() (*Classifier, error) { return nil, errors.New("no memory") }
	_, err = early.Classify(t.Context(), signals(early.Spec, 1, 1))
	require.ErrorContains(t, err, "no memory")
	early.first.xla = func() (*Classifier, error) { return fast, nil }
	require.NoError(t, early.Close())
	for _, c := range []*Classifier{early, fast} {
		_, err = c.Classify(t.Context(), signals(early.Spec, 1, 1))
		require.ErrorIs(t, err, ErrClosed)
	}
}

// Many callers get answers while XLA is compiled, or that the classifier was closed.
func TestFirstAtTheSameTime(t *testing.T) {
	early, _ := loadFirst(t)
	early.first.each = firstWork / 40
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 10 {
				if _, err := early.Classify(t.Context(), signals(early.Spec, 1+i%2, 1)); err != nil {
					assert.ErrorIs(t, err, ErrClosed)
				}
			}
			if i == 0 {
				assert.NoError(t, early.Close())
			}
		})
	}
	group.Wait()
}

// Whoever names a backend has all answers from it.
func TestNamedBackendAnswersAlone(t *testing.T) {
	dir, _ := saveTiny(t, backendtest.Go(t))
	c, err := Load(dir, WithBackend(backendtest.Go(t)))
	require.NoError(t, err)
	assert.Nil(t, c.first)
	t.Setenv(compute.ConfigEnvVar, "go")
	c, err = Load(dir)
	require.NoError(t, err)
	assert.Nil(t, c.first)
	assert.False(t, c.Spec.goFirst())
	t.Setenv(compute.ConfigEnvVar, "")
	for name, value := range map[string]any{"dtype": "bfloat16", "kernels": 84} {
		s := c.Spec
		s.Settings = settings(map[string]any{name: value})
		assert.False(t, s.goFirst(), name)
	}
}

// A product of [1, 12·2] and [24, 3] is 72 multiply-adds; its operands, biases and sums are a few dozen values.
func TestWork(t *testing.T) {
	m, graph := tiny(t)
	m.Spec.Model, m.Spec.Architecture = "softmax", Architecture{}
	c, err := NewClassifier(backendtest.Go(t), m, graph)
	require.NoError(t, err)
	assert.InDelta(t, 72+72+3*24, c.work(), 60)
	require.NoError(t, c.Close())
	assert.Zero(t, c.work())
}

// Loading again and again opens one backend.
func TestLoadsShareABackend(t *testing.T) {
	dir, _ := saveTiny(t, backendtest.Go(t))
	t.Setenv(compute.ConfigEnvVar, "go")
	var loaded []*Classifier
	for range 2 {
		c, err := Load(dir)
		require.NoError(t, err)
		loaded = append(loaded, c)
	}
	assert.Same(t, loaded[0].backend, loaded[1].backend)
	require.NoError(t, loaded[0].Close())
	_, err := loaded[1].Classify(t.Context(), signals(loaded[1].Spec, 1, 1))
	require.NoError(t, err, "closing a classifier leaves the backend to the others")
	require.NoError(t, loaded[1].Close())
}

// Refresh waits for the answers under way, and XLA's copy follows.
func TestRefreshFollows(t *testing.T) {
	early, xla := loadFirst(t)
	require.NoError(t, early.Compile(t.Context()))
	var group sync.WaitGroup
	group.Go(func() {
		for range 20 {
			_, err := early.Classify(t.Context(), signals(early.Spec, 1, 1))
			assert.NoError(t, err)
		}
	})
	for range 5 {
		require.NoError(t, early.Refresh())
	}
	group.Wait()
	for _, c := range []*Classifier{early, xla} {
		for v := range c.Store().IterVariables() {
			if v.Shape().Rank() == 1 && v.Shape().Size() == c.Spec.Classes {
				require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions([]float32{3, 2, 1}, 3)))
			}
		}
		require.NoError(t, c.Refresh())
	}
	sameAnswers(t, xla, early, 2)
	require.NoError(t, early.Close())
	require.ErrorIs(t, early.Refresh(), ErrClosed)
}
