package training

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
)

// Two classes seen often, one never predicted, one without samples: precision, recall and F1 by hand.
func TestScore(t *testing.T) {
	e := Evaluation{Samples: 10}
	e.count(confusions{{0, 0}: 3, {0, 1}: 1, {1, 0}: 2, {1, 1}: 2, {2, 0}: 1, {2, 1}: 1}, []string{"a", "b", "c", "d"})
	assert.Equal(t, [][]int{
		{3, 1, 0, 0},
		{2, 2, 0, 0},
		{1, 1, 0, 0},
		{0, 0, 0, 0},
	}, e.Confusion)
	assert.Nil(t, e.Confused)
	assert.InDelta(t, 0.5, e.Accuracy, 1e-15)
	assert.Equal(t, []ClassScore{
		{Name: "a", Samples: 4, Precision: 3.0 / 6, Recall: 3.0 / 4, F1: 6.0 / 10},
		{Name: "b", Samples: 4, Precision: 2.0 / 4, Recall: 2.0 / 4, F1: 4.0 / 8},
		{Name: "c", Samples: 2},
		{Name: "d"},
	}, e.PerClass)
}

// evaluated returns a classifier that was trained for an epoch, and its data set.
func evaluated(t *testing.T) (*models.Classifier, *datasets.Dataset) {
	t.Helper()
	backend := backendtest.Go(t)
	c := ringConfig(writeRing(t, 200))
	c["epochs"] = 1
	dir := t.TempDir()
	trainIn(t, backend, c, dir)
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	d, err := LoadFor(t.Context(), classifier.Metadata, previewed(c), datasets.Options{})
	require.NoError(t, err)
	return classifier, d
}

// Whatever the batch, and however much of the last one is filling, the scores are those of the single predictions.
func TestEvaluate(t *testing.T) {
	classifier, d := evaluated(t)
	want, counts := Evaluation{Samples: len(d.Test)}, confusions{}
	var labels []int32
	for _, i := range d.Test {
		labels = append(labels, d.Labels[i])
	}
	all := judgedFor(labels, ringClasses, false)
	for _, i := range d.Test {
		raw := make([]float32, ringNodes*ringChannels)
		d.Signals.Read(i, raw)
		p, err := classifier.Classify(context.Background(), [][]float32{raw})
		require.NoError(t, err)
		counts[[2]int{int(d.Labels[i]), p[0].Class}]++
		want.Loss -= math.Log(p[0].Probabilities[d.Labels[i]]) / float64(len(d.Test))
		all.add(p[0].Probabilities)
	}
	want.count(counts, d.ClassNames)
	want.Ranking = all.ranking(want.PerClass)
	require.Less(t, want.Accuracy, 1.0, "the test needs some errors")
	// The temperature of the held-out samples changes Reliability and Ranking alone.
	calibration := classifier.Calibration
	require.Equal(t, len(d.Validation), calibration.Samples)
	tempered := want.Loss
	classifier.Calibration = nil
	plain, err := Evaluate(classifier, d, d.Test, 64)
	require.NoError(t, err)
	assert.InDelta(t, plain.Loss, plain.Reliability.Loss, 1e-12)
	assert.NotEqual(t, tempered, plain.Loss)
	classifier.Calibration, want.Loss = calibration, plain.Loss
	for _, batch := range []int{1, 7, 16, 40, 64} {
		got, err := Evaluate(classifier, d, d.Test, batch)
		require.NoError(t, err)
		assert.InDelta(t, want.Loss, got.Loss, 1e-5, "batches of %d", batch)
		assert.InDelta(t, tempered, got.Reliability.Loss, 1e-5, "batches of %d", batch)
		assert.InDelta(t, want.Brier, got.Brier, 1e-5, "batches of %d", batch)
		assert.InDelta(t, *want.AUROC, *got.AUROC, 1e-9, "batches of %d", batch)
		assert.InDelta(t, want.BalancedAccuracy, got.BalancedAccuracy, 1e-12, "batches of %d", batch)
		got.Loss, got.Reliability, got.Ranking = want.Loss, want.Reliability, want.Ranking
		assert.Equal(t, want, got, "batches of %d", batch)
	}

}

// The data may have some of the classes in another order: the numbers are the model's, on the path of whole samples
// too.
func TestEvaluateOtherClasses(t *testing.T) {
	classifier, d := evaluated(t)
	some := *d
	some.ClassNames, some.Labels, some.Test = []string{"west", "south", "east"}, make([]int32, len(d.Labels)), nil
	for i, label := range d.Labels {
		some.Labels[i] = min(2, 3-label)
	}
	for _, i := range d.Test {
		if d.Labels[i] > 0 {
			some.Test = append(some.Test, i)
		}
	}
	plain, err := Evaluate(classifier, d, some.Test, 64)
	require.NoError(t, err)
	other, err := Evaluate(classifier, &some, some.Test, 64)
	require.NoError(t, err)
	assert.Equal(t, plain, other)
	some.Mirror = func([]float32) {}
	other, err = EvaluateMirrored(classifier, &some, some.Test, 64, nil)
	require.NoError(t, err)
	assert.Equal(t, plain.Confusion, other.Confusion)
	some.ClassNames = []string{"0", "1", "2"}
	_, err = Evaluate(classifier, &some, some.Test, 64)
	require.ErrorContains(t, err, `ring.npz has the classes ["0" "1" "2"], the model ["north" "east" "south" `+
		`"west"]; store labels as strings of the model's`)
}

