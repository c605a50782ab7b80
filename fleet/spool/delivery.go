package spool

import (
	"cmp"
	"encoding/json"
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
	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/runtime/layout"
)

// A note is what a delivery's directory says of it.
type note struct {
	Run      string   `json:"run"`                // as fleet.RunID has it
	First    uint32   `json:"first"`              // sequence of the first batch
	Batches  uint32   `json:"batches"`            // how many there were
	Frozen   moment   `json:"frozen"`             // when it was made
	AgeNS    int64    `json:"age_ns"`             // how old the figures were then
	Declined int64    `json:"declined,omitempty"` // processes that did not collect since the spool was full
	Counted  int64    `json:"counted,omitempty"`  // how many of those there ever were are in this delivery or others
	Source   string   `json:"source,omitempty"`   // data file that it was made of
	Final    bool     `json:"final,omitempty"`    // and of which nothing will be left to take
	Replaces []string `json:"replaces,omitempty"` // what it was made of in out/: deliveries, or a batch of one
	Refused  string   `json:"refused,omitempty"`  // what it was made of in refused/
}

const noteName = "note.json"

// day is the day of its figures.
func (n *note) day() fleet.Day {
	return fleet.DayOf(n.Frozen.wall().Add(-time.Duration(n.AgeNS)))
}

// A delivery is profiles that are to be sent, in a directory of their own.
type delivery struct {
	note
	run   fleet.RunID
	order uint64 // by which deliveries are sent
	name  string // of the directory
}

func (d *delivery) dir(s *Spool) string { return s.path(outDir, d.name) }

// Names in the directory of a delivery.
func batchName(sequence uint32) string { return fmt.Sprintf("%08d%s", sequence, layout.DataExt) }
func triedName(sequence uint32) string { return fmt.Sprintf("%08d.tried", sequence) }

// takenName is what is to stand in the directory taken for a process that runs, until it does.
const takenName = "taken"

// batches are the sequences of the batches that are left, in order.
func (d *delivery) batches(s *Spool) (left []uint32, err error) {
	entries, err := os.ReadDir(d.dir(s))
	for _, e := range entries {
		if digits, ok := strings.CutSuffix(e.Name(), layout.DataExt); ok {
			if n, err := strconv.ParseUint(digits, 10, 32); err == nil && batchName(uint32(n)) == e.Name() {
				left = append(left, uint32(n))
			}
		}
	}
	slices.Sort(left)
	return left, err
}

// tried tells whether it was begun to send the batch: the service may have it.
func (d *delivery) tried(s *Spool, sequence uint32) bool {
	_, err := os.Lstat(filepath.Join(d.dir(s), triedName(sequence)))
	return err == nil
}

// untouched tells whether it was not begun to send any of its batches.
func (d *delivery) untouched(s *Spool) bool {
	left, err := d.batches(s)
	return err == nil && len(left) == int(d.Batches) && !slices.ContainsFunc(left, func(n uint32) bool { return d.tried(s, n) })
}

// deliveries are those of the spool, in the order in which they are sent. What is among them and no delivery is in
// strange: directories without a note, or with one that can't be read.
func (s *Spool) deliveries() (list []*delivery, strange []string, err error) {
	entries, err := os.ReadDir(s.path(outDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		d, err := readDelivery(s.path(outDir), e.Name())
		if err != nil {
			strange = append(strange, e.Name())
			continue
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *delivery) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.First, b.First)) })
	return list, strange, err
}

func readDelivery(out, name string) (*delivery, error) {
	text, err := fileread.File(filepath.Join(out, name, noteName))
	if err != nil {
		return nil, err
	}
	d := &delivery{name: name}
	if err := json.Unmarshal(text, &d.note); err != nil {
		return nil, err
	}
	if d.run, err = fleet.ParseRunID(d.Run); err != nil {
		return nil, err
	}
	digits, _, _ := strings.Cut(name, "-")
	if d.order, err = strconv.ParseUint(digits, 10, 64); err != nil {
		return nil, err
	}
	for _, inside := range append(slices.Clone(d.Replaces), cmp.Or(d.Source, layout.SpoolRun), cmp.Or(d.Refused, layout.SpoolRun)) {
		if !filepath.IsLocal(inside) || d.Source != "" && !isRun(d.Source) {
			return nil, fmt.Errorf("%q is not within the spool", inside)
		}
	}
	return d, nil
}

