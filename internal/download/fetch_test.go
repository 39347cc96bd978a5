package download

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// content is a file of 300,000 bytes that no part of itself repeats; salt makes another one.
func content(salt byte) []byte {
	out := make([]byte, 0, 300_000+32)
	for block := sha256.Sum256([]byte{salt}); len(out) < 300_000; block = sha256.Sum256(block[:]) {
		out = append(out, block[:]...)
	}
	return out[:300_000]
}

func sumOf(raw []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(raw)) }

// site serves one file, as a test tells it to.
type site struct {
	*httptest.Server
	requests atomic.Int32
	ranges   []string
}

// serve answers request n, from 0, by answer.
func serve(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		answer(int(s.requests.Add(1))-1, w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// whole serves a file as any web server does, with ranges, and a tag that stands for its content.
func whole(w http.ResponseWriter, r *http.Request, raw []byte) {
	w.Header().Set("ETag", `"`+sumOf(raw)[7:17]+`"`)
	http.ServeContent(w, r, "file.bin", time.Time{}, bytes.NewReader(raw))
}

// cut serves only the first n bytes of what whole would, and drops the connection.
func cut(w http.ResponseWriter, r *http.Request, raw []byte, n int) {
	recorder := httptest.NewRecorder()
	whole(recorder, r, raw)
	for name, values := range recorder.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(recorder.Code)
	_, _ = w.Write(recorder.Body.Bytes()[:n])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// quick is a fetcher that does not wait long.
var quick = Fetcher{Pause: time.Millisecond}

func fileAt(t *testing.T, url string, raw []byte) File {
	t.Helper()
	return File{URL: url + "/file.bin", Path: filepath.Join(t.TempDir(), "data", "file.bin"), Sum: sumOf(raw)}
}

// complete checks that a file is there, whole, and nothing else is.
func complete(t *testing.T, file File, want []byte) {
	t.Helper()
	got, err := os.ReadFile(file.Path)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got))
	assert.Equal(t, []string{filepath.Base(file.Path)}, names(t, filepath.Dir(file.Path)))
	info, err := os.Stat(file.Path)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&0o044, "others may read it, as any new file")
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	var out []string
	for _, entry := range entries {
		out = append(out, entry.Name())
	}
	return out
}

func TestFetch(t *testing.T) {
	raw := content(1)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "identity", r.Header.Get("Accept-Encoding"))
		whole(w, r, raw)
	})
	var last, total int64
	f := Fetcher{Progress: func(done, of int64) {
		assert.GreaterOrEqual(t, done, last)
		last, total = done, of
	}}
	file := fileAt(t, s.URL, raw)
	require.NoError(t, f.Fetch(t.Context(), file))
	complete(t, file, raw)
	assert.Equal(t, []int64{300_000, 300_000}, []int64{last, total})

	require.NoError(t, f.Fetch(t.Context(), file), "it is there")
	assert.EqualValues(t, 1, s.requests.Load())

	last = 0
	file.Path = filepath.Join(t.TempDir(), "by-md5.bin")
	file.Sum = fmt.Sprintf("md5:%x", md5.Sum(raw))
	require.NoError(t, f.Fetch(t.Context(), file))
	complete(t, file, raw)
}

func TestFetchEmptyFile(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(w, r, nil) })
	file := fileAt(t, s.URL, nil)
	require.NoError(t, quick.Fetch(t.Context(), file))
	complete(t, file, []byte{})
}

// TestCutConnections: each answer brings a little more, and each request asks for the rest only.
func TestCutConnections(t *testing.T) {
	raw := content(1)
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		switch {
		case n < 6: // more often than attempts, but each brings something
			cut(w, r, raw, 10_000)
		case n == 6:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			whole(w, r, raw)
		}
	})
	file := fileAt(t, s.URL, raw)
	require.NoError(t, quick.Fetch(t.Context(), file))
	complete(t, file, raw)
	assert.Equal(t, []string{"", "bytes=10000-", "bytes=20000-", "bytes=30000-", "bytes=40000-", "bytes=50000-",
		"bytes=60000-",
		"bytes=60000-"}, s.ranges)
}

// TestNoRanges: a server that knows no ranges sends everything again, and nothing is spliced.
func TestNoRanges(t *testing.T) {
	raw := content(1)
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		if n == 0 {
			cut(w, r, raw, 10_000)
		}
		whole(w, r, raw)
	})
	file := fileAt(t, s.URL, raw)
	require.NoError(t, quick.Fetch(t.Context(), file))
	complete(t, file, raw)
	assert.Len(t, s.ranges, 2)
}

// TestNoMark: without ETag and Last-Modified the checksum tells that the parts belong together.
func TestNoMark(t *testing.T) {
	raw := content(1)
	for name, minds := range map[string]bool{"Range minded": true, "Range ignored": false} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
				if n == 0 {
					w.Header().Set("Content-Length", "300000")
					_, _ = w.Write(raw[:10_000])
					w.(http.Flusher).Flush()
					panic(http.ErrAbortHandler)
				}
				if !minds {
					r.Header.Del("Range")
				}
				http.ServeContent(w, r, "file.bin", time.Time{}, bytes.NewReader(raw))
			})
			file := fileAt(t, s.URL, raw)
			require.NoError(t, quick.Fetch(t.Context(), file))
			complete(t, file, raw)
			assert.Equal(t, []string{"", "bytes=10000-"}, s.ranges)
		})
	}
}

