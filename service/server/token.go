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

// What a token may be for.
const (
	ScopeIngest = "ingest" // sending batches
	ScopeRead   = "read"   // asking, pages and metrics
	ScopeAdmin  = "admin"  // tokens, backup, and all that read is for
)

// Scopes are the scopes there are.
func Scopes() []string { return []string{ScopeIngest, ScopeRead, ScopeAdmin} }

// A token reads mg_ID_SECRET: 8 letters and digits that name it and 32 that nobody can guess (160 bits), both base32.
// The prefix lets programs that look for secrets in source find it.
const (
	tokenPrefix = "mg_"
	idBytes     = 5
	secretBytes = 20
)

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewToken makes a token. The text is the token itself, which is nowhere kept; what the store gets has its hash.
// Without scopes, with one that there is none of, or with a name that is empty, longer than 100 bytes or has characters
// that can't be printed it is an error.
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

// tokenID is the part of a token that names it; ok is false of what is no token.
func tokenID(text string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(text, tokenPrefix)
	id, secret, cut := strings.Cut(rest, "_")
	ok = ok && cut && len(id) == letters.EncodedLen(idBytes) && len(secret) == letters.EncodedLen(secretBytes)
	return id, ok
}

// allows tells whether a token's scopes have what a route asks for.
func allows(scopes []string, scope string) bool {
	return slices.Contains(scopes, scope) || scope == ScopeRead && slices.Contains(scopes, ScopeAdmin)
}
