package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/store"
)

type tokensJSON struct {
	Tokens []tokenJSON `json:"tokens"`
}

type tokenJSON struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Scopes  []string   `json:"scopes"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty"` // absent if never
	Revoked *time.Time `json:"revoked,omitempty"` // absent if valid
	Token   string     `json:"token,omitempty"`   // the secret token, only in the answer to the request that created it
}

func tokenOf(t store.Token) tokenJSON {
	j := tokenJSON{ID: t.ID, Name: t.Name, Scopes: t.Scopes, Created: t.Created.UTC()}
	at := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.UTC()
		return &t
	}
	j.Expires, j.Revoked = at(t.Expires), at(t.Revoked)
	return j
}

// getTokens lists all tokens, including revoked and expired ones.
func (s *Server) getTokens(w http.ResponseWriter, r *http.Request) error {
	if p := paramsOf(r); p.err != nil {
		return p.err
	}
	list, err := s.tokens.sorted(r.Context())
	if err != nil {
		return err
	}
	answer := tokensJSON{Tokens: make([]tokenJSON, len(list))}
	for i, t := range list {
		answer.Tokens[i] = tokenOf(t)
	}
	return sendJSON(w, r, answer)
}

// postToken creates a token. Only the answer to this request contains the secret.
func (s *Server) postToken(w http.ResponseWriter, r *http.Request) error {
	if p := paramsOf(r); p.err != nil {
		return p.err
	}
	if is, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || is != "application/json" {
		return mediaType.problem("Content-Type is %.60q; what token to make is said in application/json", r.Header.Get("Content-Type"))
	}
	var ask struct {
		Name    string     `json:"name"`
		Scopes  []string   `json:"scopes"`
		Expires *time.Time `json:"expires"` // nil if never
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<10))
	dec.DisallowUnknownFields()
	err := dec.Decode(&ask)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = cmp.Or(more, errors.New("something follows the object"))
		}
	}
	if err != nil {
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return tooLarge.problem("more than %d bytes to say what token to make", large.Limit)
		}
		return badRequest.problem(`the body is to be {"name":"…","scopes":["ingest"],"expires":"2006-01-02T15:04:05Z"}: %.200v`, err)
	}
	var expires time.Time
	if ask.Expires != nil {
		if expires = *ask.Expires; !expires.After(s.Now()) { // including year 1, Go's zero time
			return badRequest.problem("the token would have expired on %s; give a time to come", expires.UTC().Format(time.RFC3339))
		}
	}
	text, token, err := NewToken(ask.Name, ask.Scopes, s.Now(), expires)
	if err != nil {
		return badRequest.problem("%v", err)
	}
	if err := s.store.AddToken(r.Context(), token); err != nil {
		return err
	}
	s.tokens.forget()
	s.Log.Info("a token was made", "token", token.ID, "scopes", token.Scopes, "by", knownOf(r).token)
	answer := tokenOf(token)
	answer.Token = text
	body, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Location", "/v1/tokens/"+token.ID)
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(append(body, '\n')) // if the client is gone, the token is unknown to all and can be revoked by its ID
	return nil
}

// deleteToken revokes a token.
func (s *Server) deleteToken(w http.ResponseWriter, r *http.Request) error {
	if p := paramsOf(r); p.err != nil {
		return p.err
	}
	id := r.PathValue("id")
	all, err := s.tokens.all(r.Context(), 0)
	if err != nil {
		return err
	}
	if _, ok := all[id]; !ok {
		return notFound.problem("there is no token %.40q; GET /v1/tokens lists them", id)
	}
	if err := s.store.RevokeToken(r.Context(), id); err != nil {
		return err
	}
	s.tokens.forget()
	s.Log.Info("a token was revoked", "token", id, "by", knownOf(r).token)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// deleteFigures removes statistics from the store, or returns what it would remove.
func (s *Server) deleteFigures(w http.ResponseWriter, r *http.Request) error {
	p := paramsOf(r, "build", "go", "goos", "goarch", "cpu", "from", "to", "token", "run", "dry")
	removal := store.Removal{Origins: p.filter(), Token: p.text("token"), Dry: p.word("dry", "", "1") != ""}
	if text := p.text("run"); text != "" {
		run, err := fleet.ParseRunID(text)
		if err != nil {
			p.fail("%.100v", err)
		}
		removal.Run = &run
	}
	if some := ofOrigin(removal.Origins) || removal.Token != ""; some == (removal.Run != nil) {
		p.fail("say what to remove: figures of origins (build, go, goos, goarch, cpu, from, to) or what was sent with a token, or a run and nothing else")
	}
	if p.err != nil {
		return p.err
	}
	done, err := s.store.Remove(r.Context(), removal)
	if err != nil {
		return err
	}
	if !removal.Dry {
		s.Log.Warn("figures were removed", "query", r.URL.RawQuery, "days", done.Days, "batches", done.Batches, "apis", done.APIs, "by", knownOf(r).token)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(done)
}

// getBackup sends a copy of the store, which stays in use.
func (s *Server) getBackup(w http.ResponseWriter, r *http.Request) error {
	if p := paramsOf(r); p.err != nil {
		return p.err
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="markgen-`+s.Now().UTC().Format("20060102-150405")+`.backup"`)
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	return s.store.Backup(r.Context(), w)
}
