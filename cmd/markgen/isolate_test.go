package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestIsolate runs the scripts of isolate, in testdata/isolate. They may use code N COMMAND, and tree, as those of
// TestGoCommand.
func TestIsolate(t *testing.T) {
	p := scripts(t, "testdata/isolate")
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"code": exitCode, "tree": printTree}
	testscript.Run(t, p)
}
