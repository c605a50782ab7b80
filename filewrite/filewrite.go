package filewrite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// An Error is a file that cannot be replaced. All files are as they were.
type Error struct {
	Name   string // as it was given
	Err    error
	Remedy string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %v; %s", e.Name, e.Err, e.Remedy)
}

func (e *Error) Unwrap() error { return e.Err }

// Write gives one file its content, and makes it, with mode 0666 before the
// umask, if it is not there.
func Write(ctx context.Context, name string, text []byte) error {
	if text == nil {
		text = []byte{}
	}
	return WriteAll(ctx, map[string][]byte{name: text})
}

// Stream gives one file what write writes, which need not fit into memory, and
// makes the file as Write does. An error of write itself is returned as it is; what is written goes
// nowhere else, and the file is as it was, if there is any error. Writing ends when
// the context does.
func Stream(ctx context.Context, name string, write func(w io.Writer) error) error {
	j := &job{name: name}
	defer j.clean()
	err := context.Cause(ctx)
	if err == nil {
		err = j.prepare(func(w io.Writer) error { return write(&stream{ctx: ctx, w: w}) })
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = j.replace()
	}
	if err != nil {
		return err
	}
	SyncDir(filepath.Dir(j.target))
	return nil
}

// stream fails when the context ends.
type stream struct {
	ctx context.Context
	w   io.Writer
}

func (s *stream) Write(p []byte) (int, error) {
	if err := context.Cause(s.ctx); err != nil {
		return 0, err
	}
	return s.w.Write(p)
}

// WriteAll gives the files their contents; one with nil content is removed, and
// one that is not there is made. The error is an *Error, or the context's if it
// ended before all were replaced; either way all files are as they were. If one
// could not be brought back, the error says where its former content is.
func WriteAll(ctx context.Context, files map[string][]byte) error {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var jobs []*job
	defer func() {
		for _, j := range jobs {
			j.clean()
		}
	}()
	for _, name := range names {
		j := &job{name: name}
		jobs = append(jobs, j)
		err := context.Cause(ctx)
		if err == nil {
			err = j.prepare(content(files[name]))
		}
		if err != nil {
			return err
		}
	}
	for i, j := range jobs {
		err := context.Cause(ctx)
		if err == nil {
			err = j.replace()
		}
		if err != nil {
			return errors.Join(err, restore(jobs[:i]))
		}
	}
	for _, j := range jobs {
		SyncDir(filepath.Dir(j.target))
	}
	return nil
}

