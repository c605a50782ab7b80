// Bench measures the cost of markgen. Each result is a ratio of two things that are measured
// alternately in the same run on the same machine, or an absolute value, and most are compared with
// a limit. Each subject is measured several times (-times). It prints each measurement in the format
// of Go's benchmarks, and at the end a table with a row for each result: its name, limit, median,
// minimum and maximum, and whether the median meets the limit. -page writes the table to a page.
//
//	go run . -markgen ../bin/markgen -o out
//	benchstat out/off/plain.txt out/off/marked.txt
//
// The subjects, which -run selects by name, in the order in which they are measured:
//
//	scope      cost of a timed scope, with and without self time, relative to two clock reads
//	parallel   throughput of scopes on all processors relative to one
//	mapped     cost of a scope with its data in a mapped file relative to memory
//	triggers   cost of scopes of other markers while a trigger is set, relative to no trigger
//	trace      cost of the two trace records of a scope relative to two clock reads
//	between    speed of markgen between on 100 million records
//	formats    time of a report of 100,000 markers, in each format
//	merge      speed of markgen merge on 10,000 files
//	store      marker rows per second that the catalogue ingests, and its response times
//	html       size of the page of 20,000 markers, and times to load and to sort it
//	flame      size of the page of 50,000 call paths, and times to draw its flame graph and to zoom
//	pages      response times of markgend with a million APIs, and its memory
//	tracejson  speed of markgen report writing 20 million records as a Chrome trace
//	ingest     markers per second that markgend ingests into SQLite and PostgreSQL, the
//	           latency of a batch, and its memory
//	isolate    times of markgen isolate relative to hand-written benchmarks, its groups
//	           relative to cliques, and its running time
//	offprogs   small programs with markers that are off, relative to unmarked
//	dual       size, start and speed of the plain program of a dual build relative to go build's
//	collect    cost of a scope with the collectors io, hw and a custom one, relative to two
//	           clock reads
//	deep       cost of a scope and of allocation in a deep build, relative to an ordinary and
//	           a plain build
//	corrected  reported time of a caller of marked functions relative to its unmarked time
//	routes     times of a web server's routes by label relative to runs with one route each
//	paths      memory of 65,536 call paths on two processors, and time until main, relative to a run
//	           without paths
//	shapes     how often the shapes of twelve functions are recognised, and mistaken
//	sampled    how often the mean of a sample is within two standard errors of the true mean
//	estimates  error of the counts estimated from sampling windows, for several workloads
//	peers      cost of a marked function relative to other ways to time it
//	start      time that 100,000 markers add to a program's start
//	markers    memory that 100,000 markers and 64 processors add
//	countpar   block counting on all processors relative to go test -covermode=atomic
//	count      block counting of standard packages relative to go test -covermode=count
//	diffpower  how often markgen diff detects 5 % more work in one function of 500, and how
//	           often it reports a change where there is none
//	countsgate which of ten changes of a program markgen diff -counts finds on a busy machine
//	sampling   benchmarks of standard packages and fib(25), sampled and paused, relative to
//	           unmarked
//	off        benchmarks of standard packages with markers that are off, relative to unmarked
//	floor      the same benchmarks with only a test at the top of each function, and marked, in
//	           several linker layouts
//	rewrite    speed of planning and writing markers
//	memory     peak memory of planning and writing markers
//	budget     processor time of programs and servers with MARKGEN=budget=1% relative to plain, how
//	           much of the program's own time is in functions that are never off, and what -cost says
//	           relative to what was measured
//	budgetbuild
//	           benchmarks of standard packages built with -budget 1%, off and collecting, relative
//	           to unmarked; without those that take over 5 ms an iteration when marked
//	shares     shares of functions in default reports of programs compared with CPU profiles,
//	           their processor time relative to plain, and the estimated cost of markers
//	warm       markgen build relative to go build -cover after small changes
//	cold       the same with empty caches
//
// Each file has one subject or a few related ones; benchmarks.go has the code for subjects that run
// benchmarks in test binaries. The measured programs are in the directory programs.
// docs/explanation/performance.md explains the results and lists measured values.
package main
