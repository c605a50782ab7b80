package steer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"

	"github.com/markgen/markgen/profile"
)

// Process is a marked program that runs, or ran, and its data file. Its methods are safe for
// concurrent use.
type Process struct {
	name string // target, for messages
	file string // path of the data file, resolved if the file has no name
	f    *os.File
	h    header

	mu    sync.Mutex // guards the fields below
	units runfile.Units
	words map[*runfile.Unit]*mapping // of units with words in the file
	log   *mapping                   // log of state changes; nil if there is none
}

// Open opens the data file of target, which is a process ID or a path, and maps the parts needed. A
// number is a process ID if there is such a process, else a path. A relative path is relative to
// dir, or to the current directory if dir is "".
func Open(target, dir string) (*Process, error) {
	if !mappable {
		return nil, fmt.Errorf("%s: programs do not map their data file on this system, so they can't be steered or watched", target)
	}
	path, shown, name := target, target, target
	if dir != "" && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if pid, err := strconv.ParseUint(target, 10, 31); err == nil {
		found, trouble := ofProcess(int(pid))
		switch {
		case trouble == nil:
			path, shown, name = found.path, found.shown, "process "+target
		case errors.Is(trouble, errNoProcess) && exists(path):
		default:
			return nil, trouble
		}
	}
	return openAs(path, shown, name)
}

// openAs opens the data file at path; shown is the path for people, and name stands for the target
// in messages.
func openAs(path, shown, name string) (*Process, error) {
	f, err := openFile(path, name)
	if err != nil {
		return nil, err
	}
	p := &Process{name: name, file: shown, f: f, words: map[*runfile.Unit]*mapping{}}
	if err := p.open(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// openFile opens a data file for steering.
func openFile(path, name string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file; give the ID of a running process, or its data file", name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // opening a pipe would block
		return nil, fmt.Errorf("%s: not a regular file; give the ID of a running process, or its data file", name)
	}
	if uid, ok := owner(info); !ok || uid != os.Geteuid() {
		return nil, fmt.Errorf("%s: its data file belongs to user %d: %w", name, uid, ErrOwner)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s: %w; its owner has no leave to write it, chmod u+rw gives it back", name, err)
	}
	if err != nil { // a running executable can't be opened for writing
		return nil, fmt.Errorf("%s: %w; give the ID of a running process, or its data file", name, errors.Unwrap(err))
	}
	return f, nil
}

// open checks and maps the header.
func (p *Process) open() error {
	info, err := p.f.Stat()
	if err != nil {
		return err
	}
	if uid, ok := owner(info); !ok || uid != os.Geteuid() { // it may have been replaced since
		return fmt.Errorf("%s: its data file belongs to user %d: %w", p.name, uid, ErrOwner)
	}
	if err := runfile.CheckHeader(p.f, info.Size(), p.name); err != nil {
		return err
	}
	m, err := mapPart(p.f, 0, layout.HeaderSize)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	p.h = header{m}
	return nil
}

// Close closes the file. The process keeps its settings.
func (p *Process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, m := range p.words {
		errs = append(errs, m.close())
	}
	p.words = map[*runfile.Unit]*mapping{}
	if p.log != nil {
		errs = append(errs, p.log.close())
		p.log = nil
	}
	if p.h.mapping != nil {
		errs = append(errs, p.h.close())
		p.h.mapping = nil
	}
	return errors.Join(append(errs, p.f.Close())...)
}

// Running reports whether the process is running.
func (p *Process) Running() bool {
	running, _ := runfile.Alive(p.f)
	return running
}

// Profile returns what the process has collected so far.
func (p *Process) Profile() (*profile.Profile, error) { return runfile.ReadOpened(p.f, p.name) }

// use calls do after reading what the process has registered so far. If steers is set, it returns
// an error unless the process is running.
func (p *Process) use(steers bool, do func() error) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.h.mapping == nil {
		return fmt.Errorf("%s: %w", p.name, os.ErrClosed)
	}
	if steers && !p.Running() {
		return fmt.Errorf("%s: %w; there is nothing to steer", p.name, ErrEnded)
	}
	// Accessing words beyond the end of a truncated file panics.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = fmt.Errorf("%s: the data file was cut off while it was read", p.name)
		default:
			panic(r)
		}
	}()
	if err := p.follow(); err != nil {
		return err
	}
	return do()
}

// follow reads what the process has registered since the last call.
func (p *Process) follow() error {
	info, err := p.f.Stat()
	if err != nil {
		return err
	}
	if err := p.units.Follow(p.f, info.Size(), p.name); err != nil {
		return err
	}
	if p.units.Log != 0 && p.log == nil {
		if p.log, err = mapPart(p.f, p.units.Log, layout.OffLogData+layout.LogRoom*layout.LogSize); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	for _, u := range p.units.List {
		size := uint64(len(u.Markers)) * layout.MarkerSize
		if size == 0 || u.Words == 0 || p.words[u] != nil {
			continue
		}
		if p.words[u], err = mapPart(p.f, u.Words, size); err != nil {
			delete(p.words, u)
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// header is the mapped header page.
type header struct{ *mapping }

func (h header) text(offset, size int) string {
	b := make([]byte, 0, size)
	for i := 0; i < size; i += 8 {
		b = binary.NativeEndian.AppendUint64(b, h.word(offset+i).Load())
	}
	text, _, _ := strings.Cut(string(b), "\x00")
	return strings.ToValidUTF8(text, "\ufffd")
}
