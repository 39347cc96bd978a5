package backend

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/gomlx/go-xla/installer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveWheel serves a wheel at /files/toy.whl, and an index that names it by the address given.
func serveWheel(t *testing.T, w wheel, address string, answer http.HandlerFunc) index {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/files/toy.whl", answer)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return func(name string) (*installer.PipPackageInfo, *url.URL, error) {
		assert.Equal(t, w.Package, name)
		base, err := url.Parse(server.URL + "/index/toy/json")
		info := &installer.PipPackageInfo{Releases: map[string][]installer.PipReleaseInfo{w.Version: {
			{Filename: "other.whl", URL: "/files/other.whl", Digests: map[string]string{"sha256": "00"}},
			{Filename: "toy.whl", URL: address, Digests: map[string]string{"sha256": w.SHA256}},
		}}}
		if address == "absolute" {
			info.Releases[w.Version][1].URL = server.URL + "/files/toy.whl"
		}
		return info, base, err
	}
}

func TestWheelInstall(t *testing.T) {
	library := tinyLibrary(t)
	good, archive := makeWheel(t, library)
	damaged, damagedArchive := makeWheel(t, library[:100])
	noMember := good
	noMember.Member = "toy/elsewhere.so"
	noVersion := good
	noVersion.Version = "9.9"

	whole := func(content []byte) http.HandlerFunc {
		return func(answer http.ResponseWriter, _ *http.Request) { _, _ = answer.Write(content) }
	}
	cut := func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Length", strconv.Itoa(len(archive)))
		_, _ = answer.Write(archive[:len(archive)/2])
		answer.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	for _, c := range []struct {
		name, address string
		wheel         wheel
		answer        http.HandlerFunc
		want          string // Part of the error; empty for success.
	}{
		{"absolute address", "absolute", good, whole(archive), ""},
		{"relative to the host", "/files/toy.whl", good, whole(archive), ""},
		{"relative to the answer", "../../files/toy.whl", good, whole(archive), ""},
		{"other content", "absolute", good, whole([]byte("not this")), "(8 bytes) has sha256 "},
		{"truncated, length known", "absolute", good, cut, "/files/toy.whl: unexpected EOF"},
		{"truncated, length unknown", "absolute", good, whole(archive[:50]), ", the published file " + good.SHA256},
		{"not found", "/files/nothing.whl", good, whole(archive), "404"},
		{"broken address", "http://%zz", good, whole(archive), "address of toy.whl"},
		{"plugin not in the wheel", "absolute", noMember, whole(archive), "toy/elsewhere.so"},
		{"damaged plugin", "absolute", damaged, whole(damagedArchive), "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv(pluginDirsEnv, dir)
			target := writeFile(t, dir, cpuPlugin, []byte("the old one"))
			var log syncLog
			err := newWheelInstall(dir, &log, c.wheel, serveWheel(t, c.wheel, c.address, c.answer)).run()
			content, readErr := os.ReadFile(target)
			require.NoError(t, readErr)
			if c.want == "" {
				require.NoError(t, err)
				assert.Equal(t, library, content)
				assert.Contains(t, log.String(), "installed XLA for the CPU (toy 1.2, sha256 as pinned): "+target)
			} else {
				require.ErrorContains(t, err, c.want)
				assert.Equal(t, "the old one", string(content), "a failure leaves the old plugin alone")
			}
			entries, readErr := os.ReadDir(dir)
			require.NoError(t, readErr)
			assert.Len(t, entries, 2, "the plugin and the lock: no unfinished files are left")
		})
	}

	t.Run("version gone from the index", func(t *testing.T) {
		err := newWheelInstall(emptyPluginDir(t), io.Discard, noVersion, serveWheel(t, good, "absolute", whole(archive))).run()
		require.ErrorContains(t, err, "has no file of toy, version 9.9, with sha256 "+good.SHA256)
	})
	t.Run("folder cannot be written", func(t *testing.T) {
		in := newWheelInstall(filepath.Join(writeFile(t, t.TempDir(), "file", nil), "gone"), io.Discard, good, serveWheel(t, good, "absolute", whole(archive)))
		require.ErrorContains(t, in.wheel(good), "not a directory")
	})
}

// newWheelInstall installs a wheel that an index knows.
func newWheelInstall(dir string, log io.Writer, w wheel, from index) *install {
	in := newTestInstall(dir, log, func(in *install) error { return in.wheel(w) })
	in.index = from
	return in
}

