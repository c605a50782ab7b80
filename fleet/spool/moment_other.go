//go:build !linux

package spool

import "time"

// thisMoment is now.
func thisMoment() moment { return moment{WallNS: time.Now().UnixNano()} }
