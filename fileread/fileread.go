// Package fileread reads the files that a command finds in a tree, or that are named to it, so that none of them
// makes it wait for ever or eats up memory.
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

// Most is how many bytes a file may have.
const Most = 256 << 20

// ErrNotRegular is the error of [File] and [Open] for a pipe, a device, a directory.
var ErrNotRegular = errors.New("not a regular file")

// File reads a regular file, as [os.ReadFile] does, or what a symbolic link leads to. Others are an error, and not
// waited for: it is for files that are there by their place or name, and that somebody else may have put there.
func File(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, name)
}

// Open opens a regular file for reading, or what a symbolic link leads to, with the errors of [File].
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

// Named reads a file that a user has named on the command line, which may be a pipe, as that of a shell's <(…) is.
func Named(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, name)
}

// Hash returns the SHA-256 sum of what is in a regular file, in hexadecimal digits. The errors are those of [File]; the
// file may be of any size.
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
