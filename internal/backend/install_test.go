package backend

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTestInstall(dir string, log io.Writer, sources ...source) *install {
	return &install{kind: "cpu", dir: dir, log: log, lockWait: 10 * time.Second, sources: sources,
		usable: func(path string) bool { return checkIntact(path) == nil }}
}

func TestTwoInstallersDownloadOnce(t *testing.T) {
	library := tinyLibrary(t)
	dir := emptyPluginDir(t)
	var fetches int // Protected by the lock under test.
	started, release := make(chan struct{}), make(chan struct{})
	fetch := func(dir string, _ io.Writer) error {
		fetches++
		close(started)
		<-release
		return os.WriteFile(filepath.Join(dir, wheelPlugin), library, 0o755)
	}
	var wg sync.WaitGroup
	var first, second error
	wg.Go(func() { first = newTestInstall(dir, io.Discard, source{"toy", fetch}).run() })
	<-started
	var log syncLog
	wg.Go(func() { second = newTestInstall(dir, &log, source{"toy", fetch}).run() })
	require.Eventually(t, func() bool { return log.String() != "" }, 10*time.Second, time.Millisecond)
	assert.Contains(t, log.String(), "another process is installing XLA")
	close(release)
	wg.Wait()
	require.NoError(t, first)
	require.NoError(t, second)
	assert.Equal(t, 1, fetches)
}

func TestInstallGoesThroughItsSources(t *testing.T) {
	dir := filepath.Join(emptyPluginDir(t), "new", "directory")
	failing := func(text string) source {
		return source{text, func(string, io.Writer) error { return errors.New("went\nwrong") }}
	}
	var got string
	good := source{"good", func(dir string, _ io.Writer) error { got = dir; return nil }}
	require.NoError(t, newTestInstall(dir, io.Discard, failing("one"), good, failing("two")).run())
	assert.Equal(t, dir, got)

	err := newTestInstall(dir, io.Discard, failing("one"), failing("two")).run()
	require.EqualError(t, err, "one: went wrong; two: went wrong")
	require.ErrorContains(t, newTestInstall(dir, io.Discard).run(), "no XLA plugin is published for")
}

func TestInstallRemovesUnfinishedFiles(t *testing.T) {
	dir := emptyPluginDir(t)
	part := writeFile(t, dir, tempPrefix+"123.whl", []byte("half"))
	require.NoError(t, newTestInstall(dir, io.Discard, source{"toy", func(string, io.Writer) error { return nil }}).run())
	require.NoFileExists(t, part)
}

func TestInstallReportsItsObstacles(t *testing.T) {
	never := source{"toy", func(string, io.Writer) error { t.Error("fetched"); return nil }}

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

func TestRootOfARequest(t *testing.T) {
	dns := &net.DNSError{Err: "no such host", Name: "releases.example", Server: "10.0.0.1:53"}
	assert.EqualError(t, rootOf(&url.Error{Op: "Get", URL: "long", Err: dns}), "releases.example: no such host")
	assert.EqualError(t, rootOf(&url.Error{Op: "Get", URL: "long", Err: io.ErrUnexpectedEOF}), "unexpected EOF")
	assert.EqualError(t, rootOf(io.EOF), "EOF")
}
