package backend

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/gomlx/go-xla/installer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// serveWheel serves a wheel at /files/toy.whl, and an index that names it by the address given.
func serveWheel(t *testing.T, w wheel, address string, answer http.HandlerFunc) lookup {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/files/toy.whl", answer)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return func(name string, _ io.Writer) (*installer.PipPackageInfo, *url.URL, error) {
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
		{"other content", "absolute", good, whole([]byte("not this")), "the 8 bytes downloaded have sha256"},
		{"truncated, length known", "absolute", good, cut, "download stopped after"},
		{"truncated, length unknown", "absolute", good, whole(archive[:50]), "not the pinned " + good.SHA256},
		{"not found", "/files/nothing.whl", good, whole(archive), "404"},
		{"broken address", "http://%zz", good, whole(archive), "address of toy.whl"},
		{"plugin not in the wheel", "absolute", noMember, whole(archive), "toy/elsewhere.so"},
		{"damaged plugin", "absolute", damaged, whole(damagedArchive), "damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			target := writeFile(t, dir, wheelPlugin, []byte("the old one"))
			var log syncLog
			err := c.wheel.install(dir, &log, serveWheel(t, c.wheel, c.address, c.answer))
			content, readErr := os.ReadFile(target)
			require.NoError(t, readErr)
			if c.want == "" {
				require.NoError(t, err)
				assert.Equal(t, library, content)
				assert.Contains(t, log.String(), "installed XLA for the CPU (toy 1.2): "+target)
			} else {
				require.ErrorContains(t, err, c.want)
				assert.Equal(t, "the old one", string(content), "a failure leaves the old plugin alone")
			}
			entries, readErr := os.ReadDir(dir)
			require.NoError(t, readErr)
			assert.Len(t, entries, 1, "no unfinished files are left")
		})
	}

	t.Run("version gone from the index", func(t *testing.T) {
		err := noVersion.install(t.TempDir(), io.Discard, serveWheel(t, good, "absolute", whole(archive)))
		require.ErrorContains(t, err, "version 9.9 has no file with sha256 "+good.SHA256)
	})
	t.Run("directory gone", func(t *testing.T) {
		err := good.install(filepath.Join(t.TempDir(), "gone"), io.Discard, serveWheel(t, good, "absolute", whole(archive)))
		require.ErrorIs(t, err, os.ErrNotExist)
	})
}

func TestWheelTable(t *testing.T) {
	found := false
	for _, w := range wheels {
		assert.Regexp(t, regexp.MustCompile(`^[0-9a-f]{64}$`), w.SHA256, w.Package)
		assert.Regexp(t, regexp.MustCompile(`\.so$`), w.Member, w.Package)
		found = found || w.Package == cpuWheel
	}
	assert.True(t, found, "cpuWheel=%s is not in the table", cpuWheel)
}
