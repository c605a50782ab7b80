package spool

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/fleet"
)

// SendOptions configures Send.
type SendOptions struct {
	Target
	Client   *http.Client  // nil for NewClient(nil)
	Attempts int           // attempts per batch and call, at least 3; 0 for 5
	Pause    time.Duration // approximate pause before the second attempt, doubled for each further one; 0 for 0.5 s
	Patience time.Duration // max pause; if the server asks for more, the next call tries again; 0 for 30 s

	// Progress, unless nil, is called before each attempt with the number of batches left and the
	// error of the previous attempt.
	Progress func(left int, trouble error)

	left *int
}

// A Sent is the result of Send.
type Sent struct {
	Batches int      // batches that the service has now
	Known   int      // of these, batches that it had before
	Left    int      // batches still to be sent
	Refused []string // refused batches: files in refused/ and why
}

// A StopError ends sending until somebody acts: repeating would not help.
type StopError struct {
	Problem error
	Remedy  string
}

func (e *StopError) Error() string { return fmt.Sprintf("%v; %s", e.Problem, e.Remedy) }
func (e *StopError) Unwrap() error { return e.Problem }

// NewClient returns a client with timeouts that follows no redirects. It trusts roots, in PEM form,
// in addition to the system's certificates; nil for none.
func NewClient(roots []byte) (*http.Client, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	t.ResponseHeaderTimeout = time.Minute
	if roots != nil {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(roots) {
			return nil, errors.New("there is no certificate in it; give one in PEM form")
		}
		t.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	return &http.Client{
		Transport:     t,
		Timeout:       2 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

func (o *SendOptions) setDefaults() (err error) {
	if o.Client == nil {
		o.Client, err = NewClient(nil)
	}
	if o.Attempts == 0 {
		o.Attempts = 5
	}
	o.Attempts = max(o.Attempts, maxDamaged)
	if o.Pause == 0 {
		o.Pause = time.Second / 2
	}
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	return err
}

// Send sends the batches of all deliveries, those of a run in order, and removes each once the
// service confirms that it has it. An error says why some are left; the next call sends those.
func (s *Spool) Send(ctx context.Context, o SendOptions) (sent Sent, err error) {
	if err := o.setDefaults(); err != nil {
		return sent, err
	}
	if err := s.recoverChanges(); err != nil {
		return sent, err
	}
	defer func() {
		err = errors.Join(err, s.tellSize())
		sent.Left = s.left()
	}()
	left := s.left()
	o.left = &left
	failed := map[fleet.RunID]bool{} // runs whose later batches must wait
	var last error
	for {
		list, _, err := s.deliveries()
		if err != nil {
			return sent, err
		}
		again := false
		for _, d := range list {
			if failed[d.run] {
				continue
			}
			recut, err := s.sendDelivery(ctx, d, o, &sent)
			again = again || recut
			switch {
			case err == nil:
				continue
			case !errors.As(err, new(*answerError)): // the server does not answer, or needs something else
				return sent, err
			}
			failed[d.run] = true
			if last = err; len(failed) == maxFailed {
				return sent, err
			}
		}
		if !again {
			return sent, last
		}
	}
}

// maxFailed is the number of runs with a failed batch after which sending stops.
const maxFailed = 3

// left returns the number of batches to be sent.
func (s *Spool) left() (n int) {
	list, _, _ := s.deliveries()
	for _, d := range list {
		left, _ := d.batches(s)
		n += len(left)
	}
	return n
}

// sendDelivery sends the rest of a delivery. recut reports whether batches were split into new
// deliveries.
func (s *Spool) sendDelivery(ctx context.Context, d *delivery, o SendOptions, sent *Sent) (recut bool, err error) {
	left, err := d.batches(s)
	if err != nil {
		return false, err
	}
	for _, n := range left {
		body, err := d.readBatch(s, n)
		if err != nil {
			return recut, err
		}
		// From now on the service may have it.
		tried := filepath.Join(d.dir(s), triedName(n))
		state, err := fileread.File(tried)
		first := errors.Is(err, fs.ErrNotExist)
		if first {
			err = s.disk.write(tried, nil)
		}
		if err != nil {
			return recut, err
		}
		known, attempts := false, 0
		var refusal *refusedError
		if string(state) == tooLarge {
			first, attempts, err = true, 1, &refusedError{http.StatusRequestEntityTooLarge, errors.New("413 " + tooLarge)}
		} else {
			known, attempts, err = s.sendBatch(ctx, d, n, body, o)
		}
		switch {
		case err == nil:
			sent.Batches++
			*o.left--
			if known {
				sent.Known++
			}
			if err := s.disk.remove(filepath.Join(d.dir(s), batchName(n))); err != nil {
				return recut, err
			}
		case errors.As(err, &refusal):
			if refusal.status == http.StatusRequestEntityTooLarge && first && attempts == 1 {
				// The only answer was that it is not accepted, so its parts may be sent under
				// another ID.
				if string(state) != tooLarge {
					if err := s.disk.write(tried, []byte(tooLarge)); err != nil {
						return recut, err
					}
				}
				ok, err := s.resplit(d, n, body)
				if err != nil {
					return recut, err
				}
				if ok {
					recut = true
					continue
				}
			}
			if err := s.refuse(d, n, refusal, sent); err != nil {
				return recut, err
			}
		default:
			return recut, err
		}
		if err := s.disk.remove(tried); err != nil {
			return recut, err
		}
	}
	return recut, s.drop(d)
}

// tooLarge is the content of a batch's tried file if the only answer to the batch said so.
const tooLarge = "too large"

// refuse moves a batch that the service refused to the directory refused.
func (s *Spool) refuse(d *delivery, sequence uint32, why *refusedError, sent *Sent) error {
	if err := s.disk.mkdir(s.path(refusedDir)); err != nil {
		return err
	}
	name := refusedName(d.Run, sequence)
	if err := s.disk.write(s.path(refusedDir, name+whyExt), []byte(why.Error()+"\n")); err != nil {
		return err
	}
	batch, now := filepath.Join(d.dir(s), batchName(sequence)), s.now()
	made := now.wall().Add(-d.age(now))
	_ = os.Chtimes(batch, made, made) // for PutBack; if it fails, the age is off by some minutes
	to, err := s.setAside(batch, refusedDir, name)
	sent.Refused = append(sent.Refused, fmt.Sprintf("%s: %v", to, why))
	return err
}

// sendBatch sends a batch until it is answered, for at most o.Attempts attempts.
func (s *Spool) sendBatch(ctx context.Context, d *delivery, n uint32, body []byte, o SendOptions) (known bool, attempts int, err error) {
	refused := 0 // consecutive refusals
	for attempts = 1; ; attempts++ {
		if o.Progress != nil {
			o.Progress(*o.left, err)
		}
		known, err = s.attempt(ctx, d, n, body, o)
		var refusal *refusedError
		if !errors.As(err, &refusal) {
			refused = 0
		} else if refused++; refusal.damaged() && refused < maxDamaged {
			err = &laterError{err: &answerError{errors.New(err.Error())}} // the service may have received damaged data
		}
		var later *laterError
		if !errors.As(err, &later) {
			return known, attempts, err
		}
		wait := min(o.Pause<<(attempts-1), o.Patience)
		wait = wait/2 + rand.N(wait/2+1)
		if later.after > o.Patience {
			return false, attempts, fmt.Errorf("%w; it asks for %v before the next attempt", later.err, later.after)
		}
		wait = max(wait, later.after)
		if attempts >= o.Attempts {
			return false, attempts, later.err
		}
		select {
		case <-ctx.Done():
			return false, attempts, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// Errors of attempts.
type (
	laterError struct { // worth repeating
		err   error
		after time.Duration // requested by the server
	}
	answerError struct{ err error } // an answer with an error status

	refusedError struct { // permanent
		status int
		err    error
	}
)

func (e *laterError) Error() string   { return e.err.Error() }
func (e *answerError) Error() string  { return e.err.Error() }
func (e *answerError) Unwrap() error  { return e.err }
func (e *refusedError) Error() string { return e.err.Error() }

// maxDamaged is the number of consecutive refusals after which a batch that may have been damaged
// on the way is given up.
const maxDamaged = 3

// damaged reports whether the batch may have been refused because it was damaged on the way.
func (e *refusedError) damaged() bool {
	return e.status != http.StatusRequestEntityTooLarge && e.status != http.StatusConflict
}

// A receipt is the service's answer to a batch.
type receipt struct {
	Known   *bool `json:"known"`
	Markers *int  `json:"markers"`
}

// attempt sends a batch once.
func (s *Spool) attempt(ctx context.Context, d *delivery, n uint32, body []byte, o SendOptions) (known bool, err error) {
	r, err := o.request(ctx, &d.note, n, body, s.now())
	if err != nil {
		return false, err
	}
	answer, err := o.Client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		var certificate *tls.CertificateVerificationError
		if errors.As(err, &certificate) {
			return false, &StopError{err, "give the certificate of who signed the server's with -ca"}
		}
		return false, &laterError{err: err}
	}
	defer answer.Body.Close()
	text := readAnswer(answer)
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	const elsewhere = "see that -server is the address of markgend, with https where it has a certificate, and with the path it is under"
	switch code := answer.StatusCode; {
	case code < 300:
		// Other servers may answer like this to anything: captive portals, for example.
		var got receipt
		if kind == "application/json" && json.Unmarshal(text, &got) == nil && got.Known != nil && got.Markers != nil {
			return *got.Known, nil
		}
		return false, &laterError{err: foreignAnswer(answer, kind)}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return false, &StopError{problem(answer, kind, text), "give a token with the scope ingest, by -token-file or MARKGEN_TOKEN; whoever runs the service makes one with markgend token"}
	case code >= 300 && code < 400:
		return false, &StopError{fmt.Errorf("%s is elsewhere: %s to %q", r.URL.Host, answer.Status, answer.Header.Get("Location")), "give the server's own address by -server"}
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed || code == http.StatusMisdirectedRequest:
		return false, &StopError{problem(answer, kind, text), elsewhere}
	case code == http.StatusProxyAuthRequired:
		return false, &StopError{problem(answer, kind, text), "give the proxy with its user and password in HTTPS_PROXY"}
	case code == http.StatusRequestTimeout || code == http.StatusTooManyRequests || code == http.StatusTooEarly || code >= 500:
		return false, &laterError{&answerError{problem(answer, kind, text)}, retryAfter(answer.Header.Get("Retry-After"), s.now().wall())}
	case code == http.StatusRequestEntityTooLarge: // also if it is a proxy's limit
		return false, &refusedError{code, problem(answer, kind, text)}
	}
	err = problem(answer, kind, text)
	var own *fleet.Problem
	if errors.As(err, &own) && strings.HasPrefix(own.Type, "/problems/") {
		return false, &refusedError{answer.StatusCode, err}
	}
	return false, &StopError{foreignAnswer(answer, kind), elsewhere}
}

// problem returns the error in an answer.
func problem(answer *http.Response, kind string, text []byte) error {
	var p fleet.Problem
	if kind == "application/problem+json" && json.Unmarshal(text, &p) == nil && p.Title != "" {
		return fmt.Errorf("%s: %s: %w", answer.Request.URL.Host, answer.Status, &p)
	}
	return fmt.Errorf("%s: %s", answer.Request.URL.Host, answer.Status)
}

// foreignAnswer returns the error for an answer that is not from the service.
func foreignAnswer(answer *http.Response, kind string) error {
	return fmt.Errorf("%s: what answers is not markgend: %s, %s", answer.Request.URL.Host, answer.Status, cmp.Or(kind, "of no type"))
}

// retryAfter parses the header of that name: seconds, or a date by the server's clock, which may
// differ from ours.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}
