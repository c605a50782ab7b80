//go:build !markgen_off

package perf

import "syscall"

// collects says whether a collector was asked for.
func (c *config) collects(name string) bool {
	if c.collect == "" {
		return name == "time"
	}
	for rest := c.collect; rest != ""; {
		var one string
		if one, rest = cut(rest, '+'); one == name {
			return true
		}
	}
	return false
}

// defaultBuffer and mostBuffer are what buffer is without the key, and at most.
const (
	defaultBuffer = 4 << 20
	mostBuffer    = 64 << 30
)

// leastBuffer is a page: less would be looked after more often than written.
func leastBuffer() uint64 { return uint64(syscall.Getpagesize()) }

// parseSize reads a number of bytes; K, M or G behind it stand for powers of 1024.
func parseSize(value string) (n uint64, ok bool) {
	shift := 0
	if value != "" {
		switch value[len(value)-1] {
		case 'K':
			shift = 10
		case 'M':
			shift = 20
		case 'G':
			shift = 30
		}
	}
	if shift > 0 {
		value = value[:len(value)-1]
	}
	n, ok = parseUint(value)
	return n << shift, ok && n <= mostBuffer>>shift
}
