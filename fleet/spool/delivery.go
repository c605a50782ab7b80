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

// A note is the content of note.json in a delivery's directory.
type note struct {
	Run      string   `json:"run"`                // format of fleet.RunID
	First    uint32   `json:"first"`              // sequence of the first batch
	Batches  uint32   `json:"batches"`            // number of batches when it was made
	Frozen   instant  `json:"frozen"`             // when it was made
	AgeNS    int64    `json:"age_ns"`             // age of the statistics then, in ns
	Declined int64    `json:"declined,omitempty"` // processes that did not collect because the spool was full
	Counted  int64    `json:"counted,omitempty"`  // total of declined processes in this and earlier deliveries
	Source   string   `json:"source,omitempty"`   // data file it was made from
	Final    bool     `json:"final,omitempty"`    // nothing will be left in Source
	Replaces []string `json:"replaces,omitempty"` // what it was made from in out/: deliveries, or one batch of a delivery
	Refused  string   `json:"refused,omitempty"`  // what it was made from in refused/
}

const noteName = "note.json"

// day returns the day of the delivery's statistics.
func (n *note) day() fleet.Day {
	return fleet.DayOf(n.Frozen.wall().Add(-time.Duration(n.AgeNS)))
}

// A delivery is a set of batches to be sent, in a directory of its own.
type delivery struct {
	note
	run   fleet.RunID
	order uint64 // position in the order of sending
	name  string // name of the directory
}

func (d *delivery) dir(s *Spool) string { return s.path(outDir, d.name) }

// Names in the directory of a delivery.
func batchName(sequence uint32) string { return fmt.Sprintf("%08d%s", sequence, layout.DataExt) }
func triedName(sequence uint32) string { return fmt.Sprintf("%08d.tried", sequence) }

// takenName is a file to be moved to the directory taken, for a running process.
const takenName = "taken"

// batches returns the sequences of the remaining batches, sorted.
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

// tried reports whether sending the batch was started: then the service may have it.
func (d *delivery) tried(s *Spool, sequence uint32) bool {
	_, err := os.Lstat(filepath.Join(d.dir(s), triedName(sequence)))
	return err == nil
}

// untouched reports whether sending was started for none of its batches.
func (d *delivery) untouched(s *Spool) bool {
	left, err := d.batches(s)
	return err == nil && len(left) == int(d.Batches) && !slices.ContainsFunc(left, func(n uint32) bool { return d.tried(s, n) })
}

// deliveries returns the deliveries of the spool, in the order of sending. unreadable are
// directories among them without a readable note.
func (s *Spool) deliveries() (list []*delivery, unreadable []string, err error) {
	entries, err := os.ReadDir(s.path(outDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		d, err := readDelivery(s.path(outDir), e.Name())
		if err != nil {
			unreadable = append(unreadable, e.Name())
			continue
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *delivery) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.First, b.First)) })
	return list, unreadable, err
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

// freeze makes a delivery of batches, numbered from n.First on, atomically. taken, unless nil,
// becomes the content of the source's file in the directory taken.
func (s *Spool) freeze(n note, batches [][]byte, taken []byte) error {
	order := s.last + 1
	n.Batches = uint32(len(batches))
	if n.Frozen == (instant{}) {
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
	if n.Refused != "" { // it was tried before
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
	return s.complete(d)
}

// draftPrefix starts the name of an incomplete delivery.
const draftPrefix = "."

// recoverChanges completes the changes that a process left unfinished when it ended.
func (s *Spool) recoverChanges() error {
	list, unreadable, err := s.deliveries()
	if err != nil {
		return err
	}
	for _, name := range unreadable {
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
		if err := s.complete(d); err != nil {
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
	for _, e := range entries { // of sources that were taken completely
		if _, err := os.Lstat(s.path(e.Name())); errors.Is(err, fs.ErrNotExist) {
			if err := s.disk.remove(s.path(takenDir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxTempAge is the max age of a temporary file that may still be in use.
const maxTempAge = time.Hour

// sweep removes temporary files of killed processes (named by package filewrite).
func (s *Spool) sweep() error {
	for _, dir := range []string{s.dir, s.path(takenDir), s.path(refusedDir)} {
		names, _ := filepath.Glob(filepath.Join(dir, ".markgen-*.tmp")) // the pattern is valid
		for _, name := range names {
			info, err := os.Lstat(name)
			if err != nil || s.now().wall().Sub(info.ModTime()) < maxTempAge {
				continue
			}
			if err := s.disk.remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// complete makes the changes that follow from a delivery. It is idempotent.
func (s *Spool) complete(d *delivery) error {
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
		for _, name := range []string{s.path(d.Source), s.path(takenDir, d.Source)} { // in this order, see recoverChanges
			if _, err := os.Lstat(name); err == nil {
				if err := s.disk.remove(name); err != nil {
					return err
				}
			}
		}
	}
	left, err := d.batches(s)
	if err == nil && d.Refused != "" && len(left) > 0 { // with none left it may have been refused again, under that name
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

// drop removes a delivery that has been sent.
func (s *Spool) drop(d *delivery) error {
	if err := s.disk.remove(filepath.Join(d.dir(s), noteName)); err != nil {
		return err
	}
	return s.disk.removeAll(d.dir(s))
}
