//go:build race && !markgen_off

package perf

// tallied is false: the race detector would see successive owners of a stack unit add to its
// counters, but not what orders them.
const tallied = false
