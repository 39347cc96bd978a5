// Command graphconv times a training step (forward, backward, Adam) of our graph convolutions and of PyTorch Geometric's layers in the
// same network, on the same graph, in turns, process after process, and writes a CSV of medians and ratios:
//
//	go run ./benchmarks/graphconv --python PYTHON --cpus 0 --rounds 3 --out benchmarks/results/graphconv-1core.csv
//
// PYTHON has torch and torch_geometric. A network is one or two convolutions, each with batch norm and ELU, no pooling, then dropout and
// a class layer on all nodes' values. PyTorch Geometric can hold a batch on one graph in more ways than one, see pyg.py; each is timed,
// and the ratio is to the fastest. Processor time is told as well: on a machine that others use, it wavers less than time.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/files"
)

// measured is what a process prints of itself; both sides have the same names.
type measured struct {
	MedianMS  float64 `json:"median_ms"`
	CPUMS     float64 `json:"cpu_ms"`
	PeakRSSMB float64 `json:"peak_rss_mb"`
	Versions  string  `json:"versions"`
}

// contender is one implementation: its name and the command that measures it.
type contender struct {
	name    string
	command []string
}

func main() {
	python := flag.String("python", "python3", "Python that has torch and torch_geometric")
	script := flag.String("script", "benchmarks/graphconv/pyg.py", "the program that times PyTorch Geometric")
	rounds := flag.Int("rounds", 3, "how often each is run")
	steps := flag.Int("steps", 5, "timed steps in a run")
	work := flag.String("work", strings.Join(names(), ","), "workloads")
	cpus := flag.String("cpus", "", "processors to pin every process to, as taskset writes them (default: all)")
	out := flag.String("out", "", "CSV file to write")
	ours := flag.String("ours", "", "time this workload of ours in this process")
	graph := flag.String("graph", "", "with --ours: its graph")
	flag.Parse()
	var err error
	if *ours != "" {
		err = measureOurs(*ours, *graph, *steps)
	} else {
		err = run(*python, *script, *rounds, *steps, strings.Split(*work, ","), *cpus, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "graphconv:", err)
		os.Exit(1)
	}
}

func run(python, script string, rounds, steps int, work []string, cpus, out string) error {
	if out == "" {
		return errors.New("--out is needed")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ccp-graphconv")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rows := [][]string{{"work", "network", "implementation", "median_ms", "ours_over_fastest", "cpu_ms", "cpu_ours_over_fastest", "peak_rss_mb", "rounds", "steps", "cpus", "cpu_model", "platform", "versions"}}
	for _, name := range work {
		w, ok := workloads[name]
		if !ok {
			return fmt.Errorf("there is no workload %q; there are %s", name, strings.Join(names(), ", "))
		}
		graph, err := w.graph()
		if err != nil {
			return err
		}
		file := filepath.Join(dir, "graph.npz")
		if err := graph.WriteFile(file); err != nil {
			return err
		}
		common := []string{"--graph", file, "--steps", strconv.Itoa(steps)}
		contenders := []contender{{"ours", append([]string{self, "--ours", name}, common...)}}
		for _, layout := range w.layouts {
			command := append([]string{python, script, "--layout", layout}, common...)
			contenders = append(contenders, contender{"pyg-" + layout, append(command, w.flags()...)})
		}
		results := map[string][]measured{}
		for range rounds { // in turn, so that a drift of the machine's speed meets all
			for _, c := range contenders {
				m, err := measure(c, cpus)
				if err != nil {
					return fmt.Errorf("%s %s: %w", c.name, name, err)
				}
				fmt.Fprintf(os.Stderr, "%-16s %-12s %9.1f ms %9.1f ms of processor %6.0f MB\n", name, c.name, m.MedianMS, m.CPUMS, m.PeakRSSMB)
				results[c.name] = append(results[c.name], m)
			}
		}
		best := measured{MedianMS: -1}
		for _, c := range contenders[1:] {
			if m := median(results[c.name]); best.MedianMS < 0 || m.CPUMS < best.CPUMS {
				best = m
			}
		}
		own := median(results["ours"])
		for _, c := range contenders {
			m := median(results[c.name])
			wall, cpu := "", ""
			if c.name == "ours" {
				wall, cpu = fixed(own.MedianMS/best.MedianMS, 3), fixed(own.CPUMS/best.CPUMS, 3)
			}
			rows = append(rows, []string{name, w.network(), c.name, fixed(m.MedianMS, 1), wall, fixed(m.CPUMS, 1), cpu, fixed(m.PeakRSSMB, 0), strconv.Itoa(rounds),
				strconv.Itoa(steps), cpus, backend.ThisMachine().CPU, runtime.GOOS + "/" + runtime.GOARCH, m.Versions})
		}
		if err := files.WriteCSV(out, rows); err != nil { // after each workload, in case a later one fails
			return err
		}
	}
	return nil
}

func measure(c contender, cpus string) (m measured, err error) {
	args := c.command
	if cpus != "" {
		args = append([]string{"taskset", "-c", cpus}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return m, err
	}
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return m, json.Unmarshal([]byte(lines[len(lines)-1]), &m)
}

// median takes each figure's median over the rounds.
func median(runs []measured) measured {
	of := func(figure func(measured) float64) float64 {
		var values []float64
		for _, r := range runs {
			values = append(values, figure(r))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return measured{of(func(m measured) float64 { return m.MedianMS }), of(func(m measured) float64 { return m.CPUMS }),
		of(func(m measured) float64 { return m.PeakRSSMB }), runs[0].Versions}
}

func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
