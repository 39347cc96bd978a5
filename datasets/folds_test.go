package datasets

import (
	"fmt"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/internal/loop"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFoldText(t *testing.T) {
	for text, want := range map[string]Fold{"": {}, "2/5": {2, 5}, "7/groups": {7, 0}} {
		var f Fold
		require.NoError(t, f.UnmarshalText([]byte(text)))
		assert.Equal(t, want, f)
		assert.Equal(t, text, f.String())
	}
	for _, text := range []string{"2", "2/", "/5", "0/5", "6/5", "1/1", "2/0", "-1/5", "0/groups", "2/5x", "2 /5",
		"02/5", "a/groups", "groups"} {
		f := Fold{1, 2}
		messagetest.Names(t, f.UnmarshalText([]byte(text)), "fold … 2/5 … 2/groups", text)
	}
	for _, f := range []Fold{{1, 1}, {-1, 5}, {6, 5}, {0, 5}, {1, -1}} {
		messagetest.Names(t, Options{Fold: f}.check(), "folds … at least 2")
	}
}

// tests are the test samples of all folds, one after the other, and of each fold.
func tests(t *testing.T, a arrays, folds int, seed uint64) (all []int, each [][]int) {
	t.Helper()
	for k := range folds {
		// Load checks that no sample is in two splits
		d := a.load(t, Options{HoldOut: true, Seed: seed, Fold: Fold{k + 1, folds}})
		assert.Equal(t, len(d.Labels), len(d.Train)+len(d.Validation)+len(d.Test))
		assert.NotEmpty(t, d.Validation)
		all, each = append(all, d.Test...), append(each, d.Test)
	}
	return all, each
}

// Each sample is tested once, whatever split the file has, and a fold differs from another by at most a sample, in each
// class too.
func TestFoldsPartition(t *testing.T) {
	labels := make([]int64, 20) // 9 of class 0, 7 of class 1, 4 of class 2
	for i := range labels {
		labels[i] = []int64{0, 1, 0, 1, 2}[i%5]
	}
	labels[1] = 0
	for _, split := range [][]int64{nil, append(make([]int64, 18), 1, 2)} {
		a := path4().with("labels", vectorOf(labels...))
		if split != nil {
			a.with("split", vectorOf(split...))
		}
		for _, k := range []int{2, 3, 4} {
			all, each := tests(t, a, k, 3)
			assert.ElementsMatch(t, loop.Indices(20), all)
			for _, fold := range each {
				assert.InDelta(t, 20/float64(k), len(fold), 0.99)
				counts := make([]float64, 3)
				for _, i := range fold {
					counts[labels[i]]++
				}
				for class, n := range []float64{9, 7, 4} {
					assert.InDelta(t, n/float64(k), counts[class], 0.99)
				}
			}
		}
	}
	_, a := tests(t, path4(), 2, 1)
	_, again := tests(t, path4(), 2, 1)
	_, other := tests(t, path4(), 2, 2)
	assert.Equal(t, a, again)
	assert.NotEqual(t, a, other)
}

// Folds have whole groups, none is empty, and each class is spread as evenly as groups allow.
func TestFoldsOfGroups(t *testing.T) {
	var units [][]int
	var labels []int32
	for g := range 30 { // of 1 to 6 samples of a class
		var unit []int
		for range 1 + g%6 {
			unit = append(unit, len(labels))
			labels = append(labels, int32(g%3))
		}
		units = append(units, unit)
	}
	for seed := range uint64(20) {
		folds := stratify(units, labels, 5, seed)
		assert.ElementsMatch(t, loop.Indices(len(labels)), slices.Concat(folds...))
		for _, unit := range units {
			home := slices.IndexFunc(folds, func(fold []int) bool { return slices.Contains(fold, unit[0]) })
			assert.Subset(t, folds[home], unit)
		}
		for _, fold := range folds {
			for class, n := range count(labels, fold) { // 25, 35 and 45 samples
				assert.InDelta(t, float64(25+10*class)/5, n, 3, "class %d", class)
			}
		}
	}
	big := stratify([][]int{{0}, {1}, {2}, {3}, {4}, {5, 6, 7, 8}}, make([]int32, 9), 6, 0)
	for _, fold := range big {
		assert.NotEmpty(t, fold)
	}

	_, each := tests(t, path4().with("groups", vectorOf(subjects()...)), 2, 0)
	for _, fold := range each {
		assert.Zero(t, len(fold)%4, "%v: each subject has 4 samples in a row", fold)
		for _, i := range fold {
			assert.Contains(t, fold, i/4*4)
		}
	}
}

func TestGroupFolds(t *testing.T) {
	path := path4().with("groups", vectorOf(subjects()...)).write(t)
	names, err := Groups(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"s0", "s1", "s2", "s3", "s4"}, names)
	for k, name := range names {
		d, err := Load(t.Context(), path, Options{HoldOut: true, Fold: Fold{Number: k + 1}})
		require.NoError(t, err)
		assert.Equal(t, []int{4 * k, 4*k + 1, 4*k + 2, 4*k + 3}, d.Test)
		assert.Equal(t, "test", splitOf(d)[name])
		assert.Empty(t, d.Warnings)
	}
}

func TestFoldErrors(t *testing.T) {
	single := make([]int64, 20)
	single[7] = 1
	for _, c := range []struct {
		data arrays
		fold Fold
		want string
	}{
		{path4(), Fold{1, 11}, "mine.npz … fold 1/11 … class 0 … 10 samples … 2 to 10"},
		{path4().with("labels", vectorOf(single...)), Fold{1, 2},
			"class 1 … single sample"},
		{path4().with("groups", vectorOf(subjects()...)),
			Fold{1, 6}, "5 groups … fewer than folds … 2 to 5"},
		{path4().with("groups", vectorOf(subjects()...)), Fold{6, 0}, "fold 6/groups … 5 groups"},
		{path4(), Fold{1, 0}, "fold 1/groups … no groups … subject"},
	} {
		_, err := Load(t.Context(), c.data.write(t), Options{HoldOut: true, Fold: c.fold})
		messagetest.Names(t, err, c.want)
	}
	_, err := Fold{1, 2}.Split(nil, nil, []string{"a", "b"}, 0)
	assert.ErrorContains(t, err, "has a single sample", "of no samples")
	_, err = Groups(path4().write(t))
	messagetest.Names(t, err, "mine.npz … no groups")
	_, err = Groups("digits")
	messagetest.Names(t, err, "digits … no groups")
	_, err = Groups("none.npz")
	assert.ErrorContains(t, err, "none.npz")
}

func TestFoldsElsewhere(t *testing.T) {
	d, err := Load(t.Context(), "digits", Options{HoldOut: true, Fold: Fold{10, 10}})
	require.NoError(t, err)
	assert.InDelta(t, 179.7, len(d.Test), 0.99)
	values := make([]float32, 12)
	for i := range values {
		values[i] = float32(i)
	}
	made, err := New("made", values, []int32{0, 1, 0, 1, 0, 1}, small(t).Affinity, Options{Fold: Fold{1, 3}})
	require.NoError(t, err)
	assert.Len(t, made.Test, 2, fmt.Sprint(made.Test))
	_, err = New("made", values, []int32{0, 1, 0, 1, 0, -1}, small(t).Affinity, Options{Fold: Fold{1, 3}})
	assert.ErrorContains(t, err, "labels[5] is -1")
}
