package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// site is what is known of the pages.
type site struct {
	times   map[string][]int // milliseconds of each page's requests
	byName  map[string]int   // requests of each network
	folders *folder
}

// page is a row of the report.
type page struct {
	path                      string
	requests, median, slowest int
}

// network is a row of the report.
type network struct {
	name     string
	requests int
}

func newSite() *site {
	return &site{times: make(map[string][]int), byName: make(map[string]int), folders: new(folder)}
}

// analyse reads the parts of the log at the same time and adds up what it finds.
func analyse(log string, workers int) (*site, int) {
	var wg sync.WaitGroup
	names := newResolver(144)
	parts := chunks(log, workers)
	sites, bad := make([]*site, len(parts)), make([]int, len(parts))
	for i, part := range parts {
		sites[i] = newSite()
		wg.Go(func() {
			bad[i] = sites[i].read(part, names)
		})
	}
	wg.Wait()
	total, unread := newSite(), 0
	for i, s := range sites {
		total.add(s)
		unread += bad[i]
	}
	return total, unread
}

// read adds the lines of a part of the log and returns the number of those that it did not understand.
func (s *site) read(part string, names *resolver) (bad int) {
	//perf:mark line
	for line := range strings.Lines(part) {
		r, err := parse(strings.TrimSuffix(line, "\n"))
		if err != nil {
			bad++
			continue
		}
		s.times[r.path] = append(s.times[r.path], r.ms)
		s.byName[names.name(r.address)]++
		s.folders.count(strings.Split(r.path[1:], "/"))
	}
	return bad
}

// add adds what another site knows.
func (s *site) add(o *site) {
	for path, ms := range o.times {
		s.times[path] = append(s.times[path], ms...)
	}
	for name, n := range o.byName {
		s.byName[name] += n
	}
	s.folders.add(o.folders)
}

func (s *site) pages() int { return len(s.times) }

// slowest returns the n pages whose slowest tenth is slowest.
func (s *site) slowest(n int) (pages []page) {
	for path, ms := range s.times {
		p := page{path: path, requests: len(ms)}
		//perf:mark order size=len(ms)
		if len(ms) < 190 {
			insertionSort(ms)
		} else {
			quickSort(ms)
		}
		p.median, p.slowest = ms[len(ms)/2], ms[len(ms)*9/10]
		pages = append(pages, p)
	}
	slices.SortFunc(pages, func(a, b page) int {
		return cmp.Or(cmp.Compare(b.slowest, a.slowest), cmp.Compare(a.path, b.path))
	})
	return pages[:min(n, len(pages))]
}

// networks returns the networks by name.
func (s *site) networks() (ns []network) {
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		ns = append(ns, network{name, s.byName[name]})
	}
	return ns
}
