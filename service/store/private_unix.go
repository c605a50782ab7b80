//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// hasModes reports whether file modes restrict access.
const hasModes = true

// owned reports whether a file belongs to this user. The superuser may also use a store that
// belongs to the owner of its directory.
func owned(file, dir fs.FileInfo) bool {
	of := func(i fs.FileInfo) int {
		if s, ok := i.Sys().(*syscall.Stat_t); ok {
			return int(s.Uid)
		}
		return -1
	}
	owner, me := of(file), os.Geteuid()
	return owner == me || me == 0 && owner == of(dir)
}
