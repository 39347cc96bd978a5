// Command step times one workload in its own process, which shows its memory, and prints a line of JSON. Other
// programs, or other builds of this one, can take turns with it:
//
//	go run ./benchmarks/step --arch digits --mode train --steps 10
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"

	"github.com/clusterpool/ccp/benchmarks"
	"github.com/clusterpool/ccp/benchmarks/paper/speed"
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/models"
)

// line is the line of output. The programs in benchmarks/peers print the same names.
type line struct {
	Impl      string `json:"impl"`
	Arch      string `json:"arch"`
	Mode      string `json:"mode"`
	Hierarchy string `json:"hierarchy"`
	DType     string `json:"dtype"`
	Batch     int    `json:"batch"`
	benchmarks.Figures
	PerSecond float64 `json:"examples_per_s"`
	GFlops    float64 `json:"gflops"` // of the unavoidable matrix products, per second
	Threads   int     `json:"threads"`
	Backend   string  `json:"backend"`
	Last      float64 `json:"last"`
}

func main() {
	out := line{Impl: "ccp", Threads: runtime.NumCPU()}
	flag.StringVar(&out.Arch, "arch", "digits", "one of "+strings.Join(speed.Architectures(), ", ")+", lattice-N")
	flag.StringVar(&out.Mode, "mode", "train", strings.Join(speed.Modes, ", "))
	flag.StringVar(&out.Hierarchy, "hierarchy", "learned",
		"how the hierarchy comes about in training: learned or prepared")
	flag.StringVar(&out.DType, "dtype", "float32", "float32 or bfloat16, see nn.ParamDType")
	flag.IntVar(&out.Batch, "batch", 64, "samples in a step")
	dropout := flag.Float64("dropout", 0.2, "dropout rate after each level in training")
	set := models.Patch{}
	flag.Func("set", "any other option of the model, `NAME=VALUE`; may be repeated", func(text string) error {
		name, value, _ := strings.Cut(text, "=")
		set[name] = value
		return nil
	})
	candidates := flag.Int("candidates", 0, "the number of clusters that a node can belong to; 0 is the model's default")
	steps := flag.Int("steps", 10, "steps to time")
	warmup := flag.Int("warmup", 3, "steps before them")
	write := flag.String("write", "", "write the network, graph and signals to this new `folder` for other programs, "+
		"and time nothing")
	flag.Parse()
	var err error
	if *write != "" {
		err = speed.Write(*write, out.Arch, out.Batch)
	} else {
		maps.Copy(set, models.Patch{"ccp_dropout": *dropout, "ccp_hierarchy": out.Hierarchy, "ccp_candidates": *candidates,
			"dtype": out.DType})
		err = run(&out, set, *warmup, *steps)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "step:", err)
		os.Exit(1)
	}
}

// run times the steps of a workload and prints a line of JSON with its rate.
func run(out *line, options models.Patch, warmup, steps int) error {
	opened, info, err := backend.Open(backend.Options{Install: true, Log: os.Stderr})
	if err != nil {
		return err
	}
	w, err := speed.New(opened, out.Arch, out.Mode, out.Batch, options)
	if err != nil {
		return err
	}
	out.Figures, err = benchmarks.Time(warmup, steps, func() (err error) { out.Last, err = w.Step(); return err })
	if err != nil {
		return err
	}
	out.Backend, out.Versions = info.Name, info.Name+" PJRT "+info.Version
	out.PerSecond, out.GFlops = 1e3*float64(out.Batch)/out.MedianMS, w.Flops/out.MedianMS/1e6
	return json.NewEncoder(os.Stdout).Encode(out)
}
