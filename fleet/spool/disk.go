package spool

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/markgen/markgen/filewrite"
)

// A disk changes files. After a crash, each change is there completely or not at all, and so are
// all changes before it.
type disk struct {
	before func(change string) // called before each change, unless nil
}

func (d disk) step(change, name string) {
	if d.before != nil {
		d.before(change + " " + filepath.Base(name))
	}
}

// write writes a file.
func (d disk) write(name string, text []byte) error {
	d.step("write", name)
	return filewrite.Write(context.Background(), name, text)
}

// rename renames a file or directory.
func (d disk) rename(from, to string) error {
	d.step("rename", to)
	if err := os.Rename(from, to); err != nil {
		return err
	}
	filewrite.SyncDir(filepath.Dir(to))
	filewrite.SyncDir(filepath.Dir(from))
	return nil
}

// remove removes a file or an empty directory, if it exists.
func (d disk) remove(name string) error {
	d.step("remove", name)
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeAll removes a file or directory tree, if it exists.
func (d disk) removeAll(name string) error {
	d.step("remove all", name)
	return os.RemoveAll(name)
}

// mkdir makes a directory if it does not exist.
func (d disk) mkdir(name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	d.step("mkdir", name)
	if err := os.MkdirAll(name, 0o700); err != nil {
		return err
	}
	filewrite.SyncDir(filepath.Dir(name))
	return nil
}
