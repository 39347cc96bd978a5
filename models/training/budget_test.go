package training

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is not asked of the length of a network's training is by the number of samples, also beside transforms.
func TestBudget(t *testing.T) {
	d, err := datasets.Load(t.Context(), writeRing(t, 8), datasets.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		n     int
		asked Patch
		want  [3]int // batch, steps, epochs
	}{
		{2, nil, [3]int{2, 1200, 20}},
		{10, nil, [3]int{10, 1200, 20}},
		{16, nil, [3]int{16, 1200, 20}},
		{255, nil, [3]int{16, 1200, 20}},
		{256, nil, [3]int{32, 1200, 20}},
		{511, nil, [3]int{32, 1200, 20}},
		{512, nil, [3]int{64, 1200, 20}},
		{1_920, nil, [3]int{64, 1200, 20}},
		{7_680, nil, [3]int{64, 4687, 20}},
		{60_000, nil, [3]int{64, 9375, 20}},
		{60_000, Patch{"batch": 600}, [3]int{600, 1200, 20}},
		{100, Patch{"batch": 600}, [3]int{100, 1200, 20}},
		{1_000, Patch{"epochs": 30}, [3]int{64, 450, 30}}, // passes of 15 whole batches
		{1_000, Patch{"steps": 500}, [3]int{64, 500, 20}},
		{1_000, Patch{"steps": 5}, [3]int{64, 5, 5}},
		{1_000, Patch{"steps": 500, "epochs": 3, "batch": 8}, [3]int{8, 500, 3}},
	} {
		d.Train = make([]int, c.n)
		alone := Patch{"transforms": "none"}
		maps.Copy(alone, c.asked)
		got := resolved(t, alone, d)
		assert.Equal(t, c.want, [3]int{got.Batch, got.Steps, got.Epochs}, "%d samples, %v", c.n, c.asked)
		assert.Equal(t, got, resolved(t, got.Values(), d), "what was chosen stays")
	}
	d.Train = make([]int, 255)
	assert.Equal(t, []any{637, "all"}, []any{resolved(t, nil, d).Steps, resolved(t, nil, d).Options.Transforms})
	assert.Equal(t, "none", resolved(t, Patch{"ccp_hierarchy": "learned"}, d).Options.Transforms,
		"who asks for clusters wants some")
}

// A network beside transforms has its stem, and its 40 passes, but no more than 600 steps for their sake. Few samples
// have no stem, and halve the steps of a network alone.
func TestBudgetBesideTransforms(t *testing.T) {
	graph, err := affinity.SpaceTime([][2]int{{0, 1}, {1, 2}, {0, 2}}, 3, 20)
	require.NoError(t, err)
	d, err := datasets.New("series", make([]float32, 40*60),
		append(make([]int32, 20), slices.Repeat([]int32{1}, 20)...),
		graph, datasets.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		n     int
		asked Patch
		steps int
	}{
		{300, nil, 600},
		{2_459, nil, 1536},
		{60_000, nil, 9375},
		{300, Patch{"transforms": "none"}, 1200},
		{2_459, Patch{"transforms": "none"}, 1536},
		{7_494, Patch{"transforms": "none"}, 4683},
		{20_000, Patch{"transforms": "none"}, 4687},
		{60_000, Patch{"transforms": "none"}, 9375},
		{300, Patch{"transforms": "values"}, 600},
		{300, Patch{"steps": 900}, 900},
		{300, Patch{"model": "gcn"}, 1200},
	} {
		d.Train = make([]int, c.n)
		assert.Equal(t, c.steps, resolved(t, c.asked, d).Steps, "%d samples, %v", c.n, c.asked)
	}
	stem := func(asked Patch) int { return resolved(t, asked, d).Options.Stem }
	d.Train = make([]int, 4) // of 60 nodes
	assert.Equal(t, 16, stem(Patch{"transforms": "none"}))
	d.Train = make([]int, 3)
	assert.Zero(t, stem(Patch{"transforms": "none"}))
	assert.Equal(t, 600, resolved(t, Patch{"transforms": "none"}, d).Steps)
	assert.Equal(t, 1200, resolved(t, Patch{"model": "gcn"}, d).Steps)
	d.Train = make([]int, 300)
	assert.Equal(t, 16, stem(nil))
	assert.Equal(t, 16, stem(Patch{"transforms": "none"}))
	assert.Equal(t, 4, stem(Patch{"ccp_stem": 4}))
}

