package main

import (
	"fmt"
	"strings"
	"sync"
)

// resolver finds the name of the network of an address. To find it costs much, so it keeps the latest.
type resolver struct {
	mu    sync.Mutex
	limit int
	names map[string]*cached
	first *cached // least recently used
	last  *cached
}

// cached is a member of the list from the least to the most recently used name.
type cached struct {
	key, name  string
	prev, next *cached
}

func newResolver(limit int) *resolver {
	return &resolver{limit: limit, names: make(map[string]*cached)}
}

// name is called for every line, whois for few of them.
func (r *resolver) name(address string) string {
	key := address[:strings.LastIndexByte(address, '.')]
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.names[key]
	//perf:mark cache
	if c != nil {
		r.unlink(c)
	} else {
		c = &cached{key: key, name: whois(key)}
		r.names[key] = c
		if len(r.names) > r.limit {
			delete(r.names, r.first.key)
			r.unlink(r.first)
		}
	}
	r.append(c)
	return c.name
}

//perf:skip
func (r *resolver) unlink(c *cached) {
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		r.first = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	} else {
		r.last = c.prev
	}
	c.prev, c.next = nil, nil
}

//perf:skip
func (r *resolver) append(c *cached) {
	if c.prev = r.last; c.prev != nil {
		c.prev.next = c
	} else {
		r.first = c
	}
	r.last = c
}

// whois stands for a question to a distant server.
func whois(key string) string {
	h := uint32(2166136261)
	for round := range 5_000 {
		h = (h ^ uint32(key[round%len(key)])) * 16777619
	}
	var a, b int
	fmt.Sscanf(key, "10.%d.%d", &a, &b)
	if h == 0 {
		return "unknown"
	}
	return fmt.Sprintf("net-%c", 'a'+rune(a))
}
