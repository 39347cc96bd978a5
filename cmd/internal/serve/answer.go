package serve

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/klauspost/compress/gzhttp"
)

// compressFrom is the least length of a compressed answer. A shorter one fits into a network packet anyway.
const compressFrom = 1400

// clientGone is nginx's code for a request whose client went away. Such requests are counted by it.
const clientGone = 499

// refusal is an error for the client, with its HTTP status code.
type refusal struct {
	code int
	error
}

// Unwrap gives the cause.
func (r refusal) Unwrap() error { return r.error }

var (
	errLate   = refusal{http.StatusGatewayTimeout, errors.New("the request was not computed in time")}
	errEnding = refusal{http.StatusServiceUnavailable, errors.New("the server is ending")}
)

func refused(code int, format string, args ...any) error {
	return refusal{code, fmt.Errorf(format, args...)}
}

func bad(format string, args ...any) error { return refused(http.StatusBadRequest, format, args...) }

// document is an answer in JSON, except for classifications.
type document map[string]any

// write answers with a document.
func (s *Server) write(w http.ResponseWriter, r *http.Request, code int, d document) {
	raw, _ := json.Marshal(d) // of types that cannot fail
	w.Header().Set("Content-Type", "application/json")
	s.send(w, r, code, append(raw, '\n'))
}

// fail answers a request with its error, unless it has been, and returns the status code.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) (code int) {
	if told, ok := errors.AsType[answered](err); ok {
		return told.code
	}
	known := s.refusalOf(r, err)
	switch known.code {
	case http.StatusRequestTimeout: // while reading: the connection is unusable
		w.Header().Set("Connection", "close")
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1") // second
	}
	s.write(w, r, known.code, document{"error": known.Error()})
	return known.code
}

// refusalOf returns what the client is told of an error. The log has those that are ours.
func (s *Server) refusalOf(r *http.Request, err error) (known refusal) {
	_, unusable := errors.AsType[*models.SignalError](err)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refusal{http.StatusRequestTimeout, errors.New("the request took too long to arrive")}
	case r.Context().Err() != nil:
		return refusal{clientGone, errors.New("the client went away")}
	case errors.As(err, &known):
		s.warnOfOverload(known)
		return known
	case unusable:
		return refusal{http.StatusBadRequest, err}
	case errors.Is(err, models.ErrClosed):
		return errEnding
	case errors.Is(err, context.DeadlineExceeded):
		return errLate
	}
	s.Log.Error("infer", "path", suggest.Clip(r.URL.Path), "error", err)
	return refusal{http.StatusInternalServerError, errors.New("internal error; the server's log says more")}
}

// warnOfOverload logs, now and then, that requests are refused for lack of room.
func (s *Server) warnOfOverload(known refusal) {
	now := time.Now().UnixNano()
	if known.code == http.StatusServiceUnavailable && now-s.warned.Load() > int64(10*time.Second) {
		s.warned.Store(now)
		s.Log.Warn("overloaded: requests are refused", "error", known)
	}
}

// compressed compresses long answers for clients that accept gzip.
var compressed, _ = gzhttp.NewWrapper(gzhttp.MinSize(compressFrom), gzhttp.CompressionLevel(gzip.BestSpeed), // valid
	gzhttp.ContentTypeFilter(gzhttp.CompressAllContentTypeFilter))

// send sends an answer. It ignores a client that has gone.
func (s *Server) send(w http.ResponseWriter, r *http.Request, code int, body []byte) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	compressed(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write(body)
	})).ServeHTTP(w, r)
}