// Ten steps in four epochs are ten steps: the epochs have 2, 3, 2 and 3. Resumed, they are the same.
func TestSteps(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"], c["steps"] = 4, 10
	whole := t.TempDir()
	var progress, ends []string
	result, err := Train(context.Background(), backend, c, Options{Dir: whole, Observer: Observer{
		Begin: func(_ Config, _ *datasets.Dataset, _ models.Spec, from, total int) {
			assert.Equal(t, []int{0, 10}, []int{from, total})
		},
		Step:  func(p Progress) { progress = append(progress, fmt.Sprintf("%d:%d/%d", p.Epoch, p.Step, p.Steps)) },
		Epoch: func(e Epoch) { ends = append(ends, fmt.Sprintf("%d after %d", e.Epoch, len(progress))) },
	}})
	require.NoError(t, err)
	assert.Equal(t, "1:1/2 1:2/2 2:1/3 2:2/3 2:3/3 3:1/2 3:2/2 4:1/3 4:2/3 4:3/3", strings.Join(progress, " "))
	assert.Equal(t, []string{"1 after 2", "2 after 5", "3 after 7", "4 after 10"}, ends)
	assert.Equal(t, []int{10, 4}, []int{result.Steps, result.Epochs})
	resume(t, backend, c, whole, []int{1, 3, 1})

	delete(c, "epochs")
	c["steps"] = 33 // no multiple of the 20 epochs that are usual
	result = trainIn(t, backend, c, t.TempDir())
	assert.Equal(t, []int{33, 20}, []int{result.Steps, result.Epochs})
}

// Where neither steps nor epochs are given a run is as long as Budget says: here, too long to wait for.
func TestBudgetIsKeptTo(t *testing.T) {
	c := ringConfig(writeRing(t, 200))
	delete(c, "epochs")
	delete(c, "batch")
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Train(ctx, backendtest.Go(t), c, Options{Dir: t.TempDir(), Observer: Observer{
		Begin: func(_ Config, _ *datasets.Dataset, _ models.Spec, _, total int) {
			assert.Equal(t, leastSteps, total)
			cancel()
		}}})
	require.ErrorIs(t, err, ErrInterrupted)
}

// One cycle: the rate is 0 in the first step, the highest after a quarter of the steps, and nearly 0 in the last;
// cosine falls throughout.
func TestSchedules(t *testing.T) {
	backend := backendtest.Go(t)
	for name, want := range map[string]map[int]float64{ // by steps taken: the rate of the next one
		oneCycle:   {1: 0.25, 3: 0.75, 4: 1, 10: 0.5, 15: (1 + math.Cos(math.Pi*11/12)) / 2, 16: 0},
		"cosine":   {1: (1 + math.Cos(math.Pi/16)) / 2, 8: 0.5, 16: 0},
		"constant": {1: 1, 16: 1},
	} {
		c := ringConfig(writeRing(t, 200))
		c["epochs"], c["steps"], c["schedule"], c["learning_rate"] = 4, 16, name, 0.02
		dir, taken := t.TempDir(), 0
		for step := range 17 {
			share, ok := want[step]
			if !ok {
				continue
			}
			if step < 16 {
				trainUntil(t, backend, c, dir, step-taken)
			} else {
				trainIn(t, backend, c, dir)
			}
			taken = step
			store := model.NewStore()
			var state trainState
			_, _, err := checkpoint.Load(dir, checkpoint.Last, store, &state)
			require.NoError(t, err)
			rate, err := model.CallOnce(backend, store, func(scope *model.Scope, g *graph.Graph) *graph.Node {
				asked := Config{Training: Training{Schedule: name, LearningRate: 0.02}}
				return schedule(scope, g, asked, 16)
			})
			require.NoError(t, err)
			assert.InDelta(t, 0.02*share, tensors.ToScalar[float32](rate), 1e-7, "%s, step %d", name, step)
		}
	}
}

