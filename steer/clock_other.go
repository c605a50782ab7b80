//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package steer

import "errors"

func monoNS() (uint64, error) { return 0, errors.ErrUnsupported }
