package serve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows. Labels take only values of ours: model names and HTTP codes.
type metrics struct {
	promauto.Factory
	handler                   http.Handler
	requests, reloads         *prometheus.CounterVec
	seconds, batches, compute *prometheus.HistogramVec
	panics                    prometheus.Counter
}

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m := &metrics{Factory: promauto.With(registry), handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})}
	counter := func(name, help, label string) *prometheus.CounterVec {
		return m.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"model", label})
	}
	histogram := func(name, help string, least float64, buckets int) *prometheus.HistogramVec { // each twice as wide as the one before
		return m.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(least, 2, buckets)}, []string{"model"})
	}
	m.requests = counter("ccp_requests_total", "Infer requests answered, by HTTP status code; 499: the client went away.", "code")
	m.reloads = counter("ccp_reloads_total", "Newer snapshots that replaced the old one (ok), or could not (failed).", "result")
	m.seconds = histogram("ccp_request_seconds", "Time from the end of an infer request's header to its answer, of answers 200.", 0.0001, 18)
	m.batches = histogram("ccp_batch_signals", "Signals computed at once.", 1, 11)
	m.compute = histogram("ccp_compute_seconds", "Time of computing a batch.", 0.00005, 18)
	m.panics = m.NewCounter(prometheus.CounterOpts{Name: "ccp_panics_total", Help: "Internal errors caught; each is a bug."})
	return m
}
