package backend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gomlx/go-xla/installer"

	"github.com/clusterpool/ccp/internal/download"
	"github.com/clusterpool/ccp/internal/files"
)

// platform is the operating system and processor of this program, as "linux/amd64".
const platform = runtime.GOOS + "/" + runtime.GOARCH

// cpuPlugin is go-xla's name for the file of the CPU plugin.
const cpuPlugin = "pjrt_c_api_cpu_plugin.so"

// lockName is a file in the install directory. The process that installs holds its lock.
const lockName = ".ccp-install.lock"

// wheel is a Python package with an XLA plugin for the CPU, pinned to one file.
type wheel struct {
	url    string
	sum    string // "sha256:HEX" of the wheel
	member string // the plugin inside the wheel
}

// cpuWheels lists the wheel of each platform that has one; docs/dependencies.md says why these. go-xla installs the
// plugin of the platforms in installer.CPUSupportedPlatforms that have none.
var cpuWheels = map[string]wheel{
	"linux/amd64": {
		url: "https://files.pythonhosted.org/packages/e5/90/" +
			"f04e5ea9e56f01965b4cd56bc3cf4801a563cd47b74d4ded5780f19c3a7c/" +
			"lammps_jax_pjrt_cpu-0.11.2-py3-none-manylinux_2_27_x86_64.whl",
		sum:    "sha256:1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
		member: "lammps_jax_pjrt_cpu/" + cpuPlugin,
	},
	"linux/arm64": {
		url: "https://files.pythonhosted.org/packages/c9/2d/" +
			"2c6703356beded886d95f9e37adb49aeca7b21e7617f2ff59893f038f61e/" +
			"xla_cpu_pjrt-0.0.1-py3-none-manylinux_2_27_aarch64.whl",
		sum:    "sha256:8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9",
		member: "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
	},
}

// installCUDA installs the CUDA plugin and NVIDIA's libraries into a directory, by go-xla's installer. It is nil on
// platforms without them.
var installCUDA func(dir string) error

// sourceOf returns the function that installs a kind of plugin, "cpu" or "cuda", on this platform. It returns nil if
// nobody publishes such a plugin.
func sourceOf(kind string) func(op *opener, dir string) error {
	w, pinned := cpuWheels[platform]
	switch {
	case kind == "cuda" && installCUDA != nil:
		return cuda
	case kind != "cpu":
		return nil
	case pinned:
		return w.install
	case slices.Contains(installer.CPUSupportedPlatforms, runtime.GOOS+"_"+runtime.GOARCH):
		return func(op *opener, dir string) error {
			return op.byGoXLA("the CPU", dir, func() error { return installer.CPUAutoInstall(dir, true, installer.Quiet) })
		}
	}
	return nil
}

// installPlugin installs a kind of plugin into the install directory, under the directory's lock. It accepts a plugin
// that another process has just installed.
func installPlugin(op *opener, kind string) error {
	install := sourceOf(kind)
	if install == nil {
		return fmt.Errorf("no XLA plugin %q is published for %s", kind, platform)
	}
	dir, err := installDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("cannot install XLA: %w; make the directory writable or set %s", err, pluginDirsEnv)
	}
	unlock, err := op.takeTurn(filepath.Join(dir, lockName))
	if err != nil {
		return err
	}
	defer unlock(false)
	if _, err := findIntact(kind); err == nil {
		return nil
	}
	return install(op, dir)
}

// takeTurn takes the lock that keeps two processes from installing at once. It waits for the other one, but not for
// ever.
func (op *opener) takeTurn(path string) (unlock func(remove bool), err error) {
	const pause = 100 * time.Millisecond
	announced := false
	for deadline := time.Now().Add(op.lockWait); ; time.Sleep(pause) {
		unlock, err = files.Lock(path)
		switch {
		case err == nil:
			return unlock, nil
		case !errors.Is(err, files.ErrLocked):
			return nil, fmt.Errorf("cannot install XLA: %w", err)
		case time.Now().After(deadline):
			return nil, fmt.Errorf("lock %s is still held after %v; end the process that holds it", path, op.lockWait)
		case !announced:
			announced = true
			op.notice("another process is installing XLA; waiting for it (lock %s)", path)
		}
	}
}

// install fetches the wheel into dir and takes the plugin out. An interrupted download goes on the next time. The
// plugin gets its name when it is complete and intact.
func (w wheel) install(op *opener, dir string) error {
	archive := filepath.Join(dir, path.Base(w.url))
	fetcher := op.fetcher
	if op.Progress != nil {
		fetcher.Progress = func(done, total int64) { op.Progress(filepath.Base(archive), done, total) }
	}
	file := download.File{URL: w.url, Path: archive, Sum: w.sum}
	if err := fetcher.Fetch(context.Background(), file); err != nil {
		return err
	}
	target := filepath.Join(dir, cpuPlugin)
	part := target + ".part"
	defer func() { _ = os.Remove(part) }() // of no effect once renamed
	if err := installer.ExtractFileFromZip(archive, w.member, part); err != nil {
		return fmt.Errorf("take %s out of %s: %w", w.member, archive, err)
	}
	if err := errors.Join(checkIntact(part), files.Sync(part)); err != nil {
		return err
	}
	if err := errors.Join(files.Rename(part, target), os.Remove(archive)); err != nil {
		return err
	}
	op.notice("installed XLA for the CPU (sha256 as pinned): %s", target)
	return nil
}

// cuda installs the plugin for CUDA by go-xla's installer, if there is a GPU for it.
func cuda(op *opener, dir string) error {
	if !installer.HasNvidiaGPU() {
		return errors.New("no NVIDIA GPU found")
	}
	if os.Getenv(pluginDirsEnv) != "" { // The libraries are found by links beside go-xla's own directory only.
		return fmt.Errorf("the CUDA plugin goes into go-xla's directory, but %s points elsewhere; unset it", pluginDirsEnv)
	}
	op.notice("installing XLA for CUDA with NVIDIA's libraries, several GB, once " +
		"(GOMLX_BACKEND=xla:cpu or CCP_OFFLINE=1 avoids it)")
	return op.byGoXLA("CUDA", dir, func() error { return installCUDA(dir) })
}

// byGoXLA runs a function of go-xla's installer, which prints a line to os.Stdout.
func (op *opener) byGoXLA(device, dir string, install func() error) error {
	if err := install(); err != nil {
		return err
	}
	op.notice("installed XLA for %s by go-xla's installer (sha256 not pinned): %s", device, dir)
	return nil
}
