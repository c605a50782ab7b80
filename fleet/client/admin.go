package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// A Token is what a server tells of a token.
type Token struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"` // zero: never
	Revoked time.Time `json:"revoked"` // zero: it is good
	Token   string    `json:"token"`   // the token itself, of one that was made just now
}

// Tokens lists the tokens. This and what follows take a token with the scope admin.
func (c *Client) Tokens(ctx context.Context) ([]Token, error) {
	var answer struct{ Tokens []Token }
	err := c.ask(ctx, "v1/tokens", nil, &answer)
	return answer.Tokens, err
}

// AddToken makes a token; a zero time is for good.
func (c *Client) AddToken(ctx context.Context, name string, scopes []string, expires time.Time) (t Token, err error) {
	ask := map[string]any{"name": name, "scopes": scopes}
	if !expires.IsZero() {
		ask["expires"] = expires
	}
	body, err := json.Marshal(ask)
	if err != nil {
		return t, err
	}
	res, err := c.send(ctx, http.MethodPost, "v1/tokens", nil, http.Header{"Content-Type": {"application/json"}}, bytes.NewReader(body))
	if err != nil {
		return t, err
	}
	defer res.Body.Close()
	text, err := read(res.Body, mostJSON)
	if err != nil {
		return t, err
	}
	if json.Unmarshal(text, &t) != nil || t.Token == "" {
		return t, fmt.Errorf("%s answers with no token; is it a markgend of another version?", c.Host())
	}
	return t, nil
}

// RevokeToken ends a token.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	res, err := c.send(ctx, http.MethodDelete, "v1/tokens/"+url.PathEscape(id), nil, nil, nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Removed is what was taken out of a store.
type Removed struct {
	Days    int    `json:"days"`    // of origins: two origins on three days are six
	Batches uint64 `json:"batches"` // whose figures these were
	APIs    int    `json:"apis"`    // that had them
}

// RemoveFigures takes out what was sent with a token; dry, nothing goes, and the answer is what would.
func (c *Client) RemoveFigures(ctx context.Context, token string, dry bool) (done Removed, err error) {
	query := url.Values{"token": {token}}
	if dry {
		query.Set("dry", "1")
	}
	res, err := c.send(ctx, http.MethodDelete, "v1/figures", query, nil, nil)
	if err != nil {
		return done, err
	}
	defer res.Body.Close()
	text, err := read(res.Body, mostJSON)
	if err != nil {
		return done, err
	}
	if err := json.Unmarshal(text, &done); err != nil {
		return done, fmt.Errorf("%s answers what can't be read: %w", c.Host(), err)
	}
	return done, nil
}
