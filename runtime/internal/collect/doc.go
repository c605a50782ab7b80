// Package collect reads what scopes are recorded with besides time: what the process reads and writes (io),
// what the processor counts (hw), what goroutines wait for (wait) and what is allocated (alloc).
//
// Open of one of Collectors gives its reader, whose Read stores the counters of the moment. It allocates
// nothing, and any number of goroutines may call it at once.
//
// A Plan is what a run reads. The Readings of a goroutine follow its open scopes by it, and what a
// scope had is added to the Block of its marker.
package collect
