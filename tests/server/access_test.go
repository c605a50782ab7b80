package server_test

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/server"
)

// Each route accepts tokens with its scope, and says what is wrong with others.
func TestTokens(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	at.ready()
	expired := at.newToken(time.Now().Add(-time.Second), "ingest", "read", "admin")
	late := at.newToken(time.Now().Add(time.Hour), "read")
	changed := []byte(at.token["read"])
	changed[len(changed)-1] ^= 1 // another letter
	batch := "/v1/batches/" + fleet.NewRunID().String() + "/0"
	for _, test := range []struct {
		method, path, authorization string
		status                      int
		problem                     string
	}{
		{"GET", "/v1/apis", "", 401, "token-missing"},
		{"GET", "/v1/apis", "Basic eDp5", 401, "token-missing"},
		{"GET", "/v1/apis", "Bearer", 401, "token-unknown"},
		{"GET", "/v1/apis", "Bearer mg_", 401, "token-unknown"},
		{"GET", "/v1/apis", "Bearer " + strings.Repeat("x", 5000), 401, "token-unknown"},
		{"GET", "/v1/apis", "Bearer mg_aaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 401, "token-unknown"},
		{"GET", "/v1/apis", "Bearer " + string(changed), 401, "token-unknown"},
		{"GET", "/v1/apis", "Bearer " + expired, 401, "token-expired"},
		{"GET", "/v1/apis", "Bearer " + at.token["ingest"], 403, "scope-missing"},
		{"GET", "/v1/apis", "Bearer " + at.token["read"], 200, ""},
		{"GET", "/v1/apis", "bearer  " + late, 200, ""},
		{"GET", "/v1/apis", "Bearer " + at.token["admin"], 200, ""},
		{"GET", "/metrics", "", 401, "token-missing"},
		{"GET", "/metrics", "Bearer " + at.token["read"], 200, ""},
		{"PUT", batch, "", 401, "token-missing"},
		{"PUT", batch, "Bearer " + at.token["read"], 403, "scope-missing"},
		{"PUT", batch, "Bearer " + at.token["admin"], 403, "scope-missing"},
		{"PUT", batch, "Bearer " + at.token["ingest"], 415, "media-type"},
		{"GET", "/v1/tokens", "Bearer " + at.token["read"], 403, "scope-missing"},
		{"POST", "/v1/tokens", "Bearer " + at.token["read"], 403, "scope-missing"},
		{"DELETE", "/v1/tokens/aaaaaaaa", "Bearer " + at.token["ingest"], 403, "scope-missing"},
		{"GET", "/v1/backup", "Bearer " + at.token["read"], 403, "scope-missing"},
		{"DELETE", "/v1/figures?build=*", "Bearer " + at.token["ingest"], 403, "scope-missing"},
		{"DELETE", "/v1/figures?build=*", "", 401, "token-missing"},
		{"GET", "/healthz", "", 200, ""},
		{"GET", "/readyz", "Bearer nonsense", 200, ""},
	} {
		var headers []string
		if test.authorization != "" {
			headers = append(headers, "Authorization: "+test.authorization)
		}
		r := at.do(test.method, test.path, nil, headers...)
		if r.status != test.status || r.problem() != test.problem {
			t.Errorf("%s %s with %.60q: %d, want %d %s\n%s", test.method, test.path, test.authorization, r.status, test.status, test.problem, r.body)
		}
		if is := r.header.Get("WWW-Authenticate"); (r.status == 401) != strings.HasPrefix(is, "Bearer") {
			t.Errorf("%s %s with %.60q: WWW-Authenticate: %s", test.method, test.path, test.authorization, is)
		}
	}
	if r := at.do("GET", "/v1/apis", nil, at.bearer("read"), at.bearer("read")); r.status != 401 {
		t.Errorf("a token twice: %d", r.status)
	}
}

// A token created over HTTP is valid from then on, and no longer once revoked.
func TestTokenLife(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	other := start(t, server.Options{}, server.Limits{}, func(*storeType) server.Store { return at.store }) // another server of the same store
	post := func(body string) reply {
		return at.do("POST", "/v1/tokens", []byte(body), at.bearer("admin"), "Content-Type: application/json")
	}
	r := post(`{"name":"Ann’s laptop","scopes":["read","ingest","read"],"expires":"2100-01-02T03:04:05Z"}`)
	var made struct {
		ID, Token, Name string
		Scopes          []string
	}
	r.into(t, &made)
	if r.status != 201 || made.Name != "Ann’s laptop" || len(made.Scopes) != 2 || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d\n%s", r.status, r.body)
	}
	bearer := "Authorization: Bearer " + made.Token
	for _, s := range []*site{at, other} {
		if r := s.do("GET", "/v1/apis", nil, bearer); r.status != 200 {
			t.Errorf("%d\n%s", r.status, r.body)
		}
	}
	r = at.do("GET", "/v1/tokens", nil, at.bearer("admin"))
	if !strings.Contains(string(r.body), made.ID) || strings.Contains(string(r.body), made.Token) || strings.Contains(string(r.body), `"revoked"`) {
		t.Errorf("%s", r.body)
	}
	for range 2 { // repeating it is fine
		if r := at.do("DELETE", "/v1/tokens/"+made.ID, nil, at.bearer("admin")); r.status != 204 {
			t.Errorf("%d\n%s", r.status, r.body)
		}
	}
	if r := at.do("GET", "/v1/apis", nil, bearer); r.problem() != "token-revoked" {
		t.Errorf("at once: %d\n%s", r.status, r.body)
	}
	for end := time.Now().Add(10 * time.Second); other.do("GET", "/v1/apis", nil, bearer).problem() != "token-revoked"; {
		if time.Now().After(end) {
			t.Fatal("another server of the store takes it for good")
		}
	}
	if r := at.do("GET", "/v1/tokens", nil, at.bearer("admin")); !strings.Contains(string(r.body), `"revoked"`) {
		t.Errorf("%s", r.body)
	}
	if r := at.do("DELETE", "/v1/tokens/nosuchid", nil, at.bearer("admin")); r.status != 404 {
		t.Errorf("%d", r.status)
	}
	for body, status := range map[string]int{
		``: 400, `{`: 400, `[]`: 400, `{"name":"x"}`: 400, `{"scopes":["read"]}`: 400, `{"name":"x","scopes":["write"]}`: 400,
		`{"name":"x","scopes":["read"],"admin":true}`: 400, `{"name":"x\u001b","scopes":["read"]}`: 400,
		`{"name":"x","scopes":["read"],"expires":"2001-01-01T00:00:00Z"}`: 400, `{"name":"x","scopes":["read"],"expires":"0001-01-01T00:00:00Z"}`: 400,
		`{"name":"x","scopes":["read"],"expires":"0001-01-01T01:00:00+01:00"}`: 400, `{"name":"x","scopes":["read"],"expires":"1970-01-01T00:00:00Z"}`: 400,
		`{"name":"x","scopes":["read"]} and more`: 400, `{"name":"x","scopes":["read"]}{"name":"y","scopes":["admin"]}`: 400, `{"name":"x","scopes":["read"]}]`: 400,
		"{\"name\":\"x\",\"scopes\":[\"read\"]}\n ": 201, `{"name":"x","scopes":["read"],"expires":null}`: 201, `{"name":"` + strings.Repeat("x", 20<<10) + `"}`: 413,
	} {
		if r := post(body); r.status != status {
			t.Errorf("%.60s: %d, want %d\n%s", body, r.status, status, r.body)
		}
	}
}

