package server

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// allowed returns nil if the request has a token with the scope, or needs none, and otherwise a
// problem.
func (s *Server) allowed(r *http.Request, scope string) error {
	if scope == "" {
		return nil
	}
	public := scope == ScopeRead && s.PublicRead || scope == ScopeIngest && s.PublicIngest
	if values := r.Header.Values("Authorization"); len(values) > 0 {
		word, text, _ := strings.Cut(values[0], " ")
		if len(values) > 1 || !strings.EqualFold(word, "Bearer") {
			return tokenMissing.problem("a token is to be sent as Authorization: Bearer TOKEN, once")
		}
		token, err := s.tokens.check(r.Context(), strings.TrimSpace(text), scope)
		knownOf(r).token = token.ID
		return s.rates.failed(r, s.Now(), err)
	}
	// A session only permits reading: no page can make a browser change anything with it.
	if scope == ScopeRead && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		if token, given, err := s.session(r); given && (err == nil || !public) {
			knownOf(r).token = token.ID
			return s.rates.failed(r, s.Now(), err)
		}
	}
	if !public {
		return tokenMissing.problem("send Authorization: Bearer TOKEN with a token for the scope %s; who runs the server has them", scope)
	}
	if !s.ownName(r.Host) {
		return wrongHost.problem("without a token this server answers to addresses, localhost and the names given by -host; ask for one of these")
	}
	return nil
}

// ownName reports whether host is a name under which the server answers requests without a token.
func (s *Server) ownName(host string) bool {
	if !s.Local {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost") || slices.ContainsFunc(s.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// page serves a page to a client that may read. A browser that may not is redirected to the login
// form.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	var err error
	if s.Assets == "" || !strings.HasPrefix(r.URL.Path, s.Assets) {
		err = s.allowed(r, ScopeRead)
	}
	if err == nil && s.MergePage != nil && s.MergePage(r) {
		err = s.queueMerge(w, r, func(w http.ResponseWriter, r *http.Request) error { s.Pages.ServeHTTP(w, r); return nil })
		if err == nil {
			return
		}
	} else if err == nil {
		s.Pages.ServeHTTP(w, r)
		return
	}
	p := problemOf(err)
	if !strings.Contains(r.Header.Get("Accept"), "text/html") || r.Header.Get("Authorization") != "" {
		s.refuse(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case p.Status == http.StatusUnauthorized || p.Status == http.StatusForbidden:
		http.Redirect(w, r, "/login?"+url.Values{"next": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	case s.PageProblem != nil:
		s.metrics.refused(p.Type[len(problemPath):])
		s.PageProblem(w, r, p)
	default:
		s.refuse(w, r, err)
	}
}