// Every platform has one source of the CPU plugin, and a wheel of it is pinned.
func TestSourcesOfTheCPUPlugin(t *testing.T) {
	for _, name := range []string{"linux/amd64", "linux/arm64"} {
		assert.Regexp(t, `^[0-9a-f]{64}$`, cpuWheels[name].SHA256, name)
		assert.Regexp(t, `^[^/].*\.so$`, cpuWheels[name].Member, name)
		assert.False(t, releasePlatforms[name], name)
	}
	assert.True(t, releasePlatforms["darwin/arm64"])
	supported := slices.Contains(installer.CPUSupportedPlatforms, runtime.GOOS+"_"+runtime.GOARCH)
	assert.Equal(t, supported, fetchOf("cpu") != nil)
}

// TestFetchCUDA installs libraries and plugin as the packages of an index say: the newest that fits, of this platform.
func TestFetchCUDA(t *testing.T) {
	library := tinyLibrary(t)
	zipped := func(files map[string][]byte) []byte {
		var archive bytes.Buffer
		w := zip.NewWriter(&archive)
		for name, content := range files {
			member, err := w.Create(name)
			require.NoError(t, err)
			_, err = member.Write(content)
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		return archive.Bytes()
	}
	plugin := zipped(map[string][]byte{"jax_plugins/xla_cuda13/xla_cuda_plugin.so": library})
	cublas := zipped(map[string][]byte{"nvidia/cu13/lib/libcublas.so.13": []byte("blas"), "licence": nil})
	wheels := map[string][]byte{"/cublas-13.1": cublas, "/plugin-0.12": plugin}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(wheels[r.URL.Path]) }))
	defer server.Close()
	release := func(path string) []installer.PipReleaseInfo {
		sum := fmt.Sprintf("%x", sha256.Sum256(wheels[path]))
		return []installer.PipReleaseInfo{
			{Filename: "x-manylinux_2_27_aarch64.whl", URL: "/none", Digests: map[string]string{"sha256": sum}},
			{Filename: "x-manylinux_2_27_x86_64.whl", URL: path, Digests: map[string]string{"sha256": sum}},
		}
	}
	author := jaxTeam
	from := func(name string) (*installer.PipPackageInfo, *url.URL, error) {
		info := &installer.PipPackageInfo{Releases: map[string][]installer.PipReleaseInfo{}}
		switch name {
		case cudaLibraries:
			info.Info.RequiresDist = []string{"jax-cuda13-pjrt==0.12", `nvidia-cublas<14,>=13.0.0.19; sys_platform == "linux" and extra == "with-cuda"`}
		case "nvidia-cublas":
			for version, path := range map[string]string{"12.9": "/none", "13.0.1": "/none", "13.1": "/cublas-13.1", "14.0": "/none"} {
				info.Releases[version] = release(path)
			}
		case cudaPlugin:
			info.Info.Version, info.Info.AuthorEmail = "0.12", author
			info.Releases["0.12"], info.Releases["0.13"] = release("/plugin-0.12"), release("/none")
		default:
			t.Error(name)
		}
		base, err := url.Parse(server.URL + "/index/" + name)
		return info, base, err
	}
	lib := emptyPluginDir(t)
	dir := filepath.Join(lib, "go-xla")
	writeFile(t, lib, "libcublas.so.13", []byte("of an older one"))
	var log syncLog
	in := newTestInstall(dir, &log, (*install).fetchCUDA)
	in.kind, in.index = "cuda", from
	require.NoError(t, in.run())
	content, err := os.ReadFile(filepath.Join(dir, "nvidia", "pjrt_c_api_cuda_plugin.so"))
	require.NoError(t, err)
	assert.Equal(t, library, content)
	content, err = os.ReadFile(filepath.Join(lib, "libcublas.so.13"))
	require.NoError(t, err, "a link beside go-xla's folder")
	assert.Equal(t, "blas", string(content))
	link, err := os.Readlink(filepath.Join(dir, "nvidia", "bin", "ptxas"))
	require.NoError(t, err)
	assert.Equal(t, "../cu13/bin/ptxas", link)
	assert.Contains(t, log.String(), "installed XLA for CUDA (jax-cuda13-pjrt 0.12 and NVIDIA's libraries; "+
		"each sha256 as the package index says, not pinned): "+filepath.Join(dir, "nvidia"))

	author = "somebody@else.example"
	require.ErrorContains(t, in.run(), "not of the JAX team")
	assert.FileExists(t, filepath.Join(dir, "nvidia", "pjrt_c_api_cuda_plugin.so"), "what is there stays")
	parts, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	require.NoError(t, err)
	assert.Empty(t, parts)
}
