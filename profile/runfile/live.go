package runfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/runtime/layout"
)

// Alive reports whether the process that writes the data file still runs. known is false on systems
// where that can't be determined.
func Alive(f *os.File) (running, known bool) { return alive(f), liveness }

// CheckHeader returns an error unless the file, of size bytes at r, has a complete header of this
// version in this machine's byte order: the requirements for steering a process through it.
func CheckHeader(r io.ReaderAt, size int64, name string) error {
	in := &input{r: r, name: name, size: uint64(max(size, 0))}
	h, err := in.readHeader()
	if err != nil {
		return err
	}
	if in.order.big != (binary.NativeEndian.Uint16([]byte{1, 0}) != 1) {
		return in.damaged(layout.OffVersion, "data of a machine with the other byte order; they can be read and not steered by")
	}
	if h.text(layout.OffConfig, layout.SizeConfig) == "" { // written last
		return in.damaged(layout.OffConfig, "the header is not complete; the run has just begun: try again")
	}
	return nil
}

// PID returns the ID of the process that writes the data file at r, or 0 if it can't be read.
func PID(r io.ReaderAt) uint64 {
	var word [8]byte
	if _, err := r.ReadAt(word[:], layout.OffPID); err != nil {
		return 0
	}
	return binary.NativeEndian.Uint64(word[:])
}

// open opens a data file or a profile file.
func open(path string) (*os.File, os.FileInfo, error) {
	f, err := fileread.Open(path)
	if errors.Is(err, fileread.ErrNotRegular) {
		return nil, nil, fmt.Errorf("%s: %w; give the data file of a run", path, fileread.ErrNotRegular)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}
