package backend

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Report holds what [Doctor] found.
type Report struct {
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"` // Of Go and of the modules that compute, by short name.
	Request  string            `json:"request"`  // Options.Name or GOMLX_BACKEND; empty without a request.
	Offline  bool              `json:"offline"`  // Downloads are off.
	GPU      bool              `json:"gpu"`      // An NVIDIA GPU is reachable.
	GPUs     GPUs              `json:"gpus"`     // The machine's NVIDIA cards.
	Searched []string          `json:"searched"` // Directories searched for XLA plugins.
	Trials   []Trial           `json:"trials"`   // The pure Go backend, each XLA plugin file, and the request.
	Chosen   string            `json:"chosen"`   // Name of the backend that Open takes here; empty if it fails.
	Advice   []string          `json:"advice"`   // What to do; empty when all is well.
}

// Trial is a tiny computation on one backend: a product of two 256x256 float32 matrices, which must be exact.
type Trial struct {
	Info
	Config string `json:"config"`          // The configuration for GOMLX_BACKEND that gives this backend.
	Error  string `json:"error,omitempty"` // Why the backend does not work; empty if it does.
}

// Doctor examines everything that decides which backend is opened, and tries a tiny computation on each available
// backend. It changes nothing and downloads nothing.
func Doctor(o Options) Report {
	request := o.request()
	r := Report{
		Machine:  ThisMachine(),
		Versions: Versions(),
		Request:  request,
		Offline:  !o.Install || offlineByEnv(),
		GPU:      installer.HasNvidiaGPU(),
		GPUs:     findGPUs(os.DirFS("/")),
		Searched: searchDirs(),
		Trials:   []Trial{tryConfig("go")},
	}
	for _, p := range findPlugins() {
		if errNoXLA != nil || p.is("cuda") && !r.GPU {
			continue // It cannot work, and nothing is wrong with that.
		}
		r.Trials = append(r.Trials, tryConfig("xla:"+string(p)))
	}
	if request != "" && !slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.Config == request }) {
		r.Trials = append(r.Trials, tryConfig(request))
	}
	if b, info, err := Open(Options{Name: o.Name}); err == nil {
		r.Chosen = info.Name
		b.Finalize()
	}
	r.Advice = advise(r)
	return r
}

// tryConfig opens what a configuration asks for, without downloads, and multiplies two matrices on it.
func tryConfig(config string) Trial {
	trial := Trial{Config: config}
	b, info, err := newOpener(Options{Name: config}).openRequest(config)
	if err != nil {
		trial.Error = oneLine(err).Error()
		return trial
	}
	defer b.Finalize()
	trial.Info = info
	if err := multiply(b); err != nil {
		trial.Error = "product of matrices: " + err.Error()
	}
	return trial
}

// multiply checks the square of a matrix of ones.
func multiply(b compute.Backend) error {
	const n = 256
	ones := slices.Repeat([]float32{1}, n*n)
	output, err := graph.CallOnce(b, func(x *graph.Node) *graph.Node { return graph.MatMul(x, x) },
		tensors.FromFlatDataAndDimensions(ones, n, n))
	if err != nil {
		return err
	}
	defer output.MustFinalizeAll()
	product, err := tensors.CopyFlatData[float32](output)
	if at := slices.IndexFunc(product, func(v float32) bool { return v != n }); err == nil && at >= 0 {
		err = fmt.Errorf("element %d is %g, not %d", at, product[at], n)
	}
	return err
}

// advise returns what to do about a report, a sentence each.
func advise(r Report) (advice []string) {
	advice = []string{}
	add := func(format string, args ...any) { advice = append(advice, fmt.Sprintf(format, args...)) }
	works := func(kind string) bool {
		return slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.Error == "" && t.Name == kind })
	}
	for _, t := range r.Trials {
		path, isXLA := strings.CutPrefix(t.Config, "xla:")
		switch {
		case t.Error == "":
		case t.Config == r.Request:
			add("the requested backend, %s, does not work; unset %s for the best one available", r.Request, compute.ConfigEnvVar)
		case isXLA:
			add("%s does not work; delete it and run any command with the network on, which installs it again", path)
		}
	}
	dir, err := installDir()
	switch {
	case errNoXLA != nil:
		add("%v", errNoXLA)
		return advice
	case err != nil:
		add("%v", err)
		return advice
	case works("xla:cpu"), works("xla:cuda"):
	case sourceOf("cpu") == nil:
		add("no XLA plugin is published for %s: only the pure Go backend is available", r.Machine.Platform)
	case r.Offline:
		add("XLA is not installed and downloads are off: allow them once (unset %s and %s), or copy %s from another machine "+
			"into %s", offlineEnv, noInstallEnv, cpuPlugin, dir)
	default:
		add("XLA is not installed: `ccp train` installs it (60 MB) into %s", dir)
	}
	if why := r.GPUs.advice(); why != "" && !works("xla:cuda") {
		add("%s", why)
	} else if r.GPU && !works("xla:cuda") {
		add("there is an NVIDIA GPU, but XLA for CUDA does not work: `ccp train` with the network on installs it")
	}
	if dirs := os.Getenv(pluginDirsEnv); dirs != "" && !works("xla:cpu") {
		add("%s=%s: only these directories are searched", pluginDirsEnv, dirs)
	}
	return advice
}
