package gc

import (
	"fmt"
	"go/version"
	"runtime"
)

// NewerSyntax returns an error that explains why this program may be unable to parse a source: the
// toolchain in use, whose go env GOVERSION is goVersion, is of a newer release than the one that
// built this program and provided its go/parser. Otherwise it returns nil.
func NewerSyntax(goVersion string) error { return newerSyntax(goVersion, runtime.Version()) }

func newerSyntax(goVersion, built string) error {
	if version.Compare(version.Lang(number(goVersion)), version.Lang(number(built))) <= 0 {
		return nil
	}
	remedy := "build markgen with that"
	if version.IsValid(goVersion) { // a release, which GOTOOLCHAIN can name
		remedy += " (GOTOOLCHAIN=" + goVersion + ")"
	}
	return fmt.Errorf("this markgen was built with %s and cannot read syntax that is newer; the toolchain in use is %s; %s", built, number(goVersion), remedy)
}
