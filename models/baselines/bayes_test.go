package baselines

import (
	"iter"
	"math"
	"testing"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// samplesOf gives samples of classes.
func samplesOf(x [][]float32, classes []int32) iter.Seq2[[]float32, int32] {
	return func(yield func([]float32, int32) bool) {
		for i := range x {
			if !yield(x[i], classes[i]) {
				return
			}
		}
	}
}

// By hand: class 0 has the counts 3, 0, 1 and two of three samples, class 1 the counts 0, 2, 0, class 2 none; α = 1.
// The network reads the values normalised, and gives the same probabilities.
func TestNaiveBayes(t *testing.T) {
	train, classes := [][]float32{{2, 0, 1}, {0, 2, 0}, {1, 0, 0}}, []int32{0, 1, 0}
	prior := []float64{3. / 6, 2. / 6, 1. / 6}
	theta := [][]float64{{4. / 7, 1. / 7, 2. / 7}, {1. / 5, 3. / 5, 1. / 5}, {1. / 3, 1. / 3, 1. / 3}}
	mean, std := float32(0.75), float32(2)
	s := models.Spec{Options: models.DefaultOptions(),
		Model: "bayes", Info: signal.Info{Nodes: 3, Channels: 1, ClassNames: make([]string, 3), Mean: []float32{mean},
			Std: []float32{std}}}
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		store := s.NewStore(1)
		require.NoError(t, s.Precompute(t.Context(), nil, store, nil, samplesOf(train, classes)))
		for _, x := range [][]float32{{0, 0, 0}, {1, 0, 0}, {0, 3, 1}, {1000, 990, 0}} {
			want, sum := make([]float64, 3), 0.0
			highest := math.Inf(-1)
			for k := range want {
				want[k] = math.Log(prior[k])
				for j, count := range x {
					want[k] += float64(count) * math.Log(theta[k][j])
				}
				highest = max(highest, want[k])
			}
			for k := range want {
				want[k] = math.Exp(want[k] - highest)
				sum += want[k]
			}
			normalised := make([]float32, 3)
			for j := range x {
				normalised[j] = (x[j] - mean) / std
			}
			got := logitsOf(t, backend, s, store, grid(t, 1, 3), [][]float32{normalised})[0]
			all := 0.
			for _, v := range got {
				all += math.Exp(float64(v - got[0]))
			}
			for k := range want {
				assert.InDelta(t, want[k]/sum, math.Exp(float64(got[k]-got[0]))/all, 1e-4, "class %d of %v", k, x)
			}
		}
	})
}

// Each channel has a mean and a deviation of its own; α is the setting's, and what was never counted keeps a weight.
func TestNaiveBayesChannelsAndAlpha(t *testing.T) {
	s := models.Spec{Model: "bayes", Info: signal.Info{Nodes: 1, Channels: 2, ClassNames: make([]string, 2),
		Mean: []float32{1, 10}, Std: []float32{2, 5}}, Options: options("bayes", models.Patch{"bayes_alpha": 0.5})}
	store := s.NewStore(1)
	require.NoError(t, s.Precompute(t.Context(), nil, store, nil, samplesOf([][]float32{{4, 0}, {1, 2}}, []int32{0, 1})))
	w := tensors.MustCopyFlatData[float32](store.GetVariable("/model/classes/W").MustValue())
	b := tensors.MustCopyFlatData[float32](store.GetVariable("/model/classes/b").MustValue())
	first := math.Log((4.5/5)/(1.5/4)) / 2 // half of the difference, since the mean over the classes is out
	second := math.Log((0.5/5)/(2.5/4)) / 2
	assert.InDeltaSlice(t, []float64{2 * first, -2 * first, 5 * second, -5 * second},
		[]float64{float64(w[0]), float64(w[1]), float64(w[2]), float64(w[3])}, 1e-5)
	assert.InDelta(t, math.Log(0.5)+first+10*second, b[0], 1e-5)
	assert.InDelta(t, math.Log(0.5)-first-10*second, b[1], 1e-5)
}

func TestNaiveBayesNeedsCounts(t *testing.T) {
	s := models.Spec{Options: models.DefaultOptions(),
		Model: "bayes", Info: signal.Info{Nodes: 2, Channels: 2, ClassNames: make([]string, 2), Mean: []float32{0, 0},
			Std: []float32{1, 1}}}
	for value, says := range map[float32]string{-0.5: "-0.5", float32(math.NaN()): "NaN", float32(math.Inf(1)): "+Inf"} {
		store := s.NewStore(1)
		err := s.Precompute(t.Context(), nil, store, nil, samplesOf([][]float32{{0, 1, 2, 3}, {0, 1, value, 3}},
			[]int32{0, 1}))
		assert.EqualError(t, err, "training sample 1, node 1, channel 0: the raw value is "+says+
			"; naive Bayes needs counts or other values that are not negative; choose another model for this data")
		assert.Nil(t, store.GetVariable("/model/classes/W"), "nothing is kept")
	}
}

// Without any sample all classes are alike.
func TestNaiveBayesOfNothing(t *testing.T) {
	s := models.Spec{Options: models.DefaultOptions(), Model: "bayes",
		Info: signal.Info{Nodes: 2, Channels: 1, ClassNames: make([]string, 2), Mean: []float32{0}, Std: []float32{1}}}
	store := s.NewStore(1)
	require.NoError(t, s.Precompute(t.Context(), nil, store, nil, samplesOf(nil, nil)))
	got := logitsOf(t, backendtest.Go(t), s, store, grid(t, 1, 2), [][]float32{{3, 4}})
	assert.Equal(t, got[0][0], got[0][1])
	assert.Less(t, math.Abs(float64(got[0][0])), 10.0)
}
