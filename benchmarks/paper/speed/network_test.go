package speed

import (
	"fmt"
	"os"
	"testing"

	"github.com/clusterpool/ccp/benchmarks"
	"github.com/clusterpool/ccp/internal/backend"
	_ "github.com/clusterpool/ccp/internal/heap/keep"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// open opens the backend that GOMLX_BACKEND names, else the best there is.
func open(b *testing.B) compute.Backend {
	b.Helper()
	opened, info, err := backend.Open(backend.Options{Install: true, Log: os.Stderr})
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("backend %s", info.Name)
	return opened
}

// matmulFlops is the work of one call of matmul.
const matmulFlops = 2 * 4096 * 4096 * 512

// matmul returns a function that multiplies a [4096, 4096] by a [4096, 512] matrix, about the shape of CIFAR-10's
// second level at batch 64: the rate that the machine can reach.
func matmul(b *testing.B, backend compute.Backend) func() error {
	x, y := filled(4096, 4096), filled(4096, 512)
	exec, err := NewExec(backend, func(x, y *Node) *Node { return ReduceAllMax(Dot(x, y).Product()) })
	if err != nil {
		b.Fatal(err)
	}
	return func() error {
		out, err := exec.Call1(x, y)
		if err == nil {
			out.MustFinalizeAll()
		}
		return err
	}
}

// filled is a tensor of numbers from -1 to 1.
func filled(dims ...int) *tensors.Tensor {
	t := tensors.FromShape(shapes.Make(dtypes.Float32, dims...))
	tensors.MustMutableFlatData(t, func(v []float32) {
		for i := range v {
			v[i] = float32(i*7919%1000)/500 - 1
		}
	})
	return t
}

// BenchmarkNetwork times a step of the paper's networks at batch 64: examples/s, the GFLOP/s of their unavoidable
// matrix products, the machine's own GFLOP/s in such products measured just before, and the share of it reached.
func BenchmarkNetwork(b *testing.B) {
	backend := open(b)
	for _, arch := range []string{"cifar10", "ntu", "20news"} {
		for _, mode := range Modes {
			b.Run(fmt.Sprintf("%s/%s", arch, mode), func(b *testing.B) {
				w, err := New(backend, arch, mode, 64, nil)
				if err != nil {
					b.Fatal(err)
				}
				for range 2 { // compiles, then settles
					if _, err := w.Step(); err != nil {
						b.Fatal(err)
					}
				}
				product, err := benchmarks.Time(2, 9, matmul(b, backend))
				if err != nil {
					b.Fatal(err)
				}
				rate := matmulFlops / product.MedianMS / 1e6
				for b.Loop() {
					if _, err := w.Step(); err != nil {
						b.Fatal(err)
					}
				}
				perStep := b.Elapsed().Seconds() / float64(b.N)
				b.ReportMetric(float64(w.Batch)/perStep, "examples/s")
				b.ReportMetric(w.Flops/perStep/1e9, "GFLOP/s")
				b.ReportMetric(rate, "matmul-GFLOP/s")
				b.ReportMetric(w.Flops/perStep/1e9/rate, "share")
			})
		}
	}
}

// BenchmarkMatmul is the machine's rate alone.
func BenchmarkMatmul(b *testing.B) {
	backend := open(b)
	multiply := matmul(b, backend)
	for b.Loop() {
		if err := multiply(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(matmulFlops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
