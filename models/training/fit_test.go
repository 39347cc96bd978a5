package training

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/checkpoint"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeCounts writes counts of 6 words in two columns: class k, of three, is more likely to say words 2k and 2k + 1.
func writeCounts(t testing.TB, samples int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 0))
	features, labels := make([]uint8, samples*6*2), make([]int64, samples)
	for i := range samples {
		labels[i] = int64(i % 3)
		for range 12 {
			word := random.IntN(6)
			if random.IntN(3) == 0 {
				word = 2*(i%3) + random.IntN(2)
			}
			features[(i*6+word)*2+random.IntN(2)]++
		}
	}
	path := filepath.Join(t.TempDir(), "words.npz")
	require.NoError(t, npz.Write(path, []npz.Named{
		{Name: "features", Array: &npz.Array{Shape: []int{samples, 6, 2}, Data: features}},
		{Name: "labels", Array: &npz.Array{Shape: []int{samples}, Data: labels}},
		{Name: "edges", Array: &npz.Array{Shape: []int{5, 2}, Data: []int64{0, 1, 1, 2, 2, 3, 3, 4, 4, 5}}},
	}))
	return path
}

// A fitted model is a whole run: the weights come from the raw values, though the network reads them normalised.
func TestFit(t *testing.T) {
	c := Patch{"data": writeCounts(t, 300), "model": "bayes"}
	c["bayes_alpha"] = 0.5
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		dir := filepath.Join(t.TempDir(), "run")
		var epochs []Epoch
		result, err := Train(context.Background(), backend, c, Options{Dir: dir, Observer: Observer{
			Epoch: func(e Epoch) { epochs = append(epochs, e) },
			Step:  func(Progress) { t.Error("a step") },
		}})
		require.NoError(t, err)
		assert.Equal(t, []int{1, 1}, []int{result.Epochs, result.BestEpoch})
		assert.Equal(t, 12*3+3, result.Parameters)
		require.Len(t, epochs, 1)
		assert.Nil(t, result.Validation, "nothing is held out")
		assert.Nil(t, epochs[0].Validation)

		d, err := datasets.Load(t.Context(), c["data"].(string), datasets.Options{})
		require.NoError(t, err)
		assert.NotEqual(t, []float32{0, 0}, d.Mean, "there is something to undo")
		hits, loss := bayesOf(d, 0.5, d.Test)
		assert.InDelta(t, hits, result.Test.Accuracy, 1e-9)
		assert.InDelta(t, loss, result.Test.Loss, 1e-4)
		assert.Greater(t, hits, 0.6, "chance is a third")
		hits, loss = bayesOf(d, 0.5, d.Train)
		assert.InDelta(t, hits, result.Train.Accuracy, 1e-9)
		assert.InDelta(t, loss, result.Train.Loss, 1e-4)

		loaded, err := models.Load(dir, models.LoadOptions{Backend: backend})
		require.NoError(t, err)
		test, err := Evaluate(loaded, d, d.Test, 16)
		require.NoError(t, err)
		assert.Equal(t, result.Test.Accuracy, test.Accuracy)

		again := trainIn(t, backend, c, dir)
		assert.True(t, again.Resumed)
	})
}

// slow takes a while for each sample that is read.
type slow struct{ datasets.Signals }

const timepoint = 2 * time.Millisecond

func (s slow) Read(i int, x []float32) {
	time.Sleep(timepoint)
	s.Signals.Read(i, x)
}

// The seconds of a training hold the fit, of a model that has no steps and of transforms beside a network.
func TestSecondsOfFits(t *testing.T) {
	d, err := datasets.Load(t.Context(), writeCounts(t, 60), datasets.Options{})
	require.NoError(t, err)
	d.Signals = slow{d.Signals}
	reading := timepoint.Seconds() * float64(len(d.Train))
	for name, asked := range map[string]Patch{
		"alone": {"model": "bayes"},
		"beside": {"levels": "2x4/3,1x4/2", "hidden": 4, "transforms": "values", "ccp_hierarchies": 2, "steps": 4,
			"epochs": 2},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		result, err := Train(t.Context(), backendtest.Go(t), asked, Options{Dir: dir, Data: d})
		require.NoError(t, err, name)
		history, err := ReadHistory(dir)
		require.NoError(t, err)
		sum := result.PrepareSeconds
		for _, e := range history {
			sum += e.Seconds
		}
		assert.InDelta(t, sum, result.Seconds, 1e-9, name)
		fit := result.PrepareSeconds
		if name == "alone" || result.Steps == 0 { // no step came after it
			fit = history[0].Seconds
			assert.Zero(t, result.PrepareSeconds)
		}
		assert.GreaterOrEqual(t, fit, reading, "%s: it has read each sample", name)
	}
}

