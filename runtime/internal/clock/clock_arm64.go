package clock

import "github.com/markgen/markgen/runtime/layout"

// Kind is what the data file calls the processor's counter.
const Kind = layout.ClockCNTVCT

//go:noescape
func counterHz() uint64

// Usable says whether there is a counter.
func Usable() bool { return counterHz() != 0 }

func statedHz() uint64 { return counterHz() }
