package spool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/units"
)

// DefaultBatch is the default max size of a batch, in bytes.
const DefaultBatch = 128 << 10

// PackOptions configures Pack.
type PackOptions struct {
	Batch int   // max bytes of a batch, before compression; 0 for DefaultBatch. A batch of a single marker may be larger
	Limit int64 // max bytes of the spool; 0 for DefaultLimit
	Paths bool  // send call paths, with their labels
}

// A Packed is the result of Pack.
type Packed struct {
	Runs       int      // ended processes whose data were taken completely
	Live       int      // running processes from which new data were taken
	Batches    int      // batches made
	Declined   int64    // processes that did not collect because the spool was full, not reported before
	Merged     int      // deliveries merged with others because the spool exceeded its limit
	Over       int64    // bytes by which it still does
	Unreadable []string // data files that can't be read: names in unreadable/ and why
	Notes      []string // other messages for the user

	paths int // ended processes whose call paths are not sent
}

// Pack makes deliveries from the data files of processes.
func (s *Spool) Pack(ctx context.Context, o PackOptions) (Packed, error) {
	var got Packed
	names, others, err := s.runs()
	if err != nil {
		return got, err
	}
	if len(others) > 0 {
		got.Notes = append(got.Notes, fmt.Sprintf("data files of other names stay, such as %s (%d in all): what is sent is left by programs with MARKGEN=spool=DIR", s.path(others[0]), len(others)))
	}
	all, counted := s.declined()
	got.Declined = all - counted
	for _, name := range names {
		if err := context.Cause(ctx); err != nil {
			return got, err
		}
		if err := s.pack(name, o, &got); err != nil {
			return got, err
		}
	}
	if got.paths > 0 {
		got.Notes = append(got.Notes, fmt.Sprintf("call paths of %s are not sent; -paths sends them, with their labels", units.Plural(got.paths, "run")))
	}
	if err := s.shrink(ctx, o, &got); err != nil {
		return got, err
	}
	return got, s.tellSize()
}

// pack makes a delivery from a data file.
func (s *Spool) pack(name string, o PackOptions, got *Packed) error {
	t, err := s.take(name, o)
	switch {
	case err == errNothing:
		return nil
	case err == errEmpty:
		return s.disk.remove(s.path(name))
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, fs.ErrPermission):
		got.Notes = append(got.Notes, fmt.Sprintf("%v; run markgen push as the user whose programs these are", err))
		return nil
	case err != nil:
		to, err2 := s.setAside(s.path(name), unreadableDir, name)
		if err2 != nil {
			return err2
		}
		got.Unreadable = append(got.Unreadable, fmt.Sprintf("%s: %v", to, err))
		return s.disk.remove(s.path(takenDir, name))
	}
	got.Notes = append(got.Notes, t.notes...)
	if t.Final {
		got.Runs++
	}
	if t.paths {
		got.paths++
	}
	if len(t.bodies) == 0 { // all was taken while the process was running
		if err := s.disk.remove(s.path(name)); err != nil {
			return err
		}
		return s.disk.remove(s.path(takenDir, name))
	}
	if !t.Final {
		got.Live++
	}
	if all, counted := s.declined(); all > counted {
		t.Declined, t.Counted = all-counted, all
	}
	got.Batches += len(t.bodies)
	return s.freeze(t.note, t.bodies, t.taken)
}

// Errors of take that do not mean that a file can't be read.
var (
	errNothing = errors.New("there is nothing to take yet")
	errEmpty   = errors.New("there is nothing in it")
)

// A pendingDelivery is what becomes a delivery.
type pendingDelivery struct {
	note
	bodies [][]byte
	taken  []byte // if the process is running: all that was taken from it
	notes  []string
	paths  bool // the process has ended and recorded call paths, which are not sent
}

// maxStart is the max time between the creation of a data file and the first write to it.
const maxStart = 10 * time.Minute

