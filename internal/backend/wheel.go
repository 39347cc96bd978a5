package backend

import (
	"context"
	"fmt"
	"net/url"

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

// cpuWheel is what is installed where go-xla's release page cannot be had; docs/dependencies.md says why this one.
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
// does not tell the address of the answer.
func pypi(name string) (*installer.PipPackageInfo, *url.URL, error) {
	info := &installer.PipPackageInfo{}
	from, err := fetcher.JSON(context.Background(), "https://pypi.org/pypi/"+name+"/json", info)
	return info, from, err
}

// downloadRelease fetches a file that the index names. Behind a mirror its address can be relative to that of the answer.
func (in *install) downloadRelease(release installer.PipReleaseInfo, from *url.URL) (path string, err error) {
	address, err := url.Parse(release.URL)
	if err != nil {
		return "", fmt.Errorf("address of %s: %w", release.Filename, err)
	}
	return in.download(from.ResolveReference(address).String(), release.Filename, "sha256:"+release.Digests["sha256"])
}

// wheel installs the plugin of a wheel. Nothing appears under the plugin's name before it is complete and its wheel's
// checksum is right.
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