// content writes the text; nil if the file is to be removed.
func content(text []byte) func(io.Writer) error {
	if text == nil {
		return nil
	}
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// restore undoes replacements, the last first.
func restore(jobs []*job) error {
	var errs error
	for _, j := range slices.Backward(jobs) {
		errs = errors.Join(errs, j.restore())
	}
	return errs
}

// job is the replacement of one file.
type job struct {
	name   string // as it was given
	target string // the file itself, links followed
	info   fs.FileInfo
	temp   string // the new content, "" if the file is to be removed
	backup string // the old content under another name, "" if there was none
}

// prepare does all that needs space on the disk and changes nothing yet. write
// writes the new content; nil: there is none.
func (j *job) prepare(write func(io.Writer) error) error {
	var err error
	if j.target, err = Follow(j.name); err != nil {
		return j.explain(err)
	}
	j.info, err = os.Stat(j.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if write == nil {
			return nil
		}
	case err != nil:
		return j.explain(err)
	case !j.info.Mode().IsRegular():
		return &Error{j.name, errors.New("not a regular file"), "move it out of the way"}
	case j.info.Mode()&0o222 == 0:
		return j.explain(fs.ErrPermission)
	default:
		if j.backup, err = keep(j.target, j.info); err != nil {
			return j.explain(err)
		}
	}
	if write == nil {
		return nil
	}
	f, err := create(j.target)
	if err != nil {
		return j.explain(err)
	}
	j.temp = f.Name()
	if err = write(f); err != nil {
		closed := f.Close()
		if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == j.temp {
			return j.explain(err)
		}
		return errors.Join(err, closed)
	}
	if j.info != nil {
		keepOwner(f, j.info)
		err = f.Chmod(j.info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return j.explain(err)
	}
	return nil
}

// replace puts the new content in place.
func (j *job) replace() error {
	var err error
	switch {
	case j.temp != "":
		err = os.Rename(j.temp, j.target)
		if err == nil {
			j.temp = ""
		}
	case j.backup != "":
		err = os.Remove(j.target)
	}
	if err != nil {
		return j.explain(err)
	}
	return nil
}

// restore puts the old content back.
func (j *job) restore() error {
	var err error
	switch {
	case j.backup != "":
		err = os.Rename(j.backup, j.target)
		if err != nil {
			if kept := j.backup + ".former"; os.Rename(j.backup, kept) == nil { // Sweep leaves that alone
				j.backup = kept
			}
			err = fmt.Errorf("%s could not be brought back: %w; its former content is in %s", j.name, err, j.backup)
		}
		j.backup = ""
	case j.info == nil && j.target != "":
		if err = os.Remove(j.target); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

// clean removes what is left beside the file.
func (j *job) clean() {
	for _, name := range []string{j.temp, j.backup} {
		if name != "" {
			_ = os.Remove(name)
		}
	}
}

// Follow resolves symbolic links: it returns the file that is written under a name. The file itself need not be there.
func Follow(name string) (string, error) {
	target, err := filepath.EvalSymlinks(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return target, err
	}
	if link, err := os.Readlink(name); err == nil {
		return "", fmt.Errorf("a symbolic link to %s, which is not there", link)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(name))
	return filepath.Join(dir, filepath.Base(name)), err
}

// keep gives the content of a file a second name beside it: a hard link, or a
// copy where the file system has none.
func keep(target string, info fs.FileInfo) (string, error) {
	f, err := create(target)
	if err != nil {
		return "", err
	}
	name := f.Name()
	if err := f.Close(); err != nil {
		return "", err
	}
	if err := os.Remove(name); err != nil {
		return "", err
	}
	if os.Link(target, name) == nil {
		return name, nil
	}
	text, err := os.ReadFile(target)
	if err == nil {
		err = os.WriteFile(name, text, info.Mode().Perm())
	}
	if err != nil {
		_ = os.Remove(name)
		return "", err
	}
	return name, nil
}

// tempName is the name of a temporary file: the ID of the process and a number.
const tempName = ".markgen-%d-%d.tmp"

// create makes a temporary file beside target. One that was made to be read
// only by its owner would not do for a new file, so the mode is 0666 before the
// umask.
func create(target string) (*os.File, error) {
	dir := filepath.Dir(target)
	if info, err := os.Stat(dir); err == nil && info.Mode()&0o222 == 0 {
		return nil, &fs.PathError{Op: "write", Path: dir, Err: fs.ErrPermission}
	}
	for try := 0; ; try++ {
		name := filepath.Join(dir, fmt.Sprintf(tempName, os.Getpid(), try))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || try > 10000 {
			return f, err
		}
	}
}

// explain names the file and what can be done.
func (j *job) explain(err error) error {
	remedy := "look at the directory"
	switch {
	case errors.Is(err, fs.ErrPermission), isReadOnly(err):
		remedy = "make it and its directory writable"
	case isFull(err):
		remedy = "make room on the disk"
	case errors.Is(err, fs.ErrNotExist):
		remedy = "make the directory"
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = fmt.Errorf("%s: %w", path.Op, path.Err)
	} else if link := (*os.LinkError)(nil); errors.As(err, &link) {
		err = fmt.Errorf("%s: %w", link.Op, link.Err)
	}
	return &Error{j.name, fmt.Errorf("cannot be replaced: %w", err), remedy}
}

// SyncDir brings the names in a directory to the disk where that can be asked
// for; the files themselves are there already.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