// Nothing is evaluated of an empty split. A split of samples that are not there, and a batch of no samples, are
// errors.
func TestEvaluateOddSplits(t *testing.T) {
	classifier, d := evaluated(t)
	none, err := Evaluate(classifier, d, nil, 16)
	require.NoError(t, err)
	assert.Zero(t, none.Samples+int(none.Accuracy+none.Loss))
	_, err = Evaluate(classifier, d, d.Test, 0)
	require.EqualError(t, err, "batches of 0 samples; there must be at least 1 in each")
	mirrored := *d
	mirrored.Mirror = func([]float32) {}
	for _, missing := range []int{-1, len(d.Labels)} {
		_, err = Evaluate(classifier, d, []int{0, missing}, 64)
		require.ErrorContains(t, err, fmt.Sprintf("entry 1 of the split is sample %d of %d", missing, len(d.Labels)))
		_, err = EvaluateMirrored(classifier, &mirrored, []int{0, missing}, 64, nil)
		require.ErrorContains(t, err, "entry 1 of the split")
	}
}

// A data set as it was loaded is evaluated as the training evaluated it, although the training held out validation
// samples and so took mean and deviation of fewer: they are the classifier's.
func TestEvaluateByTheClassifiersStatistics(t *testing.T) {
	backend := backendtest.Go(t)
	d, err := datasets.Load(t.Context(), writeRing(t, 60), datasets.Options{})
	require.NoError(t, err)
	c := ringConfig("")
	delete(c, "data")
	c["epochs"], c["validation"] = 1, 0.5
	dir := t.TempDir()
	result, err := Train(t.Context(), backend, c, Options{Dir: dir, Data: d})
	require.NoError(t, err)
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
	require.NoError(t, err)
	require.NotEqual(t, d.Mean, classifier.Mean, "the test needs samples that matter")
	test, err := Evaluate(classifier, d, d.Test, 64)
	require.NoError(t, err)
	assert.Equal(t, result.Test, Score{Loss: test.Loss, Accuracy: test.Accuracy})
	assert.NotEqual(t, d.Mean, classifier.Mean, "the data set stays as it was")
}

func TestLoadForOtherData(t *testing.T) {
	data := writeRing(t, 200)
	c := ringConfig(data)
	m := models.Metadata{Spec: models.Spec{Info: signal.Info{Nodes: ringNodes, Channels: ringChannels,
		ClassNames: []string{"north", "east", "south", "west"}, Mean: []float32{1, 2, 3}, Std: []float32{4, 5, 6}}}}
	d, err := LoadFor(t.Context(), m, previewed(c), datasets.Options{})
	require.NoError(t, err)
	assert.Equal(t, m.Mean, d.Mean, "the model's normalisation, not the data's")
	assert.Equal(t, m.Std, d.Std)
	for name, want := range map[string][]int{"train": d.Train, "validation": d.Validation, "test": d.Test} {
		split, err := SplitOf(d, name)
		require.NoError(t, err)
		assert.Equal(t, want, split)
	}
	all, err := SplitOf(d, All)
	require.NoError(t, err)
	require.Len(t, all, 200)
	assert.True(t, slices.IsSorted(all))
	_, err = SplitOf(d, "some")
	require.EqualError(t, err, `there is no split "some"; there are train, validation, test, all`)

	// Some of the model's classes, in another order.
	m.ClassNames = []string{"west", "up", "south", "east", "north"}
	some, err := LoadFor(t.Context(), m, previewed(c), datasets.Options{})
	require.NoError(t, err)
	assert.Equal(t, m.ClassNames, some.ClassNames)
	for i, label := range d.Labels {
		assert.Equal(t, d.ClassNames[label], some.ClassNames[some.Labels[i]])
	}
	m.Spec.Nodes = 13
	_, err = LoadFor(t.Context(), m, previewed(c), datasets.Options{})
	require.EqualError(t, err, data+" has signals of 12 nodes x 3 channels, the model was trained on 13 x 3")
	m.Spec.Nodes, m.ClassNames = 12, []string{"a", "b"}
	_, err = LoadFor(t.Context(), m, previewed(c), datasets.Options{})
	require.ErrorContains(t, err, `has the classes ["north" "east" "south" "west"], the model ["a" "b"]`)
	c["data"] = "absent.npz"
	_, err = LoadFor(t.Context(), m, previewed(c), datasets.Options{})
	require.ErrorContains(t, err, "absent.npz")
}

// Each prediction is the mean over a sample and its mirror image, and the samples stay as they are.
func TestEvaluateMirrored(t *testing.T) {
	classifier, d := evaluated(t)
	classifier.Calibration = nil
	_, err := EvaluateMirrored(classifier, d, d.Test, 64, nil)
	assert.ErrorContains(t, err, "no mirror images")

	d.Mirror = slices.Reverse[[]float32]
	want, right := map[int][]float64{}, 0
	for _, i := range d.Test {
		raw := make([]float32, ringNodes*ringChannels)
		d.Signals.Read(i, raw)
		image := slices.Clone(raw)
		d.Mirror(image)
		p, err := classifier.Classify(t.Context(), [][]float32{raw, image})
		require.NoError(t, err)
		require.NotEqual(t, p[0].Probabilities, p[1].Probabilities)
		for k := range p[0].Probabilities {
			want[i] = append(want[i], (p[0].Probabilities[k]+p[1].Probabilities[k])/2)
		}
		if floats.MaxIdx(want[i]) == int(d.Labels[i]) {
			right++
		}
	}
	for _, batch := range []int{7, 64} {
		seen := 0
		e, err := EvaluateMirrored(classifier, d, d.Test, batch, func(i int, p []float64) {
			assert.InDeltaSlice(t, want[i], p, 1e-5)
			seen++
		})
		require.NoError(t, err)
		assert.Equal(t, len(d.Test), seen)
		assert.InDelta(t, float64(right)/float64(seen), e.Accuracy, 1e-12)
	}
}
