// Command gpu takes every measurement that is about a GPU, one process after another, and writes them as CSV:
//
//		go run ./benchmarks/gpu --data-dir DATA --out benchmarks/results/gpu.csv [--python PYTHON --scripts DIR]
//
//	  - a training step and an inference of the CIFAR-10 network at a batch of 256, in float32 and bfloat16, and of PyTorch and
//	    JAX where --scripts has ccp_torch.py and ccp_jax.py (PyTorch by way of torch.set_default_device, compiled);
//	  - a training step of 20NEWS' six levels with the learned hierarchy;
//	  - the whole training on CIFAR-10 in bfloat16: test accuracy, minutes, share of the time that the device waits for input.
//
// Where there is no GPU it says so; --backend xla:cpu --steps 1 --batch 8 --epochs 1 tries the program itself.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/clusterpool/ccp/internal/files"
	"github.com/clusterpool/ccp/models/training"
)

// onDevice runs a script of PyTorch's, which knows of CPUs only, on a device: all that it makes is there, and matrix products may be in
// TF32, as ours are.
const onDevice = `
import runpy, sys, torch
device, *sys.argv = sys.argv[1:]
torch.set_default_device(device)
torch.set_float32_matmul_precision("high")
from_numpy = torch.from_numpy
torch.from_numpy = lambda array: from_numpy(array).to(device)
runpy.run_path(sys.argv[0], run_name="__main__")
`

// settings are the flags.
type settings struct {
	backend, dataDir, python, scripts, out string
	batch, steps, epochs                   int
}

func main() {
	var s settings
	flag.StringVar(&s.backend, "backend", "xla:cuda", "what to measure on")
	flag.StringVar(&s.dataDir, "data-dir", os.Getenv("CCP_DATA"), "folder of cifar10; without it nothing is trained")
	flag.StringVar(&s.python, "python", "python3", "Python that has torch and jax")
	flag.StringVar(&s.scripts, "scripts", "", "folder of ccp_torch.py and ccp_jax.py; without it only ccp is measured")
	flag.StringVar(&s.out, "out", "", "CSV file to write")
	flag.IntVar(&s.batch, "batch", 256, "samples in a step")
	flag.IntVar(&s.steps, "steps", 30, "timed steps in a run")
	flag.IntVar(&s.epochs, "epochs", 0, "epochs of the training on CIFAR-10; 0 for all")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "gpu:", err)
		os.Exit(1)
	}
}

// results are the rows of the CSV.
type results struct {
	rows   [][]string
	device string
}

func (r *results) add(measure, implementation, dtype string, value float64, unit string) {
	row := []string{measure, implementation, dtype, strconv.FormatFloat(value, 'g', 5, 64), unit, r.device}
	fmt.Fprintln(os.Stderr, strings.Join(row, "  "))
	r.rows = append(r.rows, row)
}

func run(s settings) error {
	if s.out == "" {
		return errors.New("--out is needed")
	}
	device, err := deviceName(s.backend)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ccp-gpu")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	step, ccp := filepath.Join(dir, "step"), filepath.Join(dir, "ccp")
	for path, source := range map[string]string{step: "./benchmarks/step", ccp: "./cmd/ccp"} {
		if output, err := exec.Command("go", "build", "-o", path, source).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, output)
		}
	}
	r := &results{rows: [][]string{{"measure", "implementation", "dtype", "value", "unit", "device"}}, device: device}
	if err := s.stepTimes(r, step); err != nil {
		return err
	}
	if s.dataDir != "" {
		if err := s.training(r, ccp, filepath.Join(dir, "run")); err != nil {
			return err
		}
	}
	return files.WriteCSV(s.out, r.rows)
}

// deviceName says what is measured on; the error what is missing there.
func deviceName(name string) (string, error) {
	b, info, err := backend.Open(backend.Options{Name: name, Log: os.Stderr})
	if err != nil {
		return "", fmt.Errorf("%w; `ccp doctor` says what to do", err)
	}
	defer b.Finalize()
	if !strings.HasPrefix(info.Name, "xla:cuda") {
		return backend.ThisMachine().CPU, nil
	}
	output, err := exec.Command("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "--id=0").Output()
	if err != nil {
		return "", fmt.Errorf("nvidia-smi: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}

// stepTimes times steps, ours and theirs, in turn.
func (s settings) stepTimes(r *results, step string) error {
	type contender struct {
		name, dtype string
		command     []string
	}
	contenders := []contender{{"ccp", "float32", []string{step, "--dtype", "float32"}}, {"ccp", "bfloat16", []string{step, "--dtype", "bfloat16"}}}
	if s.scripts != "" {
		device, _, _ := strings.Cut(strings.TrimPrefix(s.backend, "xla:"), ",")
		contenders = append(contenders,
			contender{"jax", "float32", []string{s.python, filepath.Join(s.scripts, "ccp_jax.py")}},
			contender{"torch-compiled", "float32", []string{s.python, "-c", onDevice, device, filepath.Join(s.scripts, "ccp_torch.py"), "--compile"}})
	}
	for _, work := range []struct{ arch, mode string }{{"cifar10", "train"}, {"cifar10", "infer-frozen"}, {"20news", "train"}} {
		for _, c := range contenders {
			args := append(c.command[1:len(c.command):len(c.command)], "--arch", work.arch, "--mode", work.mode,
				"--batch", strconv.Itoa(s.batch), "--steps", strconv.Itoa(s.steps), "--warmup", "3")
			cmd := exec.Command(c.command[0], args...)
			cmd.Env = append(os.Environ(), "GOMLX_BACKEND="+s.backend, "PYTHONPATH="+s.scripts)
			cmd.Stderr = os.Stderr
			output, err := cmd.Output()
			if err != nil { // one that does not run must not cost the measurements of the others
				fmt.Fprintf(os.Stderr, "%s %s %s: %v\n", c.name, work.arch, work.mode, err)
				continue
			}
			var line struct {
				MedianMS float64 `json:"median_ms"`
			}
			lines := strings.Split(strings.TrimSpace(string(output)), "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			r.add(fmt.Sprintf("%s %s, batch %d", work.arch, work.mode, s.batch), c.name, c.dtype, line.MedianMS, "ms")
		}
	}
	return nil
}

// training runs the paper's recipe for CIFAR-10.
func (s settings) training(r *results, ccp, dir string) error {
	args := []string{"train", "--data", "cifar10", "--data-dir", s.dataDir, "--dtype", "bfloat16", "--backend", s.backend, "--checkpoint", dir, "--json"}
	if s.epochs > 0 {
		args = append(args, "--epochs", strconv.Itoa(s.epochs))
	}
	cmd := exec.Command(ccp, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return err
	}
	result, err := training.ReadResult(dir)
	if err != nil {
		return err
	}
	history, err := training.ReadHistory(dir)
	if err != nil {
		return err
	}
	waited := 0.0
	for _, e := range history {
		waited += e.InputWait * e.Seconds
	}
	name := fmt.Sprintf("cifar10, %d epochs", result.Epochs)
	r.add(name+": test accuracy", "ccp", "bfloat16", 100*result.Test.Accuracy, "%")
	r.add(name+": training", "ccp", "bfloat16", result.Seconds/60, "min")
	r.add(name+": waiting for input", "ccp", "bfloat16", 100*waited/result.Seconds, "%")
	return nil
}
