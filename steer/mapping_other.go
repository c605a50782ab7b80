//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package steer

import (
	"errors"
	"os"
	"sync/atomic"
)

// mappable reports whether programs map their data files on this system.
const mappable = false

// A mapping is a part of the data file mapped into this process.
type mapping struct{}

func mapPart(*os.File, uint64, uint64) (*mapping, error) { return nil, errors.ErrUnsupported }

func (*mapping) close() error { return nil }

func (*mapping) word(int) *atomic.Uint64 { return new(atomic.Uint64) }

func (*mapping) half(int) *atomic.Uint32 { return new(atomic.Uint32) }

func owner(os.FileInfo) (uid int, ok bool) { return 0, false }
