package codec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/markgen/markgen/runtime/layout"
)

// A VersionError is returned for a profile file of another version.
type VersionError struct{ File, Known uint32 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("a profile of version %d, and this markgen reads version %d; use the markgen that wrote it", e.File, e.Known)
}

// NamesSize returns the unpacked size in bytes of the names in a profile file. It reads only the
// beginning of the file, so that readers of untrusted files can reject one that would become too
// large. It returns an error if this is no profile file, for instance the data file of a run, and a
// *VersionError for another version.
func NamesSize(file []byte) (uint64, error) {
	if len(file) < headSize || string(file[:len(Magic)]) != Magic {
		return 0, errors.New("it does not begin as a profile file does; markgen merge and markgen push make such files")
	}
	if v := binary.LittleEndian.Uint32(file[8:]); v != version {
		return 0, &VersionError{v, version}
	}
	d := reader{rest: file[headSize:]}
	d.section()
	text := d.section()
	if d.bad {
		return 0, errors.New("its sections do not make up the file")
	}
	if len(text.rest) < layout.SizePackedHead || text.rest[0] > layout.PackedSampled {
		return uint64(len(text.rest)), nil
	}
	return uint64(binary.LittleEndian.Uint32(text.rest[1:])), nil
}
