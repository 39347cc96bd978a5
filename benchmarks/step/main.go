// Command step times one workload in a process of its own and prints a line of JSON, so that its memory can be told and
// other programs can be timed beside it:
//
//	go run ./benchmarks/step --arch cifar10 --mode train --steps 10
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/clusterpool/ccp/benchmarks"
	"github.com/clusterpool/ccp/ccp"
	"github.com/clusterpool/ccp/ccp/nn"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
)

// line is what is printed. Its names are those of the programs that it is compared with.
type line struct {
	Impl      string  `json:"impl"`
	Arch      string  `json:"arch"`
	Mode      string  `json:"mode"`
	Hierarchy string  `json:"hierarchy"`
	DType     string  `json:"dtype"`
	Batch     int     `json:"batch"`
	MedianMS  float64 `json:"median_ms"`
	MinMS     float64 `json:"min_ms"`
	PerSecond float64 `json:"examples_per_s"`
	PeakRSSMB float64 `json:"peak_rss_mb"`
	GFlops    float64 `json:"gflops"` // of the unavoidable matrix products, per second
	Threads   int     `json:"threads"`
	Backend   string  `json:"backend"`
	WarmupS   float64 `json:"warmup_s"`
	Last      float64 `json:"last"`
}

func main() {
	arch := flag.String("arch", "cifar10", "cifar10, 20news or ntu")
	mode := flag.String("mode", "train", "train, infer-frozen or infer-learned")
	hierarchy := flag.String("hierarchy", ccp.Learned, "how the hierarchy comes about in training: learned or prepared")
	dropout := flag.Float64("dropout", 0.2, "dropout rate after each level in training")
	candidates := flag.Int("candidates", 0, "how many clusters a node can belong to; 0 is the model's default")
	dtype := flag.String("dtype", nn.Float32, "float32 or bfloat16, see nn.ParamDType")
	refresh := flag.Int("refresh", 1, "every how many training steps neighbourhoods are selected anew")
	recompute := flag.Bool("recompute", false, "gather neighbourhoods again in the backward pass, see ccp.ParamRecompute")
	batch := flag.Int("batch", 64, "samples in a step")
	steps := flag.Int("steps", 10, "steps to time")
	warmup := flag.Int("warmup", 3, "steps before them")
	flag.Parse()
	params := map[string]any{ccp.ParamDropout: *dropout, ccp.ParamHierarchy: *hierarchy, models.ParamCandidates: float64(*candidates), ccp.ParamRefresh: float64(*refresh), nn.ParamDType: *dtype, ccp.ParamRecompute: *recompute}
	if err := run(*arch, *mode, params, *batch, *steps, *warmup); err != nil {
		fmt.Fprintln(os.Stderr, "step:", err)
		os.Exit(1)
	}
}

func run(arch, mode string, params map[string]any, batch, steps, warmup int) error {
	opened, info, err := backend.Open(backend.Options{Log: os.Stderr})
	if err != nil {
		return err
	}
	w, err := benchmarks.New(opened, arch, mode, batch, params)
	if err != nil {
		return err
	}
	hierarchy, _ := params[ccp.ParamHierarchy].(string)
	dtype, _ := params[nn.ParamDType].(string)
	out := line{Impl: "ccp", Arch: arch, Mode: mode, Hierarchy: hierarchy, DType: dtype, Batch: batch, Threads: runtime.NumCPU(), Backend: info.Name}
	began := time.Now()
	for range warmup {
		if _, err := w.Step(); err != nil {
			return err
		}
	}
	out.WarmupS = time.Since(began).Seconds()
	var times []float64
	for range steps {
		start := time.Now()
		if out.Last, err = w.Step(); err != nil {
			return err
		}
		times = append(times, time.Since(start).Seconds())
	}
	slices.Sort(times)
	median := times[len(times)/2]
	out.MedianMS, out.MinMS, out.PerSecond, out.GFlops = 1e3*median, 1e3*times[0], float64(batch)/median, w.Flops/median/1e9
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	out.PeakRSSMB = float64(usage.Maxrss) / 1024
	return json.NewEncoder(os.Stdout).Encode(out)
}
