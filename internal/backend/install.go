package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/gomlx/go-xla/installer"

	"github.com/clusterpool/ccp/internal/download"
)

// platform is the operating system and processor of this program, as "linux/amd64".
const platform = runtime.GOOS + "/" + runtime.GOARCH

const (
	lockName   = ".ccp-install.lock"  // In the install directory; the process that installs holds it.
	tempPrefix = ".ccp-install-part-" // Of unfinished files in the install directory; go-xla never looks at them.
)

// install carries one installation of a plugin into a directory.
type install struct {
	kind     string        // "cpu" or "cuda"
	dir      string        // of the plugins
	log      io.Writer     // for what was installed, and the wait for another process
	progress Progress      // of downloads; may be nil
	lockWait time.Duration // for another process that installs
	fetch    func(in *install) error
	fetcher  download.Fetcher
	index    index
}

// fetcher soon gives up on a server that does not answer, because the pure Go backend needs no server.
var fetcher = download.Fetcher{Stall: 15 * time.Second}

func installPlugin(op *opener, kind string) error {
	dir, err := installDir()
	if err != nil {
		return err
	}
	return (&install{
		kind: kind, dir: dir, log: op.log, progress: op.progress, lockWait: 15 * time.Minute,
		fetch: fetchOf(kind), fetcher: fetcher, index: pypi,
	}).run()
}

// fetchOf returns the way to get a kind of plugin on this platform, nil if there is none.
func fetchOf(kind string) func(in *install) error {
	switch w, ok := cpuWheels[platform]; {
	case kind == "cuda":
		return (*install).cuda
	case ok:
		return func(in *install) error { return in.wheel(w) }
	case releasePlatforms[platform]:
		return (*install).release
	}
	return nil
}

// run installs under the directory's lock. It accepts a plugin that another process has just installed.
func (in *install) run() error {
	if in.fetch == nil {
		return fmt.Errorf("no XLA plugin is published for %s", platform)
	}
	if err := os.MkdirAll(in.dir, 0o755); err != nil {
		return fmt.Errorf("cannot install XLA: %w; make the directory writable or set %s", err, pluginDirsEnv)
	}
	lock := flock.New(filepath.Join(in.dir, lockName)) // The system drops it when its holder dies.
	if err := in.take(lock); err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if _, err := findIntact(in.kind); err == nil {
		return nil
	}
	in.removeParts() // of an interrupted installation
	defer in.removeParts()
	return in.fetch(in)
}

// take takes the lock that keeps two processes from installing at once.
func (in *install) take(lock *flock.Flock) error {
	locked, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("cannot install XLA: lock %s: %w", lock.Path(), err)
	}
	if locked {
		return nil
	}
	_, _ = fmt.Fprintf(in.log, "another process is installing XLA; waiting for it (lock %s)\n", lock.Path())
	ctx, cancel := context.WithTimeout(context.Background(), in.lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return fmt.Errorf("lock %s is still held after %v; end the process that holds it", lock.Path(), in.lockWait)
	}
	return nil
}

// part returns the path of something unfinished.
func (in *install) part(name string) string { return filepath.Join(in.dir, tempPrefix+name) }

// removeParts deletes everything unfinished. Call it with the lock held.
func (in *install) removeParts() {
	parts, _ := filepath.Glob(in.part("*"))
	for _, part := range parts {
		_ = os.RemoveAll(part)
	}
}

// download fetches a file with a known sha256 to the path of a part, and returns this path.
func (in *install) download(address, name, sum string) (path string, err error) {
	fetcher := in.fetcher
	if in.progress != nil {
		fetcher.Progress = func(done, total int64) { in.progress(name, done, total) }
	}
	file := download.File{URL: address, Path: in.part(name), Sum: "sha256:" + sum, Temporary: true}
	return file.Path, fetcher.Fetch(context.Background(), file)
}

// place gives an unfinished plugin its name if the plugin is intact. checked says what its checksum was compared with.
func (in *install) place(part, name, origin, checked string) error {
	if err := os.Chmod(part, 0o755); err != nil {
		return err
	}
	if err := checkIntact(part); err != nil {
		return err
	}
	target := filepath.Join(in.dir, name)
	if err := os.Rename(part, target); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(in.log, "installed XLA for the CPU (%s, sha256 %s): %s\n", origin, checked, target)
	return nil
}

// wheel is a Python package with an XLA plugin for the CPU, pinned to one file.
type wheel struct {
	Package string
	Version string
	SHA256  string // Of the wheel.
	Member  string // The plugin inside the wheel.
}

// cpuWheels lists the wheel of each platform that has one; docs/dependencies.md says why these.
var cpuWheels = map[string]wheel{
	"linux/amd64": {
		Package: "lammps-jax-pjrt-cpu", Version: "0.11.2",
		SHA256: "1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
		Member: "lammps_jax_pjrt_cpu/" + cpuPlugin,
	},
	"linux/arm64": {
		Package: "xla-cpu-pjrt", Version: "0.0.1",
		SHA256: "8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9",
		Member: "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
	},
}

// cpuPlugin is go-xla's name for the file of the CPU plugin.
const cpuPlugin = "pjrt_c_api_cpu_plugin.so"

// index asks a Python package index for a package. It also returns the address of the answer.
type index func(name string) (info *installer.PipPackageInfo, from *url.URL, err error)

