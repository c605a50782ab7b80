package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Only the owner may access the files of an SQLite store (0600): they contain names, positions and
// hashes of tokens, and whoever can open the lock can keep the service from starting. SQLite
// creates the write-ahead log and its index with the mode of the database.

// private prepares the files before they are opened. It creates the last directory of the name if
// needed (0700) and the missing files, and makes files private that others may access, such as
// those of earlier versions. It refuses files of other users, and a directory in which anybody can
// replace files.
func private(file string) error {
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.Mkdir(dir, 0o700); err == nil {
			info, err = os.Stat(dir)
		}
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is no folder", dir)
	case hasModes && info.Mode()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0:
		return fmt.Errorf("%s: anybody can exchange files in it (%04o); put the store into a directory of its own, or run chmod o-w on it", dir, info.Mode().Perm())
	}
	for _, name := range []string{file, file + "-lock"} {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			err = f.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for _, end := range []string{"", "-lock", "-wal", "-shm", "-journal"} {
		if err := own(file+end, info); err != nil {
			return err
		}
	}
	return nil
}

// own makes a file private if it exists. dir is its directory.
func own(file string, dir fs.FileInfo) error {
	link, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	info := link
	if err == nil && link.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(file)
	}
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file", file)
	case !owned(link, dir) || !owned(info, dir):
		return fmt.Errorf("%s is not this user's; run markgen as its owner, or move it away", file)
	case hasModes && info.Mode().Perm()&0o077 != 0:
		return os.Chmod(file, 0o600)
	}
	return nil
}
