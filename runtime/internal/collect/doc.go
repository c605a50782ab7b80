// Package collect reads the values that are recorded at scopes besides time: reads and writes of
// the process (io), the processor's counters (hw), what goroutines wait for (wait) and allocation
// (alloc).
//
// Open of an element of Collectors returns its reader, whose Read stores the current counters. Read
// allocates nothing, and any number of goroutines may call it at once.
//
// A Plan is the list of values that a run reads. The Readings of a goroutine have the values of its
// open scopes, and the differences of a scope are added to the Block of its marker.
package collect
