package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/service/store"
)

// A Login is the content of the login page.
type Login struct {
	Next    string // requested path with its query; "/" if none
	Problem string // why the token was refused; "" if none was sent
}

// sessionTime is the max duration of a session. The token may end it earlier.
const sessionTime = 30 * 24 * time.Hour

// A session is a cookie that scripts can't read and other sites can't send. It consists of a
// token's ID, the end of the session, and an HMAC over both and the token's hash, with a key that
// only servers of the store have. So all servers accept it, it ends with the token, and whoever
// gets it, such as another server on the same host, does not have the token. It permits reading
// only, whatever the token's scopes.

// newSession returns a session of a token until a time.
func (s *Server) newSession(t store.Token, until time.Time) string {
	said := t.ID + "." + strconv.FormatInt(until.Unix(), 10)
	return said + "." + s.sessionCode(t, said)
}

func (s *Server) sessionCode(t store.Token, said string) string {
	h := hmac.New(sha256.New, s.store.SessionKey())
	h.Write(t.Hash[:])
	h.Write([]byte(said))
	return letters.EncodeToString(h.Sum(nil))
}

// session returns the token of a request's session; given reports whether there is a session
// cookie, valid or not. The error is a problem, or the store's.
func (s *Server) session(r *http.Request) (t store.Token, given bool, err error) {
	c, err := r.Cookie(cookieName(r))
	if err != nil || c.Value == "" {
		return t, false, nil
	}
	over := tokenUnknown.problem("the session is over; open /login and begin another")
	id, rest, _ := strings.Cut(c.Value, ".")
	until, code, _ := strings.Cut(rest, ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || len(id) != letters.EncodedLen(idBytes) || !s.Now().Before(time.Unix(seconds, 0)) {
		return t, true, over
	}
	t, ok, err := s.tokens.lookup(r.Context(), id)
	if err != nil {
		return t, true, err
	}
	if !hmac.Equal([]byte(s.sessionCode(t, id+"."+until)), []byte(code)) || !ok {
		return store.Token{}, true, over
	}
	return t, true, s.tokens.validate(t, ScopeRead)
}

// SignedIn reports whether a request has a session, valid or not.
func SignedIn(r *http.Request) bool {
	c, err := r.Cookie(cookieName(r))
	return err == nil && c.Value != ""
}

// cookieName returns the name of the session cookie. Under TLS its prefix makes browsers restrict
// it to this host.
func cookieName(r *http.Request) string {
	if r.TLS != nil {
		return "__Host-markgen"
	}
	return "markgen"
}

func setSession(w http.ResponseWriter, r *http.Request, session string, age time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: session, Path: "/", MaxAge: int(age / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
}

func (s *Server) getLogin(w http.ResponseWriter, r *http.Request) error {
	s.loginPage(w, r, http.StatusOK, Login{Next: ownPath(r.URL.Query().Get("next"))})
	return nil
}

// postLogin starts a session with a token that may read.
func (s *Server) postLogin(w http.ResponseWriter, r *http.Request) error {
	if err := s.ownForm(w, r); err != nil {
		return err
	}
	next := ownPath(r.PostForm.Get("next"))
	text := strings.TrimSpace(r.PostForm.Get("token"))
	token, err := s.tokens.check(r.Context(), text, ScopeRead)
	if err = s.rates.failed(r, s.Now(), err); err != nil {
		p := problemOf(err)
		if p.Status != http.StatusUnauthorized && p.Status != http.StatusForbidden {
			return err
		}
		s.metrics.refused(p.Type[len(problemPath):])
		s.loginPage(w, r, p.Status, Login{Next: next, Problem: p.Title + ": " + p.Detail})
		return nil
	}
	age := sessionTime
	if !token.Expires.IsZero() {
		age = min(age, token.Expires.Sub(s.Now()))
	}
	age = max(age, time.Second)
	setSession(w, r, s.newSession(token, s.Now().Add(age)), age)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// postLogout ends a session.
func (s *Server) postLogout(w http.ResponseWriter, r *http.Request) error {
	if err := s.ownForm(w, r); err != nil {
		return err
	}
	setSession(w, r, "", -time.Second)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/login", http.StatusSeeOther)
	return nil
}

// ownForm parses a form, which must come from a page of this server.
func (s *Server) ownForm(w http.ResponseWriter, r *http.Request) error {
	if err := s.origins.Check(r); err != nil {
		return crossOrigin.problem("open %s here and fill in the form there", r.URL.Path)
	}
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if err := r.ParseForm(); err != nil {
		return badRequest.problem("the form can't be read")
	}
	return nil
}

// ownPath returns next if it is a path of this server, and otherwise "/".
func ownPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") ||
		u.Host != "" || u.Scheme != "" || u.Path == "/login" || len(next) > 2000 {
		return "/"
	}
	return next
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request, status int, form Login) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if s.Login != nil {
		s.Login(w, r, status, form)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	w.WriteHeader(status)
	_ = plainLogin.Execute(w, form) // an error means that the client is gone
}

var plainLogin = template.Must(template.New("login").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>markgen: a token, please</title>
<h1>A token, please</h1>
<p>This catalogue is for those who have a token with the scope read.</p>
{{with .Problem}}<p role="alert">{{.}}</p>{{end}}
<form method="post" action="/login">
<input type="hidden" name="next" value="{{.Next}}">
<p><label>Token <input type="password" name="token" autocomplete="current-password" required autofocus></label>
<button>Open</button></p>
</form>
</html>
`))
