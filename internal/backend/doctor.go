package backend

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Report is what [Doctor] found. It prints for people by String and marshals to JSON for programs.
type Report struct {
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"` // Of Go and of the modules that compute, by short name.
	Request  string            `json:"request"`  // Options.Name or GOMLX_BACKEND; empty when nothing is asked for.
	Offline  bool              `json:"offline"`  // Downloads are off.
	GPU      bool              `json:"gpu"`      // There is an NVIDIA GPU that programs can reach.
	GPUs     GPUs              `json:"gpus"`     // Those that the machine has.
	Searched []string          `json:"searched"` // Directories where XLA plugins are looked for.
	Trials   []Trial           `json:"trials"`   // The pure Go backend, each XLA plugin file, and the request.
	Chosen   string            `json:"chosen"`   // Name of the backend that Open takes here; empty if it fails.
	Advice   []string          `json:"advice"`   // What to do; empty when all is well.
}

// Trial is a tiny computation on one backend: a product of two 256x256 float32 matrices, compared with the exact result.
type Trial struct {
	Info
	Config  string  `json:"config"`           // The configuration for GOMLX_BACKEND that gives this backend.
	First   float64 `json:"first_seconds"`    // First run, with compilation.
	Seconds float64 `json:"seconds"`          // Best of the next runs, with the result's way back.
	GFLOPS  float64 `json:"gflop_per_second"` // 2·256³ operations in Seconds.
	Error   string  `json:"error,omitempty"`  // Why the backend does not work; empty if it does.
}

// Doctor looks at everything that decides which backend is opened, and tries a tiny computation on each backend that
// there is. It changes nothing and downloads nothing.
func Doctor(o Options) Report {
	xla.EnableAutoInstall(false)
	request := o.Name
	if request == "" {
		request = os.Getenv(compute.ConfigEnvVar)
	}
	r := Report{
		Machine:  ThisMachine(),
		Versions: Versions(),
		Request:  request,
		Offline:  o.Offline || offlineByEnv(),
		GPU:      installer.HasNvidiaGPU(),
		GPUs:     findGPUs(os.DirFS("/")),
		Searched: searchDirs(),
		Trials:   []Trial{tryConfig("go")},
	}
	for _, plugin := range findPlugins() {
		if plugin.is("cuda") && !r.GPU {
			continue // It cannot work, and nothing is wrong with that.
		}
		r.Trials = append(r.Trials, tryConfig("xla:"+plugin.Path))
	}
	tried := func(t Trial) bool { return t.Config == request }
	if request != "" && !slices.ContainsFunc(r.Trials, tried) {
		r.Trials = append(r.Trials, tryConfig(request))
	}
	if b, info, err := Open(Options{Offline: true, Name: o.Name}); err == nil {
		r.Chosen = info.Name
		b.Finalize()
	}
	r.Advice = advise(r)
	return r
}

// tryConfig opens what a configuration asks for, without downloads, and multiplies two matrices on it.
func tryConfig(config string) Trial {
	trial := Trial{Config: config}
	b, info, err := Open(Options{Offline: true, Name: config})
	if err != nil {
		trial.Error = strings.TrimPrefix(oneLine([]error{err}).Error(), flagPrefix+config+": ")
		return trial
	}
	defer b.Finalize()
	trial.Info = info
	if err := trial.multiply(b); err != nil {
		trial.Error = err.Error()
	}
	return trial
}

// multiply times the product of two matrices of small integers, for which float32 is exact, and checks it.
func (trial *Trial) multiply(b compute.Backend) error {
	const n, runs = 256, 10
	x, y := make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i], y[i] = float32(i%7), float32(i%5)
	}
	left, right := tensors.FromFlatDataAndDimensions(x, n, n), tensors.FromFlatDataAndDimensions(y, n, n)
	exec, err := graph.NewExec(b, func(x, y *graph.Node) *graph.Node { return graph.MatMul(x, y) })
	if err != nil {
		return fmt.Errorf("build a product of matrices: %w", err)
	}
	best := math.Inf(1)
	for run := range 1 + runs {
		start := time.Now()
		outputs, err := exec.Call(left, right)
		if err != nil {
			return fmt.Errorf("run a product of matrices: %w", err)
		}
		product, err := tensors.CopyFlatData[float32](outputs[0])
		if err != nil {
			return fmt.Errorf("read a product of matrices: %w", err)
		}
		elapsed := time.Since(start).Seconds()
		if run == 0 {
			trial.First = elapsed
			if err := checkProduct(x, y, product, n); err != nil {
				return err
			}
			continue
		}
		best = min(best, elapsed)
	}
	trial.Seconds = best
	trial.GFLOPS = 2 * n * n * n / best / 1e9
	return nil
}