// Who keeps the last weights needs no validation: all its samples are trained on, and nothing is said of it.
func TestKeepLast(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["keep"], c["epochs"] = KeepLast, 3
	dir := t.TempDir()
	var epochs []Epoch
	result, err := Train(context.Background(), backend, c, Options{Dir: dir, Observer: Observer{
		Begin: func(_ Config, d *datasets.Dataset, _ models.Spec, _, _ int) {
			assert.Equal(t, []int{160, 0, 40}, []int{len(d.Train), len(d.Validation), len(d.Test)})
		},
		Epoch: func(e Epoch) { epochs = append(epochs, e) },
	}})
	require.NoError(t, err)
	assert.Nil(t, result.Validation)
	assert.Equal(t, []int{3, 3}, []int{result.Epochs, result.BestEpoch})
	read, err := ReadResult(dir)
	require.NoError(t, err)
	assert.Equal(t, result, read)
	raw, err := os.ReadFile(filepath.Join(dir, resultFile))
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "validation")
	raw, err = os.ReadFile(filepath.Join(dir, historyFile))
	require.NoError(t, err)
	assert.Equal(t, 6, strings.Count(string(raw), ",NaN"), "two columns in three epochs:\n%s", raw)
	history, err := ReadHistory(dir)
	require.NoError(t, err)
	require.Len(t, history, 3)
	for i, e := range history {
		assert.True(t, e.Best && epochs[i].Best)
		assert.Nil(t, e.Validation)
		assert.InEpsilon(t, epochs[i].Train.Loss, e.Train.Loss, 1e-5)
	}
	assertLastIsKept(t, dir)
}

// With samples held out their accuracy is told, but the last weights are kept all the same.
func TestKeepLastWithValidation(t *testing.T) {
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	// too high: it gets worse again
	c["schedule"], c["learning_rate"], c["epochs"], c["validation"], c["seed"] = "constant", 0.3, 12, 0.2, 2
	best := trainIn(t, backend, c, t.TempDir())
	require.Less(t, best.BestEpoch, 12, "the test needs a run whose last epoch is not its best")
	c["keep"] = KeepLast
	dir := t.TempDir()
	var last *Score
	result, err := Train(context.Background(), backend, c, Options{Dir: dir, Observer: Observer{
		Begin: func(_ Config, d *datasets.Dataset, _ models.Spec, _, _ int) {
			assert.Equal(t, []int{128, 32}, []int{len(d.Train), len(d.Validation)})
		},
		Epoch: func(e Epoch) { last = e.Validation },
	}})
	require.NoError(t, err)
	require.NotNil(t, result.Validation)
	assert.Equal(t, last, result.Validation)
	assert.Equal(t, 12, result.BestEpoch)
	assert.NotEqual(t, best.Validation, result.Validation)
	assertLastIsKept(t, dir)
}

// assertLastIsKept holds the weights that a run classifies with against those that it ended with.
func assertLastIsKept(t *testing.T, dir string) {
	t.Helper()
	last, _ := snapshotOf(t, dir, checkpoint.Last)
	kept, _ := snapshotOf(t, dir, checkpoint.Best)
	for _, path := range weightPaths(last) {
		if strings.HasSuffix(path, "/W") {
			assert.Equal(t, last[path], kept[path], path)
		}
	}
}
