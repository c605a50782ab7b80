package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/internal/cli"
)

// The output for a server's responses. The tests of the server check that it sends such responses.
func TestQueryAnswers(t *testing.T) {
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	figures := func(n uint64, mean float64) client.Figures {
		return client.Figures{
			Count: n, TotalNS: n * uint64(mean), MeanNS: mean, P50NS: mean, P90NS: 2 * mean, P99NS: 3 * mean, MaxNS: uint64(4 * mean), Buckets: []any{1.0},
			Alloc: &client.Alloc{Scopes: n, Bytes: client.Value{Mean: 32}, Objects: client.Value{Mean: 0.5}},
		}
	}
	estimate := figures(600, 200)
	estimate.Sampled, estimate.CountSE, estimate.MeanSE = "1:100", 12, 7
	encode, decode := figures(1000, 250), client.Figures{Count: 7} // the second has no times
	apis := []client.API{
		{ID: "1", Name: "example.com/json.Encode", Kind: "func", File: "encode.go", Line: 12, First: day, Changed: day, Runs: 3, TotalNS: "250000"},
		{ID: "2", Name: "example.com/json.Decode", Kind: "func", First: day, Changed: day},
		{ID: "3", Name: "example.com/xml.Decode", Kind: "func", First: day, Changed: day},
	}
	known := map[string]client.Known{
		"1": {API: apis[0], Figures: &encode, Groups: []client.Group{{Key: "example.com/shop@v1", Runs: 1, Figures: figures(400, 300)}, {Key: "example.com/shop@v2", Runs: 2, Figures: estimate}}},
		"2": {API: apis[1], Figures: &decode},
		"3": {API: apis[2]},
	}
	origins := []fleet.OriginSum{{Origin: fleet.Origin{Build: "example.com/shop@v2", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", CPU: "AMD EPYC"}}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any
		switch id, one := strings.CutPrefix(r.URL.Path, "/v1/apis/"); {
		case one:
			answer = known[id]
		case r.URL.Path == "/v1/origins":
			answer = map[string]any{"origins": origins}
		default:
			l := client.List{}
			for _, a := range apis {
				fits := true
				for _, word := range strings.Fields(r.URL.Query().Get("q")) {
					fits = fits && strings.Contains(a.Name, word)
				}
				if fits {
					l.APIs = append(l.APIs, a)
				}
			}
			l.Total = len(l.APIs)
			answer = l
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	for _, test := range []struct{ args, want string }{
		{"example.com/json.Encode", `api       example.com/json.Encode (func, encode.go:12)
known     since 2026-03-01 12:00:00, last changed 2026-03-01 12:00:00
runs      3
builds    example.com/shop@v2, example.com/shop@v1
go        go1.26.8
machines  linux/amd64 AMD EPYC

name                     count  total   mean    p50    p90    p99     max  B/op  allocs/op
example.com/json.Encode  1,000  250µs  250ns  250ns  500ns  750ns  1.00µs    32        0.5
`},
		{"-by build Encode", `api       example.com/json.Encode (func, encode.go:12)
known     since 2026-03-01 12:00:00, last changed 2026-03-01 12:00:00
runs      3

build                runs  count     ±  total   mean     ±    p50    p90    p99     max  B/op  allocs/op
example.com/shop@v1     1    400     -  120µs  300ns     -  300ns  600ns  900ns  1.20µs    32        0.5
example.com/shop@v2     2    600  2.0%  120µs  200ns  3.5%  200ns  400ns  600ns   800ns    32        0.5
`},
		{"json", `name                     count  total   mean    p50    p90    p99     max  B/op  allocs/op
example.com/json.Encode  1,000  250µs  250ns  250ns  500ns  750ns  1.00µs    32        0.5
example.com/json.Decode      7      -      -      -      -      -       -     -          -
`},
		{"-limit 1 Decode", `name                     count  total  mean  p50  p90  p99  max
example.com/json.Decode      7      -     -    -    -    -    -
markgen query: warning: 1 of 2 are shown; -limit shows more
`},
		{"xml.Decode", `api       example.com/xml.Decode (func)
known     since 2026-03-01 12:00:00, last changed 2026-03-01 12:00:00

markgen query: there are no figures of example.com/xml.Decode that the flags choose; leave out one of them
`},
		{"example.com/json.Encoed", "markgen query: " + strings.TrimPrefix(server.URL, "http://") + ` knows no API with "example.com/json.Encoed" in its name; near are:
  example.com/json.Encode
  example.com/json.Decode
`},
		{"Nothing", "markgen query: " + strings.TrimPrefix(server.URL, "http://") + ` knows no API with "Nothing" in its name
`},
	} {
		var out bytes.Buffer
		Main(&cli.Env{Args: append([]string{"query", "-server", server.URL}, strings.Fields(test.args)...), Stdout: &out, Stderr: &out, Dir: t.TempDir(), Environ: os.Environ()})
		if d := cmp.Diff(test.want, out.String()); d != "" {
			t.Errorf("markgen query %s (-want +got):\n%s", test.args, d)
		}
	}
	var out bytes.Buffer
	Main(&cli.Env{Args: []string{"query", "-server", server.URL, "-format", "json", "Encode"}, Stdout: &out, Stderr: &out, Dir: t.TempDir(), Environ: os.Environ()})
	var got client.Known
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if d := cmp.Diff(known["1"], got); d != "" {
		t.Errorf("-format json (-want +got):\n%s", d)
	}
}
