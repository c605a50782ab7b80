package export_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/service/export"
	"github.com/markgen/markgen/service/export/exporttest"
)

// The collector's own reader gets from the otlp format of markgen report what the service sends to
// it.
func TestOTLPOfReport(t *testing.T) {
	since, at := time.Unix(1700000000, 0).UTC(), time.Unix(1700000600, 0).UTC()
	p := exporttest.Demo()
	p.Start = since
	sent := newOTLPReceiver(t)
	to, err := export.OTLP(context.Background(), export.OTLPOptions{URL: sent.URL})
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Send(context.Background(), []export.Part{{By: fleet.NoGrouping, Since: since, At: at, Profile: p}}); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.Write(&text, p, report.Options{Format: "otlp", Now: at}); err != nil {
		t.Fatal(err)
	}
	written := &otlpReceiver{got: map[string]point{}}
	for line := range strings.Lines(text.String()) {
		request := pmetricotlp.NewExportRequest()
		if err := request.UnmarshalJSON([]byte(line)); err != nil {
			t.Fatal(err)
		}
		written.take(request.Metrics())
		if app, _ := request.Metrics().ResourceMetrics().At(0).Resource().Attributes().Get("service.version"); app.AsString() != "v1.2.3" {
			t.Errorf("resource: %v", request.Metrics().ResourceMetrics().At(0).Resource().Attributes().AsRaw())
		}
	}
	if diff := cmp.Diff(sent.got, written.got); len(sent.got) != 5 || diff != "" {
		t.Errorf("%d points (-sent +written)\n%s", len(sent.got), diff)
	}
}
