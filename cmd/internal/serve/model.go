package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clusterpool/ccp/internal/suggest"
	"github.com/clusterpool/ccp/models"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Checkpoint is a model to serve: the directory of a training, and the name in requests, "" for the data set's name.
type Checkpoint struct {
	Name, Dir string
}

var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// ParseCheckpoint reads DIR or NAME=DIR.
func ParseCheckpoint(text string) (Checkpoint, error) {
	name, dir, ok := strings.Cut(text, "=")
	if !ok || strings.ContainsAny(name, `/\`) { // the = is part of a path
		name, dir = "", text
	} else if !modelName.MatchString(name) {
		return Checkpoint{}, fmt.Errorf("the model name %q in %q must be of letters, digits, dots, dashes and underscores",
			name, text)
	}
	if dir == "" {
		return Checkpoint{}, fmt.Errorf("%q names no directory; write DIR or NAME=DIR", text)
	}
	return Checkpoint{name, dir}, nil
}

// nameOf makes a model name from the name of a data set, or of its file.
func nameOf(data string) string {
	data = data[strings.LastIndexAny(data, `/\`)+1:] // also of a training on Windows
	name := strings.TrimSuffix(data, filepath.Ext(data))
	name = regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString(name, "-")
	return cmp.Or(strings.TrimLeft(name, ".-_"), "model")
}

// served is a model with its queue.
type served struct {
	name, dir string
	*models.Reloader
	*batcher
}

// load reads and compiles a model and gives it a queue.
func (s *Server) load(ctx context.Context, c Checkpoint, options models.LoadOptions) (*served, error) {
	start := time.Now()
	reloader, err := models.NewReloader(ctx, c.Dir, options)
	if err != nil {
		return nil, err
	}
	classifier, release, err := reloader.Acquire()
	if err != nil {
		return nil, err
	}
	defer func() { _ = release() }()
	m := &served{name: cmp.Or(c.Name, nameOf(classifier.Data)), dir: c.Dir, Reloader: reloader}
	for _, result := range []string{"ok", "failed"} { // there from the start, as 0
		s.metrics.reloads.WithLabelValues(m.name, result)
	}
	s.metrics.streams.WithLabelValues(m.name)
	observe := func(signals int, took time.Duration) {
		s.metrics.batches.WithLabelValues(m.name).Observe(float64(signals))
		s.metrics.compute.WithLabelValues(m.name).Observe(took.Seconds())
	}
	m.batcher = newBatcher(s.MaxBatch, s.Queue, s.MaxDelay, observe,
		func(text string) { s.panicked("computing for model "+m.name, text) })
	s.telling(m, classifier).Info("model loaded", "took", time.Since(start).Round(time.Millisecond))
	return m, nil
}

// telling returns a log that says of a classifier where it is from, with the folder that a link points to, and what it
// takes.
func (s *Server) telling(m *served, c *models.Classifier) *slog.Logger {
	dir, _ := filepath.EvalSymlinks(m.dir)
	return s.Log.With("model", m.name, "checkpoint", cmp.Or(dir, m.dir), "snapshot", c.Snapshot, "input",
		shapeOf(&c.Metadata),
		"classes", c.Spec.Classes())
}

func (m *served) close() error {
	m.batcher.close()
	return m.Close()
}

// version is the training step of a classifier's snapshot.
func version(c *models.Classifier) string { return strconv.Itoa(c.Step) }

// reported logs and counts the result of a reload.
func (s *Server) reported(m *served, err error) {
	if err != nil {
		s.metrics.reloads.WithLabelValues(m.name, "failed").Inc()
		s.Log.Warn("the model in use stays", "model", m.name, "error", err)
		return
	}
	s.metrics.reloads.WithLabelValues(m.name, "ok").Inc()
	if c, release, err := m.Acquire(); err == nil {
		s.telling(m, c).Info("model loaded anew")
		_ = release()
	}
	if s.Reloaded != nil {
		s.Reloaded()
	}
}

// metrics are what /metrics shows. Labels take only values of ours: model names and HTTP codes.
type metrics struct {
	promauto.Factory
	handler                   http.Handler
	requests, reloads         *prometheus.CounterVec
	seconds, batches, compute *prometheus.HistogramVec
	streams                   *prometheus.GaugeVec
	panics                    prometheus.Counter
}

// newMetrics makes the metrics of a server, for Prometheus. All but panics have a label for the model.
func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m := &metrics{Factory: promauto.With(registry),
		handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})}
	counter := func(name, help, label string) *prometheus.CounterVec {
		return m.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"model", label})
	}
	// each twice as wide as the one before
	histogram := func(name, help string, least float64, buckets int) *prometheus.HistogramVec {
		return m.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help,
			Buckets: prometheus.ExponentialBuckets(least, 2, buckets)}, []string{"model"})
	}
	m.requests = counter("ccp_requests_total", "Infer requests answered, by HTTP status code; 499: the client went away.",
		"code")
	m.reloads = counter("ccp_reloads_total",
		"Newer snapshots that replaced the old one (ok), or could not (failed).", "result")
	m.seconds = histogram("ccp_request_seconds",
		"Time from the end of an infer request's header to its answer, of answers 200.", 0.0001, 18)
	m.batches = histogram("ccp_batch_signals", "Signals computed at once.", 1, 11)
	m.compute = histogram("ccp_compute_seconds", "Time of computing a batch.", 0.00005, 18)
	m.streams = m.NewGaugeVec(prometheus.GaugeOpts{Name: "ccp_streams", Help: "Streams that are being answered."},
		[]string{"model"})
	m.panics = m.NewCounter(prometheus.CounterOpts{Name: "ccp_panics_total",
		Help: "Internal errors caught; each is a bug."})
	return m
}

// acquire returns a model's newest classifier, which must be released. It is an error if the path names another
// version.
func (s *Server) acquire(r *http.Request, m *served) (c *models.Classifier, release func(), err error) {
	c, free, err := m.Acquire()
	if err != nil {
		return nil, nil, err
	}
	release = func() {
		if err := free(); err != nil {
			s.Log.Warn("closing a model", "model", m.name, "error", err)
		}
	}
	if asked := r.PathValue("version"); asked != "" && asked != version(c) {
		release()
		return nil, nil, refused(http.StatusNotFound, "model %q has no version %q; its version is %q", m.name,
			suggest.Clip(asked),
			version(c))
	}
	return c, release, nil
}

func (s *Server) panicked(doing, text string) {
	s.metrics.panics.Inc()
	s.Log.Error("internal error", "doing", doing, "error", text)
}