// bayesOf are the accuracy and the mean cross entropy of multinomial naive Bayes on a split, by plain loops over raw
// values.
func bayesOf(d *datasets.Dataset, alpha float64, split []int) (accuracy, loss float64) {
	values := d.Nodes * d.Channels
	x, counts, of := make([]float32, values), make([][]float64, d.Classes()), make([]float64, d.Classes())
	for k := range counts {
		counts[k] = make([]float64, values)
	}
	for _, i := range d.Train {
		d.Signals.Read(i, x)
		of[d.Labels[i]]++
		for j, v := range x {
			counts[d.Labels[i]][j] += float64(v)
		}
	}
	for _, i := range split {
		d.Signals.Read(i, x)
		scores, best, sum := make([]float64, d.Classes()), 0, 0.0
		for k := range scores {
			total := 0.0
			for _, v := range counts[k] {
				total += v
			}
			scores[k] = math.Log((of[k] + alpha) / (float64(len(d.Train)) + alpha*float64(d.Classes())))
			for j, v := range x {
				scores[k] += float64(v) * math.Log((counts[k][j]+alpha)/(total+alpha*float64(values)))
			}
			if scores[k] > scores[best] {
				best = k
			}
		}
		for _, s := range scores {
			sum += math.Exp(s - scores[best])
		}
		if int32(best) == d.Labels[i] {
			accuracy++
		}
		loss += math.Log(sum) + scores[best] - scores[d.Labels[i]]
	}
	return accuracy / float64(len(split)), loss / float64(len(split))
}

// Whatever a kill leaves of a fitted run, the same command ends it as if nothing had happened.
func TestFitIsResumed(t *testing.T) {
	backend := backendtest.Go(t)
	c := Patch{"data": writeCounts(t, 300), "model": "bayes"}
	whole := t.TempDir()
	trainIn(t, backend, c, whole)
	for name, lost := range map[string][]string{
		"before the result":   {resultFile},
		"before the history":  {resultFile, historyFile},
		"before the snapshot": {resultFile, historyFile, "last-*"},
		"before anything":     {resultFile, historyFile, "last-*", "best-*"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			require.NoError(t, os.CopyFS(dir, os.DirFS(whole)))
			for _, pattern := range lost {
				found, err := filepath.Glob(filepath.Join(dir, pattern))
				require.NoError(t, err)
				require.NotEmpty(t, found)
				for _, path := range found {
					require.NoError(t, os.RemoveAll(path))
				}
			}
			assert.False(t, trainIn(t, backend, c, dir).Resumed)
			requireSameRun(t, whole, dir)
		})
	}
}

// Ctrl-C before the weights are there leaves a run that the same command ends.
func TestFitIsInterrupted(t *testing.T) {
	backend := backendtest.Go(t)
	c := Patch{"data": writeCounts(t, 300), "model": "bayes"}
	whole, dir := t.TempDir(), t.TempDir()
	trainIn(t, backend, c, whole)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Train(ctx, backend, c, Options{Dir: dir,
		Observer: Observer{Begin: func(Config, *datasets.Dataset, models.Spec, int, int) { cancel() }}})
	require.ErrorIs(t, err, ErrInterrupted)
	require.EqualError(t, err, "interrupted before the first step: give the same command to start again")
	assert.False(t, checkpoint.Exists(os.DirFS(dir), checkpoint.Last))
	assert.False(t, checkpoint.Exists(os.DirFS(dir), checkpoint.Best))
	trainIn(t, backend, c, dir)
	requireSameRun(t, whole, dir)
}

