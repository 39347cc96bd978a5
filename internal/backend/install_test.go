package backend

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/gomlx/go-xla/installer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/files/filestest"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// serveWheel makes a wheel the only source of this platform's CPU plugin. answer serves the wheel's content.
func serveWheel(t *testing.T, w wheel, answer http.HandlerFunc) wheel {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	w.url = server.URL + "/files/toy.whl"
	before, pinned := cpuWheels[platform]
	cpuWheels[platform] = w
	t.Cleanup(func() {
		cpuWheels[platform] = before
		if !pinned {
			delete(cpuWheels, platform)
		}
	})
	return w
}

func whole(content []byte) http.HandlerFunc {
	return func(answer http.ResponseWriter, _ *http.Request) { _, _ = answer.Write(content) }
}

func TestWheelInstall(t *testing.T) {
	library := tinyLibrary(t)
	good, archive := makeWheel(t, library)
	damaged, damagedArchive := makeWheel(t, library[:100])
	noMember := good
	noMember.member = "toy/elsewhere.so"
	cut := func(answer http.ResponseWriter, r *http.Request) {
		answer.Header().Set("Content-Length", strconv.Itoa(len(archive)))
		if r.Header.Get("Range") == "" {
			_, _ = answer.Write(archive[:len(archive)/2])
			answer.(http.Flusher).Flush()
		}
		panic(http.ErrAbortHandler)
	}
	for _, c := range []struct {
		name   string
		wheel  wheel
		answer http.HandlerFunc
		want   string   // Part of the error; empty for success.
		left   []string // What stays in the directory beside the plugin and the lock.
	}{
		{"success", good, whole(archive), "", nil},
		{"other content", good, whole([]byte("not this")), "(8 bytes) has sha256 ", nil},
		{"truncated, length known", good, cut, "/files/toy.whl … EOF … same command",
			[]string{"toy.whl.part"}},
		{"truncated, length unknown", good, whole(archive[:50]), ", the published file " + good.sum[7:], nil},
		{"not found", good, http.NotFound, "404", nil},
		{"plugin not in the wheel", noMember, whole(archive), "toy/elsewhere.so", []string{"toy.whl"}},
		{"damaged plugin", damaged, whole(damagedArchive), "damaged", []string{"toy.whl"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := emptyPluginDir(t)
			serveWheel(t, c.wheel, c.answer)
			target := writeFile(t, dir, cpuPlugin, []byte("the old one"))
			var log syncLog
			shown := map[string]bool{}
			op := newOpener(Options{Install: true, Log: &log,
				Progress: func(name string, done, total int64) { shown[name] = done == total }})
			op.fetcher.Pause = time.Millisecond
			err := installPlugin(op, "cpu")
			content, readErr := os.ReadFile(target)
			require.NoError(t, readErr)
			if c.want == "" {
				require.NoError(t, err)
				assert.Equal(t, library, content)
				messagetest.Names(t, log.String(), "installed … CPU … sha256 … pinned … "+target)
				assert.Equal(t, map[string]bool{"toy.whl": true}, shown)
			} else {
				messagetest.Names(t, err, c.want)
				assert.Equal(t, "the old one", string(content), "a failure leaves the old plugin alone")
			}
			assert.ElementsMatch(t, append(c.left, lockName, cpuPlugin), filestest.Names(t, dir))
		})
	}
}

// The next installation goes on with a download that was cut.
func TestInstallGoesOn(t *testing.T) {
	toy, archive := makeWheel(t, tinyLibrary(t))
	dir := filepath.Join(emptyPluginDir(t), "new", "directory")
	t.Setenv(pluginDirsEnv, dir)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	writeFile(t, dir, "toy.whl.part", archive[:20])
	serveWheel(t, toy, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "bytes=20-", r.Header.Get("Range"))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(archive[20:])
	})
	require.NoError(t, installPlugin(newOpener(Options{Install: true}), "cpu"))
	assert.ElementsMatch(t, []string{lockName, cpuPlugin}, filestest.Names(t, dir))
}

