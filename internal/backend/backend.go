// Package backend opens the computation backend: XLA if its plugin is installed or can be installed, else pure Go.
//
// If Options.Name or GOMLX_BACKEND asks for a backend, [Open] opens this one or returns an error. Else it takes the
// first that works:
//
//  1. XLA with an installed plugin, for CUDA if there is an NVIDIA GPU, else for the CPU;
//  2. XLA with a plugin that Open installs, if Options.Install is set;
//  3. GoMLX's pure Go backend, with a notice that says why.
//
// Without Options.Install, and with CCP_OFFLINE=1 or GOMLX_NO_AUTO_INSTALL, Open downloads nothing. A program that
// was built without cgo has the pure Go backend only. [Doctor] reports what is available and what to do.
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
	"sync"
	"time"

	"github.com/clusterpool/ccp/internal/download"
	"github.com/clusterpool/ccp/internal/params"
	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // Registers "go".
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/gomlx/support/xslices"
)

// Environment variables. Setting offlineEnv to 1, or noInstallEnv to anything, forbids downloads. pluginDirsEnv lists
// the directories of plugins instead of the usual ones. go-xla has the latter two.
const (
	offlineEnv    = "CCP_OFFLINE"
	noInstallEnv  = "GOMLX_NO_AUTO_INSTALL"
	pluginDirsEnv = "PJRT_PLUGIN_LIBRARY_PATH"
)

// Options of [Open] and [Doctor]. The zero value opens the best installed backend; it downloads nothing and prints
// nothing.
type Options struct {
	// Name overrides GOMLX_BACKEND if it is not empty: "go", "xla", "xla:cpu", "xla:cuda", "xla:/path/plugin.so".
	Name string
	// Install allows the download of a missing XLA plugin.
	Install bool
	// Log receives notices, usually os.Stderr. Nil discards them.
	Log io.Writer
	// Progress receives the number of bytes of a file that have arrived; total is negative if the size is unknown. It may
	// be nil.
	Progress func(name string, done, total int64)
}

// Info describes an opened backend.
type Info struct {
	Name    string `json:"name"`              // "go", "xla:cpu", "xla:cuda" or "xla:" and another plugin's name.
	Plugin  string `json:"plugin,omitempty"`  // Path of the XLA plugin; empty for pure Go.
	Version string `json:"version,omitempty"` // Version of the plugin's PJRT API, as "0.81"; empty for pure Go.
	Devices int    `json:"devices"`           // Number of devices.
}

type opener struct {
	Options
	offline  bool
	fetcher  download.Fetcher
	lockWait time.Duration                       // for another process that installs
	install  func(op *opener, kind string) error // installPlugin, replaced in tests
}

// Open opens a backend; the package's documentation says which. If neither Options.Name nor GOMLX_BACKEND asks for
// one, Open always finds one, and reports what failed as notices. If a request fails, the error lists what is
// available.
func Open(o Options) (compute.Backend, Info, error) {
	op := newOpener(o)
	b, info, err := op.openRequest(o.request())
	switch {
	case err == nil:
	case o.Name == "":
		err = fmt.Errorf("%s=%s: %w", compute.ConfigEnvVar, o.request(), err)
	default:
		err = params.Errorf("backend", o.Name, "%w", err)
	}
	return b, info, err
}

// shared holds the backends that Shared opened, by their requests.
var shared = struct {
	sync.Mutex
	by map[string]compute.Backend
}{by: map[string]compute.Backend{}}

// Shared opens a backend by its name, or the best that is installed for "", once for the whole process: programs are
// compiled once on it.
func Shared(name string) (b compute.Backend, err error) {
	o := Options{Name: name}
	shared.Lock()
	defer shared.Unlock()
	b = shared.by[o.request()]
	if b == nil {
		b, _, err = Open(o)
		if err == nil {
			shared.by[o.request()] = b
		}
	}
	return b, err
}

func (o Options) request() string { return cmp.Or(o.Name, os.Getenv(compute.ConfigEnvVar)) }

func newOpener(o Options) *opener {
	o.Log = cmp.Or[io.Writer](o.Log, io.Discard)
	return &opener{Options: o, offline: !o.Install || offlineByEnv(), lockWait: 15 * time.Minute,
		fetcher: download.Fetcher{Stall: 15 * time.Second}, // soon gives up: the pure Go backend needs no server
		install: installPlugin}
}

