package registry

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// FileName is the name of the registry file in the module root.
const FileName = "markgen.registry"

// Point is a place in the source that is or may become a marker, with the properties that determine
// its identity. The names of points of one function sort in source order: if#2 comes before if#10.
type Point struct {
	Package string // import path
	Func    string // enclosing top-level function: "Parse", "T.Method", "(*T).Method", "init" for package variables
	Kind    string // func, loop, branch, block, region, point
	Given   string // name given in the directive; "" if there is none
	Header  string // normalized header: "for i := 0; i < n; i++", "if x > y then"; of functions the signature
	Body    uint64 // hash of the normalized body text; 0 if there is no usable body, such as an empty one
	Name    string // full name, unique in the package except for functions that share a name
	File    string // path relative to the module root, slash separated
}

// Entry is one marker in the registry.
type Entry struct {
	ID      ID
	Retired bool // no longer in the source; the ID stays reserved
	Package string
	Func    string
	Kind    string
	Ordinal int    // from 1, among the markers of the function with equal Kind, Given and Header
	Given   string // "" if there is none
	Header  string // as in Point; if long, shortened and followed by a hash
	Body    uint64
	// Rank orders the markers of a function that have no given name. It is the digits of a decimal
	// fraction, so that inserting a marker between two others changes neither. "" if not ordered.
	Rank string
}

// Name returns a name for a marker that is no longer in the source: its given name, or function and
// header. A live marker's numbered name comes with its point; the registry does not store it,
// because an insertion would change the lines of all later markers.
func (e Entry) Name() string {
	switch {
	case e.Given != "":
		return e.Package + "." + e.Given
	case e.Kind == "func" && e.Ordinal == 1:
		return e.Package + "." + e.Func
	}
	return e.Package + "." + e.Func + ":" + e.Header
}

// Registry is the contents of a registry file. The zero value is empty. A Registry is immutable.
type Registry struct {
	// entries is sorted by compareEntries. After a merge of two branches that changed the same
	// marker, its ID may occur more than once: both lines may be the marker, so both are used as
	// evidence. Assign keeps one.
	entries []Entry
}

// Empty reports whether the registry has no IDs.
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

// Packages returns the import paths that have live markers, sorted. A caller that loads all
// packages of a module should also pass the vanished ones to Assign, so that the markers of a
// renamed package keep their IDs.
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

// compareEntries defines the order of the file. Except for ordinals, it depends on nothing that an
// edit elsewhere could change.
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

// maxHeader is the maximum length in bytes of a header that is not shortened.
const maxHeader = 120

// shorten returns a header as stored in the registry: complete, or its beginning and a hash of all
// of it. Two headers are equal if their short forms are.
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

// related reports whether two lines with one ID can be one marker that two branches changed
// differently: for example, one renamed the function, and the other edited the loop. Across
// packages, function, header, body or given name must be the same.
func related(a, b Entry) bool {
	return a.Kind == b.Kind && (a.Package == b.Package ||
		a.Func == b.Func || a.Header == b.Header || a.Body == b.Body && a.Body != 0 || a.Given == b.Given && a.Given != "")
}

// class returns the class of markers that can be identified by position alone: a then clause never
// becomes an else clause, and a case never a then clause.
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
