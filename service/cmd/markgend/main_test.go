package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/internal/cli"
)

var built string // folder of the built markgen; "" until then

func TestMain(m *testing.M) {
	testscript.Main(after{m}, map[string]func(){"markgend": main})
}

// An after removes what was built for the tests after they ran.
type after struct{ *testing.M }

func (a after) Run() int {
	code := a.M.Run()
	if built != "" {
		os.RemoveAll(built)
	}
	return code
}

var build = sync.OnceValues(func() (string, error) {
	var err error
	if built, err = os.MkdirTemp("", "markgend-test-"); err != nil {
		return "", err
	}
	name := filepath.Join(built, "markgen")
	out, err := exec.Command("go", "build", "-o", name, "github.com/markgen/markgen/cmd/markgen").CombinedOutput()
	if err != nil {
		err = errors.Join(err, errors.New(string(out)))
	}
	return name, err
})

// markgen returns the path of the built command.
func markgen(t *testing.T) string {
	t.Helper()
	name, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// TestScript runs the scripts in testdata/script, one per behaviour. -update rewrites the expected
// output.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Updating(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// Every command is listed, explained, and accepts -h.
func TestCommands(t *testing.T) {
	for _, c := range program.All() {
		var viaHelp, viaFlag, stderr bytes.Buffer
		if code := program.Main(context.Background(), &cli.Env{Args: []string{"help", c.Name}, Stdout: &viaHelp, Stderr: &stderr}); code != 0 {
			t.Errorf("help %s: exit code %d: %s", c.Name, code, stderr.String())
		}
		if code := program.Main(context.Background(), &cli.Env{Args: []string{c.Name, "-h"}, Stdout: &viaFlag, Stderr: &stderr}); code != 0 {
			t.Errorf("%s -h: exit code %d: %s", c.Name, code, stderr.String())
		}
		if viaHelp.String() != viaFlag.String() || stderr.Len() > 0 || !strings.HasPrefix(viaHelp.String(), "usage: markgend ") {
			t.Errorf("%s -h prints\n%s\nhelp %s prints\n%s\n%s", c.Name, viaFlag.String(), c.Name, viaHelp.String(), stderr.String())
		}
	}
}
