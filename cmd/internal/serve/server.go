// Package serve answers requests for classifications over HTTP as the Open Inference Protocol, version 2, has it, so that the
// clients of KServe and Triton can ask.
//
// A request goes through four places, each with a bound: its body is read (Config.MaxBody, and Config.Memory for all of them),
// decoded, put in the queue of its model (Config.Queue), and computed together with others (Config.MaxBatch). Where there
// is no room the answer is 503 with Retry-After, at once. The model that a request is decoded for also answers it, whatever is
// loaded meanwhile.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/clusterpool/ccp/models"
)

// Config of a Server. Only Checkpoints has to be set: what is zero is replaced as Defaults says.
type Config struct {
	Checkpoints []Checkpoint
	Options     []models.Option // for loading them
	Version     string          // of this program

	MaxBatch int           // signals computed at once, where there are several requests
	MaxDelay time.Duration // that a signal waits for others to be computed with
	Queue    int           // signals that wait for each model; also the most that one request can bring
	Timeout  time.Duration // from a request's last byte to its answer
	MaxBody  int           // bytes of a request, unpacked
	Memory   int           // bytes of all requests that are being read or decoded
	Poll     time.Duration // between two looks for a newer snapshot; negative: never
	Drain    time.Duration // at the end: how long clients are given to leave before the listener is closed

	TLSCert, TLSKey string // PEM files; empty: plain HTTP
	TokenFile       string // with a bearer token on each line; empty: nobody is asked for one

	Log *slog.Logger
}

// Defaults are the values of what is left zero.
var Defaults = Config{Version: "unknown", MaxBatch: 64, MaxDelay: time.Millisecond, Queue: 1024, Timeout: 10 * time.Second, MaxBody: 64 << 20,
	Memory: 256 << 20, Poll: 5 * time.Second, Drain: 5 * time.Second, Log: slog.New(slog.DiscardHandler)}

func (c *Config) complete() {
	c.MaxBatch, c.Queue, c.MaxBody, c.Memory = or(c.MaxBatch, Defaults.MaxBatch), or(c.Queue, Defaults.Queue), or(c.MaxBody, Defaults.MaxBody), or(c.Memory, Defaults.Memory)
	c.MaxDelay, c.Timeout, c.Poll, c.Drain = or(c.MaxDelay, Defaults.MaxDelay), or(c.Timeout, Defaults.Timeout), or(c.Poll, Defaults.Poll), or(c.Drain, Defaults.Drain)
	c.Version, c.Log = or(c.Version, Defaults.Version), or(c.Log, Defaults.Log)
}

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Server serves models. New makes one.
type Server struct {
	Config
	models   map[string]*served
	metrics  *metrics
	memory   budget
	tokens   *watched[[]token] // nil: none is asked for
	draining atomic.Bool
	warned   atomic.Int64 // when the last warning of overload was written, in ns
}

// New loads the models; it can take seconds. Errors name the checkpoint or file at fault.
func New(ctx context.Context, c Config) (_ *Server, err error) {
	c.complete()
	s := &Server{Config: c, models: map[string]*served{}, metrics: newMetrics(), memory: budget{limit: c.Memory}}
	if s.tokens, err = newTokens(c.TokenFile, c.Log); err != nil {
		return nil, err
	}
	for _, checkpoint := range c.Checkpoints {
		m, err := s.load(ctx, checkpoint, c.Options)
		if err == nil && s.models[m.name] != nil {
			err = errors.Join(fmt.Errorf("two checkpoints are named %q; give them names: NAME=%s", m.name, checkpoint.Dir), m.close())
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.models[m.name] = m
		s.metrics.queueOf(m.name, m.length)
	}
	if len(s.models) == 0 {
		return nil, errors.New("there is no checkpoint to serve")
	}
	return s, nil
}

// Names lists the models.
func (s *Server) Names() []string { return slices.Sorted(maps.Keys(s.models)) }

// Close ends the models when what they have accepted is computed.
func (s *Server) Close() (err error) {
	for _, m := range s.models {
		err = errors.Join(err, m.close())
	}
	return err
}

// Reload looks for newer snapshots now.
func (s *Server) Reload(ctx context.Context) {
	for _, m := range s.models {
		changed, err := m.Reload(ctx)
		switch {
		case err != nil:
			s.reported(m, err)
		case changed:
			s.reported(m, nil)
		default:
			s.Log.Info("no newer model", "model", m.name)
		}
	}
}

// Handler answers everything. It never panics, and reads and writes no file but the token file.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2", s.metadata)
	mux.HandleFunc("GET /v2/health/live", func(w http.ResponseWriter, r *http.Request) {
		s.write(w, r, http.StatusOK, map[string]bool{"live": true})
	})
	mux.HandleFunc("GET /v2/health/ready", s.ready)
	for _, prefix := range []string{"/v2/models/{name}", "/v2/models/{name}/versions/{version}"} {
		mux.HandleFunc("GET "+prefix, s.modelMetadata)
		mux.HandleFunc("GET "+prefix+"/ready", s.modelReady)
		mux.HandleFunc("POST "+prefix+"/infer", s.infer)
	}
	mux.Handle("GET /metrics", s.metrics.handler())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p != http.ErrAbortHandler { //nolint:errorlint // net/http panics with this very value
					s.panicked("answering "+clip(r.URL.Path), fmt.Sprintf("%v\n%s", p, debug.Stack()))
				}
				panic(http.ErrAbortHandler) // closes the connection, without a trace
			}
		}()
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		handler, pattern := mux.Handler(r)
		switch {
		case !s.allowed(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.fail(w, r, http.StatusUnauthorized, "a bearer token is needed")
		case pattern == "":
			answer := &statusOnly{header: w.Header(), code: http.StatusNotFound}
			handler.ServeHTTP(answer, r) // sets Allow
			s.fail(w, r, answer.code, fmt.Sprintf("there is no %s %s here", clip(r.Method), clip(r.URL.Path)))
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// statusOnly keeps what an answer says and drops how it says it.
type statusOnly struct {
	header http.Header
	code   int
}

func (a *statusOnly) Header() http.Header         { return a.header }
func (a *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (a *statusOnly) WriteHeader(code int)        { a.code = code }

func (s *Server) panicked(doing, text string) {
	s.metrics.panics.Inc()
	s.Log.Error("internal error", "doing", doing, "error", text)
}
