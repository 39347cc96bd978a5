package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

// JAX's packages of the CUDA plugin, and the one whose dependencies are NVIDIA's libraries that it needs.
const (
	cudaPlugin    = "jax-cuda13-pjrt"
	cudaLibraries = "jax-cuda13-plugin"
	jaxTeam       = "jax-dev@google.com"
)

// cuda installs the CUDA plugin and NVIDIA's libraries, all out of Python wheels, as go-xla's CudaInstall does: the folder
// nvidia holds them, and a few links tell NVIDIA's libraries where others lie. The folder appears when it is complete.
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
		" (GOMLX_BACKEND=xla:cpu or CCP_OFFLINE=1 does without)")
	return in.fetchCUDA()
}

// fetchCUDA is cuda on a machine that can have it.
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
		if err == nil {
			err = installer.ExtractDirFromZip(archive, "nvidia", work)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", library.Package, err)
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
		return fmt.Errorf("%s: %w", cudaPlugin, err)
	}
	if err := os.MkdirAll(filepath.Join(work, "bin"), 0o755); err != nil {
		return err
	}
	plugin := filepath.Join(work, "pjrt_c_api_cuda_plugin.so")
	if err := installer.ExtractFileFromZip(archive, "xla_cuda_plugin.so", plugin); err != nil {
		return fmt.Errorf("take the plugin out of %s: %w", cudaPlugin, err)
	}
	if err := checkIntact(plugin); err != nil {
		return err
	}
	if err := os.Symlink("../cu13/bin/ptxas", filepath.Join(work, "bin", "ptxas")); err != nil {
		return err
	}
	for _, name := range []string{"libcublasLt.so.13", "libcublas.so.13"} {
		link := filepath.Join(filepath.Dir(in.dir), name)
		if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := os.Symlink(filepath.Join(filepath.Base(in.dir), "nvidia", "cu13", "lib", name), link); err != nil {
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
		return "", errors.New("the package index has no version of it that fits")
	}
	return in.downloadRelease(*chosen, from)
}
