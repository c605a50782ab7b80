package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
)

// isURL reports whether the value of -o is the URL of a receiver instead of a file.
func isURL(out string) bool {
	return strings.HasPrefix(out, "http://") || strings.HasPrefix(out, "https://")
}

// otlpTimeout is the longest time that a request to a receiver may take.
const otlpTimeout = 30 * time.Second

// otlpMetricsPath is where receivers take metrics, below their endpoint.
const otlpMetricsPath = "/v1/metrics"

// maxOTLPAnswer is the max number of bytes read of a receiver's answer.
const maxOTLPAnswer = 64 << 10

// sendOTLP posts each line of text, a request in OTLP's JSON encoding, to the receiver.
func sendOTLP(ctx context.Context, env *cli.Env, endpoint string, text []byte) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%q is no URL of an OTLP receiver; give one such as http://localhost:4318", endpoint)
	}
	if !strings.HasSuffix(u.Path, otlpMetricsPath) {
		u = u.JoinPath(otlpMetricsPath)
	}
	headers, err := otlpHeaders(cmp.Or(env.Getenv("OTEL_EXPORTER_OTLP_METRICS_HEADERS"), env.Getenv("OTEL_EXPORTER_OTLP_HEADERS")))
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: otlpTimeout, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("it redirects to %s, which is sent nothing; give the URL of the receiver itself", r.URL.Redacted())
	}}
	for line := range bytes.Lines(text) {
		if err := postOTLP(ctx, client, u.String(), headers, line); err != nil {
			return fmt.Errorf("%s: %w", u.Redacted(), err)
		}
	}
	return nil
}

// otlpHeaders parses headers, name=value separated by commas, as OpenTelemetry defines them.
func otlpHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS: give name=value, separated by commas, values as in URLs")
		}
		headers.Set(name, value)
	}
	return headers, nil
}

// postOTLP posts one request. It returns an error if the receiver did not take all points.
func postOTLP(ctx context.Context, client *http.Client, to string, headers http.Header, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = headers.Clone()
	request.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(request)
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // without the URL, which has no password where the caller names it
		}
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxOTLPAnswer))
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answers %s: %s", answer.Status, bytes.TrimSpace(text))
	}
	var taken struct {
		PartialSuccess struct {
			RejectedDataPoints json.RawMessage
			ErrorMessage       string
		}
	}
	if json.Unmarshal(text, &taken) != nil { // some receivers answer in other formats, or nothing
		return nil
	}
	if n := strings.Trim(string(taken.PartialSuccess.RejectedDataPoints), `"`); n != "" && n != "0" {
		return fmt.Errorf("the receiver did not take %s points: %s", n, taken.PartialSuccess.ErrorMessage)
	}
	return nil
}
