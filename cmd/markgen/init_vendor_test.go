package main

import (
	"strings"
	"testing"
)

// The copy is small, and has no file or package that only overlay builds use.
func TestVendoredFiles(t *testing.T) {
	files, err := vendoredFiles("example.com/m")
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for name, text := range files {
		size += len(text)
		if strings.Contains(name, "/virtual_") || strings.HasPrefix(name, "internal/inflate/") {
			t.Errorf("%s is for overlay builds", name)
		}
	}
	t.Logf("%d files, %d bytes", len(files), size)
	if size > 350_000 {
		t.Errorf("%d bytes, want %d at most", size, 350_000)
	}
}

// A copied file keeps directives, and of comments those of what marked source calls.
func TestVendored(t *testing.T) {
	const text = `//go:build linux && !markgen_off

// Package perf is documented.
package perf

import (
	"unsafe" // for go:linkname

	"github.com/markgen/markgen/runtime/layout"
)

// On is documented.
var On = layout.On // too

// Enter is documented.
//
//go:nosplit
func Enter() { /* not this */ leave() }

// leave is not.
//
//go:linkname leave runtime.leave
//go:noescape
func leave() // nor this

// scope is not.
type scope struct {
	// marker is not.
	marker unsafe.Pointer
	shard  int // nor this
}
`
	const want = vendoredMark + `

//go:build go1.23 && linux && !markgen_off

// Package perf is documented.
package perf

import (
	"unsafe"

	"example.com/m/internal/markgen/layout"
)

// On is documented.
var On = layout.On // too

// Enter is documented.
//
//go:nosplit
func Enter() { leave() }

//go:linkname leave runtime.leave
//go:noescape
func leave()

type scope struct {
	marker unsafe.Pointer
	shard  int
}
`
	got, imports, err := vendored("perf/x.go", []byte(text), "example.com/m")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(imports) != 1 || imports[0] != "layout" {
		t.Errorf("imports %q", imports)
	}
}
