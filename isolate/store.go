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

// A Store is a directory that keeps what has been done, so that it need not be done again
// after an interrupt:
//
//	isolate.json             the build, the plan, and how each pass ended
//	passes/pass-001.markgen  what each pass measured
//	profile.markgen          the result, once it is complete
//
// A pass counts as done when isolate.json says so. Both kinds of files are written whole
// or not at all. The result is the only data file in the directory itself, so that
// commands that are given the directory read the result and not, besides, what it was made of.
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
	Build   string `json:"build"` // of what is run, how, and what of it is measured
	Plan    *Plan  `json:"plan"`  // nil until the first pass is done
	Passes  []past `json:"passes"`
}

// past is how a pass ended.
type past struct {
	Code     int           `json:"code"`
	TimedOut bool          `json:"timed_out,omitempty"`
	Took     time.Duration `json:"took_ns"`
}

// OpenStore returns the store in dir, which exists. build identifies what is run, how, and
// what is measured: what is there of another is an error.
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

// Done is how many passes it has.
func (s *Store) Done() int { return len(s.state.Passes) }

// passFile is the file of pass n, from 0.
func (s *Store) passFile(n int) string {
	return filepath.Join(s.dir, passDir, fmt.Sprintf("pass-%03d.markgen", n+1))
}

// read returns what pass n measured.
func (s *Store) read(n int) (*profile.Profile, error) {
	p, err := runfile.Read(s.passFile(n))
	if err != nil {
		return nil, fmt.Errorf("a pass that was made is gone: %w; remove %s, or name another folder", err, s.dir)
	}
	return p, nil
}

// add keeps the next pass.
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

// ResultFile is where the result goes.
func (s *Store) ResultFile() string { return filepath.Join(s.dir, resultFile) }

// Unfinished tells whether dir has a Store without a result, as after an interrupt.
func Unfinished(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, stateFile))
	_, none := os.Stat(filepath.Join(dir, resultFile))
	return err == nil && errors.Is(none, fs.ErrNotExist)
}
