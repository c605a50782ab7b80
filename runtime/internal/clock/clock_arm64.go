package clock

import "github.com/markgen/markgen/runtime/layout"

// Kind is the counter's kind in the data file.
const Kind = layout.ClockCNTVCT

//go:noescape
func counterHz() uint64

// Usable reports whether there is a counter.
func Usable() bool { return counterHz() != 0 }

func statedHz() uint64 { return counterHz() }