func TestFitNeedsCounts(t *testing.T) {
	_, err := Train(context.Background(), backendtest.Go(t), Patch{"data": writeRing(t, 200), "model": "bayes"},
		Options{Dir: t.TempDir()})
	require.ErrorContains(t, err, "model bayes on data set ring.npz: training sample 0, node ")
	require.ErrorContains(t, err, "; naive Bayes needs counts or other values that are not negative; choose another "+
		"model for this data")
	assert.NotContains(t, err.Error(), "\n")
}

// The plain competitors learn the ring by their own architectures, and their snapshots classify again.
func TestPlainModelsLearn(t *testing.T) {
	data := writeRing(t, 200)
	backend := backendtest.Go(t)
	for _, name := range []string{"softmax", "svm", "fc"} {
		t.Run(name, func(t *testing.T) {
			c := ringConfig(data)
			c["model"] = name
			delete(c, "levels")
			delete(c, "hidden")
			delete(c, "readout_dropout")
			dir := t.TempDir()
			result := trainIn(t, backend, c, dir)
			assert.Greater(t, result.Test.Accuracy, 0.8, "chance is 0.25")
			assert.Empty(t, result.Objective)
			assert.Less(t, result.Train.Loss, 2.0)
			classifier, err := models.Load(dir, models.LoadOptions{Backend: backend})
			require.NoError(t, err)
			d, err := LoadFor(t.Context(), classifier.Metadata, previewed(c), datasets.Options{})
			require.NoError(t, err)
			test, err := Evaluate(classifier, d, d.Test, 64)
			require.NoError(t, err)
			assert.InDelta(t, result.Test.Loss, test.Loss, 1e-6) // batches of another size
			assert.Equal(t, result.Test.Accuracy, test.Accuracy)
			resume(t, backend, c, dir, []int{11})
		})
	}
}

// A source has other settings for some models; a fitted model has one epoch.
func TestDefaultsOfPlainModels(t *testing.T) {
	known := func(data, name string) Config {
		c, err := Preview(Patch{"data": data, "model": name})
		require.NoError(t, err, "%s %s", data, name)
		return c
	}
	for _, name := range []string{"svm", "bayes"} {
		c := known(leaves, name)
		assert.Equal(t, false, c.Values()["tfidf"], name)
		assert.Zero(t, c.LabelSmoothing, name)
	}
	assert.Equal(t, Patch{"tfidf": true}, known(leaves, "ccp").More)
	assert.InDelta(t, 0.002, known(leaves, "bayes").Values()["bayes_alpha"], 0)
	for _, data := range []string{"digits", leaves, "ring.npz"} {
		for _, name := range []string{"fc", "softmax", "svm", "bayes"} {
			assert.Equal(t, name == "bayes", known(data, name).Epochs == 1)
		}
	}
	_, err := Preview(Patch{"model": "bayes", "epochs": 3})
	messagetest.Option(t, err, "epochs", 3, "model bayes … one pass … must be 1")
	_, err = Preview(Patch{"model": "svm", "label_smoothing": 0.1})
	messagetest.Option(t, err, "label_smoothing", 0.1, "model svm … loss of its own")
}

// Without a test every sample trains, and the result says of no sample how right it is.
func TestTrainWithoutTest(t *testing.T) {
	path, dir := writeCounts(t, 60), filepath.Join(t.TempDir(), "run")
	result, err := Train(t.Context(), backendtest.Go(t), Patch{"data": path, "split": "none", "model": "bayes"},
		Options{Dir: dir})
	require.NoError(t, err)
	assert.Zero(t, result.TestSamples)
	assert.Zero(t, result.Test)
	again, err := Train(t.Context(), backendtest.Go(t), Patch{"data": path, "split": "none", "model": "bayes"},
		Options{Dir: dir})
	require.NoError(t, err)
	assert.True(t, again.Resumed)
	classifier, err := models.Load(dir, models.LoadOptions{Backend: backendtest.Go(t)})
	require.NoError(t, err)
	config, err := ReadConfig(dir)
	require.NoError(t, err)
	d, err := LoadFor(t.Context(), classifier.Metadata, config, datasets.Options{})
	require.NoError(t, err)
	assert.Len(t, d.Train, 60)
	assert.Empty(t, d.Test)
}
