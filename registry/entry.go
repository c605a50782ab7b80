package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// FileName is the name of the registry file; it lies at the module root.
const FileName = "markgen.registry"

// Point is a place in the source that is or may become a marker, with all that its identity is judged by. Two
// points of one function are in source order as their names are: if#2 before if#10.
type Point struct {
	Package string // import path
	Func    string // enclosing top-level function: "Parse", "T.Method", "(*T).Method", "init" for package variables
	Kind    string // func, loop, branch, block, region, point
	Given   string // name given in the directive, "" if none
	Header  string // normalised header text: "for i := 0; i < n; i++", "if x > y then"; of functions the signature
	Body    uint64 // hash of the normalised body text; 0 when the body says nothing, as an empty one does
	Name    string // full name, unique in the package but for functions that share a name
	File    string // path relative to the module root, slash separated
}

// Entry is one marker in the registry.
type Entry struct {
	ID      ID
	Retired bool // no longer in the source; the ID stays taken
	Package string
	Func    string
	Kind    string
	Ordinal int    // from 1, among the markers of the function with equal Kind, Given and Header
	Given   string // "" if none
	Header  string // as in Point, shortened by a hash of the whole when it is long
	Body    uint64
	// Rank orders the markers of one function that have no given name: a decimal fraction's digits, so that a marker
	// inserted between two others changes neither. "" if not ordered.
	Rank string
}

// Name returns what to call a marker that is not in the source any more: its given name, or the function and the
// header. The numbered name of a live marker comes with its point; numbers are not kept, because an insertion would
// change the lines of all that follow.
func (e Entry) Name() string {
	switch {
	case e.Given != "":
		return e.Package + "." + e.Given
	case e.Kind == "func" && e.Ordinal == 1:
		return e.Package + "." + e.Func
	}
	return e.Package + "." + e.Func + ":" + e.Header
}

// Registry is what the registry file holds. The zero Registry is an empty one. A Registry is not changed once made.
type Registry struct {
	// entries is sorted with compareEntries. An ID may occur more than once after a merge of two branches that each
	// changed the line: as long as both may be the marker, both are evidence. Assign leaves one.
	entries []Entry
}

// Empty tells that the registry knows no IDs.
func (r *Registry) Empty() bool { return len(r.entries) == 0 }

// Entries returns all markers, live and retired, sorted by package and function.
func (r *Registry) Entries() []Entry {
	seen := make(map[ID]bool, len(r.entries))
	list := make([]Entry, 0, len(r.entries))
	for _, e := range r.entries {
		if !seen[e.ID] {
			seen[e.ID] = true
			list = append(list, e)
		}
	}
	return list
}

// Packages returns the import paths that have live markers, sorted. A caller that loads all packages of a module
// passes those that are gone to Assign too: a package that was renamed takes its markers along.
func (r *Registry) Packages() []string {
	var list []string
	for _, e := range r.entries {
		if !e.Retired {
			list = append(list, e.Package)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// compareEntries is the order of the file. It uses nothing that an edit elsewhere could change, save ordinals.
func compareEntries(a, b Entry) int {
	switch {
	case a.Package != b.Package:
		return cmp.Compare(a.Package, b.Package)
	case a.Func != b.Func:
		return cmp.Compare(a.Func, b.Func)
	}
	return cmp.Or(
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Header, b.Header),
		cmp.Compare(a.Given, b.Given),
		cmp.Compare(a.Ordinal, b.Ordinal),
		cmp.Compare(a.ID, b.ID),
		compareBool(a.Retired, b.Retired),
		cmp.Compare(a.Body, b.Body),
		cmp.Compare(a.Rank, b.Rank),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// maxHeader is the length in bytes from which a header is shortened in the file.
const maxHeader = 120

// shorten returns a header as the registry keeps it: whole, or its beginning and a hash of the whole. Two headers
// are equal when their short forms are.
func shorten(header string) string {
	if len(header) <= maxHeader {
		return header
	}
	sum := sha256.Sum256([]byte(header))
	cut := maxHeader - 40
	for cut > 0 && !utf8.RuneStart(header[cut]) {
		cut--
	}
	return header[:cut] + "…" + hex.EncodeToString(sum[:8])
}

// related reports whether two lines with one ID can be one marker that two branches changed each in its way: one
// renamed the function, say, and the other edited the loop. Across packages something has to be the same.
func related(a, b Entry) bool {
	return a.Kind == b.Kind && (a.Package == b.Package ||
		a.Func == b.Func || a.Header == b.Header || a.Body == b.Body && a.Body != 0 || a.Given == b.Given && a.Given != "")
}

// class groups what may stand in for each other by place alone: a then clause is never an else clause, a case never
// a then.
func class(kind, header string) string {
	first, _, _ := strings.Cut(header, " ")
	last := header[strings.LastIndexByte(header, ' ')+1:]
	switch {
	case kind != "branch":
		return kind
	case last == "then", last == "else", last == "default":
		return kind + " " + last
	}
	return kind + " " + first
}
