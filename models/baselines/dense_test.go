package baselines

import (
	"strings"
	"testing"

	"github.com/clusterpool/ccp/datasets/signal"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The linear models are x·W + b, from zero on; fully connected layers are the readout on all values of the signal.
func TestPlainNetworks(t *testing.T) {
	graph := grid(t, 2, 3)
	for name, c := range map[string]struct {
		hidden     []int
		parameters int
	}{
		"softmax":           {nil, 12*4 + 4},
		"svm":               {nil, 12*4 + 4},
		"bayes":             {nil, 12*4 + 4},
		"fc":                {[]int{5, 3}, 12*5 + 5 + 2*5 + 5*3 + 3 + 2*3 + 3*4 + 4},
		"fc without layers": {nil, 12*4 + 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := models.Spec{Options: models.DefaultOptions(), Model: name, Hidden: c.hidden,
				Info: signal.Info{Nodes: 6, Channels: 2, ClassNames: make([]string, 4)}}
			if name == "fc without layers" {
				s.Model = "fc"
			}
			require.NoError(t, s.Check())
			assert.Equal(t, c.parameters, parameters(t, s, graph))
			assert.Equal(t, name == "svm", s.Network().Loss != nil)
			assert.Equal(t, name == "bayes", s.Network().Fitted)
			backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
				store := drawn(t, backend, s, graph)
				batch := signals(s, 3, 5)
				if s.Model != "fc" {
					for _, row := range logitsOf(t, backend, s, store, graph, batch) {
						assert.Equal(t, make([]float32, 4), row, "nothing is known before the training")
					}
					w := make([]float32, 12*4)
					for i := range w {
						w[i] = float32(i%7) - 3
					}
					require.NoError(t, store.GetVariable("/model/classes/W").SetValue(tensors.FromFlatDataAndDimensions(w, 12, 4)))
					require.NoError(t, store.GetVariable("/model/classes/b").SetValue(tensors.FromValue([]float32{1, -2, 0, 0.5})))
				}
				got := logitsOf(t, backend, s, store, graph, batch)
				for i, row := range got {
					x := batch[i]
					for layer := range c.hidden {
						x = backendtest.Dense(store, x, []string{"/model/fc_1", "/model/fc_2"}[layer], true)
					}
					for k, want := range backendtest.Dense(store, x, "/model/classes", false) {
						assert.InDelta(t, want, row[k], 1e-4)
					}
				}
			})
		})
	}
}

// models.Options that a plain model has no use for are refused.
func TestPlainModelsLackOptions(t *testing.T) {
	for path, c := range map[string]struct {
		model string
		value float64
		want  string
	}{
		"readout_dropout":   {"softmax", 0.5, "readout_dropout: model softmax has no readout_dropout"},
		"batchnorm_epsilon": {"svm", 0.5, "model svm has no batchnorm_epsilon"},
		"l2":                {"bayes", 0.5, "model bayes has no l2"},
		"input_dropout":     {"bayes", 0.5, "model bayes has no input_dropout"},
		"bayes_alpha":       {"softmax", 0.5, "bayes_alpha: model softmax has no bayes_alpha; only bayes has"},
		"ccp_dropout":       {"fc", 0.5, "model fc has no ccp_dropout; only ccp has"},
	} {
		assert.ErrorContains(t, (&models.Spec{Model: c.model}).Put(path, c.value), c.want)
	}
	assert.ErrorContains(t, (&models.Spec{Model: "bayes"}).Put("bayes_alpha", 0.0),
		"bayes_alpha=0: it must be positive and finite")
	s := models.Spec{Model: "svm", Info: signal.Info{Nodes: 6, Channels: 2, ClassNames: make([]string, 4)},
		Options: options("svm", models.Patch{"l2": 0.1, "input_dropout": 0.1})}
	assert.NoError(t, s.Check())
	s.Hidden = []int{3}
	messagetest.Option(t, s.Check(), "hidden", nil, "svm … leave it out")
	s.Hidden, s.Levels = nil, mustLevels("2x3/1")
	messagetest.Option(t, s.Check(), "levels", nil, "svm … leave them out")
}

func TestPlainPresets(t *testing.T) {
	for names, want := range map[string]training.Widths{"fc ring": {512, 128}, "softmax digits": nil,
		"svm digits": nil, "bayes digits": nil} {
		name, data, _ := strings.Cut(names, " ")
		levels, hidden := training.PresetOf(name, data, training.DefaultRecipe, 64)
		assert.Equal(t, want, hidden, names)
		assert.Empty(t, levels, names)
	}
}

// By hand: Σ_k max(0, 1 − t_k z_k)² is 0 + 1 + 9 for the first sample, 4 + 0.25 + 0 for the second.
func TestSquaredHinge(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, backend compute.Backend) {
		value, err := CallOnce(backend, func(z, y *Node) *Node { return squaredHinge([]*Node{y}, []*Node{z}) },
			[][]float32{{1, 0, 2}, {1, 0.5, -1}}, [][]int32{{0}, {1}})
		require.NoError(t, err)
		assert.InDelta(t, (0+1+9+4+0.25+0)/2, value.Value(), 1e-6)
	})
}
