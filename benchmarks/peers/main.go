// Command peers times our workloads and those of other implementations in turn, process after process, on the same machine in
// one run, and writes a CSV of medians and ratios:
//
//	go run ./benchmarks/peers --scripts DIR --python PYTHON --rounds 3 --out benchmarks/results/peers.csv
//
// DIR holds ccp_torch.py and ccp_jax.py, which take --arch, --mode, --batch, --steps and --warmup and print a line of JSON
// with median_ms and peak_rss_mb, as benchmarks/step does. Each figure is the median over the rounds of the median
// over a process's steps.
package main

import (
	"encoding/csv"
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

type measured struct {
	MedianMS  float64 `json:"median_ms"`
	PeakRSSMB float64 `json:"peak_rss_mb"`
}

// contender is one implementation: its name and the command that measures it.
type contender struct {
	name    string
	command []string
}

func main() {
	scripts := flag.String("scripts", "", "folder of ccp_torch.py and ccp_jax.py")
	python := flag.String("python", "python3", "Python that has torch and jax")
	rounds := flag.Int("rounds", 3, "how often each is run")
	steps := flag.Int("steps", 10, "timed steps in a run")
	work := flag.String("work", "cifar10/train,cifar10/infer-frozen,ntu/train,20news/train,20news/infer-frozen", "workloads, ARCH/MODE each")
	compiled := flag.Bool("compiled", false, "also torch.compile")
	cpus := flag.String("cpus", "", "processors to pin every process to, as taskset writes them (default: all)")
	out := flag.String("out", "", "CSV file to write")
	flag.Parse()
	if err := run(*scripts, *python, *rounds, *steps, strings.Split(*work, ","), *compiled, *cpus, *out); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(scripts, python string, rounds, steps int, work []string, compiled bool, cpus, out string) error {
	if scripts == "" || out == "" {
		return errors.New("--scripts and --out are needed")
	}
	dir, err := os.MkdirTemp("", "ccp-step")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ours := filepath.Join(dir, "step")
	if output, err := exec.Command("go", "build", "-o", ours, "./benchmarks/step").CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	contenders := []contender{{"ccp", []string{ours}}, {"torch", []string{python, filepath.Join(scripts, "ccp_torch.py")}},
		{"jax", []string{python, filepath.Join(scripts, "ccp_jax.py")}}}
	if compiled {
		contenders = append(contenders, contender{"torch-compiled", []string{python, filepath.Join(scripts, "ccp_torch.py"), "--compile"}})
	}
	rows := [][]string{{"work", "implementation", "median_ms", "ours_over_theirs", "peak_rss_mb", "rounds", "cpus", "cpu_model", "platform"}}
	for _, w := range work {
		arch, mode, ok := strings.Cut(w, "/")
		if !ok {
			return fmt.Errorf("workload %q is not ARCH/MODE", w)
		}
		results := map[string][]measured{}
		for range rounds { // in turn, so that a drift of the machine's speed meets all
			for _, c := range contenders {
				m, err := measure(c, arch, mode, steps, cpus)
				if err != nil {
					return fmt.Errorf("%s %s: %w", c.name, w, err)
				}
				fmt.Fprintf(os.Stderr, "%-22s %-15s %8.1f ms  %6.0f MB\n", w, c.name, m.MedianMS, m.PeakRSSMB)
				results[c.name] = append(results[c.name], m)
			}
		}
		for _, c := range contenders {
			m := median(results[c.name])
			ratio := median(results["ccp"]).MedianMS / m.MedianMS
			rows = append(rows, []string{w, c.name, fixed(m.MedianMS, 1), fixed(ratio, 3), fixed(m.PeakRSSMB, 0), strconv.Itoa(rounds), cpus, backend.ThisMachine().CPU, runtime.GOOS + "/" + runtime.GOARCH})
		}
	}
	if err := csv.NewWriter(os.Stdout).WriteAll(rows); err != nil {
		return err
	}
	return files.WriteCSV(out, rows)
}

func measure(c contender, arch, mode string, steps int, cpus string) (m measured, err error) {
	args := append(slices.Clone(c.command), "--arch", arch, "--mode", mode, "--batch", "64", "--steps", strconv.Itoa(steps), "--warmup", "3")
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
func median(runs []measured) (m measured) {
	var times, memory []float64
	for _, r := range runs {
		times, memory = append(times, r.MedianMS), append(memory, r.PeakRSSMB)
	}
	slices.Sort(times)
	slices.Sort(memory)
	return measured{times[len(times)/2], memory[len(memory)/2]}
}

func fixed(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
