//go:build !plan9

package datafile

import (
	"runtime"
	"syscall"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// enterSpool creates the directory of a spool, unless it exists, and checks that there is room for
// another file. made is the number of directories created.
func enterSpool(dir string, room uint64) (made int, problem string) {
	if made, problem = makeDir(dir); problem != "" {
		return made, "cannot be " + dir + ": " + problem
	}
	const most = 64 // size limit of layout.SpoolHeld, bytes
	text, _ := readAtMost(most, dir+"/"+layout.SpoolHeld, true)
	line, _ := lite.Cut(string(text), '\n')
	if held, _ := config.Uint(line); held+dirSize(dir) <= room {
		return made, ""
	}
	countRefusal(dir)
	return made, dir + " holds more than the " + lite.Uint(room) + " bytes that it may; run markgen push " + dir
}

// makeDir creates a directory, for its owner only, and missing parents. An existing directory is
// not changed. made is the number of directories created.
func makeDir(dir string) (made int, problem string) {
	e := mkdir(dir)
	if up := above(dir); up != "" && e != 0 && NoFile(e.Error()) {
		if made, problem = makeDir(up); problem != "" {
			return made, problem
		}
		e = mkdir(dir)
	}
	if e == 0 {
		return made + 1, ""
	}
	return made, whyNoDir(dir, e)
}

func mkdir(dir string) syscall.Errno {
	return again(func() error { return syscall.Mkdir(dir, 0o700) })
}

// above returns the parent directory in path, or "" if it has none.
//
//go:noinline
func above(path string) string {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' || path[i] == '\\' && runtime.GOOS == "windows" {
			return path[:i]
		}
	}
	return ""
}
