// Command peers times our networks and other implementations in turn. It runs each in its own processes, and writes a
// CSV of medians and ratios. Usage:
//
//	go run ./benchmarks/peers --python VENV/bin/python --out FILE.csv
//
// VENV has the packages of requirements.txt. All programs compute with the same network, graph and signals. See
// benchmarks/README.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/benchmarks"
	"github.com/clusterpool/ccp/benchmarks/internal/turns"
	"github.com/clusterpool/ccp/internal/backend"
)

// implementation is a way to compute the networks of some models.
type implementation struct {
	name    string
	models  string   // its models by the names in models.Spec, separated by commas
	program []string // its script and flags
}

// implementations lists the others. PyTorch Geometric can hold a batch on one graph in three ways, see pyg.py.
var implementations = []implementation{
	{"torch", "ccp", []string{"ccp_torch.py"}},
	{"torch-bfloat16", "ccp", []string{"ccp_torch.py", "--dtype", "bfloat16"}},
	{"torch-compiled", "ccp", []string{"ccp_torch.py", "--compile"}},
	{"jax", "ccp", []string{"ccp_jax.py"}},
	{"pyg-static", "chebyshev,gcn", []string{"pyg.py", "--layout", "static"}},
	{"pyg-blocks", "chebyshev,gcn,gat", []string{"pyg.py", "--layout", "blocks"}},
	{"pyg-sparse", "gcn", []string{"pyg.py", "--layout", "sparse"}},
}

// settings are the flags.
type settings struct {
	python, work, with, cpus, backend, out string
	rounds, batch, steps                   int
}

func main() {
	var s settings
	flag.StringVar(&s.python, "python", "python3", "Python with the packages of benchmarks/peers/requirements.txt")
	flag.StringVar(&s.work, "work", "cifar10/train,cifar10/infer-frozen,ntu/train,ntu/infer-frozen,20news/train,20news/infer-frozen",
		"workloads, ARCH/MODE, as benchmarks/step has them; * stands for any text, as in cifar10-*/train")
	flag.StringVar(&s.with, "with", "torch,jax,pyg-*", "implementations beside ours: ccp-bfloat16, torch, "+
		"torch-bfloat16, "+
		"torch-compiled, jax, pyg-static, pyg-blocks, pyg-sparse")
	flag.IntVar(&s.rounds, "rounds", 3, "the number of turns that each takes")
	flag.IntVar(&s.batch, "batch", 64, "samples in a step")
	flag.IntVar(&s.steps, "steps", 10, "timed steps in a turn")
	flag.StringVar(&s.cpus, "cpus", "", "processors to pin every process to, as taskset writes them (default: all)")
	flag.StringVar(&s.backend, "backend", "", "device: xla:cpu or xla:cuda (default: the CPU for others, ccp's default "+
		"for ours)")
	flag.StringVar(&s.out, "out", "", "CSV file to write, which must not be there yet")
	flag.Parse()
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func (s settings) run() (err error) {
	if s.out == "" || s.rounds < 1 || s.steps < 1 || s.batch < 1 {
		return errors.New("--out is needed, and --rounds, --steps and --batch must be at least 1")
	}
	dir, err := os.MkdirTemp("", "ccp-peers-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	step := filepath.Join(dir, "step")
	if output, err := exec.Command("go", "build", "-o", step, "./benchmarks/step").CombinedOutput(); err != nil {
		return fmt.Errorf("run this from the repository's root: %w: %s", err, output)
	}
	device := backend.ThisMachine().CPU
	if s.cuda() {
		output, err := exec.Command("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "--id=0").Output()
		if err != nil {
			return fmt.Errorf("nvidia-smi: %w; `ccp doctor` says what to do", err)
		}
		device = strings.TrimSpace(string(output))
	}
	file, err := os.OpenFile(s.out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	table := turns.NewTable(file, device, s.cpus)
	for i, work := range s.workloads() {
		workload := filepath.Join(dir, strconv.Itoa(i))
		contenders, failed := s.contenders(work, step, workload)
		if failed == nil {
			failed = table.Compare(work, fmt.Sprintf("batch %d, %d steps", s.batch, s.steps), s.rounds, contenders)
		}
		err = errors.Join(err, failed, os.RemoveAll(workload))
	}
	return err
}

// matches reports whether one of the patterns, separated by commas, matches a name. * matches any text without a slash.
func matches(patterns, name string) bool {
	return slices.ContainsFunc(strings.Split(patterns, ","), func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

func (s settings) cuda() bool { return strings.HasPrefix(s.backend, "xla:cuda") }

// workloads lists the workloads that --work names. It keeps a pattern without a match: a lattice, or a name that is an
// error.
func (s settings) workloads() (work []string) {
	for pattern := range strings.SplitSeq(s.work, ",") {
		found := len(work)
		for _, arch := range benchmarks.Architectures() {
			for _, mode := range benchmarks.Modes {
				if matches(pattern, arch+"/"+mode) {
					work = append(work, arch+"/"+mode)
				}
			}
		}
		if len(work) == found {
			work = append(work, pattern)
		}
	}
	return work
}

// contenders lists our implementation and those asked for that have the workload's model. It writes the workload for
// them.
func (s settings) contenders(work, step, workload string) ([]turns.Contender, error) {
	arch, mode, _ := strings.Cut(work, "/")
	spec, _, err := benchmarks.Network(arch)
	if err != nil {
		return nil, err
	}
	if err := benchmarks.Write(workload, arch, s.batch); err != nil {
		return nil, err
	}
	common := []string{"--mode", mode, "--steps", strconv.Itoa(s.steps), "--warmup", "3"}
	var env []string
	if s.backend != "" {
		env = []string{"GOMLX_BACKEND=" + s.backend}
	}
	var contenders []turns.Contender
	add := func(name string, command ...string) {
		if s.cpus != "" {
			command = append([]string{"taskset", "-c", s.cpus}, command...)
		}
		contenders = append(contenders, turns.Contender{Name: name, Measure: turns.Command(env, append(command, common...)...)})
	}
	ours := []string{step, "--arch", arch, "--batch", strconv.Itoa(s.batch)}
	add("ccp", ours...)
	if matches(s.with, "ccp-bfloat16") {
		add("ccp-bfloat16", append(ours, "--dtype", "bfloat16")...)
	}
	theirs := "cpu"
	if s.cuda() {
		theirs = "cuda"
	}
	for _, other := range implementations {
		if matches(other.models, spec.Model) && matches(s.with, other.name) {
			command := append([]string{s.python, filepath.Join("benchmarks/peers", other.program[0])}, other.program[1:]...)
			add(other.name, append(command, "--workload", workload, "--device", theirs)...)
		}
	}
	return contenders, nil
}
