// Package corpus has no code, only a test: it marks other people's modules and parts of the standard
// library, runs their own tests plain and marked, and compares.
//
// What must be the same: which tests pass, fail and are skipped, with and without -race, and in a deep
// build; and how often each basic block ran, block by block, against go test -coverprofile. Where a block
// differs, both sides are run again: one whose count varies from run to run (maps, goroutines, random
// numbers) is reported as unsteady; what differs for another reason stands in exceptions.txt, with that reason.
//
// make test runs a small part. All of it (make corpus-modules) needs the modules named in corpus_test.go
// and, on two processors, more than an hour. A part is run by name:
//
//	MARKGEN_TESTS=test go test ./corpus -corpus sort,cobra -v
//
// The package random beside it does the same with programs that are made at random, and say themselves what they pass.
package corpus
