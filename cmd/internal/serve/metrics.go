package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows. Labels take only values of ours: model names and HTTP codes.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	batches  *prometheus.HistogramVec
	compute  *prometheus.HistogramVec
	reloads  *prometheus.CounterVec
	panics   prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ccp_requests_total", Help: "Infer requests answered, by HTTP status code; 499: the client went away."}, []string{"model", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "ccp_request_seconds", Help: "Time from the end of an infer request's header to its answer, of answers 200.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 18)}, []string{"model"}),
		batches: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "ccp_batch_signals", Help: "Signals computed at once.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 11)}, []string{"model"}),
		compute: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "ccp_compute_seconds", Help: "Time of computing a batch.",
			Buckets: prometheus.ExponentialBuckets(0.00005, 2, 18)}, []string{"model"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ccp_reloads_total", Help: "Newer snapshots taken into use (ok), or not (failed)."}, []string{"model", "result"}),
		panics:  prometheus.NewCounter(prometheus.CounterOpts{Name: "ccp_panics_total", Help: "Internal errors caught; each is a bug."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.batches, m.compute, m.reloads, m.panics,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// queueOf shows how many signals wait for a model.
func (m *metrics) queueOf(model string, length func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "ccp_queue_signals", Help: "Signals that wait to be computed.",
		ConstLabels: prometheus.Labels{"model": model}}, func() float64 { return float64(length()) }))
}

// answered counts an infer request.
func (m *metrics) answered(model string, code int, took time.Duration) {
	m.requests.WithLabelValues(model, strconv.Itoa(code)).Inc()
	if code == http.StatusOK {
		m.seconds.WithLabelValues(model).Observe(took.Seconds())
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
