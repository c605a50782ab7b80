//go:build !markgen_off && !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package perf

func acquirePermit() (refused uint64) { return picking.permit.Acquire() }
