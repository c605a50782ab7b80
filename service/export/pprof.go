package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
)

// PprofOptions configures a receiver of pprof profiles.
type PprofOptions struct {
	URL     string            // profiles are posted to it, with name, from, until and format added to the query
	Headers map[string]string // of each request
	Name    string            // default "markgen"
	Timeout time.Duration     // of a request; 30 s
}

// Pprof returns a receiver of pprof profiles, each the body of a POST request
//
//	URL?name=NAME{build="…"}&from=SECONDS&until=SECONDS&format=pprof
//
// as collectors of continuous profiles accept them; the part in braces is only present with
// grouping. A profile contains the difference to the last accepted one (status 2xx). The first Send
// sends nothing: its parts are the baseline for the next. A group that is refused does not prevent
// sending the others.
func Pprof(o PprofOptions) (Receiver, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is no URL that profiles can be posted to; give one such as http://localhost:4040/ingest", o.URL)
	}
	if o.Name == "" {
		o.Name = "markgen"
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	return &pprof{o: o, url: u, sent: map[string]Part{}}, nil
}

type pprof struct {
	o    PprofOptions
	url  *url.URL
	sent map[string]Part // by key: the last accepted parts
	last time.Time       // time of the last Send
}

func (r *pprof) Name() string { return r.url.Redacted() }

func (r *pprof) Send(ctx context.Context, parts []Part) error {
	now := time.Now()
	var errs []error
	for _, part := range parts {
		before, known := r.sent[part.Key]
		switch {
		case known:
		case r.last.IsZero():
			r.sent[part.Key] = part
			continue
		default: // its first statistics arrived after the last Send
			before = Part{At: r.last, Profile: &profile.Profile{}}
			r.sent[part.Key] = before
		}
		grown, _ := profile.Sub(part.Profile, before.Profile)
		if !anything(grown) {
			continue
		}
		if err := r.post(ctx, part, before.At, grown); err != nil {
			errs = append(errs, fmt.Errorf("figures%s: %w", of(part.Key), err))
			continue
		}
		r.sent[part.Key] = part
	}
	r.last = now
	return errors.Join(errs...)
}

func anything(p *profile.Profile) bool {
	for i := range p.Markers {
		if p.Markers[i].Count > 0 {
			return true
		}
	}
	return false
}

// pprofClient follows no redirects: profiles and authorization headers must only reach the
// configured receiver.
var pprofClient = &http.Client{
	Transport:     pprofTransport(),
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func pprofTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxResponseHeaderBytes = maxAnswer
	return t
}

func (r *pprof) post(ctx context.Context, part Part, from time.Time, p *profile.Profile) error {
	var body bytes.Buffer
	if err := report.Write(&body, p, report.Options{Format: "pprof"}); err != nil {
		return err
	}
	name := r.o.Name
	if part.Key != "" {
		name += fmt.Sprintf("{%s=%q}", part.By, part.Key)
	}
	u := *r.url
	q := u.Query()
	q.Set("name", name)
	q.Set("from", strconv.FormatInt(from.Unix(), 10))
	q.Set("until", strconv.FormatInt(part.At.Unix(), 10))
	q.Set("format", "pprof")
	u.RawQuery = q.Encode()

	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), &body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	for k, v := range r.o.Headers {
		request.Header.Set(k, v)
	}
	answer, err := pprofClient.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // without the URL, whose query differs each time
		}
		return fmt.Errorf("%s does not answer: %w", r.Name(), err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 500))
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %d %s: %s", r.Name(), answer.StatusCode, http.StatusText(answer.StatusCode), strings.TrimSpace(string(text)))
	}
	return nil
}
