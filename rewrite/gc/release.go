// Package gc holds what markgen assumes about Go's toolchain and what a release of Go may change: limits of
// the compiler, which are the same in all releases supported today, and a row for each release with what
// differs between them. The tests compare both with the toolchain that runs them.
//
// What a build can ask its toolchain is asked there and is not in this package: the places in package runtime
// that a deep build changes (overlay/deep), flags of the compiler, the layout of a goroutine.
package gc

import (
	"go/version"
	"strings"
)

// A Release is a release of Go.
type Release struct {
	Lang string // "go1.27", see go/version.Lang

	// CoverCode tells how cmd/cover extends the basic blocks that it counts. If false, a block goes from brace
	// to brace. If true, it holds the lines that have code and is split where others stand between them, each
	// part having a counter of its own, and its lines are those of the file whatever //line says (codeRanges
	// in cmd/cover/cover.go):
	//
	//	{                 // before: one block, 1-5
	//		a()           // 2.3-3.1
	//
	//		b()           // 4.3-5.1
	//	}
	CoverCode bool

	// RangeMoves tells that a loop over a slice moves its elements to the heap, if they may be on the stack because
	// what was appended to the slice began there: so that at most one statement may give the slice away
	// (ORANGE in cmd/compile/internal/slice/slice.go).
	RangeMoves bool

	// FrameType is the OutputType that go test -json gives to lines of its own, such as the last one of a package that
	// fails; "" without that field (cmd/internal/test2json).
	FrameType string
}

// Releases are those that are supported, the oldest first.
var Releases = []Release{
	{Lang: "go1.26"},
	{Lang: "go1.27", CoverCode: true, RangeMoves: true, FrameType: "frame"},
}

// Newest returns the newest release that is supported.
func Newest() Release { return Releases[len(Releases)-1] }

// Of returns the row of a version as go env GOVERSION gives it, such as go1.27.4 or "devel go1.28-5bd7fac". One newer than
// the newest row is taken to be as that, one older than the oldest, or unreadable, as the oldest.
func Of(goVersion string) Release {
	found := Releases[0]
	goVersion = number(goVersion)
	for _, r := range Releases {
		if version.Compare(goVersion, r.Lang) >= 0 {
			found = r
		}
	}
	return found
}

// Newer reports whether a version is of a release newer than the newest that is supported, so that what
// Of returns for it is a guess.
func Newer(goVersion string) bool {
	return version.Compare(version.Lang(number(goVersion)), Newest().Lang) > 0
}

// number is a version without the word that one between releases begins with.
func number(goVersion string) string { return strings.TrimPrefix(goVersion, "devel ") }
