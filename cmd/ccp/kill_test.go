package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/backend/backendtest"
	"github.com/clusterpool/ccp/internal/npz"
	"github.com/clusterpool/ccp/models"
)

// program builds the program, once.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(buildDir, "ccp")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

var buildDir string // of the program; TestMain removes it

func TestMain(m *testing.M) {
	err := backendtest.CompileQuickly()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildDir, err = os.MkdirTemp("", "ccp-kill-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// trainingProcess is a training in a process of its own, always with the same settings.
type trainingProcess struct {
	command *exec.Cmd
	stderr  *bufio.Scanner
	seen    strings.Builder // of stderr
	stdout  bytes.Buffer
}

func startTraining(t *testing.T, backend, dir string) *trainingProcess {
	t.Helper()
	path, err := program()
	require.NoError(t, err)
	p := &trainingProcess{command: exec.Command(path,
		append([]string{"train", "--levels", "4x8/4,1x8/4", "--fc", "8", "--epochs", "9",
			"--set", "average=0.9", "--save-every", "50ms", "--checkpoint", dir, "--json", "--metrics", dir + ".metrics"},
			published...)...)}
	p.command.Env = append(os.Environ(), "GOMLX_BACKEND="+backend, "CCP_DATA=")
	p.command.Stdout = &p.stdout
	stderr, err := p.command.StderrPipe()
	require.NoError(t, err)
	p.stderr = bufio.NewScanner(stderr)
	require.NoError(t, p.command.Start())
	t.Cleanup(func() { _ = p.command.Process.Kill() })
	return p
}

// readTo reads stderr until a line begins with `start`, and says whether one did before the end.
func (p *trainingProcess) readTo(start string) bool {
	for p.stderr.Scan() {
		p.seen.WriteString(p.stderr.Text() + "\n")
		if strings.HasPrefix(p.stderr.Text(), start) {
			return true
		}
	}
	return false
}

// end waits for the process and returns its exit code, -1 if a signal ended it.
func (p *trainingProcess) end(t *testing.T) int {
	t.Helper()
	p.readTo("no such line")
	err := p.command.Wait()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return p.command.ProcessState.ExitCode()
}

// outcome is what must not depend on whether a training was interrupted.
type outcome struct {
	result  trainDocument
	weights map[string][]byte // by variable, the optimizer's included, after the last step
	metrics string            // the lines that programs read
}

// finish lets the process end, which must succeed, and returns the outcome.
func (p *trainingProcess) finish(t *testing.T, dir string) outcome {
	t.Helper()
	require.Zero(t, p.end(t), p.seen.String())
	var o outcome
	decode(t, p.stdout.String(), &o.result)
	o.result.Seconds, o.result.Prepare, o.result.Compile, o.result.Checkpoint = 0, 0, 0, ""
	raw, err := os.ReadFile(dir + ".metrics")
	require.NoError(t, err)
	o.metrics = string(raw)
	o.weights = readWeights(t, newestWeights(t, dir))
	return o
}

var references = map[string]outcome{} // of uninterrupted trainings, by backend

func uninterrupted(t *testing.T, backend string) outcome {
	t.Helper()
	o, ok := references[backend]
	if !ok {
		dir := filepath.Join(t.TempDir(), "whole")
		o = startTraining(t, backend, dir).finish(t, dir)
		references[backend] = o
	}
	return o
}

// newestWeights is the file of the weights in the newest snapshot.
func newestWeights(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "last-*", "*.bin"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files[len(files)-1] // they are sorted
}

// readWeights reads the bytes of each variable of a snapshot, whose order in the file does depend on an interruption.
func readWeights(t *testing.T, path string) map[string][]byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	index, err := os.ReadFile(strings.TrimSuffix(path, ".bin") + ".json")
	require.NoError(t, err)
	var listed struct {
		Variables []struct {
			ParameterName string
			Pos, Length   int
		}
	}
	require.NoError(t, json.Unmarshal(index, &listed))
	weights := map[string][]byte{}
	for _, v := range listed.Variables {
		weights[v.ParameterName] = raw[v.Pos : v.Pos+v.Length]
	}
	require.Greater(t, len(weights), 30)
	return weights
}

func assertSame(t *testing.T, want, got outcome) {
	t.Helper()
	assert.Equal(t, want.result, got.result)
	assert.Equal(t, want.metrics, got.metrics)
	require.Len(t, got.weights, len(want.weights))
	for name, bytes := range want.weights {
		assert.Equal(t, bytes, got.weights[name], name)
	}
}

var resumed = regexp.MustCompile(`(?m)^resuming after step \d+$`)

// TestKilled kills trainings with SIGKILL at random times: the same command goes on each time, and ends as one that was
// never killed.
func TestKilled(t *testing.T) {
	onBackends(t, func(t *testing.T, backend string, kills int) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		rng := rand.New(rand.NewPCG(seed, 0))
		want := uninterrupted(t, backend)
		dir, goingOn := filepath.Join(t.TempDir(), "killed"), 0
		for i := range kills + 1 {
			p := startTraining(t, backend, dir)
			if i < kills {
				epochs, wait := rng.IntN(3), rng.IntN(40)
				if i == 0 {
					epochs, wait = 1, wait/8 // so that the next has something to go on with, and something to do
				}
				p.readTo("model")
				for range epochs {
					p.readTo("epoch")
				}
				time.Sleep(time.Duration(wait) * time.Millisecond)
				_ = p.command.Process.Kill() // an error if it is done already
				p.end(t)
			} else {
				assertSame(t, want, p.finish(t, dir))
			}
			if resumed.MatchString(p.seen.String()) {
				goingOn++
			}
			t.Logf("process %d said:\n%s", i+1, p.seen.String())
		}
		assert.Positive(t, goingOn, "no process went on with the work of one before")
	})
}

