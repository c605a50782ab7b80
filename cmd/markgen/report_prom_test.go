package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/internal/promtest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/tier"
)

// servingMetrics starts markgen report -format prom -http, as a process, on the data in the
// directory.
func servingMetrics(t *testing.T, dir string, flags ...string) (url string) {
	t.Helper()
	return promtest.Serve(t, dir, "markgen", append(append([]string{"report", "-format", "prom", "-http", "127.0.0.1:0"}, flags...), ".")...)
}

// Prometheus scrapes the values of the profile, its histograms have the same buckets, and a new run
// is read at the next scrape.
func TestPrometheus(t *testing.T) {
	tier.Test(t)
	dir := t.TempDir()
	put := func(seed uint64) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.markgen", seed)), promtest.ShopRun(seed), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(1)
	put(2)
	plain, classic := servingMetrics(t, dir), servingMetrics(t, dir, "-buckets")
	for _, tt := range []struct {
		name            string
		target          string
		buckets, native bool
	}{
		{"count and sum", plain, false, false},
		{"classic", classic, true, false},
		{"native", plain, false, true},
		{"both", classic, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name != "both" {
				tier.Corpus(t)
			}
			var flags []string
			if tt.native {
				flags = []string{"--enable-feature=native-histograms"}
			}
			prom := promtest.Start(t, tt.target, flags...)
			p := promtest.ShopProfile(t, dir)
			prom.Await("markgen_runs", float64(p.Runs))
			promtest.CheckFigures(t, prom, p)
			if tt.buckets {
				promtest.CheckClassic(t, prom, p)
				promtest.CheckQuantiles(t, prom, p, "markgen_scope_duration_seconds_bucket", 1e9)
			} else if got := prom.Query("markgen_scope_duration_seconds_bucket"); len(got) > 0 {
				t.Errorf("classic histograms that nobody asked for: %v", got)
			}
			if tt.native {
				promtest.CheckNative(t, prom, p)
				promtest.CheckQuantiles(t, prom, p, "markgen_scope_duration_nanoseconds", 1)
			} else if got := prom.Query("markgen_scope_duration_nanoseconds"); len(got) > 0 {
				t.Errorf("native histograms where they can't be scraped: %v", got)
			}
			put(uint64(p.Runs) + 1) // it is read at the next scrape
			prom.Await("markgen_runs", float64(p.Runs)+1)
			promtest.CheckFigures(t, prom, promtest.ShopProfile(t, dir))
		})
	}
}

// promtool reports no problems, and the values are those of the scrape.
func TestPromtool(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "1.markgen"), promtest.ShopRun(1), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"-buckets"}} {
		_, text, _ := strings.Cut(markgenReport(dir, append(flags, "-format", "prom", ".")...), "-- stdout\n")
		cmd := exec.Command("promtool", "check", "metrics")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: promtool check metrics: %v; sh scripts/need.sh prometheus:prometheus installs it\n%s", flags, err, out)
		}
		if code, contentType, got := get(t, "GET", servingMetrics(t, dir, flags...), ""); code != 200 || !strings.HasPrefix(contentType, "text/plain") || got != text {
			t.Errorf("%v: served as %d, %s:\n%s\nand written as\n%s", flags, code, contentType, got, text)
		}
	}
}

// A scraper that asks for protocol buffers gets those of the profile, which have native histograms.
func TestPromProtobuf(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "1.markgen"), promtest.ShopRun(1), 0o666); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("GET", servingMetrics(t, dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := httptest.NewRecorder()
	report.ServeProm(want, req, promtest.ShopProfile(t, dir), report.Options{Format: "prom"})
	if form := res.Header.Get("Content-Type"); form != want.Header().Get("Content-Type") || !strings.HasPrefix(form, "application/vnd.google.protobuf;") {
		t.Errorf("%s: %s", res.Status, form)
	}
	if !bytes.Equal(got, want.Body.Bytes()) {
		t.Errorf("%d bytes that differ from the %d of the profile", len(got), want.Body.Len())
	}
}
