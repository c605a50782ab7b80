package spool

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// Put copies a process's data file to the spool in dir, which it creates if needed, as the process
// itself would have. If the spool has more than limit bytes already, Put counts a refusal and
// returns an error.
func Put(ctx context.Context, dir string, limit int64, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	s, err := Look(dir)
	if err != nil {
		return err
	}
	held, _, err := s.size()
	if err != nil {
		return err
	}
	if held > limit {
		return fmt.Errorf("%s holds more than the %d bytes that it may, and the data are not kept; run markgen push %s (%w)", dir, limit, dir, s.countRefusal())
	}
	used := runfile.Used(f, info.Size(), file)
	return filewrite.Stream(ctx, filepath.Join(dir, newRun()), func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, used))
		return err
	})
}

// countRefusal counts a process whose data are not kept.
func (s *Spool) countRefusal() error {
	// Others may be able to write to the spool: through a symbolic link this would write to another
	// file, and a pipe would block.
	if info, err := os.Lstat(s.path(layout.SpoolRefusals)); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(s.path(layout.SpoolRefusals), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("+")
	return err
}
