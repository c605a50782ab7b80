//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// hasModes says that modes of files tell who may open them.
const hasModes = true

// owned tells whether a file is this user's. The superuser may use a store for whose directory it is.
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
