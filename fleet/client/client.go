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

// A Client queries one server. Its methods are safe for concurrent use.
type Client struct {
	Server  string       // base URL of the API, without /v1/
	Token   string       // with the scope read; "" if none
	Version string       // markgen's version
	HTTP    *http.Client // nil for a client with a timeout of 5 minutes
}

// DefaultServer is the URL of a server on this machine.
const DefaultServer = "http://127.0.0.1:7070"

// Max sizes of answers, in bytes.
const (
	maxJSON    = 64 << 20
	maxProfile = 1 << 30
)

var patient = &http.Client{Timeout: 5 * time.Minute}

// get requests a path. The caller must close the body.
func (c *Client) get(ctx context.Context, path string, query url.Values, header http.Header) (*http.Response, error) {
	return c.send(ctx, http.MethodGet, path, query, header, nil)
}

// send sends a request. The caller must close the body of the answer. An error status is returned
// as an error.
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

// refusal returns the problem in an answer with an error status.
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

// ask requests JSON.
func (c *Client) ask(ctx context.Context, path string, query url.Values, answer any) error {
	res, err := c.get(ctx, path, query, http.Header{"Accept": {"application/json"}})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := read(res.Body, maxJSON)
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

// A Query selects APIs and statistics. The strings from Package to CPU are patterns as in
// fleet.Filter.
type Query struct {
	Words    string // must all occur in the name; excludes Function and patterns in Package
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

// An API is an API in a list.
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

// Figures are the statistics of a marker that tables show.
type Figures struct {
	Count   uint64  `json:"count"`
	TotalNS uint64  `json:"total_ns"`
	MeanNS  float64 `json:"mean_ns"`
	P50NS   float64 `json:"p50_ns"`
	P90NS   float64 `json:"p90_ns"`
	P99NS   float64 `json:"p99_ns"`
	MinNS   uint64  `json:"min_ns"`
	MaxNS   uint64  `json:"max_ns"`
	Sampled string  `json:"sampled"`    // the rate, if these are estimates
	CountSE float64 `json:"count_se"`   // standard error of Count
	MeanSE  float64 `json:"mean_se_ns"` // standard error of MeanNS
	Buckets []any   `json:"buckets"`    // empty if there are no times
	Alloc   *Alloc  `json:"alloc"`
	Process *Alloc  `json:"process_alloc"`
}

// An Alloc has the allocations in scopes.
type Alloc struct {
	Scopes  uint64 `json:"scopes"`
	Bytes   Value  `json:"bytes"`
	Objects Value  `json:"objects"`
}

// A Value is the increase of a reading.
type Value struct {
	Mean float64 `json:"mean"` // per scope
}

// A Group is the part of the statistics with one key.
type Group struct {
	Key     string  `json:"key"`
	Runs    uint64  `json:"runs"`
	Figures Figures `json:"figures"`
}

// A Known is an API with its statistics.
type Known struct {
	API
	Figures *Figures `json:"figures"` // nil if the query selects none
	Groups  []Group  `json:"groups"`
}

// API requests one API by its ID, with the statistics that the query selects, grouped by by unless
// "". raw is the unparsed answer.
func (c *Client) API(ctx context.Context, id string, q Query, by fleet.Grouping) (k Known, raw json.RawMessage, err error) {
	q = Query{Build: q.Build, Go: q.Go, GOOS: q.GOOS, GOARCH: q.GOARCH, CPU: q.CPU, From: q.From, To: q.To}
	v := q.values()
	if by != fleet.NoGrouping {
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

// Profile requests the sum of what a query selects, of the APIs with the given IDs, or of all if
// there are none. Words, Sort, Limit and Cursor of the query are ignored.
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

// Paths requests the call paths of what a query selects, as a profile of the markers on them without
// other figures. Words, Sort, Limit and Cursor of the query are ignored.
func (c *Client) Paths(ctx context.Context, q Query) (*profile.Profile, error) {
	q.Words, q.Sort, q.Limit, q.Cursor = "", "", 0, ""
	res, err := c.get(ctx, "v1/paths", q.values(), http.Header{"Accept": {profileType}})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return readProfile(res)
}

const profileType = "application/vnd.markgen.profile"

func readProfile(res *http.Response) (*profile.Profile, error) {
	file, err := read(res.Body, maxProfile)
	if err != nil {
		return nil, err
	}
	if _, err := codec.NamesSize(file); err != nil {
		return nil, fmt.Errorf("the server sent what can't be read: %w", err)
	}
	return codec.Decode(file, "the catalogue of "+res.Request.URL.Host)
}

// A Comparison compares two builds.
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

	// Total numbers; the lists may be cut.
	APIsTotal    int `json:"apis_total"`
	OnlyOldTotal int `json:"only_old_total"`
	OnlyNewTotal int `json:"only_new_total"`
}

// A Change is the change of an API that both builds have.
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

// Compare compares two builds. Words, Build and Sort of the query are ignored.
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
	// Older servers don't send the totals.
	r.APIsTotal, r.OnlyOldTotal, r.OnlyNewTotal = max(r.APIsTotal, len(r.APIs)), max(r.OnlyOldTotal, len(r.OnlyOld)), max(r.OnlyNewTotal, len(r.OnlyNew))
	return r, raw, nil
}

// Origins lists the origins of statistics.
func (c *Client) Origins(ctx context.Context, q Query) ([]fleet.OriginSum, error) {
	q = Query{Build: q.Build, Go: q.Go, GOOS: q.GOOS, GOARCH: q.GOARCH, CPU: q.CPU}
	var answer struct{ Origins []fleet.OriginSum }
	err := c.ask(ctx, "v1/origins", q.values(), &answer)
	return answer.Origins, err
}

// Host returns the server's host, for messages.
func (c *Client) Host() string {
	u, err := url.Parse(cmp.Or(c.Server, DefaultServer))
	if err != nil {
		return strings.TrimSpace(c.Server)
	}
	return u.Host
}
