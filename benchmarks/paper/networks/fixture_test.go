package networks

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/models"
	"github.com/clusterpool/ccp/models/training"
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

// options are those of a model with values by path.
func options(name string, values models.Patch) models.Options {
	s := models.Spec{Model: name, Options: models.DefaultOptions()}
	for path, value := range values {
		if err := s.Put(path, value); err != nil {
			panic(err)
		}
	}
	return s.Options
}

// parameters counts the trainable values of a network.
func parameters(t *testing.T, s models.Spec, graph *affinity.Matrix) int {
	t.Helper()
	c, err := models.NewClassifier(backendtest.Go(t), models.Metadata{Spec: s}, graph)
	require.NoError(t, err)
	return c.Parameters()
}

func mustLevels(text string) []models.Level {
	var levels training.Levels
	if err := levels.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return levels
}

// drawn is a store with a spec's weights as they are drawn at the start, batch norm's running means and variances moved away
// from 0 and 1.
func drawn(t testing.TB, backend compute.Backend, s models.Spec, graph *affinity.Matrix) *model.Store {
	t.Helper()
	store := s.NewStore(3)
	_, err := model.CallOnce(backend, store, func(scope *model.Scope, x *Node) *Node { return s.Build(scope, models.Topology{Matrix: graph}, x) },
		tensors.FromScalarAndDimensions(float32(1), 1, s.Nodes, s.Channels))
	require.NoError(t, err)
	for v := range store.IterVariables() {
		for _, name := range []string{"/batch_norm/mean", "/batch_norm/variance"} {
			if strings.HasSuffix(v.Path(), name) {
				values := tensors.MustCopyFlatData[float32](v.MustValue())
				for i := range values {
					values[i] += 0.5 * float32(math.Abs(math.Sin(float64(i))))
				}
				require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
			}
		}
	}
	return store
}

func grid(t testing.TB, height, width int) *affinity.Matrix {
	t.Helper()
	graph, err := affinity.Grid(height, width, 8)
	require.NoError(t, err)
	return graph
}

func onBackends(t *testing.T, both bool, f func(t *testing.T, backend compute.Backend)) {
	if both {
		backendtest.Run(t, f)
	} else {
		f(t, backendtest.Go(t))
	}
}

// logitsOf are a network's logits `[batch][classes]` for signals, with the weights in store.
func logitsOf(t testing.TB, backend compute.Backend, s models.Spec, store *model.Store, graph *affinity.Matrix, batch [][]float32) [][]float32 {
	t.Helper()
	var flat []float32
	for _, signal := range batch {
		flat = append(flat, signal...)
	}
	out, err := model.CallOnce(backend, store, func(scope *model.Scope, x *Node) *Node { return s.Build(scope, models.Topology{Matrix: graph}, x) },
		tensors.FromFlatDataAndDimensions(flat, len(batch), s.Nodes, s.Channels))
	require.NoError(t, err)
	return out.Value().([][]float32)
}

// signals are `n` random signals of a spec's shape.
func signals(s models.Spec, n int, seed uint64) [][]float32 {
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([][]float32, n)
	for i := range all {
		all[i] = make([]float32, s.Nodes*s.Channels)
		for j := range all[i] {
			all[i][j] = float32(random.NormFloat64())
		}
	}
	return all
}

// denseOf is a dense layer by a plain loop, with batch norm's running statistics and ELU where it is hidden.
func denseOf(store *model.Store, x []float32, scope string, hidden bool) []float32 {
	value := func(name string) []float32 {
		return tensors.MustCopyFlatData[float32](store.GetVariable(scope + "/" + name).MustValue())
	}
	w, y := value("W"), value("b")
	for k := range y {
		for j, v := range x {
			y[k] += v * w[j*len(y)+k]
		}
	}
	if hidden {
		scale, offset, mean, variance := value("batch_norm/scale"), value("batch_norm/offset"), value("batch_norm/mean"), value("batch_norm/variance")
		for k := range y {
			z := float64(y[k]-mean[k])/math.Sqrt(float64(variance[k])+1e-5)*float64(scale[k]) + float64(offset[k])
			if z <= 0 {
				z = math.Expm1(z)
			}
			y[k] = float32(z)
		}
	}
	return y
}
