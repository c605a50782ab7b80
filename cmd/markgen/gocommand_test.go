package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/markgen/markgen/tier"
)

// TestGoCommand runs the scripts of build, run, test and exec, in testdata/gocommand. In addition
// to the commands of testscript they may use
//
//	code N COMMAND ARGS   run a command that must exit with code N
//	tree                  print the files in $WORK with their hashes, except files written by scripts (want, *.want)
//	sametest FILE …       run a command; its output must equal that of go test in FILE, except for times
//	samejson FILE …       the same for go test -json
//	sameid FILE NAME FILE NAME   the markers of those names in reports of format json must have the same ID
//	[cgo]                 there is a C compiler
func TestGoCommand(t *testing.T) {
	tier.Test(t)
	p := scripts(t, "testdata/gocommand", tier.CachedFlags())
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){
		"code":     exitCode,
		"tree":     printTree,
		"sameid":   sameID,
		"sametest": func(ts *testscript.TestScript, neg bool, args []string) { sameOutput(ts, args, durations) },
		"samejson": func(ts *testscript.TestScript, neg bool, args []string) { sameOutput(ts, args, eventTimes) },
	}
	others := p.Condition
	p.Condition = func(cond string) (bool, error) {
		if cond != "cgo" {
			return others(cond)
		}
		enabled, err := exec.Command("go", "env", "CGO_ENABLED").Output()
		_, noCompiler := exec.LookPath("gcc")
		return string(enabled) == "1\n" && noCompiler == nil, err
	}
	testscript.Run(t, p)
}

// exitCode runs a command and compares its exit code.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	ts.Logf("[stdout]\n%s[stderr]\n%s", ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// What differs between two runs of the same tests.
var (
	durations  = regexp.MustCompile(`\d+\.\d+s|\(cached\)`)
	eventTimes = regexp.MustCompile(`"Time":"[^"]*",|"Elapsed":[0-9.]+|\d+\.\d+s`)
)

// sameOutput runs a command, or code N and a command, and compares its output with a file.
func sameOutput(ts *testscript.TestScript, args []string, differs *regexp.Regexp) {
	want := differs.ReplaceAllString(ts.ReadFile(args[0]), "T")
	if args = args[1:]; args[0] != "code" {
		args = append([]string{"code", "0"}, args...)
	}
	exitCode(ts, false, args[1:])
	if got := differs.ReplaceAllString(ts.ReadFile("stdout"), "T"); got != want {
		ts.Fatalf("got:\n%s\nwant:\n%s", got, want)
	}
}

// printTree prints what is in the script's directory, hashes of contents included.
func printTree(ts *testscript.TestScript, _ bool, _ []string) {
	root := ts.Getenv("WORK")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if name == ".markgencache" {
			return fs.SkipDir
		}
		if d.IsDir() || name == "want" || strings.HasSuffix(name, ".want") {
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(ts.Stdout(), "%s %x\n", strings.TrimPrefix(path, root), sha256.Sum256(text))
		return err
	})
	ts.Check(err)
}

// sameID compares the IDs of two markers in reports of format json.
func sameID(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: sameid file name file name")
	}
	var ids []string
	for i := 0; i < len(args); i += 2 {
		var p struct{ Markers []struct{ ID, Name string } }
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[i])), &p))
		at := slices.IndexFunc(p.Markers, func(m struct{ ID, Name string }) bool { return m.Name == args[i+1] })
		if at < 0 {
			ts.Fatalf("%s: no marker %s among %v", args[i], args[i+1], p.Markers)
		}
		ids = append(ids, p.Markers[at].ID)
	}
	if ids[0] != ids[1] {
		ts.Fatalf("%s is %s, and %s is %s", args[1], ids[0], args[3], ids[1])
	}
}
