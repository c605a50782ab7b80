package report_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
)

// scrape requests the profile as metrics, with headers "name: value".
func scrape(t *testing.T, p *profile.Profile, o report.Options, headers ...string) *http.Response {
	t.Helper()
	return scrapeOf(t, p, o, "", headers...)
}

func scrapeOf(t *testing.T, p *profile.Profile, o report.Options, query string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", "/metrics?"+query, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	report.ServeProm(w, r, p, o)
	return w.Result()
}

func read(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, err)
	}
	return string(b)
}

func TestPromGzip(t *testing.T) {
	p := profiletest.Random(50, 1)
	plain := read(t, scrape(t, p, report.Options{}))
	for _, tt := range []struct {
		accept string
		packed bool
	}{
		{"", false}, {"gzip", true}, {"GZIP", true}, {"gzip, deflate, br", true}, {"deflate", false}, {"identity", false}, {"*", false},
		{"gzip;q=0", false}, {"gzip;q=0, *", false}, {"identity;q=0.5, gzip", true}, {"gzip;q=0.5, identity", false}, {"identity;q=0", false},
	} {
		res := scrape(t, p, report.Options{}, "Accept-Encoding: "+tt.accept)
		got := res.Header.Get("Content-Encoding")
		if (got == "gzip") != tt.packed {
			t.Errorf("Accept-Encoding: %s: it is %q", tt.accept, got)
			continue
		}
		if got == "gzip" {
			z, err := gzip.NewReader(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			res.Body = z
		}
		if read(t, res) != plain {
			t.Errorf("Accept-Encoding: %s: the text differs", tt.accept)
		}
		if vary := res.Header.Values("Vary"); fmt.Sprint(vary) != "[Accept Accept-Encoding]" {
			t.Error(vary)
		}
	}
}

// A scraper can select families by name.
func TestPromNames(t *testing.T) {
	query := url.Values{"name[]": {"markgen_runs", "markgen_alive", "markgen_no_such"}}.Encode()
	got := read(t, scrapeOf(t, profiletest.Random(5, 1), report.Options{}, query))
	want := "# HELP markgen_runs Runs added up.\n# TYPE markgen_runs gauge\nmarkgen_runs 1\n" +
		"# HELP markgen_alive 1 if a process was still running when its data were read.\n# TYPE markgen_alive gauge\nmarkgen_alive 0\n"
	if got != want {
		t.Error(got)
	}
}
