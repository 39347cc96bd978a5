package download

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func TestFetchErrors(t *testing.T) {
	raw := content(1)
	status := func(code int) func(int, http.ResponseWriter, *http.Request) {
		return func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	for _, c := range []struct {
		name     string
		answer   func(int, http.ResponseWriter, *http.Request)
		requests int
		want     []string
	}{
		{"not there", status(404), 1, []string{"404 Not Found … moved", "put it at "}},
		{"forbidden", status(403), 1, []string{"403 Forbidden"}},
		{"a part that nobody asked for", status(206), 1, []string{"206 Partial Content"}},
		{"down", status(503), attempts, []string{"503 Service Unavailable … same command"}},
		{"dropped at once", func(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, attempts,
			[]string{"EOF"}},
		{"another file", func(_ int, w http.ResponseWriter, r *http.Request) { whole(w, r, content(2)) }, 1,
			[]string{sumOf(raw)[7:], sumOf(content(2))[7:], "deleted … try again"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.answer)
			file := fileAt(t, s.URL, raw)
			err := quick.Fetch(t.Context(), file)
			require.Error(t, err)
			for _, want := range append(c.want, file.URL) {
				messagetest.Names(t, err, want)
			}
			assert.NotContains(t, err.Error(), "\n")
			assert.EqualValues(t, c.requests, s.requests.Load())
			assert.Empty(t, names(t, filepath.Dir(file.Path)))
		})
	}
}

func TestNoNetwork(t *testing.T) {
	file := fileAt(t, "http://ccp.invalid", nil) // a name that never exists (RFC 2606)
	err := quick.Fetch(t.Context(), file)
	require.Error(t, err)
	messagetest.Names(t, err, "http://ccp.invalid/file.bin … cannot fetch")
	assert.ErrorContains(t, err, "put it at "+file.Path)
	assert.Empty(t, names(t, filepath.Dir(file.Path)))
}

func TestPresentFileOfAnotherSum(t *testing.T) {
	file := fileAt(t, "http://ccp.invalid", content(1))
	require.NoError(t, os.MkdirAll(filepath.Dir(file.Path), 0o755))
	require.NoError(t, os.WriteFile(file.Path, []byte("mine"), 0o644))
	err := quick.Fetch(t.Context(), file)
	messagetest.Names(t, err, file.Path+" … sha256 "+sumOf([]byte("mine"))[7:]+" … move")
	raw, err := os.ReadFile(file.Path)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(raw))
}

// TestTwoAtOnce: while one fetches, another says so.
func TestTwoAtOnce(t *testing.T) {
	raw := content(1)
	file := fileAt(t, "", raw)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		messagetest.Names(t, quick.Fetch(t.Context(), file), "another process … "+file.Path+" … wait")
		part := flock.New(file.Path+partSuffix, flock.SetPermissions(0o666)) // On Windows nobody can write a locked file.
		locked, err := part.TryLock()
		assert.True(t, locked && err == nil, "what is written is not locked")
		assert.NoError(t, part.Unlock())
		whole(w, r, raw)
	})
	file.URL = s.URL
	require.NoError(t, quick.Fetch(t.Context(), file))
	complete(t, file, raw)
}

func TestDiskErrorPassesThrough(t *testing.T) {
	raw := content(1)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(w, r, raw) })
	if _, err := os.Stat("/dev/full"); err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no /dev/full")
	}
	file := fileAt(t, s.URL, raw)
	require.NoError(t, os.MkdirAll(filepath.Dir(file.Path), 0o755))
	require.NoError(t, os.Symlink("/dev/full", file.Path+partSuffix))
	err := quick.Fetch(t.Context(), file)
	require.Error(t, err)
	assert.EqualValues(t, 1, s.requests.Load(), "no use in trying again")
}

func TestUnknownSum(t *testing.T) {
	for _, text := range []string{"", "sha1:" + strings.Repeat("00", 20)} {
		err := quick.Fetch(t.Context(), File{Sum: text})
		messagetest.Names(t, err, fmt.Sprintf("checksum %q … sha256:HEX or md5:HEX", text))
	}
}
