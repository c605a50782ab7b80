// Package fileread reads files that a command finds in a tree, or that are named on its command
// line, such that no file can block it forever or exhaust memory.
package fileread

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Most is the maximum size of a file in bytes.
const Most = 256 << 20

// ErrNotRegular is the error of [File] and [Open] for a pipe, device or directory.
var ErrNotRegular = errors.New("not a regular file")

// File reads a regular file, as [os.ReadFile] does, following symbolic links. For other files it
// returns an error without blocking: it is for files that are found by their place or name, and
// that someone else may have put there.
func File(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, name)
}

// Open opens a regular file for reading, following symbolic links. The errors are those of [File].
func Open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w; move it out of the way", ErrNotRegular)}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Named reads a file named on the command line by the user, which may be a pipe, as that of a
// shell's <(…).
func Named(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, name)
}

// Hash returns the SHA-256 sum of a regular file in hexadecimal. The errors are those of [File],
// but the file may have any size.
func Hash(name string) (string, error) {
	f, err := Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

func read(f *os.File, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, Most+1))
	if err == nil && len(text) > Most {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("more than %d MiB", Most>>20)}
	}
	return text, err
}