// pypi asks the public index or its mirror. go-xla's GetPipInfo would wait for ever for a server that does not
// answer, and hides the address of the answer.
func pypi(name string) (*installer.PipPackageInfo, *url.URL, error) {
	info := &installer.PipPackageInfo{}
	from, err := fetcher.JSON(context.Background(), "https://pypi.org/pypi/"+name+"/json", info)
	return info, from, err
}

// downloadWheel fetches a file of the index. If the index is a mirror, the file's address can be relative to the
// answer's.
func (in *install) downloadWheel(release installer.PipReleaseInfo, from *url.URL) (path string, err error) {
	address, err := url.Parse(release.URL)
	if err != nil {
		return "", fmt.Errorf("address of %s: %w", release.Filename, err)
	}
	return in.download(from.ResolveReference(address).String(), release.Filename, release.Digests["sha256"])
}

func (in *install) wheel(w wheel) error {
	info, from, err := in.index(w.Package)
	if err != nil {
		return err
	}
	for _, release := range info.Releases[w.Version] {
		if release.Digests["sha256"] != w.SHA256 {
			continue
		}
		archive, err := in.downloadWheel(release, from)
		if err != nil {
			return err
		}
		plugin := in.part(cpuPlugin)
		if err := installer.ExtractFileFromZip(archive, w.Member, plugin); err != nil {
			return fmt.Errorf("take %s out of the wheel: %w", w.Member, err)
		}
		return in.place(plugin, cpuPlugin, w.Package+" "+w.Version, "as pinned")
	}
	return fmt.Errorf("the package index has no file of %s, version %s, with sha256 %s", w.Package, w.Version, w.SHA256)
}

// releaseVersion is the version of the CPU plugin that go-xla v0.4.2 was tested with. go-xla names it too, but in a
// package that needs cgo.
const releaseVersion = "v0.114.0"

// releasePlatforms are the platforms whose CPU plugin only go-xla's release page has.
var releasePlatforms = map[string]bool{"darwin/arm64": true, "windows/amd64": true}

// release installs the CPU plugin from go-xla's release page. It compares the file with the sha256 that the page gives.
func (in *install) release() error {
	page := "https://api.github.com/repos/" + installer.BinaryCPUReleasesRepo + "/releases/tags/" + releaseVersion
	var answer struct {
		Assets []struct {
			Name   string `json:"name"`
			URL    string `json:"browser_download_url"`
			Digest string `json:"digest"`
		} `json:"assets"`
	}
	if _, err := in.fetcher.JSON(context.Background(), page, &answer); err != nil {
		return err
	}
	for _, asset := range answer.Assets {
		ending, ours := strings.CutPrefix(asset.Name, fmt.Sprintf("pjrt_cpu_%s_%s.", runtime.GOOS, runtime.GOARCH))
		if !ours || ending != "tar.gz" && ending != "zip" {
			continue
		}
		unpack := installer.Untar
		if ending == "zip" {
			unpack = installer.Unzip
		}
		sum, known := strings.CutPrefix(asset.Digest, "sha256:")
		if !known {
			return fmt.Errorf("the release page gives no sha256 of %s; get the file in another way and unpack it in %s",
				asset.Name, in.dir)
		}
		archive, err := in.download(asset.URL, asset.Name, sum)
		if err != nil {
			return err
		}
		folder := in.part("release")
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		files, err := unpack(archive, folder)
		if err != nil {
			return fmt.Errorf("unpack %s: %w", asset.Name, err)
		}
		for _, file := range files {
			if base := filepath.Base(file); nameOfPath(base) != base {
				return in.place(file, base, "go-xla's release "+releaseVersion, "as the release page says, not pinned")
			}
		}
		return fmt.Errorf("there is no plugin in %s", asset.Name)
	}
	return fmt.Errorf("go-xla's release %s has no file for %s", releaseVersion, platform)
}

// JAX's packages: the CUDA plugin, and a package that depends on the NVIDIA libraries that the plugin needs.
const (
	cudaPlugin    = "jax-cuda13-pjrt"
	cudaLibraries = "jax-cuda13-plugin"
	jaxTeam       = "jax-dev@google.com"
)

// cuda installs the CUDA plugin and NVIDIA's libraries from Python wheels into the folder nvidia, as go-xla's
// CudaInstall does. Links show the libraries at the places where NVIDIA's tools look. The folder appears when it is
// complete.
func (in *install) cuda() error {
	if platform != "linux/amd64" {
		return errors.New("the CUDA plugin is published for linux/amd64 only")
	}
	if !installer.HasNvidiaGPU() {
		return errors.New("no NVIDIA GPU found")
	}
	if os.Getenv(pluginDirsEnv) != "" { // The libraries are found by links beside go-xla's own directory only.
		return fmt.Errorf("the CUDA plugin goes into go-xla's directory, but %s points elsewhere; unset it", pluginDirsEnv)
	}
	_, _ = fmt.Fprintln(in.log, "installing XLA for CUDA with NVIDIA's libraries, several GB, once "+
		"(GOMLX_BACKEND=xla:cpu or CCP_OFFLINE=1 avoids it)")
	return in.fetchCUDA()
}

// fetchCUDA does what cuda does, without the checks of the machine.
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
		return fmt.Errorf("package %s is of %q, not of the JAX team (%s); do not trust it",
			cudaPlugin, info.Info.AuthorEmail, jaxTeam)
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
	if err := errors.Join(os.RemoveAll(target), os.Rename(work, target)); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(in.log, "installed XLA for CUDA (%s %s and NVIDIA's libraries; "+
		"each sha256 as the package index says, not pinned): %s\n", cudaPlugin, info.Info.Version, target)
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
	return in.downloadWheel(*chosen, from)
}
