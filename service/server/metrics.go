package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/store"
)

// A metrics has the Prometheus metrics of the server itself. Labels have a few fixed values: none
// comes from a client.
type metrics struct {
	registry *prometheus.Registry
	handler  http.Handler
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	batches  *prometheus.CounterVec
	rows     prometheus.Counter
	declined prometheus.Counter
	refusals *prometheus.CounterVec
}

func newMetrics(version string, store Store) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "markgen_http_requests_total", Help: "Requests that were answered.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "markgen_http_request_duration_seconds", Help: "Time from a request's header to the end of the answer.",
			Buckets:                     prometheus.ExponentialBuckets(0.001, 4, 8),
			NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 160, NativeHistogramMinResetDuration: time.Hour,
		}, []string{"route"}),
		batches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "markgen_batches_total", Help: "Batches that were taken: new, or known and not counted again.",
		}, []string{"result"}),
		rows: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "markgen_marker_rows_total", Help: "Markers whose figures were added, in all new batches.",
		}),
		declined: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "markgen_declined_total", Help: "Processes that did not collect, since their spools were full, as their machines say with new batches.",
		}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "markgen_refusals_total", Help: "Requests that were refused, by the word of the problem.",
		}, []string{"problem"}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "markgen_info", Help: "Always 1; its label is the server's version.", ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.batches, m.rows, m.declined, m.refusals, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(ofStore(store)...)
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true})
	// Create all counters now: a rate misses the event with which a counter starts to exist.
	for _, k := range kinds {
		m.refusals.WithLabelValues(k.word)
	}
	m.batches.WithLabelValues("new")
	m.batches.WithLabelValues("known")
	return m
}

// ofStore returns the metrics of the store's backlog.
func ofStore(s Store) []prometheus.Collector {
	gauge := func(name, help string, of func(store.Status) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return of(s.Status()) })
	}
	return []prometheus.Collector{
		gauge("markgen_store_waiting_batches", "Batches that are in the log and of which something is not in the tables yet.",
			func(st store.Status) float64 { return float64(st.WaitingBatches) }),
		gauge("markgen_store_waiting_bytes", "Memory of figures that are not in the tables yet.",
			func(st store.Status) float64 { return float64(st.WaitingBytes) }),
		gauge("markgen_store_waiting_bytes_max", "Memory for them; batches are refused when it is full.",
			func(st store.Status) float64 { return float64(st.Memory) }),
		gauge("markgen_store_trouble", "1 while figures can't be written to the tables, else 0.", func(st store.Status) float64 {
			if st.WriteError != nil {
				return 1
			}
			return 0
		}),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "markgen_store_chunks_total", Help: "Parts of the figures that were written to the tables, a transaction each."},
			func() float64 { return float64(s.Status().Chunks) }),
	}
}

func (m *metrics) answered(route, method string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete:
	default:
		method = "other"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

func (m *metrics) batch(r fleet.Receipt, declined uint64) {
	if r.Known {
		m.batches.WithLabelValues("known").Inc()
		return
	}
	m.batches.WithLabelValues("new").Inc()
	m.rows.Add(float64(r.Markers))
	m.declined.Add(float64(declined))
}

func (m *metrics) refused(word string) { m.refusals.WithLabelValues(word).Inc() }

// Registry returns the registry of the server's metrics, for other parts of the process.
func (s *Server) Registry() *prometheus.Registry { return s.metrics.registry }

// getMetrics writes the metrics. They do not tell who sent what, but still need a token that may
// read: behind a proxy all requests come from this machine.
func (s *Server) getMetrics(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	s.metrics.handler.ServeHTTP(w, r)
	return nil
}