// TestInterrupted stops a training with Ctrl-C, damages its newest snapshot in several ways and goes on.
func TestInterrupted(t *testing.T) {
	onBackends(t, func(t *testing.T, backend string, _ int) {
		want := uninterrupted(t, backend)
		dir := filepath.Join(t.TempDir(), "stopped")
		p := startTraining(t, backend, dir)
		require.True(t, p.readTo("epoch 2/"), p.seen.String())
		require.NoError(t, p.command.Process.Signal(syscall.SIGINT))
		assert.Equal(t, 130, p.end(t))
		assert.Empty(t, p.stdout.String())
		assert.Contains(t, p.seen.String(), "stopping after this step; Ctrl-C again aborts at once\n")
		assert.Regexp(t, `ccp: interrupted after step \d+ of 171; its state is saved in `+dir+
			`.*\n  \S+/ccp train --levels .*--checkpoint `+dir, p.seen.String())

		damages := map[string]func(raw []byte) []byte{"flipped": func(raw []byte) []byte { raw[len(raw)/2] ^= 1; return raw }}
		if backend == "go" { // the others have nothing to do with a backend
			damages["whole"] = nil
			damages["truncated"] = func(raw []byte) []byte { return raw[:len(raw)/2] }
			damages["empty"] = func([]byte) []byte { return nil }
		}
		for name, damage := range damages {
			t.Run(name, func(t *testing.T) {
				run := filepath.Join(t.TempDir(), "run")
				require.NoError(t, os.CopyFS(run, os.DirFS(dir)))
				newest := newestWeights(t, run)
				if damage != nil {
					raw, err := os.ReadFile(newest)
					require.NoError(t, err)
					require.NoError(t, os.WriteFile(newest, damage(raw), 0o644))
				}
				p := startTraining(t, backend, run)
				got := p.finish(t, run)
				assert.Regexp(t, resumed, p.seen.String())
				if damage != nil {
					assert.Contains(t, p.seen.String(), filepath.Dir(newest)+" is damaged: "+filepath.Base(newest)+" has ")
					assert.Contains(t, p.seen.String(), "; using the one before it\n")
				}
				assertSame(t, want, got)
			})
		}
	})
}

// onBackends runs a test on pure Go and, where there is one, XLA, with the number of times to kill a training.
func onBackends(t *testing.T, fn func(t *testing.T, backend string, kills int)) {
	if testing.Short() {
		t.Skip("trains in other processes")
	}
	t.Run("go", func(t *testing.T) { fn(t, "go", 5) })
	t.Run("xla", func(t *testing.T) {
		backendtest.XLA(t)
		fn(t, "xla:cpu", 2) // each process compiles anew
	})
}

// TestPredictStopped stops predict with Ctrl-C while it writes: nothing is left.
func TestPredictStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("predicts in another process")
	}
	path, err := program()
	require.NoError(t, err)
	dir, folder := trained(t), t.TempDir()
	m, _, err := models.ReadMetadata(dir)
	require.NoError(t, err)
	file, err := os.Create(filepath.Join(dir, "new.npy"))
	require.NoError(t, err)
	shape := []int{200_000, m.Spec.Nodes, m.Spec.Channels}
	require.NoError(t, npz.WriteNPY(file, &npz.Array{Shape: shape, Data: make([]float32, shape[0]*shape[1]*shape[2])}))
	require.NoError(t, file.Close())
	command := exec.Command(path, "predict", "--backend", "go", "--checkpoint", dir, "--out",
		filepath.Join(folder, "out.csv"), file.Name())
	var stderr bytes.Buffer
	command.Stderr = &stderr
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() })
	require.Eventually(t, func() bool { return len(listed(t, folder)) > 0 }, 20*time.Second, time.Millisecond)
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	_ = command.Wait()
	assert.Equal(t, 130, command.ProcessState.ExitCode())
	assert.Contains(t, stderr.String(), "ccp: stopped early")
	assert.Empty(t, listed(t, folder))
}

// listed returns the names in a folder.
func listed(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}