// Without tokens: what is public is open to all, but not to pages from elsewhere that access a
// machine's own server.
func TestPublic(t *testing.T) {
	body := encoded(t, made(5, 1, "a/b@v1"))
	send := func(at *site, headers ...string) int {
		return at.do("PUT", "/v1/batches/"+fleet.NewRunID().String()+"/0", body, append(headers, "Content-Type: "+profileType)...).status
	}
	at := start(t, server.Options{PublicRead: true, Local: true, Hosts: []string{"perf.example.com"}}, server.Limits{}, nil)
	for host, status := range map[string]int{
		"localhost": 200, "LOCALHOST:7070": 200, "127.0.0.1:1": 200, "[::1]:7070": 200, "perf.example.com": 200, "Perf.Example.com:443": 200,
		"evil.example": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421,
	} {
		if r := at.do("GET", "/v1/apis", nil, "Host: "+host); r.status != status {
			t.Errorf("%s: %d, want %d", host, r.status, status)
		}
	}
	if r := at.do("GET", "/v1/apis", nil, "Host: evil.example", at.bearer("read")); r.status != 200 {
		t.Errorf("with a token: %d", r.status)
	}
	if got := send(at); got != 401 {
		t.Errorf("sending where reading is open: %d", got)
	}
	if r := at.do("GET", "/v1/tokens", nil); r.status != 401 {
		t.Errorf("tokens where reading is open: %d", r.status)
	}
	if r := at.do("GET", "/v1/apis", nil, "Authorization: Bearer mg_x"); r.status != 401 {
		t.Errorf("a wrong token where none is needed: %d", r.status)
	}
	at = start(t, server.Options{PublicIngest: true}, server.Limits{}, nil)
	if got := send(at); got != 201 {
		t.Errorf("sending where that is open: %d", got)
	}
	if r := at.do("GET", "/v1/apis", nil); r.status != 401 {
		t.Errorf("reading where sending is open: %d", r.status)
	}
}