func TestTwoInstallersDownloadOnce(t *testing.T) {
	toy, archive := makeWheel(t, tinyLibrary(t))
	emptyPluginDir(t)
	var fetches int // Protected by the lock under test.
	started, release := make(chan struct{}), make(chan struct{})
	serveWheel(t, toy, func(w http.ResponseWriter, _ *http.Request) {
		fetches++
		close(started)
		<-release
		_, _ = w.Write(archive)
	})
	var wg sync.WaitGroup
	var first, second error
	wg.Go(func() { first = installPlugin(newOpener(Options{Install: true}), "cpu") })
	<-started
	var log syncLog
	wg.Go(func() { second = installPlugin(newOpener(Options{Install: true, Log: &log}), "cpu") })
	require.Eventually(t, func() bool { return log.String() != "" }, 10*time.Second, time.Millisecond)
	messagetest.Names(t, log.String(), "another process … XLA")
	close(release)
	wg.Wait()
	require.NoError(t, first)
	require.NoError(t, second)
	assert.Equal(t, 1, fetches)
}

func TestInstallReportsItsObstacles(t *testing.T) {
	toy, _ := makeWheel(t, tinyLibrary(t))
	serveWheel(t, toy, func(http.ResponseWriter, *http.Request) { t.Error("fetched") })
	op := newOpener(Options{Install: true})
	op.lockWait = 50 * time.Millisecond

	t.Run("lock held", func(t *testing.T) {
		held := flock.New(filepath.Join(emptyPluginDir(t), lockName))
		require.NoError(t, held.Lock())
		t.Cleanup(func() { _ = held.Unlock() })
		messagetest.Names(t, installPlugin(op, "cpu"), lockName+" … held … 50ms")
	})
	t.Run("directory cannot be made", func(t *testing.T) {
		file := writeFile(t, emptyPluginDir(t), "file", nil)
		t.Setenv(pluginDirsEnv, filepath.Join(file, "lib"))
		messagetest.Names(t, installPlugin(op, "cpu"), "writable … PJRT_PLUGIN_LIBRARY_PATH")
	})
	t.Run("lock cannot be made", func(t *testing.T) {
		require.NoError(t, os.Mkdir(filepath.Join(emptyPluginDir(t), lockName), 0o755))
		require.ErrorContains(t, installPlugin(op, "cpu"), "cannot install XLA: lock")
	})
	t.Run("no source", func(t *testing.T) {
		messagetest.Names(t, installPlugin(op, "tpu"), `no XLA plugin "tpu" … `+platform)
	})
}

// Every platform has one source of the CPU plugin, and a wheel of it is pinned.
func TestSourcesOfTheCPUPlugin(t *testing.T) {
	for _, name := range []string{"linux/amd64", "linux/arm64"} {
		assert.Regexp(t, `^https://.*\.whl$`, cpuWheels[name].url, name)
		assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, cpuWheels[name].sum, name)
		assert.Regexp(t, `^[^/].*\.so$`, cpuWheels[name].member, name)
	}
	supported := slices.Contains(installer.CPUSupportedPlatforms, runtime.GOOS+"_"+runtime.GOARCH)
	assert.Equal(t, supported, sourceOf("cpu") != nil)
}

// Another goroutine's os.Stdout stays what it is while go-xla's installer works.
func TestByGoXLA(t *testing.T) {
	var log syncLog
	op, stdout, wrong := newOpener(Options{Install: true, Log: &log}), os.Stdout, errors.New("no route")
	require.NoError(t, op.byGoXLA("CUDA", "/lib/go-xla", func() error {
		assert.Same(t, stdout, os.Stdout)
		return nil
	}))
	messagetest.Names(t, log.String(), "installed … CUDA … go-xla's … not pinned … /lib/go-xla")
	require.ErrorIs(t, op.byGoXLA("CUDA", "/lib/go-xla", func() error { return wrong }), wrong)
}

func TestCUDAInstallerRefusesBeforeDownloading(t *testing.T) {
	emptyPluginDir(t) // Not go-xla's own directory.
	want := "no NVIDIA GPU found"
	if installer.HasNvidiaGPU() {
		want = pluginDirsEnv + " … unset it"
	}
	if platform != "linux/amd64" {
		want = `no XLA plugin "cuda" … ` + platform
	}
	var log syncLog
	messagetest.Names(t, installPlugin(newOpener(Options{Install: true, Log: &log}), "cuda"), want)
	assert.Empty(t, log.String())
}
