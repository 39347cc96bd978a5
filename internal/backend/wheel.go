package backend

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gomlx/go-xla/installer"
)

// wheel is a Python package that holds an XLA CPU plugin, pinned to one file.
type wheel struct {
	Package  string
	Version  string
	Platform string // GOOS/GOARCH.
	SHA256   string // Of the wheel.
	Member   string // The plugin inside the wheel.
}

// cpuWheel is the package of wheels that is installed: the one with the newer XLA, whose products and reductions are
// faster (docs/performance.md has the figures). The other is OpenXLA's own.
const cpuWheel = "lammps-jax-pjrt-cpu"

var wheels = []wheel{{
	Package:  "xla-cpu-pjrt",
	Version:  "0.0.1",
	Platform: "linux/amd64",
	SHA256:   "55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc",
	Member:   "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
}, {
	Package:  "lammps-jax-pjrt-cpu",
	Version:  "0.11.2",
	Platform: "linux/amd64",
	SHA256:   "1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
	Member:   "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
}}

// wheelPlugin is the file that a wheel's plugin is installed as: go-xla's plain name of the CPU plugin.
const wheelPlugin = "pjrt_c_api_cpu_plugin.so"

// preferredWheel is the wheel to install on this platform, if there is one.
func preferredWheel() (wheel, bool) {
	for _, w := range wheels {
		if w.Package == cpuWheel && w.Platform == runtime.GOOS+"/"+runtime.GOARCH {
			return w, true
		}
	}
	return wheel{}, false
}

// lookup asks the Python index for a package; base is the address of the answer.
type lookup func(name string, log io.Writer) (info *installer.PipPackageInfo, base *url.URL, err error)

// lookupPackage is the lookup by go-xla's installer.
func lookupPackage(name string, log io.Writer) (info *installer.PipPackageInfo, base *url.URL, err error) {
	err = withGuardedClient(log, func(g *guard) error {
		if info, err = installer.GetPipInfo(name); err != nil {
			return err
		}
		base = g.lastURL()
		return nil
	})
	return info, base, err
}

// install downloads the wheel into dir and puts its plugin there. Nothing appears under the plugin's name before it is
// complete and its wheel's checksum is right. Call it with the directory's lock held.
func (w wheel) install(dir string, log io.Writer, find lookup) error {
	info, base, err := find(w.Package, log)
	if err != nil {
		return err
	}
	address, err := w.address(info, base)
	if err != nil {
		return err
	}
	archive, err := os.CreateTemp(dir, tempPrefix+"*.whl")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(archive.Name()) }()
	err = w.download(address, archive, log)
	if closeErr := archive.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	plugin := filepath.Join(dir, tempPrefix+wheelPlugin)
	defer func() { _ = os.Remove(plugin) }() // Fails after the rename below, as it should.
	if err := installer.ExtractFileFromZip(archive.Name(), w.Member, plugin); err != nil {
		return fmt.Errorf("take %s out of the wheel: %w", w.Member, err)
	}
	if err := os.Chmod(plugin, 0o755); err != nil {
		return err
	}
	if err := checkIntact(plugin); err != nil {
		return err
	}
	target := filepath.Join(dir, wheelPlugin)
	if err := os.Rename(plugin, target); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(log, "installed XLA for the CPU (%s %s): %s\n", w.Package, w.Version, target)
	return nil
}

// address finds the pinned file in the index's answer. Behind a mirror it can be relative to the answer's own address.
func (w wheel) address(info *installer.PipPackageInfo, base *url.URL) (string, error) {
	for _, file := range info.Releases[w.Version] {
		if file.Digests["sha256"] != w.SHA256 {
			continue
		}
		address, err := url.Parse(file.URL)
		if err != nil {
			return "", fmt.Errorf("address of %s: %w", file.Filename, err)
		}
		if base != nil {
			address = base.ResolveReference(address)
		}
		return address.String(), nil
	}
	return "", fmt.Errorf("version %s has no file with sha256 %s in the package index", w.Version, w.SHA256)
}

// download writes the wheel at an address into file and checks it.
func (w wheel) download(address string, file *os.File, log io.Writer) error {
	response, err := (&http.Client{Transport: newGuard(log)}).Get(address)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), response.Body)
	if err != nil {
		return fmt.Errorf("download stopped after %d bytes: %w", size, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != w.SHA256 {
		return fmt.Errorf("the %d bytes downloaded have sha256 %s, not the pinned %s; nothing was installed",
			size, got, w.SHA256)
	}
	return nil
}
