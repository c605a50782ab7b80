//go:build !amd64 && !arm64

package clock

import "github.com/markgen/markgen/runtime/layout"

// Kind is that of the Go runtime's clock: no counter is read here.
const Kind = layout.ClockMono

// Usable is false.
func Usable() bool { return false }

func statedHz() uint64 { return 0 }
