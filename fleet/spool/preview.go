package spool

import (
	"context"
	"io"
	"net/http/httputil"
	"slices"
)

// A Preview is a request that would be sent.
type Preview struct {
	Head []byte // of the request as HTTP/1.1 has it, with a blank line at its end
	Sent []byte // its body
	Body []byte // the same unpacked: a profile file
	New  bool   // it would be made by Pack, and its run be drawn then: that in the head is an example
}

// Preview gives all requests to visit that would be sent now, and changes nothing. Of deliveries that Pack would add up, as the
// spool is over its limit, it gives the parts. The token is not shown: t.Token stands in its place.
func (s *Spool) Preview(ctx context.Context, o PackOptions, t Target, visit func(Preview) error) error {
	list, _, err := s.deliveries()
	if err != nil {
		return err
	}
	now := s.now()
	show := func(n *note, sequence uint32, body []byte, isNew bool) error {
		r, err := t.request(ctx, n, sequence, body, now)
		if err != nil {
			return err
		}
		wire, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		r.Body, _ = r.GetBody()
		head, err := httputil.DumpRequestOut(r, false)
		if err != nil {
			return err
		}
		return visit(Preview{Head: head, Sent: wire, Body: body, New: isNew})
	}
	replaced, ended := map[string]bool{}, map[string]bool{}
	for _, d := range list {
		for _, name := range d.Replaces {
			replaced[name] = true
		}
		ended[d.Source] = d.Final
	}
	for _, d := range list {
		if replaced[d.name] {
			continue
		}
		left, err := d.batches(s)
		if err != nil {
			return err
		}
		for _, n := range left {
			body, err := d.readBatch(s, n)
			if err == nil && !replaced[d.name+"/"+batchName(n)] {
				err = show(&d.note, n, body, false)
			}
			if err != nil {
				return err
			}
		}
	}
	names, _, err := s.runs()
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return ended[name] })
	all, counted := s.declined()
	for _, name := range names {
		t, err := s.take(name, o)
		if err != nil { // Pack says so
			continue
		}
		if len(t.bodies) > 0 {
			t.Declined, counted = all-counted, all
		}
		for i, body := range t.bodies {
			if err := show(&t.note, t.First+uint32(i), body, t.First == 0); err != nil {
				return err
			}
		}
	}
	return nil
}
