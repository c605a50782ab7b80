// Package report writes profiles: text for people, an interactive page, JSON for programs, coverage
// profiles for go tool cover, and formats for go tool pprof, benchstat and Prometheus.
//
//	err := report.Write(os.Stdout, p, report.Options{Format: "text", Sort: "total"})
//
// Each format has one file here and one line in the table of formats. A report depends only on the
// profile and the options: the same input gives the same bytes.
package report
