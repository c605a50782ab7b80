//go:build !linux

package spool

import "time"

// currentInstant returns the current instant.
func currentInstant() instant { return instant{WallNS: time.Now().UnixNano()} }
