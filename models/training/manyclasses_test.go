package training

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manyClasses writes a table of so many classes with this many samples each. Every sample lies at its class's place,
// and the last of each class is the test's.
func manyClasses(t *testing.T, classes, each int) string {
	const columns = 4
	rng := rand.New(rand.NewPCG(3, 4))
	n := classes * each
	features, labels, split := make([]float32, n*columns), make([]int32, n), make([]uint8, n)
	centres := make([]float32, classes*columns)
	for i := range centres {
		centres[i] = float32(rng.NormFloat64())
	}
	for i := range n {
		labels[i], split[i] = int32(i%classes), uint8(2*(i/classes/(each-1)))
		for j := range columns {
			features[i*columns+j] = centres[i%classes*columns+j] + float32(rng.NormFloat64())/50
		}
	}
	path := filepath.Join(t.TempDir(), "many.npz")
	require.NoError(t, npz.Write(path, []npz.Named{{Name: "features",
		Array: &npz.Array{Shape: []int{n, columns}, Data: features}},
		{Name: "labels", Array: &npz.Array{Shape: []int{n}, Data: labels}},
		{Name: "split", Array: &npz.Array{Shape: []int{n}, Data: split}}}))
	return path
}

// Beyond mostInMatrix classes what was taken for what is a list, and all figures are those of the matrix.
func TestConfusionOfManyClasses(t *testing.T) {
	of := func(classes int) (e Evaluation) {
		names := make([]string, classes)
		for k := range names {
			names[k] = fmt.Sprint("class ", k)
		}
		e.Samples = 7
		e.count(confusions{{0, 0}: 2, {3, 2}: 1, {3, 0}: 1, {2, 2}: 2, {3, 3}: 1}, names)
		return e
	}
	few, many := of(mostInMatrix), of(mostInMatrix+1)
	assert.Nil(t, many.Confusion)
	assert.Equal(t, []Confused{{3, 0, "class 3", "class 0", 1}, {3, 2, "class 3", "class 2", 1}}, many.Confused)
	assert.Len(t, few.Confusion, mostInMatrix)
	assert.Nil(t, few.Confused)
	assert.Equal(t, few.PerClass, many.PerClass[:mostInMatrix])
	assert.InDelta(t, 5./7, many.Accuracy, 1e-15)
}

// Of more probabilities than are kept, evenly spaced classes are ranked; a training ranks none.
func TestRankingOfManyClassesIsBounded(t *testing.T) {
	labels := make([]int32, 10_000)
	for i := range labels {
		labels[i] = int32(i % 6_000)
	}
	all := judgedFor(labels, 7_000, false)
	assert.Len(t, all.ranked, mostRanked/10_000)
	assert.Less(t, all.ranked[len(all.ranked)-1], 6_000, "no class without a sample")
	assert.Greater(t, all.ranked[len(all.ranked)-1], 5_900)
	assert.Empty(t, judgedFor(labels, 7_000, true).scores)
}

// An evaluation in a training has the figures of a whole one but the areas, and ends with its context before another
// batch.
func TestEvaluateUntilItsContextEnds(t *testing.T) {
	backend := backendtest.Go(t)
	asked := Patch{"data": manyClasses(t, 40, 5), "model": "transforms", "transforms": "values", "knn": 2}
	dir := t.TempDir()
	trainIn(t, backend, asked, dir)
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	d, err := LoadFor(t.Context(), classifier.Metadata, previewed(asked), datasets.Options{})
	require.NoError(t, err)
	whole, err := Evaluate(classifier, d, d.Train, 64)
	require.NoError(t, err)
	brief, err := evaluate(t.Context(), classifier, d, d.Train, evaluating{batch: 64, brief: true})
	require.NoError(t, err)
	assert.NotNil(t, whole.AUROC)
	whole.AUROC, whole.AveragePrecision = nil, nil
	assert.Equal(t, whole, brief)

	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	_, err = evaluate(ctx, classifier, d, d.Train, evaluating{batch: 64, visit: func(int, []float64) {
		seen++
		cancel()
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.LessOrEqual(t, seen, 64, "a batch is whole, and no other begins")
}

// Of very many held-out samples and classes some are read, and the notice says of how many.
func TestNameOfSomeOfAQuarter(t *testing.T) {
	q := &heldOutTrial{data: &datasets.Dataset{}, held: 3,
		heldOut: heldOut{labels: make([]int32, 3), units: []int{0, 1, 2}}}
	assert.Equal(t, "held-out quarter (3 samples)", q.name())
	q.held = 7_500
	assert.Equal(t, "held-out quarter (3 of 7,500 samples)", q.name())
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

// Wherever a training of transforms is cancelled, also while it weighs members and evaluates, it says that it was
// interrupted, and the same call goes on to the same result.
func TestTransformsEndWithTheirContext(t *testing.T) {
	backend := backendtest.Go(t)
	asked := Patch{"data": manyClasses(t, 12, 6), "model": "transforms", "transforms": "values", "knn": 2}
	const most = 1 << 40
	train := func(dir string, after int64) (Result, int64, error) {
		ctx := &looks{Context: t.Context()}
		ctx.left.Store(after)
		result, err := Train(ctx, backend, asked, Options{Dir: dir, Backend: "go"})
		return result, after - ctx.left.Load(), err
	}
	want, total, err := train(t.TempDir(), most)
	require.NoError(t, err)
	require.Greater(t, total, int64(200))
	for part := range int64(10) {
		dir := t.TempDir()
		_, _, err := train(dir, part*total/10)
		require.ErrorIs(t, err, context.Canceled, "after %d of %d looks", part*total/10, total)
		assert.False(t, strings.Contains(err.Error(), "NaN"), err)
		got, _, err := train(dir, most)
		require.NoError(t, err)
		assert.Equal(t, want.Test, got.Test)
	}
}

// What a training takes is estimated by as many samples as a fit uses: a list of all would itself take memory.
func TestMemoryIsEstimatedBySomeSamples(t *testing.T) {
	const samples = 400_000
	d := &datasets.Dataset{}
	d.Nodes, d.Channels, d.ClassNames, d.Form = 1, 1, []string{"a", "b"},
		&recording.Form{Sensors: []string{"s"}, Channels: 1, Longest: 1}
	values := make([]float32, samples)
	d.Labels = make([]int32, samples)
	for i := range values {
		d.Series, d.Train, d.Labels[i] = append(d.Series, values[i:i+1]), append(d.Train, i), int32(i%2)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	assert.Positive(t, Memory(d))
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(20<<20),
		"a list of all samples takes 22 MB, and their groups as much")
}
