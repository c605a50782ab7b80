//go:build !amd64 && !arm64

package clock

import "github.com/markgen/markgen/runtime/layout"

// Kind is the kind of the Go runtime's clock: no counter is read on these platforms.
const Kind = layout.ClockMono

// Usable returns false.
func Usable() bool { return false }

func statedHz() uint64 { return 0 }
