package server

import (
	"net/http"
	"strings"
)

// A route is a path with one method. GET includes HEAD.
type route struct {
	method string
	path   string
	scope  string // required scope; "" if public
	handle func(http.ResponseWriter, *http.Request) error
}

// routes returns all routes, as openapi.yaml describes them.
func (s *Server) routes() []route {
	return []route{
		{"PUT", "/v1/batches/{run}/{sequence}", ScopeIngest, s.putBatch},
		{"GET", "/v1/apis", ScopeRead, s.getAPIs},
		{"GET", "/v1/apis/{id}", ScopeRead, s.getAPI},
		{"GET", "/v1/packages", ScopeRead, s.getPackages},
		{"GET", "/v1/origins", ScopeRead, s.getOrigins},
		{"GET", "/v1/changes", ScopeRead, s.getChanges},
		{"GET", "/v1/new", ScopeRead, s.getNew},
		{"GET", "/v1/catalogue", ScopeRead, s.getCatalogue},
		{"GET", "/v1/paths", ScopeRead, s.getPaths},
		{"GET", "/v1/prometheus", ScopeRead, s.getPrometheus},
		{"GET", "/v1/compare", ScopeRead, s.getCompare},
		{"GET", "/v1/tokens", ScopeAdmin, s.getTokens},
		{"POST", "/v1/tokens", ScopeAdmin, s.postToken},
		{"DELETE", "/v1/tokens/{id}", ScopeAdmin, s.deleteToken},
		{"DELETE", "/v1/figures", ScopeAdmin, s.deleteFigures},
		{"GET", "/v1/backup", ScopeAdmin, s.getBackup},
		{"GET", "/healthz", "", s.getHealth},
		{"GET", "/readyz", "", s.getReady},
		{"GET", "/metrics", ScopeRead, s.getMetrics},
		{"GET", "/openapi.yaml", "", s.getOpenAPI},
		{"GET", problemPath + "{word}", "", s.explain},
		{"GET", "/login", "", s.getLogin},
		{"POST", "/login", "", s.postLogin},
		{"POST", "/logout", "", s.postLogout},
	}
}

// ofAPI reports whether a path belongs to the API, so that it can't be a page.
func ofAPI(path string) bool {
	return path == "/v1" || strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, problemPath)
}
