package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/internal/promtest"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/service/fleettest"
	"github.com/markgen/markgen/tier"
)

// servingCatalogue starts a markgend process whose catalogue is a profile.
func servingCatalogue(t *testing.T, p *profile.Profile) (url string) {
	t.Helper()
	url = strings.TrimSuffix(promtest.Serve(t, t.TempDir(), "markgend", "-addr", "127.0.0.1:0", "-public-read", "-public-ingest", "-log", "warn"), "/")
	body, err := fleettest.Compressed(p)
	if err != nil {
		t.Fatal(err)
	}
	q, err := fleettest.NewPut(context.Background(), url, "", fleet.NewRunID(), 0, bytes.NewReader(body), 0)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatal(answer.Status)
	}
	return url
}

// A Prometheus server that scrapes the service has the statistics of the catalogue, including
// native histograms.
func TestPrometheusOfService(t *testing.T) {
	tier.Test(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "1.markgen"), promtest.ShopRun(1), 0o666); err != nil {
		t.Fatal(err)
	}
	p := promtest.ShopProfile(t, dir)
	p.Markers = slices.DeleteFunc(p.Markers, func(m profile.Marker) bool { return m.Count == 0 })
	prom := promtest.Start(t, servingCatalogue(t, p)+"/v1/prometheus", "--enable-feature=native-histograms")
	prom.Await("markgen_runs", 1)
	promtest.CheckFigures(t, prom, p)
	promtest.CheckNative(t, prom, p)
}
