package spool

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/profile"
)

// ParseKey reads the value of MARKGEN's key spool: DIR, or DIR:SIZE with the bytes that the spool may hold. As for the
// processes themselves, a DIR alone has no colon in its last element.
func ParseKey(value string) (dir string, limit int64, err error) {
	i := strings.LastIndexByte(value, ':')
	if i <= 0 || strings.ContainsAny(value[i:], `/\`) {
		return value, DefaultLimit, nil
	}
	if limit, err = ParseSize(value[i+1:]); err != nil {
		return "", 0, fmt.Errorf("%s: %w", value, err)
	}
	return value[:i], limit, nil
}

// ParseSize reads a number of bytes, with K, M or G for powers of 1024.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "KMG")
	shift := map[string]uint{"": 0, "K": 10, "M": 20, "G": 30}
	by, ok := shift[text[len(digits):]]
	n, err := strconv.ParseUint(digits, 10, 63)
	if !ok || err != nil || n > 1<<62>>by {
		return 0, fmt.Errorf("%q is no size; give bytes, with K, M or G for powers of 1024", text)
	}
	return int64(n << by), nil
}

// Put leaves a copy of a process's data file in the spool in dir, which is made if it is not there, as the process itself
// would have. It may hold limit bytes; when it has more already, that is counted and an error.
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
	used := profile.Used(f, info.Size(), file)
	return filewrite.Stream(ctx, filepath.Join(dir, newRun()), func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, used))
		return err
	})
}

// countRefusal takes note of a process whose data are not kept.
func (s *Spool) countRefusal() error {
	// Others may be able to write in the spool: through a link of theirs another file would get
	// longer, and a pipe would wait.
	if info, err := os.Lstat(s.path(refusals)); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.OpenFile(s.path(refusals), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("+")
	return err
}
