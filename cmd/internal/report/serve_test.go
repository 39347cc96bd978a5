package report

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/clusterpool/ccp/models"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listening serves a copy of a run, as it was after some epochs of its training.
func listening(t *testing.T) (s *Server, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	s, err := Listen("127.0.0.1:0", dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.server.Close() })
	return s, dir
}

// goOn makes dir the run as it was after some of its epochs.
func goOn(t *testing.T, dir string, epochs int) {
	t.Helper()
	whole := trained(t, "learned")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "hierarchy"), 0o755))
	for _, name := range []string{"config.json", "model.json", "graph.npz", "hierarchy/0001.json", "hierarchy/0002.json", "hierarchy/0003.json"}[:3+epochs] {
		raw, err := os.ReadFile(filepath.Join(whole, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), raw, 0o644))
	}
	raw, err := os.ReadFile(filepath.Join(whole, "history.csv"))
	require.NoError(t, err)
	lines := strings.SplitAfter(string(raw), "\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "history.csv"), []byte(strings.Join(lines[:1+epochs], "")), 0o644))
}

func get(t *testing.T, s *Server, path, tag string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL()+path, nil)
	require.NoError(t, err)
	request.Header.Set("If-None-Match", tag)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(body)
}

func TestServer(t *testing.T) {
	s, dir := listening(t)
	assert.False(t, s.Public())
	document := func(body string) (d struct {
		Spec    models.Spec       `json:"spec"`
		History []json.RawMessage `json:"history"`
		Live    bool              `json:"live"`
		Ended   bool              `json:"ended"`
	}) {
		require.NoError(t, json.Unmarshal([]byte(body), &d))
		return d
	}
	answer, body := get(t, s, "report.json", "")
	assert.Equal(t, 200, answer.StatusCode)
	assert.Zero(t, document(body).Spec.Nodes, "there is no run yet")

	goOn(t, dir, 1)
	s.Begin(digits(t))
	answer, body = get(t, s, "report.json", "")
	assert.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	assert.Equal(t, []any{64, 1, true, false}, []any{document(body).Spec.Nodes, len(document(body).History), document(body).Live, document(body).Ended})
	tag := answer.Header.Get("ETag")
	answer, body = get(t, s, "report.json", tag)
	assert.Equal(t, []any{304, ""}, []any{answer.StatusCode, body})
	goOn(t, dir, 2)
	answer, body = get(t, s, "report.json", tag)
	assert.Equal(t, 200, answer.StatusCode)
	assert.Len(t, document(body).History, 2)

	answer, body = get(t, s, "", "")
	assert.Equal(t, "text/html; charset=utf-8", answer.Header.Get("Content-Type"))
	assert.Contains(t, body, Generator)
	policy := answer.Header.Get("Content-Security-Policy")
	assert.Regexp(t, `^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; connect-src 'self';`, policy)
	assert.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"))
	answer, _ = get(t, s, "etc", "")
	assert.Equal(t, 404, answer.StatusCode)
	post, err := http.Post(s.URL(), "text/plain", nil) //nolint:noctx // a test's
	require.NoError(t, err)
	post.Body.Close()
	assert.Equal(t, 405, post.StatusCode)

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.End(ctx) }()
	for !document(documentOf(t, s)).Ended {
		time.Sleep(time.Millisecond)
	}
	require.NoError(t, <-ended)
	_, err = http.Get(s.URL()) //nolint:noctx,bodyclose // there is no answer
	require.Error(t, err)
}

func documentOf(t *testing.T, s *Server) string {
	t.Helper()
	_, body := get(t, s, "report.json", "")
	return body
}

// A page of another site, whose name was made to lead here, is not answered.
func TestServerHost(t *testing.T) {
	s, _ := listening(t)
	for host, want := range map[string]int{"127.0.0.1": 200, "localhost:1": 200, "[::1]:80": 200, "evil.example": 421, "127.0.0.1.evil.example:80": 421, "8.8.8.8": 421} {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL(), nil)
		require.NoError(t, err)
		request.Host = host
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		answer.Body.Close()
		assert.Equal(t, want, answer.StatusCode, host)
	}
}

// stuck is an answer that nobody reads until it is freed.
type stuck struct {
	http.ResponseWriter
	begun, free chan struct{}
}

func (s stuck) Write(b []byte) (int, error) {
	close(s.begun)
	<-s.free
	return s.ResponseWriter.Write(b)
}

// A client that reads slowly does not hold up the training.
func TestSlowClient(t *testing.T) {
	s, _ := listening(t)
	w := stuck{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"report.json", nil)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		s.ServeHTTP(w, request)
	}()
	<-w.begun
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		s.Begin(digits(t))
	}()
	select {
	case <-begun:
	case <-time.After(20 * time.Second):
		t.Error("Begin waits for the client")
	}
	close(w.free)
	<-answered
}

func TestListenErrors(t *testing.T) {
	for _, address := range []string{"nothing", "127.0.0.1:99999", "127.0.0.1:x"} {
		_, err := Listen(address, "run")
		require.ErrorContains(t, err, address[len(address)-1:], address)
	}
	s, err := Listen(":0", "run")
	require.NoError(t, err)
	assert.False(t, s.Public(), "without a host it is for this machine alone")
	require.NoError(t, s.End(context.Background()))
}

// The page follows a training, and keeps what was chosen, and where the focus is.
func TestLive(t *testing.T) {
	s, dir := listening(t)
	goOn(t, dir, 1)
	s.Begin(digits(t))
	ctx := browser(t, s.URL())
	do(t, ctx, chromedp.Navigate(s.URL()), chromedp.WaitVisible("#explorer"), chromedp.Focus("#cluster"), chromedp.KeyEvent("3"))
	cluster, level, _ := chosen(t, ctx)
	assert.Equal(t, []int{3, 1}, []int{cluster, level})
	assert.Equal(t, "live, training", textOf(t, ctx, "live"))
	goOn(t, dir, 3)
	do(t, ctx, chromedp.WaitVisible("#epoch-control"))
	assert.Equal(t, "cluster", focused(t, ctx))
	cluster, level, _ = chosen(t, ctx)
	assert.Equal(t, []int{3, 1}, []int{cluster, level})
	assert.Contains(t, textOf(t, ctx, "epoch-value"), "3", "it follows the newest epoch")
	assert.Contains(t, textOf(t, ctx, "curves-text"), "3 epochs of 3")
	do(t, ctx, chromedp.SendKeys("#epoch", kb.Home), chromedp.Focus("#map"))
	require.NoError(t, s.End(context.Background()))
	do(t, ctx, chromedp.WaitReady(`#live:not(.on)`))
	assert.Equal(t, "training has ended", textOf(t, ctx, "live"))
	assert.Contains(t, textOf(t, ctx, "epoch-value"), "1", "the chosen epoch stays")
}

func ExampleListen() {
	s, err := Listen("127.0.0.1:0", "runs/digits-ccp-1")
	if err != nil {
		panic(err)
	}
	defer func() { _ = s.End(context.Background()) }()
	// s.URL() says where the page is; s.Begin comes when the run has begun.
}
