package report

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/markgen/markgen/profile"
)

// ServeProm answers a Prometheus that scrapes the profile, in the format that it asks for, with
// what the format prom writes with the options. Native histograms are for those who ask for
// protocol buffers: in the other formats they would be histograms without buckets.
func ServeProm(w http.ResponseWriter, r *http.Request, p *profile.Profile, o Options) {
	native := expfmt.NegotiateAccept(r.Header, expfmt.DefaultOpenMetricsAcceptedFormats()...).FormatType() == expfmt.TypeProtoDelim
	gather := func() ([]*dto.MetricFamily, error) { return Metrics(p, o, native), nil }
	promhttp.HandlerFor(prometheus.GathererFunc(gather), promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(w, r)
}