// TestChangedFile: the file changes between two answers. The checksum shows it, and the new file is fetched from its
// start.
func TestChangedFile(t *testing.T) {
	before, after := content(1), content(2)
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 0 {
			cut(w, r, before, 10_000)
		}
		whole(w, r, after)
	})
	file := fileAt(t, s.URL, after)
	require.NoError(t, quick.Fetch(t.Context(), file))
	complete(t, file, after)
	assert.Equal(t, []string{"", "bytes=10000-", ""}, s.ranges)
}

// TestLaterProcess: a fetch continues what a killed process left, be it in the middle or at the very end. What is of
// another version is fetched anew.
func TestLaterProcess(t *testing.T) {
	raw := content(1)
	for _, c := range []struct {
		name   string
		have   []byte
		ranges []string
	}{
		{"in the middle", raw[:123_456], []string{"bytes=123456-"}},
		{"before the rename", raw, []string{"bytes=300000-"}},
		{"nothing yet", nil, []string{""}},
		{"another version's", content(2)[:1000], []string{"bytes=1000-", ""}},
		{"another version's, of the same size", content(2), []string{"bytes=300000-", ""}},
		{"longer than the file", append(content(1), 0), []string{"bytes=300001-", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { whole(w, r, raw) })
			file := fileAt(t, s.URL, raw)
			require.NoError(t, os.MkdirAll(filepath.Dir(file.Path), 0o755))
			require.NoError(t, os.WriteFile(file.Path+partSuffix, c.have, 0o644))
			require.NoError(t, quick.Fetch(t.Context(), file))
			complete(t, file, raw)
			assert.Equal(t, c.ranges, s.ranges)
		})
	}
}

func TestStoppedAndGoneOn(t *testing.T) {
	raw := content(1)
	ctx, stop := context.WithCancel(t.Context())
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n > 0 {
			whole(w, r, raw)
			return
		}
		w.Header().Set("ETag", `"`+sumOf(raw)[7:17]+`"`)
		w.Header().Set("Content-Length", "300000")
		_, _ = w.Write(raw[:50_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	file := fileAt(t, s.URL, raw)
	f := Fetcher{Progress: func(done, _ int64) {
		if done == 50_000 {
			stop()
		}
	}}
	err := f.Fetch(ctx, file)
	require.ErrorIs(t, err, context.Canceled)
	messagetest.Names(t, err, "50000 bytes … "+file.Path+".part … same command")
	require.NoError(t, f.Fetch(t.Context(), file))
	complete(t, file, raw)
	assert.Equal(t, []string{"", "bytes=50000-"}, s.ranges)
}

// TestStall: a server that stops sending is left, and the rest fetched by another request.
func TestStall(t *testing.T) {
	raw := content(1)
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n > 0 {
			whole(w, r, raw)
			return
		}
		<-r.Context().Done()
	})
	file := fileAt(t, s.URL, raw)
	require.NoError(t, Fetcher{Pause: time.Millisecond, Stall: 50 * time.Millisecond}.Fetch(t.Context(), file))
	complete(t, file, raw)
}

func ExampleFetcher_Fetch() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer server.Close()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "greeting.txt")
	fmt.Println(Fetcher{}.Fetch(context.Background(),
		File{URL: server.URL, Path: path, Sum: "md5:5d41402abc4b2a76b9719d911017c592"}))
	raw, _ := os.ReadFile(path)
	fmt.Println(string(raw))
	// Output:
	// <nil>
	// hello
}

// TestStaleThenCut: a part of another version, larger than all that the answers bring at first, does not hide that each
// of them brings something.
func TestStaleThenCut(t *testing.T) {
	raw := content(1)
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n > 0 && n < 6 { // more often than attempts
			cut(w, r, raw, 10_000)
		}
		whole(w, r, raw)
	})
	file := fileAt(t, s.URL, raw)
	require.NoError(t, os.MkdirAll(filepath.Dir(file.Path), 0o755))
	require.NoError(t, os.WriteFile(file.Path+partSuffix, content(2)[:200_000], 0o644))
	require.NoError(t, quick.Fetch(t.Context(), file))
	complete(t, file, raw)
	assert.Equal(t, []string{"bytes=200000-", "", "bytes=10000-", "bytes=20000-", "bytes=30000-", "bytes=40000-",
		"bytes=50000-"}, s.ranges)
}

// TestAnotherFileInPieces: a server that has another file, and cuts each answer, is not asked for ever.
func TestAnotherFileInPieces(t *testing.T) {
	other := content(2)
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") == "" {
			cut(w, r, other, 10_000)
		}
		whole(w, r, other)
	})
	err := quick.Fetch(t.Context(), fileAt(t, s.URL, content(1)))
	messagetest.Names(t, err, "300000 bytes … sha256 "+sumOf(other)[7:])
	assert.Equal(t, []string{"", "bytes=10000-", "", "bytes=10000-"}, s.ranges)
}
