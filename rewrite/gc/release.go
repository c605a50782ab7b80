// Package gc has the properties of Go's toolchain that markgen depends on and that a release of Go
// may change: limits of the compiler, which are the same in all supported releases, and a table of
// releases with their differences. The tests compare both with the toolchain that runs them.
//
// Properties that a build can find out from its toolchain are not here: the code in package runtime
// that a deep build changes (overlay/deep), flags of the compiler, the layout of a goroutine.
package gc

import (
	"go/version"
	"strings"
)

// A Release is a release of Go.
type Release struct {
	Lang string // "go1.27", see go/version.Lang

	// CoverCode is the extent of the basic blocks that cmd/cover counts. If false, a block extends
	// from brace to brace. If true, it has only lines with code, and is split at other lines, with
	// a counter for each part; its line numbers ignore //line (codeRanges in cmd/cover/cover.go):
	//
	//	{                 // if false: one block, lines 1-5
	//		a()           // if true: 2.3-3.1
	//
	//		b()           // and 4.3-5.1
	//	}
	CoverCode bool

	// FrameType is the OutputType in go test -json of lines that go test itself writes, such as the
	// last line of a package that fails; "" if the release has no such field
	// (cmd/internal/test2json).
	FrameType string
}

// Releases lists the supported releases, the oldest first.
var Releases = []Release{
	{Lang: "go1.26"},
	{Lang: "go1.27", CoverCode: true, FrameType: "frame"},
}

// Newest returns the newest supported release.
func Newest() Release { return Releases[len(Releases)-1] }

// Of returns the release of a version as printed by go env GOVERSION, such as go1.27.4 or
// "devel go1.28-5bd7fac". For a newer version it returns the newest supported release, for an older
// or malformed one the oldest.
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

// Newer reports whether a version is newer than the newest supported release, so that Of can only
// guess.
func Newer(goVersion string) bool {
	return version.Compare(version.Lang(number(goVersion)), Newest().Lang) > 0
}

// number returns a version without the prefix "devel " of development versions.
func number(goVersion string) string { return strings.TrimPrefix(goVersion, "devel ") }
