package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
)

// A Client asks one server. Its methods may be called by several goroutines at once.
type Client struct {
	Server  string       // its URL, under which /v1/ is
	Token   string       // with the scope read; "": none
	Version string       // of markgen
	HTTP    *http.Client // nil: one that gives up after 5 minutes
}

// DefaultServer is where a server on this machine is.
const DefaultServer = "http://127.0.0.1:7070"

// Limits on what is read of an answer, bytes.
const (
	mostJSON    = 64 << 20
	mostProfile = 1 << 30
)

var patient = &http.Client{Timeout: 5 * time.Minute}

// get asks for a path. The body of what it returns is to be closed.
func (c *Client) get(ctx context.Context, path string, query url.Values, header http.Header) (*http.Response, error) {
	return c.send(ctx, http.MethodGet, path, query, header, nil)
}

// send sends a request. The body of the answer is to be closed; a refusal is an error.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, header http.Header, body io.Reader) (*http.Response, error) {
	base, err := url.Parse(cmp.Or(c.Server, DefaultServer))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("%q is no URL of a server; give one such as https://perf.example.com", c.Server)
	}
	at := base.JoinPath(path)
	at.RawQuery = query.Encode()
	r, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("User-Agent", "markgen/"+cmp.Or(c.Version, "unknown"))
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	res, err := cmp.Or(c.HTTP, patient).Do(r)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // the URL is named below, without the query
		}
		return nil, fmt.Errorf("%s does not answer: %w", base.Redacted(), err)
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	return nil, refusal(res)
}

// refusal is the problem that an answer is.
func refusal(res *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	is, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	p := new(fleet.Problem)
	if err != nil || is != "application/problem+json" || json.Unmarshal(text, p) != nil || p.Title == "" {
		return &fleet.Problem{
			Type: "about:blank", Status: res.StatusCode, Title: "The answer was " + res.Status,
			Detail: "and is not one of a markgend; is the URL the right one, or a proxy between?",
		}
	}
	return p
}

// ask asks for JSON.
func (c *Client) ask(ctx context.Context, path string, query url.Values, answer any) error {
	res, err := c.get(ctx, path, query, http.Header{"Accept": {"application/json"}})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := read(res.Body, mostJSON)
	if err != nil {
		return err
	}
	if raw, ok := answer.(*json.RawMessage); ok {
		*raw = text
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%s answers what can't be read: %w", cmp.Or(c.Server, DefaultServer), err)
	}
	return nil
}

func read(r io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("the answer has more than %d bytes", most)
	}
	return text, err
}

// A Query chooses APIs and figures. The texts from Package on are patterns, as those of fleet.Filter.
type Query struct {
	Words    string // all of which the name has; excludes Function and patterns in Package
	Package  string
	Function string
	Kind     string
	Build    string
	Go       string
	GOOS     string
	GOARCH   string
	CPU      string
	From, To string // days
	Sort     string
	Limit    int
	Cursor   string
}

func (q Query) values() url.Values {
	v := url.Values{}
	for name, text := range map[string]string{
		"q": q.Words, "package": q.Package, "function": q.Function, "kind": q.Kind, "build": q.Build, "go": q.Go,
		"goos": q.GOOS, "goarch": q.GOARCH, "cpu": q.CPU, "from": q.From, "to": q.To, "sort": q.Sort, "cursor": q.Cursor,
	} {
		if text != "" {
			v.Set(name, text)
		}
	}
	if q.Limit > 0 {
		v.Set("limit", fmt.Sprint(q.Limit))
	}
	return v
}

// An API is what a list has of one.
type API struct {
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Package  string      `json:"package"`
	Function string      `json:"function"`
	Kind     string      `json:"kind"`
	File     string      `json:"file"`
	Line     int         `json:"line"`
	First    time.Time   `json:"first"`
	Changed  time.Time   `json:"changed"`
	Runs     uint64      `json:"runs"`
	Origins  uint64      `json:"origins"`
	Count    uint64      `json:"count"`
	TotalNS  json.Number `json:"total_ns"`
	MaxNS    uint64      `json:"max_ns"`
}

// A List is a part of a list.
type List struct {
	APIs   []API  `json:"apis"`
	Total  int    `json:"total"`
	More   bool   `json:"more"`
	Cursor string `json:"cursor"`
}

// APIs lists APIs.
func (c *Client) APIs(ctx context.Context, q Query) (l List, err error) {
	return l, c.ask(ctx, "v1/apis", q.values(), &l)
}

// Figures are a marker's, as far as tables of them go.
type Figures struct {
	Count   uint64  `json:"count"`
	TotalNS uint64  `json:"total_ns"`
	MeanNS  float64 `json:"mean_ns"`
	P50NS   float64 `json:"p50_ns"`
	P90NS   float64 `json:"p90_ns"`
	P99NS   float64 `json:"p99_ns"`
	MinNS   uint64  `json:"min_ns"`
	MaxNS   uint64  `json:"max_ns"`
	Sampled string  `json:"sampled"`
	Buckets []any   `json:"buckets"` // none: it has no times
	Alloc   *Alloc  `json:"alloc"`
	Process *Alloc  `json:"process_alloc"`
}

