package backend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

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
	kind     string        // "cpu" or "cuda".
	dir      string        // Where plugins go.
	log      io.Writer     // Progress, and the wait for another process.
	lockWait time.Duration // How long to wait for another process that installs.
	sources  []source      // Tried in turn.
	usable   func(path string) bool
}

// source is one way to get a plugin.
type source struct {
	name  string
	fetch func(dir string, log io.Writer) error
}

// installPlugin fetches a plugin of a kind and returns why it could not.
func installPlugin(op *opener, kind string) error {
	dir, err := installDir()
	if err != nil {
		return err
	}
	return (&install{
		kind: kind, dir: dir, log: op.log, lockWait: 15 * time.Minute, sources: sourcesOf(kind),
		usable: func(path string) bool { return !op.failed[path] && checkIntact(path) == nil },
	}).run()
}

// sourcesOf lists where a kind of plugin can come from on this platform, the preferred one first.
func sourcesOf(kind string) []source {
	var sources []source
	if kind == "cuda" {
		return append(sources, source{"go-xla's CUDA installer", installCUDA})
	}
	if slices.Contains(installer.CPUSupportedPlatforms, runtime.GOOS+"_"+runtime.GOARCH) {
		sources = append(sources, source{"go-xla's release page", installRelease})
	}
	if w, ok := preferredWheel(); ok {
		sources = append(sources, source{"Python package " + w.Package, func(dir string, log io.Writer) error {
			return w.install(dir, log, lookupPackage)
		}})
	}
	return sources
}

// run installs under the directory's lock. A plugin that another process installed meanwhile is taken as it is.
func (in *install) run() error {
	if len(in.sources) == 0 {
		return fmt.Errorf("no XLA plugin is published for %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	if err := os.MkdirAll(in.dir, 0o755); err != nil {
		return fmt.Errorf("cannot install XLA: %w; make the directory writable or set %s", err, pjrt.PJRTPluginPathsEnv)
	}
	unlock, err := in.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for _, plugin := range findPlugins() {
		if plugin.is(in.kind) && in.usable(plugin.Path) {
			return nil
		}
	}
	removeParts(in.dir)
	var failures []error
	for _, source := range in.sources {
		err := source.fetch(in.dir, in.log)
		if err == nil {
			return nil
		}
		failures = append(failures, fmt.Errorf("%s: %w", source.name, rootOf(err)))
	}
	return oneLine(failures)
}

// lock takes the lock that keeps two processes from installing at once. The system drops it when its holder dies.
func (in *install) lock() (unlock func(), err error) {
	lock := flock.New(filepath.Join(in.dir, lockName))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("cannot install XLA: lock %s: %w", lock.Path(), err)
	}
	if !locked {
		_, _ = fmt.Fprintf(in.log, "another process is installing XLA; waiting for it (lock %s)\n", lock.Path())
		ctx, cancel := context.WithTimeout(context.Background(), in.lockWait)
		defer cancel()
		if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
			return nil, fmt.Errorf("lock %s is still held after %v; end the process that holds it", lock.Path(), in.lockWait)
		}
	}
	return func() { _ = lock.Unlock() }, nil
}

// removeParts deletes what an interrupted installation left. Call it with the lock held.
func removeParts(dir string) {
	parts, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	for _, part := range parts {
		_ = os.Remove(part)
	}
}

// rootOf strips a failed request of the layers that repeat its address.
func rootOf(err error) error {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return fmt.Errorf("%s: %s", dns.Name, dns.Err)
	}
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}

// oneLine joins errors by semicolons, for notices are one line each.
func oneLine(failures []error) error {
	texts := make([]string, len(failures))
	for i, err := range failures {
		texts[i] = strings.Join(strings.Fields(err.Error()), " ")
	}
	return errors.New(strings.Join(texts, "; "))
}

// installRelease runs go-xla's installer for the CPU plugin that it was tested with.
func installRelease(dir string, log io.Writer) error {
	return withGuardedClient(log, func(*guard) error {
		return installer.CPUAutoInstall(dir, true, installer.Quiet)
	})
}
