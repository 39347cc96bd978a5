// Package backendtest gives tests the backends that every graph function must work on: GoMLX's pure Go backend and XLA.
//
//	backendtest.Run(t, func(t *testing.T, backend compute.Backend) { … })
//
// The backends are opened once per test process and shared. XLA is the CPU plugin, so that results do not depend on a
// GPU's TF32, unless GOMLX_BACKEND asks for another XLA plugin. A missing plugin is installed, unless CCP_OFFLINE=1;
// where XLA is still unavailable, its sub-tests are skipped, or fail with CCP_REQUIRE_XLA=1. XLA does not optimise what
// it compiles, unless XLA_FLAGS is set (to nothing, for the programs that users have).
package backendtest

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/stretchr/testify/require"
)

var openGo = sync.OnceValues(func() (compute.Backend, error) {
	b, _, err := backend.Open(backend.Options{Name: "go"})
	return b, err
})

// CompileQuickly has XLA, in this process and in those that it starts, compile without optimising the machine code,
// unless XLA_FLAGS is set. Most of a test's time is compiling programs that run a few times. It must come before XLA is
// opened; XLA and Run call it.
func CompileQuickly() error {
	if _, chosen := os.LookupEnv("XLA_FLAGS"); chosen {
		return nil
	}
	return os.Setenv("XLA_FLAGS", "--xla_backend_optimization_level=0")
}

var openXLA = sync.OnceValues(func() (compute.Backend, error) {
	if err := CompileQuickly(); err != nil {
		return nil, err
	}
	name := "xla:cpu"
	if asked := os.Getenv(compute.ConfigEnvVar); strings.HasPrefix(asked, "xla") {
		name = asked
	}
	b, _, err := backend.Open(backend.Options{Name: name, Install: true, Log: os.Stderr})
	return b, err
})

// Go returns the shared pure Go backend.
func Go(t testing.TB) compute.Backend {
	t.Helper()
	b, err := openGo()
	if err != nil {
		t.Fatalf("pure Go backend: %v", err)
	}
	return b
}

// XLA returns the shared XLA backend. Without one the test is skipped, or fails with CCP_REQUIRE_XLA=1.
func XLA(t testing.TB) compute.Backend {
	t.Helper()
	b, err := openXLA()
	switch {
	case err != nil && os.Getenv("CCP_REQUIRE_XLA") == "1":
		t.Fatalf("CCP_REQUIRE_XLA=1, but XLA is unavailable: %v", err)
	case err != nil:
		t.Skipf("XLA is unavailable: %v", err)
	}
	return b
}

// Run runs fn as two sub-tests, "go" and "xla", each with its backend.
func Run(t *testing.T, fn func(t *testing.T, backend compute.Backend)) {
	t.Helper()
	t.Run("go", func(t *testing.T) { fn(t, Go(t)) })
	t.Run("xla", func(t *testing.T) { fn(t, XLA(t)) })
}

// Signals are n random signals of so many values.
func Signals(n, values int, seed uint64) [][]float32 {
	random := rand.New(rand.NewPCG(seed, 1))
	all := make([][]float32, n)
	for i := range all {
		all[i] = make([]float32, values)
		for j := range all[i] {
			all[i][j] = float32(random.NormFloat64())
		}
	}
	return all
}

// Store is a store of variables with these values, by their paths.
func Store(t testing.TB, values map[string]any) *model.Store {
	t.Helper()
	store := model.NewStore()
	for path, value := range values {
		tensor, err := tensors.FromAnyValue(value)
		require.NoError(t, err)
		_, err = store.CreateVariable(path, tensor)
		require.NoError(t, err)
	}
	return store
}

// Network makes the logits of a batch of signals `[batch, nodes, channels]`.
type Network func(scope *model.Scope, batch *graph.Node) *graph.Node

// Logits are a network's logits `[batch][classes]` for signals, with the weights in store.
func (n Network) Logits(t testing.TB, backend compute.Backend, store *model.Store, channels int,
	batch ...[]float32) [][]float32 {
	t.Helper()
	out, err := model.CallOnce(backend, store, (func(*model.Scope, *graph.Node) *graph.Node)(n),
		tensors.FromFlatDataAndDimensions(slices.Concat(batch...), len(batch), len(batch[0])/channels, channels))
	require.NoError(t, err)
	return out.Value().([][]float32)
}

// Draw draws a network's weights into store, and moves batch norm's running means and variances away from 0 and 1.
func (n Network) Draw(t testing.TB, backend compute.Backend, store *model.Store, nodes, channels int) *model.Store {
	t.Helper()
	n.Logits(t, backend, store, channels, slices.Repeat([]float32{1}, nodes*channels))
	for v := range store.IterVariables() {
		if strings.HasSuffix(v.Path(), "/batch_norm/mean") || strings.HasSuffix(v.Path(), "/batch_norm/variance") {
			values := tensors.MustCopyFlatData[float32](v.MustValue())
			for i := range values {
				values[i] += 0.5 * float32(math.Abs(math.Sin(float64(i))))
			}
			require.NoError(t, v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
		}
	}
	return store
}

// Dense is a dense layer by a plain loop, with batch norm's running statistics and ELU where it is hidden.
func Dense(store *model.Store, x []float32, scope string, hidden bool) []float32 {
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
		scale, offset, mean, variance := value("batch_norm/scale"), value("batch_norm/offset"),
			value("batch_norm/mean"), value("batch_norm/variance")
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
