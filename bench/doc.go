// Bench measures what markgen costs, each figure as a ratio of two things that
// are run in turn on the same machine in the same run, and holds it against a
// bar. It prints what it measures as it goes, in the format of Go's benchmarks,
// and at the end one table: figure, bar, measured, met.
//
//	go run . -markgen ../bin/markgen -o out
//	benchstat out/off/plain.txt out/off/marked.txt
//
// There is one file a subject: build.go (go build -cover against markgen build),
// rewrite.go (finding and writing markers: speed on one core, and memory) and
// off.go (the standard library's benchmarks, plain and marked but not
// collecting). docs/performance.md says what the figures mean and which have
// been measured.
package main