// take reads a data file, and returns what was not taken before. It changes nothing.
func (s *Spool) take(name string, o PackOptions) (*pendingDelivery, error) {
	info, err := os.Lstat(s.path(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := fileread.Open(s.path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	alive, _ := runfile.Alive(f) // before reading, so that a process that ends meanwhile is read again
	now := s.now()
	if begun, err := hasBegun(f); err == nil && !begun {
		if alive || now.wall().Sub(info.ModTime()).Abs() < maxStart {
			return nil, errNothing
		}
		return nil, errEmpty
	}
	p, err := runfile.ReadOpened(f, name)
	switch {
	case err == nil && p.Damaged && !alive:
		return nil, errors.New(strings.Join(p.Warnings, "; "))
	case err == nil && p.Damaged, err != nil && alive:
		return nil, errNothing
	case err != nil:
		return nil, err
	}
	t := &pendingDelivery{note: note{Source: name, Final: !alive, Frozen: now}}
	if t.Final {
		t.AgeNS = int64(max(0, now.wall().Sub(p.Start.Add(time.Duration(min(p.ElapsedNS, 1<<62))))))
	}
	t.paths = t.Final && p.Paths != nil && !o.Paths
	a, left := Anonymous(p, o.Paths)
	if left > 0 && t.Final {
		t.notes = append(t.notes, fmt.Sprintf("%s: %d markers have names that are not from the source, such as stopwatches; they are not sent", name, left))
	}
	if alive { // its data are complete so far; picked functions, and the statistics of picking, are known at its end
		a.Complete, a.Wild = true, nil
		for i := range a.Markers {
			a.Markers[i].Picks = nil
		}
	}
	run, next, before, err := s.readTaken(name)
	switch {
	case err != nil && alive:
		return nil, errNothing
	case err != nil:
		return nil, err
	}
	t.Run, t.First = run.String(), next
	diff, backwards := profile.Sub(a, before)
	if backwards > 0 && t.Final {
		t.notes = append(t.notes, fmt.Sprintf("%s: %d markers have fewer scopes at the end than were estimated while the process ran; what was sent is kept", name, backwards))
	}
	switch {
	case len(diff.Markers) > 0:
	case alive:
		return nil, errNothing
	case next > 0 && isEmpty(diff):
		return t, nil
	}
	if t.bodies, err = split(diff, cmp.Or(o.Batch, DefaultBatch)); err != nil {
		return nil, err
	}
	if alive {
		t.taken, err = encodeTaken(run, next+uint32(len(t.bodies)), profile.Merge([]*profile.Profile{before, diff}))
	}
	return t, err
}

// isEmpty reports whether a difference without markers has no new fields about the run.
func isEmpty(diff *profile.Profile) bool {
	s := diff.Sampling
	return diff.Complete && diff.Runs == 0 && diff.ElapsedNS|diff.Lost == 0 && diff.Wild == nil && (s == nil || s.Windows|s.OpenNS|s.NetNS|s.OfNS == 0)
}

// hasBegun reports whether a process has written to its data file.
func hasBegun(f *os.File) (bool, error) {
	var head [16]byte
	n, err := f.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return false, err
	}
	return len(bytes.Trim(head[:n], "\x00")) > 0, nil
}

// A takenHeader is the first line of a file in the directory taken. It is followed by a profile
// file with the sum of what was taken.
type takenHeader struct {
	Run  string `json:"run"`
	Next uint32 `json:"next"` // sequence of the next batch
}

func encodeTaken(run fleet.RunID, next uint32, p *profile.Profile) ([]byte, error) {
	head, err := json.Marshal(takenHeader{run.String(), next})
	if err != nil {
		return nil, err
	}
	file, err := codec.Encode(p)
	return append(append(head, '\n'), file...), err
}

// readTaken returns what was taken from a running process so far. If that is nothing it draws a run
// ID.
func (s *Spool) readTaken(name string) (run fleet.RunID, next uint32, p *profile.Profile, err error) {
	text, err := fileread.File(s.path(takenDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return fleet.NewRunID(), 0, &profile.Profile{}, nil
	}
	if err != nil {
		return run, 0, nil, err
	}
	return decodeTaken(text)
}

func decodeTaken(text []byte) (run fleet.RunID, next uint32, p *profile.Profile, err error) {
	line, file, _ := bytes.Cut(text, []byte("\n"))
	var head takenHeader
	if err = json.Unmarshal(line, &head); err == nil {
		run, err = fleet.ParseRunID(head.Run)
	}
	if err == nil {
		p, err = codec.Decode(file, "what was taken")
	}
	if err != nil {
		return run, 0, nil, fmt.Errorf("what was taken of it so far can't be read: %w", err)
	}
	return run, head.Next, p, nil
}
