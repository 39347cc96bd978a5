// Package serve answers requests for classifications over HTTP as the Open Inference Protocol, version 2, has it, so that the
// clients of KServe and Triton can ask.
//
// A request goes through four places, each with a bound: its body is read (Config.MaxBody, and Config.Memory for all of them),
// decoded, put in the queue of its model (Config.Queue), and computed together with others (Config.MaxBatch). Where there
// is no room the answer is 503 with Retry-After, at once. The model that a request is decoded for also answers it, whatever is
// loaded meanwhile.
package serve

import (
	"cmp"
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
	d := Defaults
	c.MaxBatch, c.Queue, c.MaxBody, c.Memory = cmp.Or(c.MaxBatch, d.MaxBatch), cmp.Or(c.Queue, d.Queue), cmp.Or(c.MaxBody, d.MaxBody), cmp.Or(c.Memory, d.Memory)
	c.MaxDelay, c.Timeout, c.Poll, c.Drain = cmp.Or(c.MaxDelay, d.MaxDelay), cmp.Or(c.Timeout, d.Timeout), cmp.Or(c.Poll, d.Poll), cmp.Or(c.Drain, d.Drain)
	c.Version, c.Log = cmp.Or(c.Version, d.Version), cmp.Or(c.Log, d.Log)
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
	constant := func(path string, content document) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { s.write(w, r, http.StatusOK, content) })
	}
	constant("/v2", document{"name": "ccp", "version": s.Version, "extensions": []string{"binary_tensor_data", "classification"}})
	constant("/v2/health/live", document{"live": true})
	mux.HandleFunc("GET /v2/health/ready", func(w http.ResponseWriter, r *http.Request) { s.ready(w, r, document{}) })
	for _, prefix := range []string{"/v2/models/{name}", "/v2/models/{name}/versions/{version}"} {
		mux.HandleFunc("GET "+prefix, s.model(s.metadata))
		mux.HandleFunc("GET "+prefix+"/ready", s.model(s.modelReady))
		mux.HandleFunc("POST "+prefix+"/infer", s.model(s.infer))
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
		if !s.allowed(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.fail(w, r, http.StatusUnauthorized, "a bearer token is needed")
			return
		}
		answer := &routed{ResponseWriter: w, request: r}
		mux.ServeHTTP(answer, r)
		if answer.code != 0 {
			s.fail(w, r, answer.code, fmt.Sprintf("there is no %s %s here", clip(r.Method), clip(r.URL.Path)))
		}
	})
}

// routed is an answer that keeps the code of the mux's own answer, where no pattern fits the request, and drops its text.
type routed struct {
	http.ResponseWriter
	request *http.Request
	code    int
}

func (a *routed) WriteHeader(code int) {
	if a.request.Pattern == "" {
		a.code = code
		return
	}
	a.ResponseWriter.WriteHeader(code)
}

func (a *routed) Write(b []byte) (int, error) {
	if a.code != 0 {
		return len(b), nil
	}
	return a.ResponseWriter.Write(b)
}

// model hands a request to what answers for the model that its path names. Answers return the HTTP status code.
func (s *Server) model(answer func(w http.ResponseWriter, r *http.Request, m *served) (code int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start, name, code := time.Now(), "", http.StatusNotFound // a metric's labels must be ours: "" for any other name
		if m := s.models[r.PathValue("name")]; m != nil {
			name, code = m.name, answer(w, r, m)
		} else {
			s.fail(w, r, code, fmt.Sprintf("there is no model %q", clip(r.PathValue("name"))))
		}
		if r.Method == http.MethodPost {
			took := time.Since(start)
			s.metrics.answered(name, code, took)
			s.Log.Debug("infer", "model", name, "code", code, "took", took, "from", r.RemoteAddr)
		}
	}
}

// ready answers with a document that says so. The server is no longer ready once it is ending, for new requests to be sent
// elsewhere.
func (s *Server) ready(w http.ResponseWriter, r *http.Request, d document) (code int) {
	if code = http.StatusOK; s.draining.Load() {
		code = http.StatusServiceUnavailable
	}
	d["ready"] = code == http.StatusOK
	s.write(w, r, code, d)
	return code
}

func (s *Server) modelReady(w http.ResponseWriter, r *http.Request, m *served) (code int) {
	_, release, code := s.acquire(w, r, m)
	if code == http.StatusOK {
		defer release()
		code = s.ready(w, r, document{"name": m.name})
	}
	return code
}

func (s *Server) metadata(w http.ResponseWriter, r *http.Request, m *served) (code int) {
	c, release, code := s.acquire(w, r, m)
	if code == http.StatusOK {
		defer release()
		s.write(w, r, code, document{"name": m.name, "versions": []string{version(c)}, "platform": "ccp",
			"inputs": []tensor{{Name: signalsTensor, Datatype: "FP32", Shape: []int{-1, c.Spec.Nodes, c.Spec.Channels}}},
			"outputs": []tensor{{Name: probabilitiesTensor, Datatype: "FP32", Shape: []int{-1, c.Spec.Classes}},
				{Name: classTensor, Datatype: "INT64", Shape: []int{-1}}, {Name: labelTensor, Datatype: "BYTES", Shape: []int{-1}}}})
	}
	return code
}

// acquire gives a model's newest classifier, to be released, and 200; or it answers that there is none of the version that
// the request's path names, and gives the code of that.
func (s *Server) acquire(w http.ResponseWriter, r *http.Request, m *served) (c *models.Classifier, release func(), code int) {
	c, free, err := m.Acquire()
	if err != nil {
		return nil, nil, s.busy(w, r, "the server is ending")
	}
	release = func() {
		if err := free(); err != nil {
			s.Log.Warn("closing a model", "model", m.name, "error", err)
		}
	}
	if asked := r.PathValue("version"); asked != "" && asked != version(c) {
		release()
		return nil, nil, s.fail(w, r, http.StatusNotFound, fmt.Sprintf("model %q has no version %q; its version is %q", m.name, clip(asked), version(c)))
	}
	return c, release, http.StatusOK
}

func (s *Server) panicked(doing, text string) {
	s.metrics.panics.Inc()
	s.Log.Error("internal error", "doing", doing, "error", text)
}
