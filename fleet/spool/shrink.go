package spool

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/runfile"
)

// shrink merges deliveries of the same origin and day, the oldest first, until the spool is within
// its limit. It leaves deliveries alone for which sending was started: the service may have a part
// of them.
func (s *Spool) shrink(ctx context.Context, o PackOptions, got *Packed) error {
	limit := cmp.Or(o.Limit, DefaultLimit)
	held, _, err := s.size()
	if err != nil || held <= limit {
		return err
	}
	list, _, err := s.deliveries()
	if err != nil {
		return err
	}
	type kind struct {
		origin fleet.Origin
		day    fleet.Day
	}
	var order []kind // by the oldest of each
	groups := map[kind][]*delivery{}
	for _, d := range list {
		if !d.untouched(s) {
			continue
		}
		p, err := d.profile(s)
		if err != nil {
			got.Notes = append(got.Notes, err.Error())
			continue
		}
		k := kind{fleet.OriginOf(p), d.day()}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], d)
	}
	for _, k := range order {
		if held <= limit {
			break
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if group := groups[k]; len(group) > 1 {
			if err := s.merge(group, o); err != nil {
				return err
			}
			got.Merged += len(group)
		}
		if held, _, err = s.size(); err != nil {
			return err
		}
	}
	got.Over = max(0, held-limit)
	return nil
}

// profile returns the sum of the batches of a delivery.
func (d *delivery) profile(s *Spool) (*profile.Profile, error) {
	var sum runfile.Sum
	if err := d.addTo(s, &sum); err != nil {
		return nil, err
	}
	return sum.Profile(), nil
}

func (d *delivery) addTo(s *Spool, sum *runfile.Sum) error {
	left, err := d.batches(s)
	for _, n := range left {
		if err == nil {
			err = sum.AddFile(filepath.Join(d.dir(s), batchName(n)))
		}
	}
	return err
}

// merge replaces deliveries of the same origin and day by one with a new run ID.
func (s *Spool) merge(group []*delivery, o PackOptions) error {
	var sum runfile.Sum
	n := note{Run: fleet.NewRunID().String(), Frozen: s.now()}
	for i, d := range group {
		if err := d.addTo(s, &sum); err != nil {
			return err
		}
		age := d.AgeNS + int64(n.Frozen.since(d.Frozen))
		if i == 0 || age < n.AgeNS {
			n.AgeNS = age
		}
		n.Declined += d.Declined
		n.Counted = max(n.Counted, d.Counted)
		n.Replaces = append(n.Replaces, d.name)
	}
	p := sum.Profile()
	p.Run = ""
	bodies, err := split(p, cmp.Or(o.Batch, DefaultBatch))
	if err != nil {
		return err
	}
	return s.freeze(n, bodies, nil)
}

// resplit replaces a batch that is too large for the service by a delivery with a new run ID and
// batches of half its size. ok is false if it can't be split.
func (s *Spool) resplit(d *delivery, sequence uint32, body []byte) (ok bool, err error) {
	p, err := codec.Decode(body, batchName(sequence))
	if err != nil || len(p.Markers) < 2 && len(withFigures(p.Paths)) < 2 {
		return false, nil // it can't be read or split, and is set aside
	}
	p.Run = ""
	bodies, err := split(p, len(body)/2)
	if err != nil {
		return false, err
	}
	n := note{Run: fleet.NewRunID().String(), Frozen: d.Frozen, AgeNS: d.AgeNS, Replaces: []string{d.name + "/" + batchName(sequence)}}
	if sequence == d.First {
		n.Declined, n.Counted = d.Declined, d.Counted
	}
	if err := s.freeze(n, bodies, nil); err != nil {
		return false, err
	}
	return true, s.disk.remove(filepath.Join(d.dir(s), triedName(sequence)))
}

// readBatch reads the body of a batch.
func (d *delivery) readBatch(s *Spool, sequence uint32) ([]byte, error) {
	return fileread.File(filepath.Join(d.dir(s), batchName(sequence)))
}