// checkProduct compares a product of two n x n matrices with the plain triple loop.
func checkProduct(x, y, product []float32, n int) error {
	if len(product) != n*n {
		return fmt.Errorf("wrong result: a product of matrices has %d elements, not %d", len(product), n*n)
	}
	for i := range n {
		for j := range n {
			var want float32
			for k := range n {
				want += x[i*n+k] * y[k*n+j]
			}
			if got := product[i*n+j]; got != want {
				return fmt.Errorf("wrong result: element (%d, %d) of a product of matrices is %g, not %g", i, j, got, want)
			}
		}
	}
	return nil
}

// advise says what to do about a report.
func advise(r Report) []string {
	advice := []string{}
	works := func(kind string) bool {
		return slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.Error == "" && t.Name == kind })
	}
	for _, t := range r.Trials {
		switch {
		case t.Error == "":
		case t.Config == r.Request:
			advice = append(advice, fmt.Sprintf("the backend asked for, %s, does not work; unset %s for the best one there is",
				r.Request, compute.ConfigEnvVar))
		case strings.HasPrefix(t.Config, "xla:"):
			advice = append(advice, fmt.Sprintf("%s does not work; delete it and run any command with the network on,"+
				" which installs it again", strings.TrimPrefix(t.Config, "xla:")))
		}
	}
	dir, err := installDir()
	if err != nil {
		return append(advice, err.Error())
	}
	if !works("xla:cpu") {
		if len(sourcesOf("cpu")) == 0 {
			advice = append(advice, fmt.Sprintf("no XLA plugin is published for %s: the pure Go backend is what there is",
				r.Machine.Platform))
		} else if r.Offline {
			advice = append(advice, fmt.Sprintf("XLA is not installed and downloads are off: allow them once (unset %s"+
				" and %s, no --offline), or copy %s from another machine into %s",
				offlineEnv, xla.NoAutoInstallEnv, wheelPlugin, dir))
		} else {
			advice = append(advice, fmt.Sprintf("XLA is not installed: `ccp train` installs it (60 MB) into %s", dir))
		}
	}
	if why := r.GPUs.advice(); why != "" && !works("xla:cuda") {
		advice = append(advice, why)
	} else if r.GPU && !works("xla:cuda") {
		advice = append(advice, "there is an NVIDIA GPU, but XLA for CUDA does not work: `ccp train` with the network on"+
			" installs it")
	}
	if dirs := os.Getenv(pjrt.PJRTPluginPathsEnv); dirs != "" && !works("xla:cpu") {
		advice = append(advice, fmt.Sprintf("%s=%s: only these directories are searched", pjrt.PJRTPluginPathsEnv, dirs))
	}
	return advice
}

// String lays the report out for people.
func (r Report) String() string {
	var s strings.Builder
	line := func(name, format string, args ...any) {
		_, _ = fmt.Fprintf(&s, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("machine", "%s", r.Machine)
	var modules []string
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		modules = append(modules, name+" "+strings.TrimPrefix(r.Versions[name], name))
	}
	line("versions", "%s", strings.Join(modules, ", "))
	line("request", "%s", cmp.Or(r.Request, "none (GOMLX_BACKEND is not set)"))
	line("downloads", "%s", map[bool]string{true: "off (offline)", false: "allowed"}[r.Offline])
	line("GPU", "%s", r.GPUs)
	line("searched", "%s", strings.Join(r.Searched, ", "))
	s.WriteString("\n")
	for _, trial := range r.Trials {
		line(trial.verdict(), "%s", trial)
	}
	s.WriteString("\n")
	line("chosen", "%s", cmp.Or(r.Chosen, "none: the backend asked for cannot be opened"))
	for _, advice := range r.Advice {
		line("to do", "%s", advice)
	}
	return s.String()
}

// verdict is "ok" or "FAILED".
func (t Trial) verdict() string {
	if t.Error != "" {
		return "FAILED"
	}
	return "ok"
}

// String is one line: which backend, what it took or what went wrong.
func (t Trial) String() string {
	if t.Error != "" {
		return t.Config + ": " + t.Error
	}
	text := t.Name
	if t.Plugin != "" {
		text += fmt.Sprintf(" (%s, PJRT %s, %d devices)", t.Plugin, t.Version, t.Devices)
	}
	return text + fmt.Sprintf(": 256x256 product right, first run %.1f ms, then %.2f ms, %.1f GFLOP/s",
		1e3*t.First, 1e3*t.Seconds, t.GFLOPS)
}
