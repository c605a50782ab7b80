package runfile

import (
	"io"

	"github.com/markgen/markgen/runtime/layout"
)

// Writer tells which process writes a data file of size bytes: its program's
// name and its process ID, as it knows them. ok is false of anything that is no
// data file and of one whose header is not complete yet.
func Writer(r io.ReaderAt, size int64, name string) (app string, pid uint64, ok bool) {
	in := &input{r: r, name: name, size: uint64(max(size, 0))}
	h, err := in.readHeader()
	if err != nil || h.text(layout.OffConfig, layout.SizeConfig) == "" { // it is written last
		return "", 0, false
	}
	return h.text(layout.OffApp, layout.SizeApp), h.word(layout.OffPID), true
}

// Used is how many of a data file's size bytes are in use: all that Read looks
// at. The rest is room that its process had reserved.
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
