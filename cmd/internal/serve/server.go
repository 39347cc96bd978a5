// Package serve answers requests for classifications over HTTP by the Open Inference Protocol, version 2, which the
// clients of KServe and Triton speak.
//
// A request passes four places, each with a bound. The server reads its body (Config.MaxBody) and decodes it; all that
// requests occupy until they are answered is counted before it is allocated (Config.Memory). Then the request waits in
// the queue of its model (Config.Queue). The model computes it together with others (Config.MaxBatch). A request that
// finds no room is answered with 503 and Retry-After at once.
// The model that a request is decoded for also answers it, whatever is loaded meanwhile.
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
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/clusterpool/ccp/cmd/internal/classify"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/prometheus/client_golang/prometheus"
)

// Config of a Server. Start from Defaults and set Checkpoints.
type Config struct {
	Checkpoints []Checkpoint
	Options     models.LoadOptions // for loading them
	Version     string             // of this program

	MaxBatch int           // signals of several requests computed at once
	MaxDelay time.Duration // that a signal waits for others to be computed with
	Queue    int           // signals that wait for each model; also the limit for one request
	Timeout  time.Duration // from a request's last byte to its answer
	MaxBody  int           // bytes of a request, decompressed
	Memory   int           // bytes of all requests: what has arrived, what is read from it, and the answers
	Poll     time.Duration // between two checks for a newer snapshot; 0: never
	Drain    time.Duration // that clients have at the end to send what they have begun, and to leave
	Idle     time.Duration // without a request, after which Run ends; 0: never

	TLSCert, TLSKey string // PEM files; empty: plain HTTP
	TokenFile       string // with a bearer token on each line; empty: none is needed

	Log      *slog.Logger
	Reloaded func() // called when a newer snapshot is in use, unless nil
}

// Defaults are the settings to start from.
var Defaults = Config{MaxBatch: 64, MaxDelay: time.Millisecond, Queue: 1024, Timeout: 10 * time.Second,
	MaxBody: 64 << 20,
	Memory:  256 << 20, Poll: 5 * time.Second, Drain: 5 * time.Second, Log: slog.New(slog.DiscardHandler)}

// Server serves models. New makes one.
type Server struct {
	Config
	models      map[string]*served
	metrics     *metrics
	memory      atomic.Int64      // bytes of requests
	tokens      *watched[[]token] // nil: none is needed
	draining    atomic.Bool
	reading     context.Context // of requests; done when no more is read
	stopReading func()
	silence     time.Duration // without a row, after which a stream ends
	piped       bool          // the client is the one that started us, and may be as slow as it likes
	warned      atomic.Int64  // time of the last warning of overload, in ns
}

// ErrNames says that checkpoints to serve have the same name.
var ErrNames = errors.New("two checkpoints of one name")

