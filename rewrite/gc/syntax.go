package gc

import (
	"fmt"
	"go/version"
	"runtime"
)

// NewerSyntax returns what to tell a user whose source this program could not parse, if the toolchain in use, of
// which go env GOVERSION told the version, is of a newer release than the one that built this program: the parser is
// the one in the standard library of that. Else it is nil.
func NewerSyntax(goVersion string) error { return newerSyntax(goVersion, runtime.Version()) }

func newerSyntax(goVersion, built string) error {
	if version.Compare(version.Lang(number(goVersion)), version.Lang(number(built))) <= 0 {
		return nil
	}
	remedy := "build markgen with that"
	if version.IsValid(goVersion) { // a release, which can be had by its name
		remedy += " (GOTOOLCHAIN=" + goVersion + ")"
	}
	return fmt.Errorf("this markgen was built with %s and cannot read syntax that is newer; the toolchain in use is %s; %s", built, number(goVersion), remedy)
}
