package speed

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/clusterpool/ccp/models"
)

// BenchmarkSoak classifies batches of three shapes in turn, 64, 48 and 16 signals, on a frozen hierarchy. It reports
// the process's memory after a hundred steps and by how much it has grown since:
//
//	go test -run '^$' -bench Soak/ntu/bfloat16 -benchtime 2000x -timeout 1h ./benchmarks/paper/speed
//
// Each sub-benchmark is for a process of its own. Linux only.
func BenchmarkSoak(b *testing.B) {
	backend := open(b)
	for _, arch := range []string{"ntu", "cifar10", "digits"} {
		for _, dtype := range []string{"float32", "bfloat16"} {
			b.Run(arch+"/"+dtype, func(b *testing.B) {
				options := models.Patch{"dtype": dtype}
				var shapes []*Workload
				for _, batch := range []int{64, 48, 16} {
					w, err := New(backend, arch, "infer-frozen", batch, options)
					if err != nil {
						b.Fatal(err)
					}
					shapes = append(shapes, w)
				}
				level, step := 0.0, 0
				for b.Loop() {
					if _, err := shapes[step%len(shapes)].Step(); err != nil {
						b.Fatal(err)
					}
					step++
					if step == 100 {
						level = resident(b)
					}
				}
				b.ReportMetric(level, "MB-at-100")
				b.ReportMetric(resident(b)-level, "MB-since")
			})
		}
	}
}

// resident is the memory that this process has, in 2²⁰ bytes.
func resident(b *testing.B) float64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	if err != nil {
		b.Fatal(err)
	}
	return float64(pages*os.Getpagesize()) / (1 << 20)
}
