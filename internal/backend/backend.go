// Package backend opens the computation backend: XLA where there is, or can be, a plugin for it, else pure Go.
//
// [Open] takes, in this order:
//
//  1. what Options.Name or GOMLX_BACKEND asks for; if it cannot be had that is an error;
//  2. an installed XLA plugin: CUDA when there is an NVIDIA GPU (installed if need be), else CPU;
//  3. the CPU plugin on go-xla's release page;
//  4. the CPU plugin inside a Python wheel, pinned by version and checksum (see wheel.go);
//  5. GoMLX's pure Go backend, with one line that says so.
//
// Downloads are shown, checked, put in place atomically and locked against other processes. They never happen with
// Options.Offline, CCP_OFFLINE=1 or GOMLX_NO_AUTO_INSTALL set. [Doctor] reports what there is and what to do.
package backend

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // Registers "go".
	"github.com/gomlx/go-xla/compute/xla"  // Registers "xla".
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// offlineEnv is the environment variable that, set to 1, forbids downloads.
const offlineEnv = "CCP_OFFLINE"

// flagPrefix begins an error about Options.Name, which the program takes from a flag.
const flagPrefix = "--backend "

// Progress is told of the bytes of a file that have come, out of `total`, which is negative where it is not known.
type Progress func(name string, done, total int64)

// Options of [Open] and [Doctor]. The zero value is ready to use.
type Options struct {
	// Offline forbids downloads; so do CCP_OFFLINE=1 and GOMLX_NO_AUTO_INSTALL.
	Offline bool
	// Log receives notices, usually os.Stderr. Nil discards them.
	Log io.Writer
	// Progress is told how a download goes. It may be nil.
	Progress Progress
	// Name overrides GOMLX_BACKEND when not empty: "go", "xla", "xla:cpu", "xla:cuda", "xla:/path/plugin.so".
	Name string
}

// Info describes an opened backend.
type Info struct {
	Name    string `json:"name"`              // "go", "xla:cpu", "xla:cuda" or "xla:" and another plugin's name.
	Plugin  string `json:"plugin,omitempty"`  // Path of the XLA plugin; empty for pure Go.
	Version string `json:"version,omitempty"` // Version of the plugin's PJRT API, as "0.81"; empty for pure Go.
	Devices int    `json:"devices"`           // Number of devices.
	Notice  string `json:"notice,omitempty"`  // What Open had to say, one line each; already written to Options.Log.
}

// opener carries one call of Open.
type opener struct {
	offline  bool
	log      io.Writer
	progress Progress
	notices  []string
	failed   map[string]bool                     // Intact plugin files that did not work in this call.
	install  func(op *opener, kind string) error // installPlugin, replaced in tests.
}

// Open opens a backend; see the package's documentation for which. Without a request (Options.Name, GOMLX_BACKEND) it
// always finds one, and whatever went wrong on the way is a notice; with a request, failing it is an error that lists
// what there is.
func Open(o Options) (compute.Backend, Info, error) {
	xla.EnableAutoInstall(false) // go-xla must not install behind our back.
	op := newOpener(o)
	source, request := flagPrefix, o.Name
	if request == "" {
		source, request = compute.ConfigEnvVar+"=", os.Getenv(compute.ConfigEnvVar)
	}
	var b compute.Backend
	var info Info
	var err error
	if request != "" {
		b, info, err = op.openRequest(request)
		if err != nil {
			err = fmt.Errorf("%s%s: %w", source, request, err)
		}
	} else {
		b, info, err = op.openBest()
	}
	info.Notice = strings.Join(op.notices, "\n")
	return b, info, err
}

func newOpener(o Options) *opener {
	op := &opener{offline: o.Offline || offlineByEnv(), log: o.Log, progress: o.Progress, failed: map[string]bool{}, install: installPlugin}
	if op.log == nil {
		op.log = io.Discard
	}
	return op
}

// offlineByEnv reports whether the environment forbids downloads. go-xla takes GOMLX_NO_AUTO_INSTALL with any value.
func offlineByEnv() bool {
	if _, set := os.LookupEnv(xla.NoAutoInstallEnv); set {
		return true
	}
	value := os.Getenv(offlineEnv)
	off, err := strconv.ParseBool(value)
	return off || (err != nil && value != "")
}

// notice writes a line to the log and keeps it for Info.
func (op *opener) notice(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	op.notices = append(op.notices, line)
	_, _ = fmt.Fprintln(op.log, line)
}

// openBest opens the fastest backend there is.
func (op *opener) openBest() (compute.Backend, Info, error) {
	b, info, err := op.openXLA("")
	if err != nil {
		op.notice("using the pure Go backend, several times slower than XLA (%v); `ccp doctor` says what to do", err)
		return openConfig("go", pluginFile{})
	}
	return b, info, nil
}

