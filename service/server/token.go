package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/markgen/markgen/service/store"
)

// Scopes of tokens.
const (
	ScopeIngest = "ingest" // sending batches
	ScopeRead   = "read"   // queries, pages and metrics
	ScopeAdmin  = "admin"  // tokens, backup, and all of read
)

// Scopes returns all scopes.
func Scopes() []string { return []string{ScopeIngest, ScopeRead, ScopeAdmin} }

// A token is mg_ID_SECRET: an ID of 8 letters and digits and a secret of 32 (160 bits), both in
// base32. Secret scanners recognize the prefix.
const (
	tokenPrefix = "mg_"
	idBytes     = 5
	secretBytes = 20
)

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewToken creates a token. text is the token itself, which is not kept anywhere; the store gets
// its hash. It is an error if scopes is empty or has an unknown scope, or if the name is empty,
// longer than 100 bytes or not printable.
func NewToken(name string, scopes []string, created, expires time.Time) (text string, t store.Token, err error) {
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return "", t, fmt.Errorf("%.100q can't be the name of a token; give one of 1 to 100 bytes that can be printed", name)
	}
	if len(scopes) == 0 {
		return "", t, fmt.Errorf("a token without a scope is of no use; the scopes are %s", strings.Join(Scopes(), ", "))
	}
	for _, scope := range scopes {
		if !slices.Contains(Scopes(), scope) {
			return "", t, fmt.Errorf("there is no scope %.40q; the scopes are %s", scope, strings.Join(Scopes(), ", "))
		}
	}
	if !expires.IsZero() && !expires.After(created) {
		return "", t, fmt.Errorf("the token would have expired on %s; give a time to come", expires.UTC().Format(time.RFC3339))
	}
	var id [idBytes]byte
	var secret [secretBytes]byte
	rand.Read(id[:])
	rand.Read(secret[:])
	t = store.Token{ID: letters.EncodeToString(id[:]), Name: name, Created: created, Expires: expires}
	t.Scopes = slices.Clone(scopes)
	slices.Sort(t.Scopes)
	t.Scopes = slices.Compact(t.Scopes)
	text = tokenPrefix + t.ID + "_" + letters.EncodeToString(secret[:])
	t.Hash = sha256.Sum256([]byte(text))
	return text, t, nil
}

// tokenID returns the ID of a token; ok is false if text does not have the form of a token.
func tokenID(text string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(text, tokenPrefix)
	id, secret, cut := strings.Cut(rest, "_")
	ok = ok && cut && len(id) == letters.EncodedLen(idBytes) && len(secret) == letters.EncodedLen(secretBytes)
	return id, ok
}

// allows reports whether a token's scopes include scope.
func allows(scopes []string, scope string) bool {
	return slices.Contains(scopes, scope) || scope == ScopeRead && slices.Contains(scopes, ScopeAdmin)
}
