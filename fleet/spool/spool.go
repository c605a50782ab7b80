package spool

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/layout"
)

// Names in a spool, besides those that processes know (runtime/layout).
const (
	takenCount = "refusals-taken"

	outDir        = "out"
	takenDir      = "taken"
	refusedDir    = "refused"
	unreadableDir = "unreadable"
)

// DefaultLimit is the default max size of a spool, in bytes.
const DefaultLimit = config.DefaultRoom

// ErrBusy means that another process has the spool open.
var ErrBusy = errors.New("another markgen push is at work on it")

// A Spool is a spool opened exclusively. Programs may still add data to it. Its methods are not
// safe for concurrent use.
type Spool struct {
	dir    string
	disk   disk
	now    func() instant
	unlock func()
	last   uint64 // order of the newest delivery; the lock keeps others from making deliveries
}

// Open opens the spool in an existing directory, and completes unfinished changes. It returns
// ErrBusy if another process has it open.
func Open(dir string) (*Spool, error) { return open(dir, disk{}, currentInstant) }

func open(dir string, d disk, now func() instant) (*Spool, error) {
	s, err := look(dir, d, now)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if s.unlock, err = filewrite.Lock(ctx, dir); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, ErrBusy)
	}
	recovered := false
	defer func() {
		if !recovered {
			s.Close()
		}
	}()
	if err := s.recoverChanges(); err != nil {
		return nil, err
	}
	recovered = true
	return s, nil
}

// Look opens a spool without locking it, for Preview only.
func Look(dir string) (*Spool, error) { return look(dir, disk{}, currentInstant) }

func look(dir string, d disk, now func() instant) (*Spool, error) {
	info, err := os.Stat(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: no such directory; give the one that MARKGEN=spool= names", dir)
	}
	return &Spool{dir: dir, disk: d, now: now, unlock: func() {}}, nil
}

// Close unlocks the spool.
func (s *Spool) Close() { s.unlock() }

// Dir returns the directory.
func (s *Spool) Dir() string { return s.dir }

func (s *Spool) path(names ...string) string {
	return filepath.Join(append([]string{s.dir}, names...)...)
}

// runs returns the sorted names of processes' data files; others are data files with other names.
func (s *Spool) runs() (names, others []string, err error) {
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		if isRun(e.Name()) {
			names = append(names, e.Name())
		} else if e.Type().IsRegular() && strings.HasSuffix(e.Name(), layout.DataExt) {
			others = append(others, e.Name())
		}
	}
	return names, others, err
}

// isRun reports whether name is that of a process's data file: run-HEX.markgen, possibly with a
// number appended.
func isRun(name string) bool {
	rest, ok := strings.CutPrefix(name, layout.SpoolRun)
	digits, number, ok2 := strings.Cut(rest, layout.DataExt)
	if _, err := hex.DecodeString(digits); !ok || !ok2 || err != nil || digits == "" {
		return false
	}
	if number == "" {
		return true
	}
	_, err := strconv.ParseUint(strings.TrimPrefix(number, "."), 10, 32)
	return number[0] == '.' && err == nil
}

// newRun returns a random name for a data file.
func newRun() string {
	var b [8]byte
	rand.Read(b[:])
	return layout.SpoolRun + hex.EncodeToString(b[:]) + layout.DataExt
}

// setAside moves a file or directory to a directory of the spool, under a free name.
func (s *Spool) setAside(from, dir, name string) (to string, err error) {
	if err := s.disk.mkdir(s.path(dir)); err != nil {
		return "", err
	}
	to = s.path(dir, name)
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
		to = s.path(dir, name) + "." + strconv.Itoa(n)
	}
	return to, s.disk.rename(from, to)
}

// size returns the size of the spool in bytes; below is the part in its directories.
func (s *Spool) size() (all, below int64, err error) {
	err = filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				all += info.Size()
				if filepath.Dir(name) != filepath.Clean(s.dir) {
					below += info.Size()
				}
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // a process has removed or renamed it
			return nil
		}
		return err
	})
	return all, below, err
}

// tellSize writes the size of the directories for starting processes, which do not read them.
func (s *Spool) tellSize() error {
	_, below, err := s.size()
	if err != nil {
		return err
	}
	text := strconv.AppendInt(nil, below, 10)
	if old, err := fileread.File(s.path(layout.SpoolHeld)); err == nil && slices.Equal(old, text) || below == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.disk.write(s.path(layout.SpoolHeld), text)
}

// declined returns the number of processes that did not collect, and how many of these are counted
// in deliveries.
func (s *Spool) declined() (all, taken int64) {
	if info, err := os.Stat(s.path(layout.SpoolRefusals)); err == nil {
		all = info.Size()
	}
	if text, err := fileread.File(s.path(takenCount)); err == nil {
		taken, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	}
	return all, min(max(taken, 0), all)
}