// An Alloc is what was allocated in scopes.
type Alloc struct {
	Scopes  uint64 `json:"scopes"`
	Bytes   Value  `json:"bytes"`
	Objects Value  `json:"objects"`
}

// A Value is what a reading grew by.
type Value struct {
	Mean float64 `json:"mean"` // in a scope
}

// A Group is figures that have something in common.
type Group struct {
	Key     string  `json:"key"`
	Runs    uint64  `json:"runs"`
	Figures Figures `json:"figures"`
}

// Known is an API with its figures.
type Known struct {
	API
	Figures *Figures `json:"figures"` // nil: there are none that the query chooses
	Groups  []Group  `json:"groups"`
}

// API asks for one API by its ID, with the figures that the query chooses, told apart by by; "": not told apart.
// raw is the answer as it came.
func (c *Client) API(ctx context.Context, id string, q Query, by fleet.By) (k Known, raw json.RawMessage, err error) {
	q = Query{Build: q.Build, Go: q.Go, GOOS: q.GOOS, GOARCH: q.GOARCH, CPU: q.CPU, From: q.From, To: q.To}
	v := q.values()
	if by != fleet.ByNothing {
		v.Set("by", string(by))
	}
	if err := c.ask(ctx, "v1/apis/"+url.PathEscape(id), v, &raw); err != nil {
		return k, nil, err
	}
	if err := json.Unmarshal(raw, &k); err != nil {
		return k, nil, fmt.Errorf("the answer can't be read: %w", err)
	}
	return k, raw, nil
}

// Profile asks for the sum of what a query chooses, of some APIs by their IDs, or of all if none is given. Its Words, Sort,
// Limit and Cursor don't matter.
func (c *Client) Profile(ctx context.Context, q Query, ids ...string) (*profile.Profile, error) {
	q.Words, q.Sort, q.Limit, q.Cursor = "", "", 0, ""
	v := q.values()
	if len(ids) > 0 {
		v.Set("id", strings.Join(ids, ","))
	}
	res, err := c.get(ctx, "v1/catalogue", v, http.Header{"Accept": {profileType}})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return readProfile(res)
}

const profileType = "application/vnd.markgen.profile"

func readProfile(res *http.Response) (*profile.Profile, error) {
	file, err := read(res.Body, mostProfile)
	if err != nil {
		return nil, err
	}
	if _, err := codec.NamesSize(file); err != nil {
		return nil, fmt.Errorf("the server sent what can't be read: %w", err)
	}
	return codec.Decode(file, "the catalogue of "+res.Request.URL.Host)
}

// A Comparison is of two builds.
type Comparison struct {
	Old, New struct {
		Build string `json:"build"`
		Runs  int    `json:"runs"`
		APIs  int    `json:"apis"`
	}
	Tests    int      `json:"tests"`
	Slower   int      `json:"slower"`
	Faster   int      `json:"faster"`
	APIs     []Change `json:"apis"`
	More     bool     `json:"more"`
	OnlyOld  []API    `json:"only_old"`
	OnlyNew  []API    `json:"only_new"`
	Cautions []string `json:"cautions"`

	// How many there are, of which the lists may have the first only.
	APIsTotal    int `json:"apis_total"`
	OnlyOldTotal int `json:"only_old_total"`
	OnlyNewTotal int `json:"only_new_total"`
}

// A Change is of an API that both builds have.
type Change struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Verdict  string   `json:"verdict"`
	Change   float64  `json:"change"`
	Lo       *float64 `json:"change_lo"`
	Hi       *float64 `json:"change_hi"`
	Adjusted *float64 `json:"p_adjusted"`
	Old      Figures  `json:"old"`
	New      Figures  `json:"new"`
}

// Compare compares two builds. Of the query Words and Build don't matter.
func (c *Client) Compare(ctx context.Context, old, new string, q Query) (r Comparison, raw json.RawMessage, err error) {
	q.Words, q.Build, q.Sort = "", "", ""
	v := q.values()
	v.Set("old", old)
	v.Set("new", new)
	if err := c.ask(ctx, "v1/compare", v, &raw); err != nil {
		return r, nil, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, nil, fmt.Errorf("the answer can't be read: %w", err)
	}
	// Older servers don't say how many there are.
	r.APIsTotal, r.OnlyOldTotal, r.OnlyNewTotal = max(r.APIsTotal, len(r.APIs)), max(r.OnlyOldTotal, len(r.OnlyOld)), max(r.OnlyNewTotal, len(r.OnlyNew))
	return r, raw, nil
}

// Origins lists where figures come from.
func (c *Client) Origins(ctx context.Context, q Query) ([]fleet.OriginSum, error) {
	q = Query{Build: q.Build, Go: q.Go, GOOS: q.GOOS, GOARCH: q.GOARCH, CPU: q.CPU}
	var answer struct{ Origins []fleet.OriginSum }
	err := c.ask(ctx, "v1/origins", q.values(), &answer)
	return answer.Origins, err
}

// Host is the server's host, for messages.
func (c *Client) Host() string {
	u, err := url.Parse(cmp.Or(c.Server, DefaultServer))
	if err != nil {
		return strings.TrimSpace(c.Server)
	}
	return u.Host
}
