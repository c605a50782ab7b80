//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/layout"
)

// mostHeld is how many bytes layout.SpoolHeld may have, at most.
const mostHeld = 64

// spoolMade is the spool of the run, and how many directories were made for it.
var spoolMade struct {
	dir string
	n   int
}

// openSpooled makes the data file in the spool and maps its first piece. Where that cannot be, trouble says why, and
// the process does not collect: there would be nobody to take its data.
func openSpooled(wall uint64, pid int) (first unsafe.Pointer, trouble string) {
	dir := absolute(conf.Spool)
	made, trouble := makeDir(dir)
	if trouble != "" {
		return nil, config.Refuse("spool", "cannot be "+dir+": "+trouble)
	}
	spoolMade.dir, spoolMade.n = dir, made
	if held := spoolSize(dir); held > conf.Room {
		addByte(dir + "/" + layout.SpoolRefusals)
		return nil, config.Refuse("spool", dir+" holds more than the "+string(lite.AppendUint(nil, conf.Room))+" bytes that it may; run markgen push "+dir)
	}
	// Where a process's stack is differs from one to the next; the time and the number do in any case.
	number := random.Mix(wall<<20 ^ ticks() ^ uint64(pid)<<44 ^ uint64(uintptr(unsafe.Pointer(&pid))))
	path := dir + "/" + layout.SpoolRun + string(lite.AppendHex(nil, number)) + layout.DataExt
	if first, trouble = openFile(path); first == nil {
		return nil, config.Refuse("spool", "cannot be "+dir+": "+trouble)
	}
	return first, ""
}

// spoolSize is how many bytes a spool holds, about.
func spoolSize(dir string) uint64 {
	text, _ := readAll(dir+"/"+layout.SpoolHeld, true)
	line, _ := lite.Cut(string(text), '\n')
	held, _ := config.Uint(line)
	return held + dirSize(dir)
}
