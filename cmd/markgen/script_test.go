package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/tier"
)

func TestMain(m *testing.M) {
	if code, ok := overlay.Called(os.Args[1:]); ok {
		os.Exit(code)
	}
	knowCheckout()
	testscript.Main(m, map[string]func(){"markgen": main})
}

// checkoutVariable is an environment variable that tells the test binary, when it runs as markgen,
// the directory of its checkout: make test builds it with -trimpath.
const checkoutVariable = "MARKGEN_TEST_CHECKOUT"

func knowCheckout() {
	if checkout = os.Getenv(checkoutVariable); checkout == "" {
		wd, err := os.Getwd() // go test runs it in this folder
		if err != nil {
			panic(err)
		}
		checkout = filepath.Join(wd, "..", "..")
		os.Setenv(checkoutVariable, checkout)
	}
}

// TestScript runs the scripts in testdata/script, one file for each behaviour. -update rewrites the
// expected output.
func TestScript(t *testing.T) {
	p := scripts(t, "testdata/script", tier.CachedFlags())
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){"register": register, "goimports": goimports}
	testscript.Run(t, p)
}

// scripts returns the parameters for the scripts in dir. They have their own home directory; the go
// command keeps its caches and does not use the network.
func scripts(t *testing.T, dir, goflags string) testscript.Params {
	keep := []string{"GOCACHE", "GOMODCACHE", "GOROOT"}
	out, err := exec.Command("go", append([]string{"env"}, keep...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(strings.TrimSpace(string(out)), "\n")
	return testscript.Params{
		Dir:                 dir,
		UpdateScripts:       golden.Updating(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(name string) (bool, error) {
			switch name {
			case "corpus":
				return tier.InCorpus(), nil
			case "test":
				return tier.InTest(), nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Setup: func(env *testscript.Env) error {
			for i, key := range keep {
				env.Setenv(key, values[i])
			}
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOSUMDB", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOFLAGS", goflags)
			env.Setenv("GOWORK", "")
			env.Setenv("MARKGEN", "")
			env.Setenv(checkoutVariable, os.Getenv(checkoutVariable))
			env.Setenv("MARKGENCACHE", env.WorkDir+"/.markgencache")
			return nil
		},
	}
}

// register writes the registry for the packages in the current directory and below, with everything
// marked (-all), as marking in place does, but of files for this platform only.
func register(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 || len(args) == 1 && args[0] != "-all" {
		ts.Fatalf("usage: register [-all]")
	}
	env := &cli.Env{Dir: ts.MkAbs("."), Environ: append(os.Environ(), "GOFLAGS=", "GOWORK=")}
	modules, err := loadModules(context.Background(), env, loadOptions{Patterns: []string{"./..."}, All: len(args) == 1})
	ts.Check(err)
	for _, m := range modules {
		ts.Check(cli.WriteFile(filepath.Join(m.Root, registry.FileName), m.After.Format()))
	}
}

// goimports formats files as goimports -w does.
func goimports(ts *testscript.TestScript, neg bool, args []string) {
	words := []string{"run", "./testdata/goimports"}
	for _, name := range args {
		words = append(words, ts.MkAbs(name))
	}
	if out, err := exec.Command("go", words...).CombinedOutput(); err != nil {
		ts.Fatalf("goimports: %v\n%s", err, out)
	}
}

// Main depends only on its Env.
func TestMainFunction(t *testing.T) {
	tests := []struct {
		args           string
		code           int
		stdout, stderr string // prefix of the output
	}{
		{"help", 0, "Markgen puts", ""},
		{"-h", 0, "Markgen puts", ""},
		{"help help", 0, "usage: markgen help [command]", ""},
		{"help -h", 0, "usage: markgen help [command]", ""},
		{"help a b", 2, "", "markgen help: one command at a time, not 2; run markgen help help\n"},
		{"hlep", 2, "", "markgen: unknown command \"hlep\", did you mean \"help\"? Run markgen help for the list\n"},
		{"frobnicate", 2, "", "markgen: unknown command \"frobnicate\"; run markgen help for the list, or"},
		{"version", 0, "markgen ", ""},
		{"--version", 0, "markgen ", ""},
		{"version x", 2, "", "markgen version: no arguments are expected, not \"x\"; run markgen help version\n"},
		{"list -jsno", 2, "", "markgen list: unknown flag -jsno, did you mean -json?; run markgen help list\n"},
		{"list -all=perhaps", 2, "", "markgen list: "},
	}
	for _, test := range tests {
		var stdout, stderr bytes.Buffer
		code := Main(&cli.Env{Args: strings.Fields(test.args), Stdout: &stdout, Stderr: &stderr, Dir: t.TempDir(), Environ: os.Environ()})
		if code != test.code || !strings.HasPrefix(stdout.String(), test.stdout) || !strings.HasPrefix(stderr.String(), test.stderr) ||
			(test.stdout == "") != (stdout.Len() == 0) || (test.stderr == "") != (stderr.Len() == 0) {
			t.Errorf("markgen %s: exit code %d\nstdout: %s\nstderr: %s", test.args, code, stdout.String(), stderr.String())
		}
	}
}

// Every command can be found, explained and asked for help.
func TestCommands(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range program.All() {
		if seen[c.Name] {
			t.Errorf("%s is in the table twice", c.Name)
		}
		seen[c.Name] = true
		if c.Short == "" || strings.HasSuffix(c.Short, ".") || !strings.HasPrefix(strings.TrimSpace(c.Long), "usage: markgen ") {
			t.Errorf("%s: the help is not of the form of the others", c.Name)
		}
		var viaHelp, viaFlag, stderr bytes.Buffer
		if code := Main(&cli.Env{Args: []string{"help", c.Name}, Stdout: &viaHelp, Stderr: &stderr}); code != 0 {
			t.Errorf("help %s: exit code %d: %s", c.Name, code, stderr.String())
		}
		if code := Main(&cli.Env{Args: []string{c.Name, "-h"}, Stdout: &viaFlag, Stderr: &stderr}); code != 0 {
			t.Errorf("%s -h: exit code %d: %s", c.Name, code, stderr.String())
		}
		if viaHelp.String() != viaFlag.String() || stderr.Len() > 0 {
			t.Errorf("%s -h prints\n%s\nhelp %s prints\n%s\n%s", c.Name, viaFlag.String(), c.Name, viaHelp.String(), stderr.String())
		}
	}
}
