package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReport(t *testing.T) {
	dir := trained(t)
	file := filepath.Join(dir, "report.html")
	assert.Regexp(t, "^"+regexp.QuoteMeta(file)+`: \d+\.\d kB; open it in a browser\n$`, succeed(t, "report", "--backend", "go", "--checkpoint", dir))
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(page, []byte("<!doctype html>")))

	var r reportJSON
	decode(t, succeed(t, "report", "--backend", "go", "--checkpoint", dir, "--json"), &r) // a former report is replaced
	assert.Equal(t, []any{"report", dir, file, 359, 1, 16}, []any{r.Command, r.Checkpoint, r.File, r.Samples, r.Epochs, r.Gallery})
	assert.InDelta(t, len(page), r.Bytes, 100)

	other := filepath.Join(t.TempDir(), "other.html")
	require.NoError(t, os.WriteFile(other, []byte("<p>somebody's"), 0o644))
	code, stdout, stderr := execute(t, "report", "--backend", "go", "--checkpoint", dir, "--out", other)
	assert.Equal(t, []any{1, "", "ccp: " + other + " exists and is no report; --overwrite replaces it\n"}, []any{code, stdout, stderr})
	succeed(t, "report", "--backend", "go", "--checkpoint", dir, "--out", other, "--overwrite")
	page, err = os.ReadFile(other)
	require.NoError(t, err)
	assert.Contains(t, string(page), "ccp report")

	nowhere := filepath.Join(t.TempDir(), "not", "there.html")
	code, _, stderr = execute(t, "report", "--backend", "go", "--checkpoint", dir, "--out", nowhere)
	assert.Equal(t, []any{1, "ccp: " + nowhere + ": there is no folder " + filepath.Dir(nowhere) + "; make it, or choose another --out\n"}, []any{code, stderr})

	code, _, stderr = execute(t, "report", "--backend", "go", "--checkpoint", t.TempDir())
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "is not a checkpoint")
}

// The data set gone, there is a page without samples, which says so.
func TestReportWithoutData(t *testing.T) {
	folder := t.TempDir()
	data, dir := filepath.Join(folder, "own.npz"), filepath.Join(folder, "run")
	writeOwn(t, data)
	succeed(t, "train", "--backend", "go", "--data", data, "--checkpoint", dir, "--hierarchy", "prepared", "--levels", "2x4/3,1x4/2", "--fc", "4", "--epochs", "1")
	require.NoError(t, os.Remove(data))
	code, stdout, stderr := execute(t, "report", "--backend", "go", "--checkpoint", dir, "--json")
	require.Zero(t, code, stderr)
	assert.Regexp(t, "^the data set is unavailable, so samples and names are left out: .*own.npz: no such file", stderr)
	var r reportJSON
	decode(t, stdout, &r)
	assert.Zero(t, r.Samples)
	page, err := os.ReadFile(r.File)
	require.NoError(t, err)
	assert.Contains(t, string(page), "the data set is unavailable")
}

// watched is stderr, which calls with the address that it tells, once.
type watched struct {
	mu    sync.Mutex
	text  strings.Builder
	found func(url string)
}

func (w *watched) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(line)
	if match := regexp.MustCompile(`watch {2}(http://127\.0\.0\.1:\d+/)\n`).FindStringSubmatch(w.text.String()); match != nil && w.found != nil {
		w.found(match[1])
		w.found = nil
	}
	return len(line), nil
}

func TestTrainWatch(t *testing.T) {
	t.Setenv("CCP_DATA", "")
	answers := make(chan string, 100)
	var follower sync.WaitGroup
	stderr := &watched{found: func(url string) {
		follower.Go(func() {
			for ended := false; !ended; time.Sleep(5 * time.Millisecond) {
				answer, err := http.Get(url + "report.json") //nolint:noctx // a test's
				if err != nil {
					break
				}
				body, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil {
					break
				}
				select {
				case answers <- string(body):
				default:
				}
				if ended = strings.Contains(string(body), `"ended":true`); ended {
					answers <- "ended"
				}
			}
		})
	}}
	var stdout bytes.Buffer
	code := run(append([]string{"train", "--watch", "--checkpoint", filepath.Join(t.TempDir(), "run")}, tiny...), &stdout, stderr)
	follower.Wait()
	require.Zero(t, code, stderr.text.String())
	assert.Contains(t, stdout.String(), "test accuracy")
	var all []string
	for len(answers) > 0 {
		all = append(all, <-answers)
	}
	require.NotEmpty(t, all, stderr.text.String())
	assert.Contains(t, all, "ended", "the page is told that the training has ended")

	code, _, errors := execute(t, append([]string{"train", "--watch=nowhere", "--checkpoint", filepath.Join(t.TempDir(), "run")}, tiny...)...)
	assert.Equal(t, 1, code)
	assert.Contains(t, errors, `--watch: address "nowhere" is not HOST:PORT or :PORT`)
}
