package codec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/markgen/markgen/runtime/layout"
)

// A VersionError is a profile file of another version than this markgen reads.
type VersionError struct{ File, Known uint32 }

func (e *VersionError) Error() string {
	return fmt.Sprintf("a profile of version %d, and this markgen reads version %d; use the markgen that wrote it", e.File, e.Known)
}

// NamesSize looks at the beginning of a profile file only and tells how many bytes the names of its markers take when they
// are unpacked, so that who reads files of strangers can refuse one that would become far larger than it is. What is
// no profile file, the data file of a run included, is an error, one of another version a *VersionError.
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
