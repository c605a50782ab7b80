package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/markgen/markgen/report"
)

// metrics serves the profile to a Prometheus that scrapes it, in the format that it
// asks for. Native histograms are for those who ask for protocol buffers: in the other formats
// they would be histograms without buckets.
func metrics(read reader, _ report.Options) http.Handler {
	handler := func(native bool) http.Handler {
		gather := func() ([]*dto.MetricFamily, error) {
			p, _, err := read()
			if err != nil {
				return nil, err
			}
			return report.Metrics(p, native), nil
		}
		return promhttp.HandlerFor(prometheus.GathererFunc(gather), promhttp.HandlerOpts{EnableOpenMetrics: true})
	}
	text, protobuf := handler(false), handler(true)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := text
		if expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...).FormatType() == expfmt.TypeProtoDelim {
			h = protobuf
		}
		h.ServeHTTP(w, r)
	})
}
