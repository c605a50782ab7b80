package main

import (
	"net/http"

	"github.com/markgen/markgen/report"
)

// metrics serves the profile to Prometheus.
func metrics(read reader, o report.Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := o // requests are concurrent
		p, err := read(&o)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		report.ServeProm(w, r, p, o)
	})
}
