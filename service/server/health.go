package server

import (
	"context"
	_ "embed"
	"net/http"
	"time"
)

// getHealth reports that the process is alive, without asking the store.
func (s *Server) getHealth(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"alive"}` + "\n"))
	return nil
}

// getReady reports whether to send requests here: the store answers, the catalogue is in memory,
// and the server is not shutting down.
func (s *Server) getReady(w http.ResponseWriter, r *http.Request) error {
	if s.draining.Load() {
		return draining.problem("it answers what has come, and ends; ask another server, or later")
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := s.store.Ping(ctx); err != nil {
		return err
	}
	if !s.Catalogue.Ready() {
		return busy.problem("the catalogue is being read; lists may still lack APIs")
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ready"}` + "\n"))
	return nil
}

//go:embed openapi.yaml
var openapi []byte

// getOpenAPI sends the description of the interface.
func (s *Server) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	return send(w, r, "application/yaml", openapi)
}
