package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/markgen/markgen/internal/cli"
)

// A receiver gets each request below its endpoint, with the headers of the environment. What it
// does not take is an error that names it.
func TestSendOTLP(t *testing.T) {
	var got []string
	answer, status := "{}", http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, fmt.Sprint(r.Method, " ", r.URL.Path, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("X-Key"), " ", string(body)))
		if status == http.StatusFound {
			w.Header().Set("Location", "http://example.com/")
		}
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	defer s.Close()
	env := &cli.Env{Environ: []string{"OTEL_EXPORTER_OTLP_HEADERS=X-Key=a%20b, X-Other=1"}}
	send := func(path string) error {
		return sendOTLP(context.Background(), env, s.URL+path, []byte("{\"a\":1}\n{\"b\":2}\n"))
	}
	for path, want := range map[string]string{"": "/v1/metrics", "/": "/v1/metrics", "/v1/metrics": "/v1/metrics", "/api/v1/otlp": "/api/v1/otlp/v1/metrics"} {
		got = nil
		if err := send(path); err != nil {
			t.Fatal(err)
		}
		post := "POST " + want + " application/json a b "
		if len(got) != 2 || got[0] != post+"{\"a\":1}\n" || got[1] != post+"{\"b\":2}\n" {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, tt := range []struct {
		status       int
		answer, want string
	}{
		{200, `{"partialSuccess":{"rejectedDataPoints":"5","errorMessage":"too old"}}`, "/v1/metrics: the receiver did not take 5 points: too old"},
		{200, `{"partialSuccess":{"rejectedDataPoints":5}}`, "/v1/metrics: the receiver did not take 5 points: "},
		{200, `{"partialSuccess":{"rejectedDataPoints":"0","errorMessage":"deprecated"}}`, ""},
		{200, "", ""},
		{204, "", ""},
		{415, "no JSON\n", "/v1/metrics: the receiver answers 415 Unsupported Media Type: no JSON"},
		{302, "", "it redirects to http://example.com/, which is sent nothing; give the URL of the receiver itself"},
	} {
		status, answer = tt.status, tt.answer
		if err := send(""); err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.HasSuffix(err.Error(), tt.want)) {
			t.Errorf("%d %s: %v, want %q", tt.status, tt.answer, err, tt.want)
		}
	}
	env.Environ = []string{"OTEL_EXPORTER_OTLP_HEADERS=secret"}
	if err := send(""); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a header without a value: %v", err)
	}
}
