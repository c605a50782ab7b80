//go:build race && !markgen_off

package perf

// tallied is false: the race detector would see the goroutines that a unit of
// stack belongs to one after the other, and not what orders them.
const tallied = false
