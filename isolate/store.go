package isolate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/runfile"
)

// A Store is a directory that keeps completed passes, so that they need not be repeated after an
// interrupt:
//
//	isolate.json             the build, the plan, and how each pass ended
//	passes/pass-001.markgen  the data of each pass
//	profile.markgen          the result, once it is complete
//
// A pass is complete when isolate.json lists it. Files are written atomically. The result is the
// only data file in the directory itself, so that commands given the directory read only the
// result, and not the passes in addition.
type Store struct {
	dir   string
	state state
}

const (
	stateFile    = "isolate.json"
	stateVersion = 2
	passDir      = "passes"
	resultFile   = "profile.markgen"
)

type state struct {
	Version int    `json:"version"`
	Build   string `json:"build"` // identifies the program, its arguments and what is measured
	Plan    *Plan  `json:"plan"`  // nil until the first pass is done
	Passes  []past `json:"passes"`
}

// past describes how a pass ended.
type past struct {
	Code     int           `json:"code"`
	TimedOut bool          `json:"timed_out,omitempty"`
	Took     time.Duration `json:"took_ns"`
}

// OpenStore returns the store in dir, which must exist. build identifies the program, its arguments
// and what is measured; it is an error if the store is of another build.
func OpenStore(dir, build string) (*Store, error) {
	s := &Store{dir: dir, state: state{Version: stateVersion, Build: build}}
	name := filepath.Join(dir, stateFile)
	text, err := fileread.File(name)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	var have state
	if err := json.Unmarshal(text, &have); err != nil {
		return nil, fmt.Errorf("%s: %w; remove the folder, or name another", name, err)
	}
	switch {
	case have.Version != stateVersion:
		return nil, fmt.Errorf("%s: version %d, and this markgen reads version %d; go on with the markgen that wrote it, or name another folder", name, have.Version, stateVersion)
	case have.Build != build:
		return nil, fmt.Errorf("%s holds passes of another build, scenario or choice of what is measured, whose times can't be added to those of this one; remove the folder, or name another", dir)
	case have.Plan == nil && len(have.Passes) > 0:
		return nil, fmt.Errorf("%s: passes without a plan; remove the folder, or name another", name)
	}
	s.state = have
	return s, nil
}

// Done returns the number of completed passes.
func (s *Store) Done() int { return len(s.state.Passes) }

// passFile returns the path of pass n, from 0.
func (s *Store) passFile(n int) string {
	return filepath.Join(s.dir, passDir, fmt.Sprintf("pass-%03d.markgen", n+1))
}

// read returns the data of pass n.
func (s *Store) read(n int) (*profile.Profile, error) {
	p, err := runfile.Read(s.passFile(n))
	if err != nil {
		return nil, fmt.Errorf("a pass that was made is gone: %w; remove %s, or name another folder", err, s.dir)
	}
	return p, nil
}

// add stores the next pass.
func (s *Store) add(p *Pass) error {
	if err := os.MkdirAll(filepath.Join(s.dir, passDir), 0o777); err != nil {
		return err
	}
	if err := codec.Write(s.passFile(len(s.state.Passes)), p.Profile); err != nil {
		return err
	}
	s.state.Passes = append(s.state.Passes, past{p.Code, p.TimedOut, p.Took})
	text, err := json.MarshalIndent(s.state, "", "\t")
	if err != nil {
		return err
	}
	return filewrite.Write(context.Background(), filepath.Join(s.dir, stateFile), append(text, '\n'))
}

// ResultFile returns the path of the result.
func (s *Store) ResultFile() string { return filepath.Join(s.dir, resultFile) }

// Unfinished reports whether dir has a Store without a result, as after an interrupt.
func Unfinished(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, stateFile))
	_, none := os.Stat(filepath.Join(dir, resultFile))
	return err == nil && errors.Is(none, fs.ErrNotExist)
}
