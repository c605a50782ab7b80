// Package report writes profiles: the text that people read, a page to look
// around in, JSON for programs, coverage profiles for go tool cover, and what go
// tool pprof, benchstat and Prometheus read.
//
//	err := report.Write(os.Stdout, p, report.Options{Format: "text", Sort: "total"})
//
// Each format is one file here and one line in the table of formats. A report is
// a function of the profile and the options alone: the same in, the same
// bytes out.
package report
