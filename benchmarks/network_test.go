package benchmarks

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/gomlx/compute"
)

// open opens the backend that GOMLX_BACKEND names, else the best there is.
func open(b *testing.B) compute.Backend {
	b.Helper()
	opened, info, err := backend.Open(backend.Options{Log: os.Stderr})
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("backend %s", info.Name)
	return opened
}

// matmulRate is the machine's rate of dense products in GFLOP/s, the median of nine.
func matmulRate(b *testing.B, backend compute.Backend) float64 {
	b.Helper()
	multiply, err := Matmul(backend)
	if err != nil {
		b.Fatal(err)
	}
	var rates []float64
	for i := range 11 {
		start := time.Now()
		if err := multiply(); err != nil {
			b.Fatal(err)
		}
		if i >= 2 {
			rates = append(rates, MatmulFlops/time.Since(start).Seconds()/1e9)
		}
	}
	slices.Sort(rates)
	return rates[len(rates)/2]
}

// BenchmarkNetwork times a step of the paper's networks at batch 64: examples/s, the GFLOP/s of their unavoidable matrix
// products, the machine's own GFLOP/s in such products measured just before, and the share of it reached.
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
				rate := matmulRate(b, backend)
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
	multiply, err := Matmul(backend)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := multiply(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(MatmulFlops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
