// Command load measures what it takes to load an .npz file: the time of each step before a feature exists, and the
// most memory that the process took. It prints a line of JSON, so that two builds can take turns.
//
//	go run ./benchmarks/load FILE.npz
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/pprof"

	"github.com/clusterpool/ccp/benchmarks"
	"github.com/clusterpool/ccp/datasets"
)

// line is the line of output. Steps are in milliseconds, by the clock and of the processor.
type line struct {
	Steps     map[string]step `json:"steps"`
	Total     step            `json:"total"`
	PeakRSSMB float64         `json:"peak_rss_mb"`
	Learned   string          `json:"learned"` // a hash of all that was learned: that of two builds should be the same
}

type step struct {
	Wall float64 `json:"ms"`
	CPU  float64 `json:"cpu_ms"`
}

// garbage is how far memory may grow before garbage is collected, in percent: as ccp data check has it.
const garbage = 10

func main() {
	debug.SetGCPercent(garbage)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// run measures the steps on a file. The environment's CPU_PROFILE names a file for a profile of them.
func run(args []string) error {
	if len(args) != 1 {
		return errors.New("give the path of one .npz file")
	}
	if name := os.Getenv("CPU_PROFILE"); name != "" {
		file, err := os.Create(name)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var d *datasets.Dataset
	var learned []any
	out := line{Steps: map[string]step{}}
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"load", func() (err error) {
			d, err = datasets.Load(context.Background(), args[0], datasets.Options{HoldOut: true})
			return err
		}},
		{"fingerprint", func() error {
			learned = append(learned, d.Fingerprint().Parts, d.Mean, d.Std, d.Notes, d.Warnings, d.Provenance)
			return nil
		}},
		{"audit", func() error {
			found, err := datasets.Audit(d)
			learned = append(learned, found)
			return err
		}},
		{"measure", func() error {
			d.Measure(len(d.Train), d.Inputs(d.Train))
			learned = append(learned, *d.Range, d.Baseline)
			return nil
		}},
	} {
		f, err := benchmarks.Time(0, 1, s.do)
		if err != nil {
			return err
		}
		out.Steps[s.name] = step{f.MedianMS, f.CPUMS}
		out.Total.Wall, out.Total.CPU, out.PeakRSSMB = out.Total.Wall+f.MedianMS, out.Total.CPU+f.CPUMS, f.PeakRSSMB
	}
	out.Learned = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, learned...)))
	return json.NewEncoder(os.Stdout).Encode(out)
}
