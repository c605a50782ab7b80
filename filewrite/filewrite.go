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

// An Error reports a file that cannot be replaced. All files are unchanged.
type Error struct {
	Name   string // as passed by the caller
	Err    error
	Remedy string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %v; %s", e.Name, e.Err, e.Remedy)
}

func (e *Error) Unwrap() error { return e.Err }

// Write writes the content of one file. A new file has mode 0666 before the umask.
func Write(ctx context.Context, name string, text []byte) error {
	if text == nil {
		text = []byte{}
	}
	return WriteAll(ctx, map[string][]byte{name: text})
}

// Stream is Write with content written by write, which need not fit into memory. An error of write
// is returned unchanged. After any error the file is unchanged, and the partial content is removed.
// Writing fails when ctx is done.
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

// A stream is a writer that fails when the context is done.
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

// WriteAll writes the contents of the files; a file with nil content is removed, and missing files
// are created. The error is an *Error, or that of ctx if it is done before all files are replaced;
// in both cases all files are unchanged. If a file could not be restored, the error says where its
// old content is.
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

// content returns a function that writes text, or nil if the file is to be removed.
func content(text []byte) func(io.Writer) error {
	if text == nil {
		return nil
	}
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// restore undoes replacements in reverse order.
func restore(jobs []*job) error {
	var errs error
	for _, j := range slices.Backward(jobs) {
		errs = errors.Join(errs, j.restore())
	}
	return errs
}

// A job is the replacement of one file.
type job struct {
	name   string // as passed by the caller
	target string // the actual file, with links followed
	info   fs.FileInfo
	temp   string // file with the new content; "" if the file is to be removed
	backup string // second name of the old content; "" if there was none
}

// prepare does everything that needs disk space, without changing the file. write writes the new
// content; nil if the file is to be removed.
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
			if kept := j.backup + ".former"; os.Rename(j.backup, kept) == nil { // a name that Sweep does not remove
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

// clean removes the temporary files.
func (j *job) clean() {
	for _, name := range []string{j.temp, j.backup} {
		if name != "" {
			_ = os.Remove(name)
		}
	}
}

// Follow resolves symbolic links: it returns the file that is written under a name. The file need
// not exist.
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

// keep gives the content of a file a second name beside it: by a hard link, or by a copy if the
// file system has none.
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

// tempName is the format of temporary names: process ID and a number.
const tempName = ".markgen-%d-%d.tmp"

// create creates a temporary file beside target. Its mode is 0666 before the umask, since it may
// become a new file, which others should be able to read.
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

// explain adds the file name and a remedy to an error.
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

// SyncDir syncs the entries of a directory to disk where possible; the files themselves are already
// synced.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
