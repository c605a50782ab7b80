package spool

import (
	"context"
	"io"
	"net/http/httputil"
	"slices"
)

// A Preview is a request that would be sent.
type Preview struct {
	Head []byte // HTTP/1.1 header of the request, including the blank line
	Sent []byte // body of the request
	Body []byte // decompressed body: a profile file
	New  bool   // Pack has not made it yet and would draw its run ID: the one in Head is an example
}

// Preview calls visit with all requests that would be sent now, and changes nothing. Deliveries
// that Pack would merge because the spool exceeds its limit are shown separately. Head contains
// t.Token as given: to hide the token, pass a placeholder.
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
