//go:build !markgen_off

package perf

import (
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
)

// A spool is a directory in which processes leave their data until markgen push sends them.
// Each has a file of its own there from the first moment on, so that nothing is lost with the
// process. Package spool (fleet/spool) has the other end; these are the names both know.
const (
	spooledName = "run-"     // of a data file, 16 hexadecimal digits, dataExt
	dataExt     = ".markgen" // ends the names of data files
	refusals    = "refusals" // has a byte for each process that did not collect since the spool was full
	heldName    = "held"     // bytes in the directories below, which markgen push writes there, decimal digits
)

// mostHeld is how many bytes the file of that name may have, at most.
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
		addByte(dir + "/" + refusals)
		return nil, config.Refuse("spool", dir+" holds more than the "+string(appendUint(nil, conf.Room))+" bytes that it may; run markgen push "+dir)
	}
	// Where a process's stack is differs from one to the next; the time and the number do in any case.
	number := scramble(wall<<20 ^ ticks() ^ uint64(pid)<<44 ^ uint64(uintptr(unsafe.Pointer(&pid))))
	path := dir + "/" + spooledName + string(appendHex(nil, number)) + dataExt
	if first, trouble = openFile(path); first == nil {
		return nil, config.Refuse("spool", "cannot be "+dir+": "+trouble)
	}
	return first, ""
}

// spoolSize is how many bytes a spool holds, about.
func spoolSize(dir string) uint64 {
	text, _ := readAll(dir+"/"+heldName, true)
	line, _ := cut(string(text), '\n')
	held, _ := config.Uint(line)
	return held + dirSize(dir)
}

// appendHex appends 16 hexadecimal digits.
func appendHex(b []byte, n uint64) []byte {
	for shift := 60; shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[n>>shift&15])
	}
	return b
}
