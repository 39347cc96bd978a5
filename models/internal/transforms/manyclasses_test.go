package transforms

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// manyClasses returns samples of so many classes, each of them around a place of its own, in turn.
func manyClasses(rng *rand.Rand, samples, classes, columns int) []Sample {
	centres, all := make([]float32, classes*columns), make([]Sample, samples)
	for i := range centres {
		centres[i] = float32(rng.NormFloat64())
	}
	for i := range all {
		all[i] = Sample{Label: int32(i % classes), Values: make([]float32, columns)}
		for j := range columns {
			all[i].Values[j] = centres[i%classes*columns+j] + float32(rng.NormFloat64())/20
		}
	}
	return all
}

// Products with the targets by sums of each class are those with the matrix of all targets.
func TestProductsWithTargetsOfManyClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, classes := range []int{2, fewClasses, fewClasses + 1, 3 * fewClasses} {
		task := Config{Classes: classes}.taskOf(manyClasses(rng, 350, classes, 1))
		a := mat.NewDense(40, 7, nil)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		want := new(mat.Dense)
		want.Mul(a.T(), task.targets(task.labels[300:340]))
		found := task.timesTargets(a.T(), 300)
		if classes <= fewClasses {
			assert.True(t, mat.Equal(want, found), "to the last bit")
		}
		assert.True(t, mat.EqualApprox(want, found, 1e-12), classes)
	}
}

// The targets are 1 and -1 less their means, so that each class has a sum of zero.
func TestTargets(t *testing.T) {
	task := Config{Classes: 3}.taskOf([]Sample{{Label: 0}, {Label: 2}, {Label: 2}, {Label: 0}})
	assert.Equal(t, []float64{0, -1, 0}, task.meanTarget)
	assert.Equal(t, []float64{1, 0, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1}, task.targets(task.labels).RawMatrix().Data)
}

// A task has nothing that is as large as samples times classes.
func TestTaskOfManyClassesIsSmall(t *testing.T) {
	samples := manyClasses(rand.New(rand.NewPCG(1, 4)), 5_000, 2_500, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	task := Config{Classes: 2_500}.taskOf(samples)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), "a matrix of all targets takes 100 MB")
	assert.Len(t, task.labels, 5_000)
}

// Where some samples judge, their predictions are those that they have where all do; groups are held out whole.
func TestHeldOutOfSomeSamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	const n, classes = 60, 4
	samples := manyClasses(rng, n, classes, 1)
	for i := range samples {
		samples[i].Group = fmt.Sprint(i / 3)
	}
	task, k := Config{Classes: classes}.taskOf(samples), gramOf(n, 10, 0.1)
	_, left, u, err := task.solveDual(t.Context(), k, 0.3)
	require.NoError(t, err)
	all, err := task.heldOut(t.Context(), u, left)
	require.NoError(t, err)
	task.judged = []int{1, 2, 30, 58}
	some, err := task.heldOut(t.Context(), u, left)
	require.NoError(t, err)
	for row, i := range task.judged {
		assert.Equal(t, all.RawRowView(i), some.RawRowView(row))
	}
}

// Many samples of many classes are judged by some, so that predictions for them fit into memory.
func TestJudgedSamplesAreBounded(t *testing.T) {
	assert.Len(t, judgedOf(20_000, 4_000), 2_500)
	assert.Len(t, judgedOf(20_000, 10), 20_000)
	assert.Len(t, judgedOf(20_000, 1_000_000), fewJudged)
}

// More than a hundred classes are told apart as few are: by the sums of each class, and by a weight for each sample
// or for each feature.
func TestFitOfManyClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	const classes = fewClasses + 20
	samples := manyClasses(rng, 4*classes, classes, 8)
	c := Config{Columns: 8, Channels: 1, Classes: classes, Table: true, Only: []string{"values"},
		Backend: backendtest.Go(t)}
	for _, dual := range []bool{true, false} {
		e, candidates := computed(t, c, samples[:3*classes])
		e.dual, e.landmarks = dual, spread(e.samples, 240)
		ridges, err := e.ridges(t.Context(), candidates)
		require.NoError(t, err)
		e.classifier.join(e.taskOf(e.samples), ridges)
		e.classifier.ForestWeight = 0
		assert.Greater(t, rightly(e.classifier, samples[3*classes:]), 0.97, dual)
	}
}

// looks is a context that ends after so many looks at it.
type looks struct {
	context.Context
	left atomic.Int64
}

func (l *looks) Err() error {
	if l.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever a fit is cancelled, it returns the context's error and nothing else.
func TestFitEndsWithItsContext(t *testing.T) {
	samples := manyClasses(rand.New(rand.NewPCG(1, 7)), 220, fewClasses+10, 6)
	c := Config{Columns: 6, Channels: 1, Classes: fewClasses + 10, Table: true, Only: []string{"values"},
		Backend: backendtest.Go(t)}
	const most = 1 << 40
	whole := &looks{Context: t.Context()}
	whole.left.Store(most)
	_, err := Fit(whole, c, samples)
	require.NoError(t, err)
	total := most - whole.left.Load()
	for part := range int64(6) {
		ctx := &looks{Context: t.Context()}
		ctx.left.Store(part * total / 6)
		v, err := Fit(ctx, c, samples)
		require.ErrorIs(t, err, context.Canceled, "after %d of %d looks", part*total/6, total)
		assert.Nil(t, v)
	}
}

// After a cancellation no block of held-out samples is predicted, and no quarter of a matrix is multiplied.
func TestNoBlockAfterCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	const n, classes = 3 * heldAtOnce, 3
	task := Config{Classes: classes}.taskOf(manyClasses(rand.New(rand.NewPCG(1, 8)), n, classes, 1))
	blocks := 0
	left := func(some []int) (*mat.Dense, error) {
		blocks++
		if blocks == 2 {
			cancel()
		}
		return mat.NewDense(len(some), classes, nil), nil
	}
	identity := func(some []int) (*mat.Dense, error) {
		return mat.DenseCopyOf(mat.NewDiagDense(len(some), slices.Repeat([]float64{1}, len(some)))), nil
	}
	_, err := task.heldOut(ctx, identity, left)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, blocks)

	ctx, cancel = context.WithCancel(t.Context())
	products := 0
	_, err = invert(ctx, func(x, y mat.Matrix) (*mat.Dense, error) {
		products++
		if products == 2 {
			cancel()
		}
		product := new(mat.Dense)
		product.Mul(x, y)
		return product, nil
	}, gramOf(mostFactored+2, 50, 0.5))
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, products)
	assert.False(t, errors.Is(err, errSingular))
}
