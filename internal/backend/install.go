package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/download"
	"github.com/gofrs/flock"
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
)

const (
	lockName   = ".ccp-install.lock"  // In the install directory; held by the process that installs.
	tempPrefix = ".ccp-install-part-" // Of unfinished files in the install directory; go-xla never looks at them.
)

// install carries one installation of a plugin into a directory.
type install struct {
	kind     string        // "cpu" or "cuda"
	dir      string        // of the plugins
	log      io.Writer     // for what was installed, and the wait for another process
	progress Progress      // of downloads; may be nil
	lockWait time.Duration // for another process that installs
	sources  []source      // tried in turn
	usable   func(path string) bool
	fetcher  download.Fetcher
	index    index
}

// fetcher soon gives up on a server that does not answer: there may be another source, and the pure Go backend needs none.
var fetcher = download.Fetcher{Stall: 15 * time.Second}

// source is one way to get a plugin.
type source struct {
	name  string
	fetch func(in *install) error
}

// installPlugin fetches a plugin of a kind.
func installPlugin(op *opener, kind string) error {
	dir, err := installDir()
	if err != nil {
		return err
	}
	return (&install{
		kind: kind, dir: dir, log: op.log, progress: op.progress, lockWait: 15 * time.Minute, sources: sourcesOf(kind), fetcher: fetcher, index: pypi,
		usable: func(path string) bool { return !op.failed[path] && checkIntact(path) == nil },
	}).run()
}

// sourcesOf lists where a kind of plugin can come from on this platform, the preferred one first.
func sourcesOf(kind string) (sources []source) {
	if kind == "cuda" {
		return []source{{"JAX's CUDA packages", (*install).cuda}}
	}
	if slices.Contains(installer.CPUSupportedPlatforms, runtime.GOOS+"_"+runtime.GOARCH) {
		sources = append(sources, source{"go-xla's release page", (*install).release})
	}
	if cpuWheel.Platform == runtime.GOOS+"/"+runtime.GOARCH {
		sources = append(sources, source{"Python package " + cpuWheel.Package, func(in *install) error { return in.wheel(cpuWheel) }})
	}
	return sources
}

// run installs under the directory's lock. It accepts a plugin that another process has just installed.
func (in *install) run() error {
	if len(in.sources) == 0 {
		return fmt.Errorf("no XLA plugin is published for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if err := os.MkdirAll(in.dir, 0o755); err != nil {
		return fmt.Errorf("cannot install XLA: %w; make the directory writable or set %s", err, pjrt.PJRTPluginPathsEnv)
	}
	lock := flock.New(filepath.Join(in.dir, lockName)) // The system drops it when its holder dies.
	if err := in.take(lock); err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	for _, plugin := range findPlugins() {
		if plugin.is(in.kind) && in.usable(plugin.Path) {
			return nil
		}
	}
	in.removeParts() // of an interrupted installation
	var failures []error
	for _, source := range in.sources {
		err := source.fetch(in)
		in.removeParts()
		if err == nil {
			return nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", source.name, err))
	}
	return oneLine(failures)
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

// part is the path of something unfinished.
func (in *install) part(name string) string { return filepath.Join(in.dir, tempPrefix+name) }

// removeParts deletes everything unfinished. Call it with the lock held.
func (in *install) removeParts() {
	parts, _ := filepath.Glob(in.part("*"))
	for _, part := range parts {
		_ = os.RemoveAll(part)
	}
}

// download fetches a file and returns its path, which is that of a part.
func (in *install) download(address, name, sum string) (path string, err error) {
	fetcher := in.fetcher
	if in.progress != nil {
		fetcher.Progress = func(done, total int64) { in.progress(name, done, total) }
	}
	path = in.part(name)
	return path, fetcher.Fetch(context.Background(), download.File{URL: address, Path: path, Sum: sum, Temporary: true})
}

// place gives an unfinished plugin its name if it is intact.
func (in *install) place(part, name, origin string) error {
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
	_, _ = fmt.Fprintf(in.log, "installed XLA for the %s (%s): %s\n", strings.ToUpper(in.kind), origin, target)
	return nil
}

// release installs the CPU plugin that this version of go-xla was tested with, from go-xla's release page.
func (in *install) release() error {
	page := "https://api.github.com/repos/" + installer.BinaryCPUReleasesRepo + "/releases/tags/" + pjrt.DefaultCPUVersion
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
		unpack := map[string]func(archive, folder string) ([]string, error){"tar.gz": installer.Untar, "zip": installer.Unzip}[ending]
		if !ours || unpack == nil {
			continue
		}
		archive, err := in.download(asset.URL, asset.Name, cmp.Or(asset.Digest, download.Unpublished)) // older releases have no digest
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
				return in.place(file, base, "go-xla's release "+pjrt.DefaultCPUVersion)
			}
		}
		return fmt.Errorf("there is no plugin in %s", asset.Name)
	}
	return fmt.Errorf("version %s has no file for %s/%s", pjrt.DefaultCPUVersion, runtime.GOOS, runtime.GOARCH)
}

// oneLine joins errors by semicolons: a notice is one line.
func oneLine(failures []error) error {
	texts := make([]string, len(failures))
	for i, err := range failures {
		texts[i] = strings.Join(strings.Fields(err.Error()), " ")
	}
	return errors.New(strings.Join(texts, "; "))
}
