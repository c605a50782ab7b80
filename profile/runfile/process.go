package runfile

import (
	"io"

	"github.com/markgen/markgen/runtime/layout"
)

// Writer returns the program name and process ID (in the process's own PID namespace) of the
// process that writes a data file of size bytes at r. ok is false if it is no data file or its
// header is incomplete.
func Writer(r io.ReaderAt, size int64, name string) (app string, pid uint64, ok bool) {
	in := &input{r: r, name: name, size: uint64(max(size, 0))}
	h, err := in.readHeader()
	if err != nil || h.text(layout.OffConfig, layout.SizeConfig) == "" { // written last
		return "", 0, false
	}
	return h.text(layout.OffApp, layout.SizeApp), h.word(layout.OffPID), true
}

// Used returns how many of a data file's size bytes are in use, which is all that Read looks at.
// The rest is reserved by its process.
func Used(r io.ReaderAt, size int64, name string) int64 {
	in := &input{r: r, name: name, size: uint64(max(size, 0))}
	h, err := in.readHeader()
	if err != nil {
		return size
	}
	if used := h.word(layout.OffUsed); used >= layout.HeaderSize && used < in.size {
		return int64(used)
	}
	return size
}
