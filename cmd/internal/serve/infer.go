package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/clusterpool/ccp/models"
)

// clientGone is the code by which requests are counted whose client went away, as nginx has it.
const clientGone = 499

// infer answers a request for classifications.
func (s *Server) infer(w http.ResponseWriter, r *http.Request, m *served) (code int) {
	m.arriving.add(1)
	arrive := sync.OnceFunc(func() { m.arriving.add(-1) })
	defer arrive()
	body, err := readBody(r, s.MaxBody, &s.memory)
	if err != nil {
		return s.refuse(w, r, err)
	}
	defer body.release()
	// Only now a classifier is acquired: a slow client keeps no old one in memory.
	c, release, code := s.acquire(w, r, m)
	if code != http.StatusOK {
		return code
	}
	defer release()
	d, err := decode(body.data, r.Header.Get(binaryHeader), c.Spec)
	if err != nil {
		return s.refuse(w, r, err)
	}
	body.release()
	if len(d.signals) > s.Queue {
		return s.refuse(w, r, bad("the batch is of %d signals; a request can bring %d", len(d.signals), s.Queue))
	}
	timeout := s.Timeout
	if d.Parameters.Timeout > 0 && d.Parameters.Timeout < timeout.Microseconds() {
		timeout = time.Duration(d.Parameters.Timeout) * time.Microsecond
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	arrive()
	predictions, err := m.classify(ctx, c, d.signals)
	if err != nil {
		return s.refuse(w, r, err)
	}
	answer, header, err := encode(m.name, version(c), c.ClassNames, d, predictions)
	if err != nil {
		return s.refuse(w, r, err)
	}
	w.Header().Set("Content-Type", "application/json")
	if header >= 0 {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set(binaryHeader, strconv.Itoa(header))
	}
	s.send(w, r, http.StatusOK, answer)
	return http.StatusOK
}

// refuse answers a request that failed by the status code that fits.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) (code int) {
	var unusable badRequest
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded): // of reading; the connection is of no more use
		w.Header().Set("Connection", "close")
		return s.fail(w, r, http.StatusRequestTimeout, "the request took too long to arrive")
	case r.Context().Err() != nil:
		return s.fail(w, r, clientGone, "the client went away")
	case errors.As(err, &unusable), errors.Is(err, models.ErrInput):
		return s.fail(w, r, http.StatusBadRequest, err.Error())
	case errors.Is(err, errBodyTooLarge):
		return s.fail(w, r, http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is too large; it can have %d bytes", s.MaxBody))
	case errors.Is(err, errEncoding):
		return s.fail(w, r, http.StatusUnsupportedMediaType, "Content-Encoding can be gzip, deflate or identity")
	case errors.Is(err, errFull), errors.Is(err, errMemory):
		if now := time.Now().UnixNano(); now-s.warned.Load() > int64(10*time.Second) {
			s.warned.Store(now)
			s.Log.Warn("overloaded: requests are refused", "error", err)
		}
		return s.busy(w, r, err.Error())
	case errors.Is(err, models.ErrClosed):
		return s.busy(w, r, "the server is ending")
	case errors.Is(err, context.DeadlineExceeded):
		return s.fail(w, r, http.StatusGatewayTimeout, "the request was not computed in time")
	}
	s.Log.Error("infer", "path", clip(r.URL.Path), "error", err)
	return s.fail(w, r, http.StatusInternalServerError, "internal error; the server's log says more")
}

// busy answers that the client should come back, in a second.
func (s *Server) busy(w http.ResponseWriter, r *http.Request, text string) (code int) {
	w.Header().Set("Retry-After", "1")
	return s.fail(w, r, http.StatusServiceUnavailable, text)
}
