//go:build !race && !markgen_off

package perf

// tallied says that units of stack have counters of their own.
const tallied = hasG
