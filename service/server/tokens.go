package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/markgen/markgen/service/store"
)

// Ages of the cached tokens. All servers of a store refuse a revoked token within tokensMaxAge, the
// one that revoked it at once. An unknown token makes a server ask the store, but at most every
// unknownTokenMaxAge, for which the request waits.
const (
	tokensMaxAge       = 2 * time.Second
	unknownTokenMaxAge = 200 * time.Millisecond
)

// A tokens caches the store's tokens, so that requests need no query.
type tokens struct {
	read func(context.Context) ([]store.Token, error)
	now  func() time.Time // for the expiry of tokens

	mu    sync.Mutex // held while asking the store, so that others wait for the result
	byID  map[string]store.Token
	asked time.Time
}

// forget makes the next request ask the store.
func (t *tokens) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = time.Time{}
}

// all returns the tokens, at most age old. The map must not be modified.
func (t *tokens) all(ctx context.Context, age time.Duration) (map[string]store.Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); t.asked.IsZero() || now.Sub(t.asked) >= age {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		list, err := t.read(ctx)
		if err != nil {
			return nil, err
		}
		byID := make(map[string]store.Token, len(list))
		for _, token := range list {
			byID[token.ID] = token
		}
		t.byID, t.asked = byID, now
	}
	return t.byID, nil
}

// check returns the token with this text, if it is valid for the scope. The error is a problem, or
// the store's.
func (t *tokens) check(ctx context.Context, text, scope string) (store.Token, error) {
	id, ok := tokenID(text)
	if !ok {
		return store.Token{}, tokenUnknown.problem("what was given is no token; one begins with %s and has %d characters", tokenPrefix, len(tokenPrefix)+8+1+32)
	}
	token, ok, err := t.lookup(ctx, id)
	if err != nil {
		return store.Token{}, err
	}
	// The ID is public; the secret is compared by its hash, in constant time.
	hash := sha256.Sum256([]byte(text))
	if subtle.ConstantTimeCompare(hash[:], token.Hash[:]) != 1 || !ok {
		return store.Token{}, tokenUnknown.problem("no token of this server is like that; ask who runs it for one")
	}
	return token, t.validate(token, scope)
}

// lookup returns a token, and asks the store again if it is unknown.
func (t *tokens) lookup(ctx context.Context, id string) (token store.Token, ok bool, err error) {
	all, err := t.all(ctx, tokensMaxAge)
	if err != nil {
		return token, false, err
	}
	if token, ok = all[id]; ok {
		return token, true, nil
	}
	select {
	case <-time.After(unknownTokenMaxAge):
	case <-ctx.Done():
	}
	if all, err = t.all(ctx, unknownTokenMaxAge); err != nil {
		return token, false, err
	}
	token, ok = all[id]
	return token, ok, nil
}

// validate returns a problem if the token is not valid for the scope.
func (t *tokens) validate(token store.Token, scope string) error {
	switch {
	case !token.Revoked.IsZero():
		return tokenRevoked.problem("the token %s was revoked; ask who runs the server for another", token.ID)
	case !token.Expires.IsZero() && !t.now().Before(token.Expires):
		return tokenExpired.problem("the token %s was good until %s; ask who runs the server for another", token.ID, token.Expires.UTC().Format(time.RFC3339))
	case !allows(token.Scopes, scope):
		return scopeMissing.problem("this needs the scope %s, and the token %s has %q; ask who runs the server for another", scope, token.ID, token.Scopes)
	}
	return nil
}

// sorted returns the store's current tokens, by time of creation.
func (t *tokens) sorted(ctx context.Context) ([]store.Token, error) {
	all, err := t.all(ctx, 0)
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(all), func(a, b store.Token) int { return a.Created.Compare(b.Created) }), nil
}
