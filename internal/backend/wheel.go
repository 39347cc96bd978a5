package backend

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// wheel is a Python package with an XLA CPU plugin, pinned to one file.
type wheel struct {
	Package  string
	Version  string
	Platform string // GOOS/GOARCH.
	SHA256   string // Of the wheel.
	Member   string // The plugin inside the wheel.
}

// cpuWheel is installed where go-xla's release page is unavailable; docs/dependencies.md says why this one.
var cpuWheel = wheel{
	Package:  "lammps-jax-pjrt-cpu",
	Version:  "0.11.2",
	Platform: "linux/amd64",
	SHA256:   "1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
	Member:   "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
}

// wheelPlugin is the file that a wheel's plugin is installed as: go-xla's plain name of the CPU plugin.
const wheelPlugin = "pjrt_c_api_cpu_plugin.so"

// index asks a Python package index for a package. It also returns the address of the answer.
type index func(name string) (info *installer.PipPackageInfo, from *url.URL, err error)

// pypi is the public index, or its mirror. go-xla's GetPipInfo would wait for ever for a server that does not answer, and
// hides the address of the answer.
func pypi(name string) (*installer.PipPackageInfo, *url.URL, error) {
	info := &installer.PipPackageInfo{}
	from, err := fetcher.JSON(context.Background(), "https://pypi.org/pypi/"+name+"/json", info)
	return info, from, err
}

// downloadRelease fetches a file of the index. Behind a mirror its address can be relative to that of the answer.
func (in *install) downloadRelease(release installer.PipReleaseInfo, from *url.URL) (path string, err error) {
	address, err := url.Parse(release.URL)
	if err != nil {
		return "", fmt.Errorf("address of %s: %w", release.Filename, err)
	}
	return in.download(from.ResolveReference(address).String(), release.Filename, "sha256:"+release.Digests["sha256"])
}

// wheel installs the plugin of a wheel.
func (in *install) wheel(w wheel) error {
	info, from, err := in.index(w.Package)
	if err != nil {
		return err
	}
	for _, release := range info.Releases[w.Version] {
		if release.Digests["sha256"] != w.SHA256 {
			continue
		}
		archive, err := in.downloadRelease(release, from)
		if err != nil {
			return err
		}
		plugin := in.part(wheelPlugin)
		if err := installer.ExtractFileFromZip(archive, w.Member, plugin); err != nil {
			return fmt.Errorf("take %s out of the wheel: %w", w.Member, err)
		}
		return in.place(plugin, wheelPlugin, w.Package+" "+w.Version)
	}
	return fmt.Errorf("version %s has no file with sha256 %s in the package index", w.Version, w.SHA256)
}

// JAX's packages of the CUDA plugin, and the one whose dependencies are NVIDIA's libraries that it needs.
const (
	cudaPlugin    = "jax-cuda13-pjrt"
	cudaLibraries = "jax-cuda13-plugin"
	jaxTeam       = "jax-dev@google.com"
)

// cuda installs the CUDA plugin and NVIDIA's libraries from Python wheels, as go-xla's CudaInstall does: they go into the folder
// nvidia, and links show NVIDIA's libraries where others lie. The folder appears when it is complete.
func (in *install) cuda() error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return errors.New("the CUDA plugin is published for linux/amd64 only")
	}
	if !installer.HasNvidiaGPU() {
		return errors.New("no NVIDIA GPU found")
	}
	if os.Getenv(pjrt.PJRTPluginPathsEnv) != "" {
		// The libraries are found by links beside go-xla's own directory: no other one works.
		return fmt.Errorf("the CUDA plugin goes into go-xla's own directory, but %s points elsewhere; unset it",
			pjrt.PJRTPluginPathsEnv)
	}
	_, _ = fmt.Fprintln(in.log, "installing XLA for CUDA with NVIDIA's libraries, several GB, once"+
		" (GOMLX_BACKEND=xla:cpu or CCP_OFFLINE=1 avoids it)")
	return in.fetchCUDA()
}

// fetchCUDA is cuda without the checks of the machine.
func (in *install) fetchCUDA() error {
	work := in.part("nvidia")
	info, _, err := in.index(cudaLibraries)
	if err != nil {
		return err
	}
	libraries, err := info.ParseDependencies()
	if err != nil {
		return fmt.Errorf("%s: %w", cudaLibraries, err)
	}
	for _, library := range libraries {
		if !strings.HasPrefix(library.Package, "nvidia") {
			continue
		}
		archive, err := in.newest(library)
		if err != nil {
			return err
		}
		if err := installer.ExtractDirFromZip(archive, "nvidia", work); err != nil {
			return fmt.Errorf("unpack %s: %w", library.Package, err)
		}
		_ = os.Remove(archive) // hundreds of megabytes each
	}
	if info, _, err = in.index(cudaPlugin); err != nil {
		return err
	}
	if info.Info.AuthorEmail != jaxTeam {
		return fmt.Errorf("package %s is of %q, not of the JAX team (%s); it is not to be trusted", cudaPlugin, info.Info.AuthorEmail, jaxTeam)
	}
	archive, err := in.newest(installer.PipDependency{Package: cudaPlugin, Exact: info.Info.Version})
	if err != nil {
		return err
	}
	plugin := filepath.Join(work, "pjrt_c_api_cuda_plugin.so")
	if err := installer.ExtractFileFromZip(archive, "xla_cuda_plugin.so", plugin); err != nil {
		return fmt.Errorf("take the plugin out of %s: %w", cudaPlugin, err)
	}
	if err := checkIntact(plugin); err != nil {
		return err
	}
	libs := filepath.Join(filepath.Base(in.dir), "nvidia", "cu13", "lib")
	for link, to := range map[string]string{
		filepath.Join(work, "bin", "ptxas"):                      "../cu13/bin/ptxas",
		filepath.Join(filepath.Dir(in.dir), "libcublas.so.13"):   filepath.Join(libs, "libcublas.so.13"),
		filepath.Join(filepath.Dir(in.dir), "libcublasLt.so.13"): filepath.Join(libs, "libcublasLt.so.13"),
	} {
		_ = os.Remove(link) // of an earlier installation
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(to, link)); err != nil {
			return err
		}
	}
	target := filepath.Join(in.dir, "nvidia")
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	if err := os.Rename(work, target); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(in.log, "installed XLA for CUDA (%s %s): %s\n", cudaPlugin, info.Info.Version, target)
	return nil
}

// newest downloads the newest wheel of a package for this platform that a dependency allows.
func (in *install) newest(d installer.PipDependency) (path string, err error) {
	info, from, err := in.index(d.Package)
	if err != nil {
		return "", err
	}
	var newest string
	var chosen *installer.PipReleaseInfo
	for version, releases := range info.Releases {
		if !d.IsValid(version) || newest != "" && installer.PipCompareVersion(version, newest) <= 0 {
			continue
		}
		if release, err := installer.PipSelectRelease(releases, installer.PipPackageLinuxAMD64(), false); err == nil {
			newest, chosen = version, release
		}
	}
	if chosen == nil {
		return "", fmt.Errorf("the package index has no version of %s that fits", d.Package)
	}
	return in.downloadRelease(*chosen, from)
}
