package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// folder counts the requests for what lies in it.
type folder struct {
	requests int
	inside   map[string]*folder
}

// count goes down the path, a call for each of its parts.
func (f *folder) count(path []string) {
	f.requests++
	if len(path) == 0 {
		return
	}
	f.child(path[0]).count(path[1:])
}

func (f *folder) child(name string) *folder {
	if f.inside == nil {
		f.inside = make(map[string]*folder)
	}
	c := f.inside[name]
	if c == nil {
		c = new(folder)
		f.inside[name] = c
	}
	return c
}

func (f *folder) add(o *folder) {
	f.requests += o.requests
	for name, c := range o.inside {
		f.child(name).add(c)
	}
}

// printFolders prints folders down to a depth.
func printFolders(w io.Writer, f *folder, depth int) {
	if depth == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(f.inside)) {
		c := f.inside[name]
		fmt.Fprintf(w, "%s%8d %s\n", strings.Repeat("  ", 3-depth), c.requests, name)
		printFolders(w, c, depth-1)
	}
}
