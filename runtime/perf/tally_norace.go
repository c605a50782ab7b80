//go:build !race && !markgen_off

package perf

// tallied says whether stack units have their own counters.
const tallied = hasG
