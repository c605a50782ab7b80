//go:build !linux

package spool

import "time"

// thisMoment returns the current moment.
func thisMoment() moment { return moment{WallNS: time.Now().UnixNano()} }
