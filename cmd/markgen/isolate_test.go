package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/markgen/markgen/tier"
)

// TestIsolate runs the scripts of isolate, in testdata/isolate. They may use code N COMMAND, and tree, as those of
// TestGoCommand.
func TestIsolate(t *testing.T) {
	tier.Test(t)
	p := scripts(t, "testdata/isolate", tier.CachedFlags())
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"code": exitCode, "tree": printTree}
	testscript.Run(t, p)
}
