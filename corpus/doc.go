// Package corpus contains only a test: it marks other people's modules and parts of the standard
// library, runs their own tests plain and marked, and compares the results.
//
// The following must be the same: which tests pass, fail and are skipped, with and without -race,
// in a deep build, and with call paths, all and sampled, whose sums are those of their markers;
// the execution count of each basic block, compared with go test -coverprofile; and what the
// compiler inlines and allocates on the heap, according to -gcflags=-m, except for what
// compiler.txt lists. If the counts of a block differ, both sides are run again: a block whose
// count varies from run to run (because of maps, goroutines, random numbers) is reported as
// unsteady; blocks that differ for other reasons are listed in exceptions.txt, with the reason.
// The same comparison is made for modules and traps that are marked in place.
//
// make test runs a small part. All of it (make corpus-modules) needs the modules named in
// corpus_test.go and takes more than an hour on two processors. To run a part by name:
//
//	MARKGEN_TESTS=test go test ./corpus -corpus sort,cobra -v
//
// Package corpus/random does the same with randomly generated programs, which count their own
// executions.
package corpus
