package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Token is a token as the store keeps it: with its hash, not its secret.
type Token struct {
	ID      string   // public
	Hash    [32]byte // SHA-256 of the secret
	Name    string   // for people to read
	Scopes  []string // "ingest", "read", "admin"
	Created time.Time
	Expires time.Time // zero if never
	Revoked time.Time // zero if valid
}

// AddToken adds a token. Its ID and hash must be new.
func (s *Store) AddToken(ctx context.Context, t Token) error {
	what := "adding token " + t.ID
	for _, scope := range t.Scopes {
		if scope == "" || strings.ContainsAny(scope, " ") {
			return fmt.Errorf("%s: %q can be no scope", what, scope)
		}
	}
	if t.ID == "" {
		return errors.New("adding a token: it has no ID")
	}
	n, err := s.change(ctx, true, "INSERT INTO token (id, hash, name, scopes, created, expires, revoked) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
		t.ID, t.Hash[:], t.Name, strings.Join(t.Scopes, " "), toMillis(t.Created), toMillis(t.Expires), toMillis(t.Revoked))
	if err != nil {
		return s.wrap(what, err)
	}
	if n == 0 {
		return s.wrap(what, errors.New("there is one with this ID or secret already"))
	}
	return nil
}

// Tokens returns all tokens, including revoked ones, in the order of creation.
func (s *Store) Tokens(ctx context.Context) (list []Token, err error) {
	rows, err := s.read.QueryContext(ctx, "SELECT id, hash, name, scopes, created, expires, revoked FROM token ORDER BY created, id")
	err = each(rows, err, func() error {
		var t Token
		var hash []byte
		var scopes string
		var created, expires, revoked int64
		if err := rows.Scan(&t.ID, &hash, &t.Name, &scopes, &created, &expires, &revoked); err != nil {
			return err
		}
		copy(t.Hash[:], hash)
		t.Scopes = strings.Fields(scopes)
		t.Created, t.Expires, t.Revoked = fromMillis(created), fromMillis(expires), fromMillis(revoked)
		list = append(list, t)
		return nil
	})
	return list, s.wrap("listing tokens", err)
}

// RevokeToken revokes a token, which stays listed, or returns ErrNotFound. A second call keeps the
// time of the first.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	what := "revoking token " + id
	now, err := s.clock(ctx, s.read)
	if err != nil {
		return s.wrap(what, err)
	}
	n, err := s.change(ctx, true, "UPDATE token SET revoked = CASE WHEN revoked = 0 THEN $1 ELSE revoked END WHERE id = $2", now.UnixMilli(), id)
	if err != nil {
		return s.wrap(what, err)
	}
	if n == 0 {
		return s.wrap(what, ErrNotFound)
	}
	return nil
}

// toMillis returns t in ms since 1970, as columns have it; 0 for the zero time.
func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
