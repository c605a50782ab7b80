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

// A Token is a token as the server describes it.
type Token struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Scopes  []string  `json:"scopes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"` // zero if never
	Revoked time.Time `json:"revoked"` // zero if valid
	Token   string    `json:"token"`   // the secret, only of a token just created
}

// Tokens returns all tokens. This and the methods below need a token with the scope admin.
func (c *Client) Tokens(ctx context.Context) ([]Token, error) {
	var answer struct{ Tokens []Token }
	err := c.ask(ctx, "v1/tokens", nil, &answer)
	return answer.Tokens, err
}

// AddToken creates a token. The zero time means that it does not expire.
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
	text, err := read(res.Body, maxJSON)
	if err != nil {
		return t, err
	}
	if json.Unmarshal(text, &t) != nil || t.Token == "" {
		return t, fmt.Errorf("%s answers with no token; is it a markgend of another version?", c.Host())
	}
	return t, nil
}

// RevokeToken revokes a token.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	res, err := c.send(ctx, http.MethodDelete, "v1/tokens/"+url.PathEscape(id), nil, nil, nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Removed is the result of a removal.
type Removed struct {
	Days    int    `json:"days"`    // days, summed over origins: two origins on three days are six
	Batches uint64 `json:"batches"` // whose statistics were removed
	APIs    int    `json:"apis"`    // that lost statistics
}

// RemoveFigures removes the statistics sent with a token. With dry it removes nothing, and returns
// what it would remove.
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
	text, err := read(res.Body, maxJSON)
	if err != nil {
		return done, err
	}
	if err := json.Unmarshal(text, &done); err != nil {
		return done, fmt.Errorf("%s answers what can't be read: %w", c.Host(), err)
	}
	return done, nil
}
