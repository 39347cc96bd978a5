// Package backend opens the computation backend: XLA where there is, or can be, a plugin for it, else pure Go.
//
// [Open] takes, in this order:
//
//  1. what Options.Name or GOMLX_BACKEND asks for; it is an error if that is unavailable;
//  2. an installed XLA plugin: CUDA when there is an NVIDIA GPU (installed if need be), else CPU;
//  3. the CPU plugin on go-xla's release page;
//  4. the CPU plugin inside a Python wheel, pinned by version and checksum (see wheel.go);
//  5. GoMLX's pure Go backend, with one line that says so.
//
// Downloads show their progress, are checked, appear complete or not at all, and are locked against other processes. There are
// none with Options.Offline, CCP_OFFLINE=1 or GOMLX_NO_AUTO_INSTALL. [Doctor] reports what is available and what to do.
package backend

import (
	"cmp"
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

// Progress receives the number of bytes of a file that have arrived, out of `total`, which is negative where it is unknown.
type Progress func(name string, done, total int64)

// Options of [Open] and [Doctor]. The zero value is ready to use.
type Options struct {
	// Offline forbids downloads; so do CCP_OFFLINE=1 and GOMLX_NO_AUTO_INSTALL.
	Offline bool
	// Log receives notices, usually os.Stderr. Nil discards them.
	Log io.Writer
	// Progress follows a download. It may be nil.
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
	Notice  string `json:"notice,omitempty"`  // Open's notices, one line each; already written to Options.Log.
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

// Open opens a backend; the package's documentation says which. Without a request (Options.Name, GOMLX_BACKEND) it
// always finds one and reports its failed tries as notices. A request that fails is an error, which lists what is available.
func Open(o Options) (compute.Backend, Info, error) {
	xla.EnableAutoInstall(false) // go-xla must not install behind our back.
	op := newOpener(o)
	source := flagPrefix
	if o.Name == "" {
		source = compute.ConfigEnvVar + "="
	}
	b, info, err := op.openRequest(o.request())
	if err != nil {
		err = fmt.Errorf("%s%s: %w", source, o.request(), err)
	}
	info.Notice = strings.Join(op.notices, "\n")
	return b, info, err
}

// request is the requested backend; "" for none.
func (o Options) request() string { return cmp.Or(o.Name, os.Getenv(compute.ConfigEnvVar)) }

func newOpener(o Options) *opener {
	return &opener{offline: o.Offline || offlineByEnv(), log: cmp.Or[io.Writer](o.Log, io.Discard), progress: o.Progress,
		failed: map[string]bool{}, install: installPlugin}
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

// openBest opens the fastest backend that is available.
func (op *opener) openBest() (compute.Backend, Info, error) {
	b, info, err := op.openXLA("")
	if err != nil {
		op.notice("using the pure Go backend, several times slower than XLA (%v); `ccp doctor` says what to do", err)
		return openConfig("go", nil)
	}
	return b, info, nil
}

// openXLA opens XLA for CUDA where there is a GPU. Without one, or if that fails, it opens XLA for the CPU.
func (op *opener) openXLA(options string) (compute.Backend, Info, error) {
	if installer.HasNvidiaGPU() {
		b, info, err := op.openKind("cuda", options)
		if err == nil {
			return b, info, nil
		}
		op.notice("the GPU stays idle: %v; trying XLA on the CPU", err)
	}
	return op.openKind("cpu", options)
}

// openRequest opens the backend of a configuration in GoMLX's format, NAME[:PLUGIN[,OPTION…]], or the best one for "".
func (op *opener) openRequest(request string) (compute.Backend, Info, error) {
	if request == "" {
		return op.openBest()
	}
	name, rest, _ := strings.Cut(request, ":")
	if !slices.Contains(compute.List(), name) {
		return nil, Info{}, errors.New("no such backend; there are go, xla, xla:cpu, xla:cuda and xla:/path/plugin.so")
	}
	if name == "go" {
		return openConfig(request, nil)
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

// openKind opens an installed plugin of a kind ("cpu", "cuda", …). Without an intact one, it installs one if downloads are
// allowed. It does not fetch an intact plugin that fails again: that would never end.
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
	if options != "" {
		config += "," + options
	}
	client := pjrt.NamedValuesMap{}
	if plugin.is("cpu") { // A step's results would be at hand a moment before its memory is free, and the next one could begin with as much again.
		client["asynchronous"] = false
	}
	if plugin.is("cuda") { // go-xla judges by the path: "cpu" anywhere in it would make it share host memory with the GPU.
		config += ",noshared_buffers"
	}
	b, info, err := openConfig(config, client)
	if err != nil {
		return nil, Info{}, err
	}
	loaded, err := pjrt.GetPlugin(plugin.Path)
	if err != nil {
		return nil, Info{}, err
	}
	kind, _, _ := strings.Cut(plugin.Name, "_v")
	major, minor := loaded.Version()
	info.Name, info.Plugin, info.Version = "xla:"+kind, plugin.Path, fmt.Sprintf("%d.%d", major, minor)
	return b, info, nil
}

// pureGo runs one operation after another, each on all cores. Its default runs operations side by side, and (compute
// v0.1.3) hangs when two large matrix products do: each takes a worker, and waits for another to be free.
const pureGo = "go:ops_sequential"

// openConfig opens the backend that a full GoMLX configuration names, XLA with options of its PJRT client. It returns a panic as an error.
func openConfig(config string, client pjrt.NamedValuesMap) (b compute.Backend, info Info, err error) {
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
	if rest, isXLA := strings.CutPrefix(config, "xla:"); isXLA {
		b, err = xla.NewWithOptions(rest, client)
	} else {
		b, err = compute.NewWithConfig(config)
	}
	if err != nil {
		return nil, Info{}, err
	}
	name, _, _ := strings.Cut(config, ":")
	return b, Info{Name: name, Devices: b.NumDevices()}, nil
}