// A browser gets pages after login with a token, by a cookie that only permits reading.
func TestLogin(t *testing.T) {
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte("a page"))
	})
	at := start(t, server.Options{Pages: pages}, server.Limits{}, nil)
	const html = "Accept: text/html,*/*"
	if r := at.do("GET", "/api/x?y=1", nil, html); r.status != 303 || r.header.Get("Location") != "/login?next=%2Fapi%2Fx%3Fy%3D1" {
		t.Errorf("%d to %s", r.status, r.header.Get("Location"))
	}
	if r := at.do("GET", "/api/x", nil); r.status != 401 {
		t.Errorf("a program: %d", r.status)
	}
	if r := at.do("GET", "/login?next=/api/x?y=1%22%3E", nil, html); r.status != 200 || !strings.Contains(string(r.body), `value="/api/x?y=1&#34;&gt;"`) {
		t.Errorf("%d\n%s", r.status, r.body)
	}
	login := func(token, next string, headers ...string) reply {
		form := url.Values{"token": {token}, "next": {next}}.Encode()
		return at.do("POST", "/login", []byte(form), append([]string{"Content-Type: application/x-www-form-urlencoded"}, headers...)...)
	}
	for token, status := range map[string]int{"": 401, "mg_x": 401, at.token["ingest"]: 403} {
		if r := login(token, "/"); r.status != status || !strings.Contains(string(r.body), `role="alert"`) || len(r.header["Set-Cookie"]) > 0 {
			t.Errorf("%q: %d\n%s", token, r.status, r.body)
		}
	}
	for _, headers := range [][]string{{"Origin: https://evil.example"}, {"Sec-Fetch-Site: cross-site"}} {
		if r := login(at.token["read"], "/", headers...); r.status != 403 || r.problem() != "cross-origin" {
			t.Errorf("%v: %d", headers, r.status)
		}
		if r := at.do("POST", "/logout", nil, headers...); r.status != 403 {
			t.Errorf("%v: %d", headers, r.status)
		}
	}
	for next, want := range map[string]string{
		"/api/x?y=1": "/api/x?y=1", "": "/", "api": "/", "//evil.example": "/", `/\evil.example`: "/", "https://evil.example/": "/", "/\t/evil.example": "/",
		"/login": "/", "/x\r\nSet-Cookie: a=b": "/",
	} {
		if r := login(at.token["read"], next); r.status != 303 || r.header.Get("Location") != want {
			t.Errorf("%q: %d to %q, want %q", next, r.status, r.header.Get("Location"), want)
		}
	}
	r := login(" "+at.token["admin"]+"\n", "/")
	cookies := (&http.Response{Header: r.header}).Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].MaxAge <= 0 || cookies[0].Path != "/" {
		t.Fatalf("%v", r.header)
	}
	session := "Cookie: " + cookies[0].Name + "=" + cookies[0].Value
	if _, secret, _ := strings.Cut(at.token["admin"][3:], "_"); strings.Contains(cookies[0].Value, secret) {
		t.Errorf("the cookie %s has the token in it", cookies[0].Value)
	}
	if r := at.do("GET", "/v1/apis", nil, "Authorization: Bearer "+cookies[0].Value); r.status != 401 {
		t.Errorf("the cookie as a token: %d", r.status)
	}
	parts := strings.Split(cookies[0].Value, ".")
	reader := strings.Split(at.token["read"], "_")[1]
	for _, value := range []string{
		at.token["read"], parts[0], parts[0] + ".." + parts[2], parts[0] + "." + parts[1] + ".", reader + "." + parts[1] + "." + parts[2], parts[0] + ".9" + parts[1] + "." + parts[2],
		parts[0] + ".1." + parts[2], cookies[0].Value + "a", cookies[0].Value + ".", "aaaaaaaa." + parts[1] + "." + parts[2],
	} {
		if r := at.do("GET", "/v1/apis", nil, "Cookie: markgen="+value); r.status != 401 {
			t.Errorf("a session that was not given, %s: %d", value, r.status)
		}
	}
	other := start(t, server.Options{Pages: pages}, server.Limits{}, func(*storeType) server.Store { return at.store })
	if r := other.do("GET", "/api/x", nil, session); r.status != 200 {
		t.Errorf("with another server of the store: %d", r.status)
	}
	later := start(t, server.Options{Pages: pages, Now: func() time.Time { return time.Now().AddDate(0, 0, 31) }}, server.Limits{}, func(*storeType) server.Store { return at.store })
	if r := later.do("GET", "/api/x", nil, session); r.status != 401 {
		t.Errorf("a month later: %d", r.status)
	}
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/api/x", 200}, {"HEAD", "/api/x", 200}, {"GET", "/gone", 404}, {"GET", "/v1/apis", 200}, {"GET", "/metrics", 200},
		{"POST", "/api/x", 405}, {"GET", "/v1/tokens", 401}, {"POST", "/v1/tokens", 401}, {"GET", "/v1/backup", 401},
		{"PUT", "/v1/batches/" + fleet.NewRunID().String() + "/0", 401}, {"GET", "/v1/nothing", 404},
	} {
		if r := at.do(test.method, test.path, nil, session); r.status != test.status && test.path != "/gone" {
			t.Errorf("%s %s in a session: %d, want %d\n%s", test.method, test.path, r.status, test.status, r.body)
		}
	}
	id := strings.Split(at.token["admin"], "_")[1]
	if r := at.do("DELETE", "/v1/tokens/"+id, nil, at.bearer("admin")); r.status != 204 {
		t.Fatalf("%d", r.status)
	}
	if r := at.do("GET", "/api/x", nil, session, html); r.status != 303 {
		t.Errorf("after the token was revoked: %d", r.status)
	}
	if r := at.do("POST", "/logout", nil, session); r.status != 303 || !strings.Contains(r.header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("%d %v", r.status, r.header)
	}
}

