package backend

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"sync"
	"time"
)

const (
	answerWait = 15 * time.Second // Until a server must have begun to answer.
	stallWait  = 60 * time.Second // Until the next bytes of an answer must have come.
)

// guard is an HTTP transport for downloads: it gives up on a server that does not answer or stalls, turns HTTP errors
// into Go errors, and shows the progress of large answers.
type guard struct {
	base          http.RoundTripper
	log           io.Writer
	answer, stall time.Duration

	mu   sync.Mutex
	last *url.URL
}

func newGuard(log io.Writer) *guard {
	return &guard{base: http.DefaultTransport, log: log, answer: answerWait, stall: stallWait}
}

// lastURL is the address of the latest answer, after redirects.
func (g *guard) lastURL() *url.URL {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.last
}

// RoundTrip implements [http.RoundTripper].
func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	host := request.URL.Host
	timer := time.AfterFunc(g.answer, func() { cancel(fmt.Errorf("%s did not answer in %v", host, g.answer)) })
	response, err := g.base.RoundTrip(request.WithContext(ctx))
	if err != nil {
		timer.Stop()
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		timer.Stop()
		_ = response.Body.Close()
		cancel(nil)
		return nil, fmt.Errorf("%s answered %s", host, response.Status)
	}
	g.mu.Lock()
	g.last = request.URL
	g.mu.Unlock()
	timer.Stop()
	body := &guardedBody{ReadCloser: response.Body, ctx: ctx, cancel: cancel, stall: g.stall}
	body.timer = time.AfterFunc(g.stall, func() { cancel(fmt.Errorf("%s sent nothing for %v", host, g.stall)) })
	body.meter = newMeter(g.log, path.Base(request.URL.Path), response.ContentLength)
	response.Body = body
	return response, nil
}

// guardedBody is an answer's body that is cut off when it stalls, and that reports to a meter.
type guardedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
	meter  *meter
}

func (b *guardedBody) Read(p []byte) (int, error) {
	b.timer.Reset(b.stall)
	n, err := b.ReadCloser.Read(p)
	b.meter.add(int64(n))
	if cause := context.Cause(b.ctx); err != nil && err != io.EOF && cause != nil {
		err = cause
	}
	return n, err
}

func (b *guardedBody) Close() error {
	b.timer.Stop()
	b.meter.end()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// clientMutex protects the process-wide variables that withGuardedClient replaces.
var clientMutex sync.Mutex

// withGuardedClient runs a function of go-xla's installer with its requests going through a guard. The installer uses
// http.DefaultClient, which waits for ever, and draws a spinner on stdout even when told to be quiet, so both are
// replaced meanwhile. Nothing else in the process may write results before its backend is open.
func withGuardedClient(log io.Writer, fn func(g *guard) error) error {
	clientMutex.Lock()
	defer clientMutex.Unlock()
	void, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = void.Close() }()
	g := newGuard(log)
	client, stdout := http.DefaultClient, os.Stdout
	defer func() { http.DefaultClient, os.Stdout = client, stdout }()
	http.DefaultClient, os.Stdout = &http.Client{Transport: g}, void
	return fn(g)
}
