package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answering returns a client of a server that sends a fixed answer and records the request.
func answering(t *testing.T, status int, answer string) (c *Client, asked *string) {
	asked = new(string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Authorization"), body))
		if status >= 400 {
			w.Header().Set("Content-Type", "application/problem+json")
		}
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return &Client{Server: s.URL, Token: "mg_secret"}, asked
}

// Requests about tokens and their statistics are correct, and so is the result for each answer.
func TestTokens(t *testing.T) {
	ctx := t.Context()
	c, asked := answering(t, http.StatusCreated, `{"id":"7","name":"ci","token":"mg_new"}`)
	made, err := c.AddToken(ctx, "ci", []string{"push"}, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil || made.Token != "mg_new" || *asked != `POST /v1/tokens Bearer mg_secret {"expires":"2027-01-01T00:00:00Z","name":"ci","scopes":["push"]}` {
		t.Errorf("%+v, %v, asked %s", made, err, *asked)
	}
	c, asked = answering(t, http.StatusOK, `{"tokens":[{"id":"7","scopes":["push"]},{"id":"8"}]}`)
	if all, err := c.Tokens(ctx); err != nil || len(all) != 2 || all[0].ID != "7" || *asked != "GET /v1/tokens Bearer mg_secret" {
		t.Errorf("%+v, %v, asked %s", all, err, *asked)
	}
	if _, err := c.AddToken(ctx, "ci", nil, time.Time{}); err == nil || !strings.Contains(err.Error(), "answers with no token") {
		t.Errorf("an answer without a token: %v", err)
	}
	c, asked = answering(t, http.StatusNoContent, "")
	if err := c.RevokeToken(ctx, "a/b"); err != nil || *asked != "DELETE /v1/tokens/a%2Fb Bearer mg_secret" {
		t.Errorf("%v, asked %s", err, *asked)
	}
	c, asked = answering(t, http.StatusOK, `{"days":6,"batches":40,"apis":3}`)
	for _, dry := range []bool{true, false} {
		done, err := c.RemoveFigures(ctx, "7", dry)
		want := "DELETE /v1/figures?token=7 Bearer mg_secret"
		if dry {
			want = "DELETE /v1/figures?dry=1&token=7 Bearer mg_secret"
		}
		if err != nil || done != (Removed{Days: 6, Batches: 40, APIs: 3}) || *asked != want {
			t.Errorf("%+v, %v, asked %s", done, err, *asked)
		}
	}
	c, _ = answering(t, http.StatusForbidden, `{"type":"about:blank","status":403,"title":"Not with this token","detail":"it has no scope admin"}`)
	_, added := c.AddToken(ctx, "ci", nil, time.Time{})
	_, removed := c.RemoveFigures(ctx, "7", false)
	_, listed := c.Tokens(ctx)
	for _, err := range []error{added, removed, listed, c.RevokeToken(ctx, "7")} {
		if err == nil || !strings.Contains(err.Error(), "no scope admin") {
			t.Errorf("a refusal is %v", err)
		}
	}
	c, _ = answering(t, http.StatusOK, "<html>")
	if _, err := c.RemoveFigures(ctx, "7", false); err == nil {
		t.Error("a page is an answer")
	}
}

// A comparison has total numbers even if its lists are cut; older servers omit the totals.
func TestCompare(t *testing.T) {
	var sent Comparison
	sent.APIs, sent.OnlyNew = make([]Change, 2), make([]API, 1)
	sent.APIsTotal = 9
	text, err := json.Marshal(&sent)
	if err != nil {
		t.Fatal(err)
	}
	c, asked := answering(t, http.StatusOK, string(text))
	r, raw, err := c.Compare(t.Context(), "v1", "v2", Query{Package: "example.com/*", Build: "v3", Words: "json"})
	if err != nil || r.APIsTotal != 9 || r.OnlyNewTotal != 1 || string(raw) != string(text) || *asked != "GET /v1/compare?new=v2&old=v1&package=example.com%2F%2A Bearer mg_secret" {
		t.Errorf("%+v, %v, asked %s", r, err, *asked)
	}
	c, _ = answering(t, http.StatusOK, `{"apis":7}`)
	if _, _, err := c.Compare(t.Context(), "v1", "v2", Query{}); err == nil || !strings.Contains(err.Error(), "can't be read") {
		t.Errorf("an answer of another form: %v", err)
	}
}