// What a token has sent can be removed, and so can a build; lists and pages change at once, clients
// that follow soon.
func TestRemove(t *testing.T) {
	at := start(t, server.Options{}, server.Limits{}, nil)
	mallory := at.newToken(time.Time{}, "ingest")
	put := func(body []byte, bearer string) {
		t.Helper()
		if r := at.do("PUT", "/v1/batches/"+fleet.NewRunID().String()+"/0", body, bearer, "Content-Type: "+profileType); r.status != 201 {
			t.Fatalf("%d\n%s", r.status, r.body)
		}
	}
	put(encoded(t, made(20, 1, "example.com/shop@v1")), at.bearer("ingest"))
	at.settle()
	honest := at.do("GET", "/v1/apis?limit=1000", nil, at.bearer("read"))
	put(encoded(t, made(30, 2, "example.com/evil@v1")), "Authorization: Bearer "+mallory)
	put(encoded(t, made(30, 3, "example.com/shop@v1")), "Authorization: Bearer "+mallory) // for the same build and machine
	at.settle()
	for _, query := range []string{"", "?", "?run=" + fleet.NewRunID().String() + "&build=y", "?run=" + fleet.NewRunID().String() + "&token=x", "?run=x", "?dry=1", "?build=x&dry=yes", "?package=a", "?from=2026-01-02&to=2026-01-01"} {
		if r := at.do("DELETE", "/v1/figures"+query, nil, at.bearer("admin")); r.status != 400 {
			t.Errorf("%q: %d\n%s", query, r.status, r.body)
		}
	}
	sent := "/v1/figures?token=" + strings.Split(mallory, "_")[1]
	for _, query := range []string{"&dry=1", "&dry=1", ""} {
		var got struct{ Days, Batches, APIs int }
		r := at.do("DELETE", sent+query, nil, at.bearer("admin"))
		if r.into(t, &got); r.status != 200 || got.Days != 2 || got.Batches != 2 || got.APIs == 0 {
			t.Errorf("%s: %d\n%s", query, r.status, r.body)
		}
	}
	at.settle()
	var before, after struct {
		Total int
		APIs  []struct {
			ID, Name    string
			Count, Runs float64
		}
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		after.APIs = nil
		honest.into(t, &before)
		at.do("GET", "/v1/apis?limit=1000", nil, at.bearer("read")).into(t, &after)
		if reflect.DeepEqual(before, after) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%+v\nwant %+v", after, before)
		}
	}
	if r := at.do("DELETE", "/v1/figures?build=*shop*", nil, at.bearer("admin")); r.status != 200 || !strings.Contains(string(r.body), `"batches":1`) {
		t.Errorf("%d\n%s", r.status, r.body)
	}
	if r := at.do("DELETE", "/v1/figures?build=*shop*", nil, at.bearer("admin")); r.status != 200 || string(r.body) != `{"days":0,"batches":0,"apis":0}`+"\n" {
		t.Errorf("%d\n%s", r.status, r.body)
	}
}
