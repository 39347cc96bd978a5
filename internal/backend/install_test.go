package backend

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clusterpool/ccp/internal/download"
	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTestInstall(dir string, log io.Writer, fetch func(in *install) error) *install {
	return &install{kind: "cpu", dir: dir, log: log, lockWait: 10 * time.Second, fetch: fetch,
		fetcher: download.Fetcher{Pause: time.Millisecond}}
}

func TestTwoInstallersDownloadOnce(t *testing.T) {
	library := tinyLibrary(t)
	dir := emptyPluginDir(t)
	var fetches int // Protected by the lock under test.
	started, release := make(chan struct{}), make(chan struct{})
	fetch := func(in *install) error {
		fetches++
		close(started)
		<-release
		return os.WriteFile(filepath.Join(in.dir, cpuPlugin), library, 0o755)
	}
	var wg sync.WaitGroup
	var first, second error
	wg.Go(func() { first = newTestInstall(dir, io.Discard, fetch).run() })
	<-started
	var log syncLog
	wg.Go(func() { second = newTestInstall(dir, &log, fetch).run() })
	require.Eventually(t, func() bool { return log.String() != "" }, 10*time.Second, time.Millisecond)
	assert.Contains(t, log.String(), "another process is installing XLA")
	close(release)
	wg.Wait()
	require.NoError(t, first)
	require.NoError(t, second)
	assert.Equal(t, 1, fetches)
}

func TestInstallFetches(t *testing.T) {
	dir := filepath.Join(emptyPluginDir(t), "new", "directory")
	var got string
	require.NoError(t, newTestInstall(dir, io.Discard, func(in *install) error { got = in.dir; return nil }).run())
	assert.Equal(t, dir, got)
	wrong := errors.New("went wrong")
	require.ErrorIs(t, newTestInstall(dir, io.Discard, func(*install) error { return wrong }).run(), wrong)
	require.ErrorContains(t, newTestInstall(dir, io.Discard, nil).run(), "no XLA plugin is published for")
}

func TestInstallRemovesUnfinishedFiles(t *testing.T) {
	dir := emptyPluginDir(t)
	part := writeFile(t, dir, tempPrefix+"123.whl", []byte("half"))
	require.NoError(t, newTestInstall(dir, io.Discard, func(*install) error { return nil }).run())
	require.NoFileExists(t, part)
}

func TestInstallReportsItsObstacles(t *testing.T) {
	never := func(*install) error { t.Error("fetched"); return nil }

	t.Run("lock held", func(t *testing.T) {
		dir := emptyPluginDir(t)
		held := flock.New(filepath.Join(dir, lockName))
		require.NoError(t, held.Lock())
		t.Cleanup(func() { _ = held.Unlock() })
		in := newTestInstall(dir, io.Discard, never)
		in.lockWait = 50 * time.Millisecond
		require.ErrorContains(t, in.run(), lockName+" is still held after 50ms")
	})
	t.Run("directory cannot be made", func(t *testing.T) {
		file := writeFile(t, emptyPluginDir(t), "file", nil)
		require.ErrorContains(t, newTestInstall(filepath.Join(file, "lib"), io.Discard, never).run(),
			"make the directory writable or set PJRT_PLUGIN_LIBRARY_PATH")
	})
	t.Run("lock cannot be made", func(t *testing.T) {
		dir := emptyPluginDir(t)
		require.NoError(t, os.Mkdir(filepath.Join(dir, lockName), 0o755))
		require.ErrorContains(t, newTestInstall(dir, io.Discard, never).run(), "cannot install XLA: lock")
	})
}

// TestRelease installs from a page such as GitHub's, by any of the names that an archive may give the plugin.
func TestRelease(t *testing.T) {
	library := tinyLibrary(t)
	archive := tarOf(t, map[string][]byte{"README": []byte("hello"), "pjrt_c_api_cpu_v1_plugin.so": library})
	empty := tarOf(t, map[string][]byte{"README": []byte("hello")})
	name := fmt.Sprintf("pjrt_cpu_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	sum := func(raw []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(raw)) }
	for _, c := range []struct {
		title, name, digest string
		archive             []byte
		want                string // Part of the error; empty for success.
	}{
		{"with a checksum", name, sum(archive), archive, ""},
		{"without one", name, "", archive, "the release page gives no sha256 of " + name},
		{"another checksum", name, sum(empty), archive, "the published file"},
		{"no plugin in it", name, sum(empty), empty, "there is no plugin in " + name},
		{"no archive", name, sum([]byte("<html>")), []byte("<html>"), "unpack " + name},
		{"none for this platform", "pjrt_cpu_plan9_mips.tar.gz", "", archive, "has no file for " + runtime.GOOS + "/" + runtime.GOARCH},
	} {
		t.Run(c.title, func(t *testing.T) {
			dir := emptyPluginDir(t)
			var log syncLog
			in := newTestInstall(dir, &log, (*install).release)
			in.fetcher.Client = &http.Client{Transport: answers(func(url string) []byte {
				if strings.HasPrefix(url, "https://api.github.com/repos/gomlx/") && strings.HasSuffix(url, "/"+releaseVersion) {
					return fmt.Appendf(nil, `{"assets": [{"name": %q, "browser_download_url": "https://files.invalid/x", "digest": %q}]}`, c.name, c.digest)
				}
				return c.archive
			})}
			shown := map[string]bool{}
			in.progress = func(name string, done, total int64) { shown[name] = done == total }
			err := in.run()
			if c.want == "" {
				require.NoError(t, err)
				content, err := os.ReadFile(filepath.Join(dir, "pjrt_c_api_cpu_v1_plugin.so"))
				require.NoError(t, err)
				assert.Equal(t, library, content)
				assert.Contains(t, log.String(),
					"installed XLA for the CPU (go-xla's release "+releaseVersion+", sha256 as the release page says, not pinned)")
				assert.Equal(t, map[string]bool{name: true}, shown)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			parts, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
			require.NoError(t, err)
			assert.Empty(t, parts, "no unfinished files are left")
		})
	}
}

// answers is a web whose every address gives what the function says.
type answers func(url string) []byte

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	_, err := recorder.Write(a(r.URL.String()))
	response := recorder.Result()
	response.Request, response.ContentLength = r, int64(recorder.Body.Len())
	return response, err
}

// tarOf packs files into a .tar.gz archive.
func tarOf(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	w := tar.NewWriter(zipped)
	for name, content := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(content)), Mode: 0o644}))
		_, err := w.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	return packed.Bytes()
}