// openXLA opens XLA for CUDA where there is a GPU, and where that fails or there is none, for the CPU.
func (op *opener) openXLA(options string) (compute.Backend, Info, error) {
	if installer.HasNvidiaGPU() {
		b, info, err := op.openKind("cuda", options)
		if err == nil {
			return b, info, nil
		}
		op.notice("the GPU is left idle: %v; trying XLA on the CPU", err)
	}
	return op.openKind("cpu", options)
}

// openRequest opens the backend that a configuration in GoMLX's format, NAME[:PLUGIN[,OPTION…]], asks for.
func (op *opener) openRequest(request string) (compute.Backend, Info, error) {
	name, rest, _ := strings.Cut(request, ":")
	if !slices.Contains(compute.List(), name) {
		return nil, Info{}, errors.New("no such backend; there are go, xla, xla:cpu, xla:cuda and xla:/path/plugin.so")
	}
	if name == "go" {
		return openConfig(request, pluginFile{})
	}
	plugin, options, _ := strings.Cut(rest, ",")
	if strings.ContainsAny(plugin, `/\`) {
		path, err := filepath.Abs(plugin)
		if err != nil {
			return nil, Info{}, err
		}
		return op.openPlugin(pluginFile{Name: nameOfPath(path), Path: path}, options)
	}
	if plugin != "" {
		return op.openKind(plugin, options)
	}
	return op.openXLA(options)
}

// openKind opens an installed plugin of a kind ("cpu", "cuda", …). Where no intact one is there, and downloads are
// allowed, it installs one. A plugin that is intact but does not work is not fetched anew: that would go on for ever.
func (op *opener) openKind(kind, options string) (compute.Backend, Info, error) {
	b, info, intact, err := op.openInstalled(kind, options)
	if err == nil || intact || (kind != "cpu" && kind != "cuda") {
		return b, info, err
	}
	if op.offline {
		return nil, Info{}, fmt.Errorf("%w, and downloads are off", err)
	}
	if installErr := op.install(op, kind); installErr != nil {
		return nil, Info{}, oneLine([]error{err, installErr})
	}
	b, info, _, err = op.openInstalled(kind, options)
	return b, info, err
}

// openInstalled tries the installed plugins of a kind in turn; intact says whether one of them was an undamaged file.
func (op *opener) openInstalled(kind, options string) (b compute.Backend, info Info, intact bool, err error) {
	var names []string
	var failures []error
	for _, plugin := range findPlugins() {
		names = append(names, plugin.Name)
		if !plugin.is(kind) || op.failed[plugin.Path] {
			continue
		}
		damage := checkIntact(plugin.Path)
		intact = intact || damage == nil
		b, info, err := op.openPlugin(plugin, options)
		if err == nil {
			return b, info, true, nil
		}
		op.failed[plugin.Path] = damage == nil
		failures = append(failures, err)
	}
	if len(failures) > 0 {
		return nil, Info{}, intact, oneLine(failures)
	}
	have := "none is"
	if len(names) > 0 {
		have = "only " + strings.Join(names, ", ")
	}
	return nil, Info{}, false, fmt.Errorf("no XLA plugin %q, %s installed", kind, have)
}

// openPlugin opens XLA on one plugin file, given by its path so that go-xla does not search again.
func (op *opener) openPlugin(plugin pluginFile, options string) (compute.Backend, Info, error) {
	if err := checkIntact(plugin.Path); err != nil {
		return nil, Info{}, err
	}
	config := "xla:" + plugin.Path
	if plugin.is("cuda") {
		// go-xla judges by the path: "cpu" anywhere in it would make it share host memory with the GPU.
		options = strings.TrimPrefix(options+",noshared_buffers", ",")
	}
	if options != "" {
		config += "," + options
	}
	return openConfig(config, plugin)
}

// pureGo runs one operation after another, each on all cores. Its default runs operations side by side, and (compute
// v0.1.3) hangs when two large matrix products do: each takes a worker, and waits for another to be free.
const pureGo = "go:ops_sequential"

// openConfig opens the backend that a full GoMLX configuration names, and turns a panic on the way into an error.
func openConfig(config string, plugin pluginFile) (b compute.Backend, info Info, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			b, info, err = nil, Info{}, fmt.Errorf("%v", cause)
		}
	}()
	switch {
	case strings.HasPrefix(config, "xla:"):
		tuneMalloc()
	case config == "go":
		config = pureGo
	}
	b, err = compute.NewWithConfig(config)
	if err != nil {
		return nil, Info{}, err
	}
	name, _, _ := strings.Cut(config, ":")
	info = Info{Name: name, Devices: b.NumDevices()}
	if plugin.Path != "" {
		info.Name = "xla:" + plugin.Name
		if kind, _, versioned := strings.Cut(plugin.Name, "_v"); versioned {
			info.Name = "xla:" + kind
		}
		info.Plugin = plugin.Path
		loaded, err := pjrt.GetPlugin(plugin.Path)
		if err != nil {
			return nil, Info{}, err
		}
		major, minor := loaded.Version()
		info.Version = fmt.Sprintf("%d.%d", major, minor)
	}
	return b, info, nil
}