// New loads the models; it can take seconds. Errors name the checkpoint or file at fault.
func New(ctx context.Context, c Config) (_ *Server, err error) {
	s := &Server{Config: c, models: map[string]*served{}, metrics: newMetrics(), silence: idling}
	s.reading, s.stopReading = context.WithCancel(context.Background())
	s.tokens, err = newTokens(c.TokenFile, c.Log)
	if err != nil {
		return nil, err
	}
	for _, checkpoint := range c.Checkpoints {
		m, err := s.load(ctx, checkpoint, c.Options)
		if err == nil && s.models[m.name] != nil {
			err = fmt.Errorf("%w, %q; give them names: NAME=%s", ErrNames, m.name, checkpoint.Dir)
			err = errors.Join(err, m.close())
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.models[m.name] = m
		s.metrics.NewGaugeFunc(prometheus.GaugeOpts{Name: "ccp_queue_signals", Help: "Signals that wait to be computed.",
			ConstLabels: prometheus.Labels{"model": m.name}}, func() float64 { return float64(m.waiting.Load()) })
	}
	if len(s.models) == 0 {
		return nil, errors.New("there is no checkpoint to serve")
	}
	return s, nil
}

// Names lists the models.
func (s *Server) Names() []string { return slices.Sorted(maps.Keys(s.models)) }

// Close computes what the models have accepted and closes them.
func (s *Server) Close() (err error) {
	for _, m := range s.models {
		err = errors.Join(err, m.close())
	}
	return err
}

// Reload checks for newer snapshots now.
func (s *Server) Reload(ctx context.Context) {
	for _, m := range s.models {
		changed, err := m.Reload(ctx)
		if changed || err != nil {
			s.reported(m, err)
		} else {
			s.Log.Info("no newer model", "model", m.name)
		}
	}
}

// Handler answers everything. If the server has a token, requests need it, but for whether the server lives and is
// ready. Bad requests never make it panic (a broken connection ends as http.ErrAbortHandler). It reads no file but the
// token file and writes none.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(methods, path string, answer http.HandlerFunc) {
		method, _, _ := strings.Cut(methods, ",") // GET is HEAD, too
		mux.HandleFunc(method+" "+path, answer)
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", methods)
			s.fail(w, r, nowhere(http.StatusMethodNotAllowed, r))
		})
	}
	const get = "GET, HEAD"
	constant := func(path string, content document) {
		handle(get, path, func(w http.ResponseWriter, r *http.Request) { s.write(w, r, http.StatusOK, content) })
	}
	constant("/v2", document{"name": "ccp", "version": s.Version,
		"extensions": []string{"binary_tensor_data", "classification"}})
	constant("/v2/health/live", document{"live": true})
	constant("/v2/models", document{"models": s.Names()})
	handle(get, "/v2/health/ready", func(w http.ResponseWriter, r *http.Request) { s.ready(w, r, document{}) })
	for _, prefix := range []string{"/v2/models/{name}", "/v2/models/{name}/versions/{version}"} {
		handle(get, prefix, s.model(s.describe))
		handle(get, prefix+"/ready", s.model(s.describe))
		handle("POST", prefix+"/infer", s.model(s.infer))
		handle("POST", prefix+"/recordings", s.model(s.infer))
		handle("POST", prefix+"/stream", s.model(s.stream))
	}
	handle(get, "/metrics", s.metrics.handler.ServeHTTP)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, nowhere(http.StatusNotFound, r)) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p != http.ErrAbortHandler { //nolint:errorlint // net/http panics with this very value
					s.panicked("answering "+suggest.Clip(r.URL.Path), fmt.Sprintf("%v\n%s", p, debug.Stack()))
				}
				panic(http.ErrAbortHandler) // closes the connection, without a trace
			}
		}()
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		if !s.allowed(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			s.fail(w, r, refused(http.StatusUnauthorized, "a bearer token is needed"))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func nowhere(code int, r *http.Request) error {
	return refused(code, "there is no %s %s here", suggest.Clip(r.Method), suggest.Clip(r.URL.Path))
}

// model passes a request to what answers for the model in its path.
func (s *Server) model(answer func(w http.ResponseWriter, r *http.Request, m *served) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		start, name, code := time.Now(), "", http.StatusOK // a metric's labels must be ours: "" for any other name
		err := refused(http.StatusNotFound, "there is no model %q", suggest.Clip(r.PathValue("name")))
		if m := s.models[r.PathValue("name")]; m != nil {
			name, err = m.name, answer(w, r, m)
		}
		if err != nil {
			code = s.fail(w, r, err)
		}
		if r.Method != http.MethodPost {
			return
		}
		took := time.Since(start)
		s.metrics.requests.WithLabelValues(name, strconv.Itoa(code)).Inc()
		if code == http.StatusOK && !isStream(r) { // which takes as long as its rows come
			s.metrics.seconds.WithLabelValues(name).Observe(took.Seconds())
		}
		s.Log.Debug("infer", "model", name, "code", code, "took", took, "from", r.RemoteAddr)
	}
}

// ready says in a document whether the server is ready. It is not once it is ending: new requests go elsewhere.
func (s *Server) ready(w http.ResponseWriter, r *http.Request, d document) {
	code := http.StatusOK
	if s.draining.Load() {
		code = http.StatusServiceUnavailable
	}
	d["ready"] = code == http.StatusOK
	s.write(w, r, code, d)
}

// describe answers with a model's metadata, or says whether it is ready.
func (s *Server) describe(w http.ResponseWriter, r *http.Request, m *served) error {
	c, release, err := s.acquire(r, m)
	if err != nil {
		return err
	}
	defer release()
	if strings.HasSuffix(r.Pattern, "/ready") {
		s.ready(w, r, document{"name": m.name})
		return nil
	}
	outputs := []tensor{{Name: probabilitiesTensor, Datatype: "FP32", Shape: []int{-1, c.Spec.Classes()}},
		{Name: classTensor, Datatype: "INT64", Shape: []int{-1}}, {Name: labelTensor, Datatype: "BYTES", Shape: []int{-1}}}
	parameters := document{}
	if c.Form != nil {
		parameters = columnsOf(c.Form)
	}
	if c.Conformal != nil {
		outputs = append(outputs, tensor{Name: pValuesTensor, Datatype: "FP64", Shape: []int{-1, c.Spec.Classes()}})
		parameters["held_out"] = len(c.Conformal.Scores)
	}
	if c.Early != nil {
		outputs = append(outputs, tensor{Name: decidedTensor, Datatype: "FP64", Shape: []int{-1}},
			tensor{Name: seenTensor, Datatype: "FP64", Shape: []int{-1}})
		parameters["decided_unit"] = classify.UnitOf(c.Form)
	}
	about := document{"name": m.name, "versions": []string{version(c)}, "platform": "ccp", "outputs": outputs,
		"inputs": []tensor{{Name: signalsTensor, Datatype: "FP32", Shape: shapeOf(&c.Metadata)}}}
	if len(parameters) > 0 {
		about["parameters"] = parameters
	}
	s.write(w, r, http.StatusOK, about)
	return nil
}

// columnsOf says in which order a time point of a recording has its values: sensor by sensor, the channels of each side
// by side. Channels without names are left out.
func columnsOf(form *recording.Form) document {
	columns := document{"sensors": form.Sensors}
	if axes := form.Axes(); axes != nil {
		columns["channels"] = axes
	}
	return columns
}