// freeze makes a delivery of batches, numbered from n.First on: it is there as a whole or not at all. taken is what is to stand in the directory
// taken for its source then, nil if nothing.
func (s *Spool) freeze(n note, batches [][]byte, taken []byte) error {
	order := s.last + 1
	n.Batches = uint32(len(batches))
	if n.Frozen == (moment{}) {
		n.Frozen = s.now()
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%010d-%s-%d", order, n.Run, n.First)
	draft := s.path(outDir, draftPrefix+name)
	if err := s.disk.mkdir(s.path(outDir)); err != nil {
		return err
	}
	if err := s.disk.mkdir(draft); err != nil {
		return err
	}
	for i, b := range batches {
		if err := s.disk.write(filepath.Join(draft, batchName(n.First+uint32(i))), b); err != nil {
			return err
		}
	}
	if n.Refused != "" { // so it was tried before
		if err := s.disk.write(filepath.Join(draft, triedName(n.First)), nil); err != nil {
			return err
		}
	}
	if taken != nil {
		if err := s.disk.write(filepath.Join(draft, takenName), taken); err != nil {
			return err
		}
	}
	if err := s.disk.write(filepath.Join(draft, noteName), text); err != nil {
		return err
	}
	if err := s.disk.rename(draft, s.path(outDir, name)); err != nil {
		return err
	}
	s.last = order
	d, err := readDelivery(s.path(outDir), name)
	if err != nil {
		return err
	}
	return s.finish(d)
}

// draftPrefix begins the name of a delivery that is not complete.
const draftPrefix = "."

// settle finishes what was begun when a process ended that worked on the spool.
func (s *Spool) settle() error {
	list, strange, err := s.deliveries()
	if err != nil {
		return err
	}
	for _, name := range strange {
		if _, err := os.Lstat(s.path(outDir, name, noteName)); strings.HasPrefix(name, draftPrefix) || errors.Is(err, fs.ErrNotExist) {
			if err := s.disk.removeAll(s.path(outDir, name)); err != nil {
				return err
			}
		} else if _, err := s.setAside(s.path(outDir, name), unreadableDir, name); err != nil {
			return err
		}
	}
	for _, d := range list {
		s.last = max(s.last, d.order)
		if err := s.finish(d); err != nil {
			return err
		}
	}
	if err := s.sweep(); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.path(takenDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries { // of which everything was taken
		if _, err := os.Lstat(s.path(e.Name())); errors.Is(err, fs.ErrNotExist) {
			if err := s.disk.remove(s.path(takenDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// forgotten is how long a file that is being written may take.
const forgotten = time.Hour

// sweep removes what processes had begun to write that were killed (package filewrite names such files so).
func (s *Spool) sweep() error {
	for _, dir := range []string{s.dir, s.path(takenDir), s.path(refusedDir)} {
		names, _ := filepath.Glob(filepath.Join(dir, ".markgen-*.tmp")) // the pattern is sound
		for _, name := range names {
			info, err := os.Lstat(name)
			if err != nil || s.now().wall().Sub(info.ModTime()) < forgotten {
				continue
			}
			if err := s.disk.remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish does what follows from a delivery's being there. It may have been done before.
func (s *Spool) finish(d *delivery) error {
	for _, name := range d.Replaces {
		if _, err := os.Lstat(s.path(outDir, name)); err == nil {
			if err := s.disk.removeAll(s.path(outDir, name)); err != nil {
				return err
			}
		}
	}
	if _, err := os.Lstat(filepath.Join(d.dir(s), takenName)); err == nil {
		if err := s.disk.mkdir(s.path(takenDir)); err != nil {
			return err
		}
		if err := s.disk.rename(filepath.Join(d.dir(s), takenName), s.path(takenDir, d.Source)); err != nil {
			return err
		}
	}
	if d.Final && d.Source != "" {
		for _, name := range []string{s.path(d.Source), s.path(takenDir, d.Source)} { // in this order, see settle
			if _, err := os.Lstat(name); err == nil {
				if err := s.disk.remove(name); err != nil {
					return err
				}
			}
		}
	}
	left, err := d.batches(s)
	if err == nil && d.Refused != "" && len(left) > 0 { // with none left it may have been refused again, to that name
		for _, name := range []string{d.Refused + whyExt, d.Refused} {
			if err := s.disk.remove(s.path(refusedDir, name)); err != nil {
				return err
			}
		}
	}
	if _, taken := s.declined(); d.Counted > taken {
		if err := s.disk.write(s.path(takenCount), strconv.AppendInt(nil, d.Counted, 10)); err != nil {
			return err
		}
	}
	if err == nil && len(left) == 0 {
		return s.drop(d)
	}
	return err
}

// drop removes a delivery of which nothing is left to send.
func (s *Spool) drop(d *delivery) error {
	if err := s.disk.remove(filepath.Join(d.dir(s), noteName)); err != nil {
		return err
	}
	return s.disk.removeAll(d.dir(s))
}