// offlineByEnv reports whether the environment forbids to install plugins.
func offlineByEnv() bool {
	if _, set := os.LookupEnv(noInstallEnv); set {
		return true
	}
	return Offline()
}

// Offline reports whether CCP_OFFLINE forbids all downloads: any value but 0 and false does.
func Offline() bool {
	value := os.Getenv(offlineEnv)
	off, err := strconv.ParseBool(value)
	return off || (err != nil && value != "")
}

func (op *opener) notice(format string, args ...any) {
	_, _ = fmt.Fprintf(op.Log, format+"\n", args...)
}

// ErrUnknown says that a backend has another name than those there are.
var ErrUnknown = errors.New("no such backend; there are go, xla, xla:cpu, xla:cuda and xla:/path/plugin.so")

// openRequest opens what a configuration in GoMLX's format, NAME[:PLUGIN[,OPTION…]], asks for, or the best backend
// for "".
func (op *opener) openRequest(request string) (compute.Backend, Info, error) {
	name, rest, _ := strings.Cut(request, ":")
	kind, options, _ := strings.Cut(rest, ",")
	switch {
	case request == "":
		return op.openBest()
	case name == "go":
		return openGo(rest)
	case name != "xla":
		return nil, Info{}, ErrUnknown
	case errNoXLA != nil:
		return nil, Info{}, errNoXLA
	case strings.ContainsAny(kind, `/\`):
		path, err := filepath.Abs(kind)
		if err != nil {
			return nil, Info{}, err
		}
		return openPlugin(plugin(path), options)
	case kind != "":
		return op.openKind(kind, options)
	}
	return op.openXLA(options)
}

// openBest opens the best XLA that can be had and, where there is none, pure Go, of which a notice tells.
func (op *opener) openBest() (b compute.Backend, info Info, err error) {
	err = errNoXLA
	if err == nil {
		b, info, err = op.openXLA("")
	}
	if err != nil {
		op.notice("using the pure Go backend, several times slower than XLA (%v); `ccp doctor` says what to do", err)
		return openGo("")
	}
	return b, info, nil
}

// openXLA opens XLA for CUDA if there is a GPU. Without one, or if that fails, it opens XLA for the CPU.
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

// openKind opens the first intact plugin of a kind ("cpu", "cuda", …). If none is intact and downloads are allowed,
// it installs one. It does not install again what is intact and fails: that would never end.
func (op *opener) openKind(kind, options string) (compute.Backend, Info, error) {
	found, err := findIntact(kind)
	if err != nil && (kind == "cpu" || kind == "cuda") {
		if op.offline {
			return nil, Info{}, fmt.Errorf("%w, and downloads are off", err)
		}
		if installErr := op.install(op, kind); installErr != nil {
			return nil, Info{}, oneLine(err, installErr)
		}
		found, err = findIntact(kind)
	}
	if err != nil {
		return nil, Info{}, err
	}
	return openPlugin(found, options)
}

// openGo opens the pure Go backend with options in GoMLX's format.
//
// Without options it runs one operation after another, each on all cores. The backend's own default runs operations
// side by side. In compute v0.1.3 this hangs if two large matrix products each hold a worker and wait for another
// one.
func openGo(options string) (b compute.Backend, info Info, err error) {
	defer recovered(&err)
	b, err = compute.NewWithConfig("go:" + cmp.Or(options, "ops_sequential"))
	if err != nil {
		return nil, Info{}, err
	}
	return b, Info{Name: "go", Devices: b.NumDevices()}, nil
}

// recovered makes an error of a panic. Call it by defer.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("%v", cause)
	}
}

// oneLine joins errors by semicolons, because a notice is one line.
func oneLine(failures ...error) error {
	texts := xslices.Map(failures, func(err error) string { return strings.Join(strings.Fields(err.Error()), " ") })
	return errors.New(strings.Join(texts, "; "))
}

// IsOutOfMemory reports whether err comes from a device without free memory.
func IsOutOfMemory(err error) bool {
	signs := []string{"RESOURCE_EXHAUSTED", "PJRT error (code=8)", "Out of memory", "out of memory"}
	return err != nil && slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(err.Error(), sign) })
}
